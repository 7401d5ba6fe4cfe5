/// The files of the playground, which load nothing from other hosts.
enum PlaygroundFiles {
    static let page = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Kingfisher playground</title>
        <link rel="stylesheet" href="playground/style.css">
        <h1>Kingfisher</h1>
        <p><a href="live">Live figures</a></p>
        <form id="form" autocomplete="off">
          <label class="long">Source <input name="source" required
            placeholder="https://… or local:///… or s3://…"></label>
          <label>Or a file, also dropped here
            <input name="file" type="file" accept="image/*"></label>
          <label>Resizing <select name="resizing_type"><option>fit<option>fill<option>fill-down
            <option>force<option>auto</select></label>
          <label>Width <input name="width" type="number" min="0" value="400"></label>
          <label>Height <input name="height" type="number" min="0"></label>
          <label>Gravity <select name="gravity"><option value="">ce<option>sm<option>no<option>so
            <option>ea<option>we<option>noea<option>nowe<option>soea<option>sowe</select></label>
          <label>Format <select name="format"><option value="">as the source<option>jpg<option>png
            <option>webp<option>avif<option>gif<option>jxl</select></label>
          <label>Quality <input name="quality" type="number" min="0" max="100"></label>
          <label>DPR <input name="dpr" type="number" min="0" step="any"></label>
          <label>Blur <input name="blur" type="number" min="0" step="any"></label>
          <label>Sharpen <input name="sharpen" type="number" min="0" step="any"></label>
          <label>Round <input name="round" type="number" min="0"></label>
          <label>Background <input name="background" placeholder="ffffff" size="8"></label>
          <label class="check"><input name="enlarge" type="checkbox"> Enlarge</label>
          <label class="wide">More options <input name="more"
            placeholder="saturation:1.5/watermark:0.5:soea"></label>
          <button>Show</button>
        </form>
        <p id="error" role="alert"></p>
        <p id="address" hidden><a id="url"></a> <button id="copy" type="button">Copy</button>
          <span id="copied" role="status"></span></p>
        <p id="options" hidden></p>
        <main id="images" hidden>
          <figure><figcaption>Result <span id="after" role="status"></span></figcaption>
            <img id="result" alt="The result" hidden></figure>
          <figure><figcaption>Source <span id="before"></span></figcaption>
            <img id="source" alt="The source" hidden></figure>
        </main>
        <script src="playground/page.js"></script>
        </html>
        """

    static let live = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Kingfisher live</title>
        <link rel="stylesheet" href="playground/style.css">
        <h1>Kingfisher live</h1>
        <p><a href="./">Playground</a> <span id="error" role="alert"></span></p>
        <p>The last two minutes:</p>
        <main id="figures"></main>
        <script src="playground/live.js"></script>
        </html>
        """

    static let style = """
        :root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif; }
        h1 { margin: 0; font-size: 1.6rem; }
        body { margin: 1rem auto; max-width: 80rem; padding: 0 1rem; }
        body.dropping { outline: 3px dashed #28c; outline-offset: -6px; }
        [hidden] { display: none; }
        form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
        label { display: flex; flex-direction: column; font-size: .85rem; max-width: 100%; }
        label.long { flex: 1 1 20rem; }
        label.wide { flex: 1 1 100%; }
        label.check { flex-direction: row; align-items: center; gap: .25rem; padding: .5rem 0; }
        input, select, button { font: inherit; padding: .25rem; max-width: 100%; }
        input[type=number] { width: 6rem; }
        input, select { box-sizing: border-box; height: 2.2rem; }
        input[type=checkbox] { height: 1.2rem; }
        button { min-height: 2.2rem; padding: .25rem .75rem; }
        main { display: grid; gap: 1rem; margin-top: 1rem;
          grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
        #figures { grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); }
        figure { margin: 0; }
        figure img { max-width: 100%; border: 1px solid #8888;
          background: repeating-conic-gradient(#8883 0 25%, #0000 0 50%) 0 0 / 16px 16px; }
        figcaption { min-height: 3em; font-variant-numeric: tabular-nums; }
        #url, #options { overflow-wrap: anywhere; font-family: monospace; }
        #error { color: #c33; }
        #error:empty { display: none; }
        canvas { width: 100%; height: 4rem; border-bottom: 1px solid #8888; }
        strong { font-size: 1.6rem; font-variant-numeric: tabular-nums; }
        """

    static let script = """
        "use strict";
        const form = document.getElementById("form");
        const { source, file } = form.elements;
        const element = (id) => document.getElementById(id);
        const show = (id, text) => { element(id).textContent = text; };
        const names = ["resizing_type", "width", "height", "gravity", "format", "quality", "dpr",
          "blur", "sharpen", "round", "background"];
        let round = 0;

        // URL-safe Base64 of the text in UTF-8.
        function encode(text) {
          const bytes = Array.from(new TextEncoder().encode(text), (b) => String.fromCharCode(b));
          return btoa(bytes.join("")).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=/g, "");
        }

        function options() {
          const found = [];
          for (const name of names) {
            const value = form.elements[name].value.trim();
            if (value) { found.push(name + ":" + encodeURIComponent(value)); }
          }
          if (form.elements.enlarge.checked) { found.push("enlarge:1"); }
          found.push(...form.elements.more.value.trim().split("/").filter((part) => part));
          return found;
        }

        async function sign(parts) {
          const path = "/" + [...parts, encode(source.value.trim())].join("/");
          const reply = await fetch("playground/sign?path=" + encodeURIComponent(path));
          const answer = await reply.json();
          if (answer.error) { throw new Error(answer.error); }
          return answer.path;
        }

        function clear() {
          ["error", "before", "after", "copied"].forEach((id) => show(id, ""));
          for (const id of ["address", "options", "source", "result"]) { element(id).hidden = true; }
          for (const image of document.images) {
            URL.revokeObjectURL(image.src);
            image.removeAttribute("src");
          }
        }

        // Shows an image that this browser may not be able to decode, and facts about it.
        async function display(image, caption, blob, facts, turn) {
          const target = element(image);
          target.src = URL.createObjectURL(blob);
          let size = "not shown, because this browser cannot decode it";
          try {
            await target.decode();
            size = target.naturalWidth + " × " + target.naturalHeight;
            if (turn === round) { target.hidden = false; }
          } catch { }
          if (turn !== round) { return; }
          const bytes = blob.size.toLocaleString() + " bytes";
          show(caption, [size, blob.type, bytes, ...facts].filter((fact) => fact).join(", "));
        }

        // Shows a response, whose fields say how it came about.
        async function load(path, request, image, caption, turn) {
          const start = performance.now();
          const reply = await fetch(path, { cache: "no-store", ...request });
          if (!reply.ok) { throw new Error(reply.status + " " + await reply.text()); }
          const blob = await reply.blob();
          const time = (performance.now() - start).toFixed(0) + " ms";
          if (turn !== round) { return; }
          const layer = reply.headers.get("X-Cache");
          const stages = (reply.headers.get("Server-Timing") || "").split(", ")
            .map((stage) => stage.replace(";dur=", " ")).filter((stage) => stage);
          const parts = stages.length ? " (" + stages.join(" ms, ") + " ms)" : "";
          await display(image, caption, blob, [layer ? "cache: " + layer : "", time + parts], turn);
        }

        async function showSource(turn) {
          const path = await sign(options());
          if (turn !== round) { return; }
          element("url").href = path;
          show("url", location.origin + path);
          element("address").hidden = false;
          await load(path, {}, "result", "after", turn);
          await load(await sign(["raw:1"]), {}, "source", "before", turn);
        }

        async function showFile(picked, turn) {
          const path = "/" + options().join("/");
          show("options", "A file has no address. The options: " + path);
          element("options").hidden = false;
          await display("source", "before", picked, [], turn);
          await load("playground/file?path=" + encodeURIComponent(path),
            { method: "POST", body: picked }, "result", "after", turn);
        }

        form.addEventListener("submit", async (event) => {
          event.preventDefault();
          const turn = ++round;
          clear();
          element("images").hidden = false;
          show("after", "…");
          try {
            await (file.files.length ? showFile(file.files[0], turn) : showSource(turn));
          } catch (error) {
            if (turn !== round) { return; }
            show("error", error.message);
            if (element("result").hidden) { show("after", ""); }
            element("images").hidden = element("result").hidden && element("source").hidden;
          }
        });

        // Either a source or a file.
        source.addEventListener("input", () => {
          file.value = "";
          source.required = true;
        });
        file.addEventListener("change", () => {
          source.required = !file.files.length;
          if (!file.files.length) { return; }
          source.value = "";
          form.requestSubmit();
        });

        // A file can be dropped anywhere on the page.
        const isFile = (event) => event.dataTransfer && event.dataTransfer.types.includes("Files");
        addEventListener("dragover", (event) => {
          if (!isFile(event)) { return; }
          event.preventDefault();
          document.body.classList.add("dropping");
        });
        addEventListener("dragleave", (event) => {
          if (!event.relatedTarget) { document.body.classList.remove("dropping"); }
        });
        addEventListener("drop", (event) => {
          if (!isFile(event)) { return; }
          event.preventDefault();
          document.body.classList.remove("dropping");
          file.files = event.dataTransfer.files;
          file.dispatchEvent(new Event("change"));
        });

        element("copy").addEventListener("click", async () => {
          try {
            await navigator.clipboard.writeText(element("url").href);
            show("copied", "Copied.");
          } catch {
            // Pages of other hosts without TLS must not write the clipboard.
            getSelection().selectAllChildren(element("url"));
            show("copied", "Selected; press Ctrl-C.");
          }
        });

        // A link to the page can name the source.
        const named = new URLSearchParams(location.search).get("source");
        if (named) {
          source.value = named;
          form.requestSubmit();
        }
        """

    static let liveScript = """
        "use strict";
        const figures = document.getElementById("figures");
        const perSecond = (value) => value.toFixed(1) + "/s";
        const whole = (value) => value.toFixed(0);
        // The title of each figure, its value, and the text for that.
        const kinds = [
          ["Requests", (now) => now.rate("kf_requests_total"), perSecond],
          ["Mean time", (now) => now.mean("kf_request_duration_seconds") * 1000,
            (value) => value.toFixed(1) + " ms"],
          ["From memory", (now) => now.rate('kf_cache_hits_total{layer="memory"}'), perSecond],
          ["From disk", (now) => now.rate('kf_cache_hits_total{layer="disk"}'), perSecond],
          ["Made", (now) => now.rate("kf_cache_misses_total"), perSecond],
          ["From kept sources", (now) => now.rate('kf_cache_hits_total{layer="source"}'), perSecond],
          ["Sent", (now) => now.rate("kf_response_bytes_total") / 1e6,
            (value) => value.toFixed(2) + " MB/s"],
          ["Queue", (now) => now.value("kf_queue_length"), whole],
          ["Running", (now) => now.value("kf_running"), whole],
          ["Workers", (now) => now.value("kf_workers"), whole],
          ["Memory", (now) => now.value("process_resident_memory_bytes") / 1e6,
            (value) => whole(value) + " MB"],
        ];
        const past = new Map();
        let last = null;

        // The sums of all series by name, and each series by name and labels.
        function parse(text) {
          const found = new Map();
          for (const line of text.split("\\n")) {
            const match = /^([a-zA-Z_:][\\w:]*)(\\{[^}]*\\})? (\\S+)$/.exec(line);
            if (!match) { continue; }
            const value = Number(match[3]);
            found.set(match[1], (found.get(match[1]) || 0) + value);
            if (match[2]) { found.set(match[1] + match[2], value); }
          }
          return found;
        }

        // The values now, and their changes since `last`; names may have a configured prefix.
        function reading(values, last) {
          const time = performance.now();
          const full = (name) => [...values.keys()].find((key) => key.endsWith(name)) || name;
          const of = (all, name) => all.get(full(name)) || 0;
          const rise = (name) => of(values, name) - (last ? of(last.values, name) : NaN);
          return {
            values, time,
            value: (name) => of(values, name),
            rate: (name) => rise(name) / (time - last?.time) * 1000,
            mean: (name) => rise(name + "_sum") / (rise(name + "_count") || 1),
          };
        }

        for (const [name] of kinds) {
          const figure = document.createElement("figure");
          figure.id = "f-" + name;
          const number = document.createElement("strong");
          number.textContent = "–";
          figure.append(name, document.createElement("br"), number, document.createElement("canvas"));
          figures.append(figure);
          past.set(name, []);
        }

        function draw(name, value, text) {
          const figure = document.getElementById("f-" + name);
          figure.querySelector("strong").textContent = text;
          const values = past.get(name);
          values.push(value);
          if (values.length > 120) { values.shift(); }
          const canvas = figure.querySelector("canvas");
          const scale = devicePixelRatio;
          canvas.width = canvas.clientWidth * scale;
          canvas.height = canvas.clientHeight * scale;
          const context = canvas.getContext("2d");
          context.scale(scale, scale);
          const [width, height] = [canvas.clientWidth, canvas.clientHeight];
          const top = Math.max(...values, 1e-9);
          const x = (index) => width - (values.length - 1 - index) * width / 119;
          context.beginPath();
          values.forEach((value, index) => context.lineTo(
            x(index), height - 1 - value / top * (height - 3)));
          context.strokeStyle = "#28c";
          context.lineWidth = 2;
          context.stroke();
          context.lineTo(width, height);
          context.lineTo(x(0), height);
          context.fillStyle = "#28c3";
          context.fill();
        }

        async function update() {
          const reply = await fetch("metrics", { cache: "no-store" });
          if (!reply.ok) { throw new Error("metrics: " + reply.status); }
          const now = reading(parse(await reply.text()), last);
          for (const [name, value, text] of kinds) {
            const current = value(now);
            if (Number.isFinite(current)) { draw(name, current, text(current)); }
          }
          last = now;
          document.getElementById("error").textContent = "";
        }

        async function run() {
          try { await update(); } catch (error) {
            document.getElementById("error").textContent = error.message;
          }
          setTimeout(run, 1000);
        }
        run();
        """
}
