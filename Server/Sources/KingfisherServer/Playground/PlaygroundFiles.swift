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
          <label class="wide">Source <input name="source" required
            placeholder="https://… or local:///… or s3://…"></label>
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
          <label>Background <input name="background" placeholder="ffffff"></label>
          <label>Enlarge <input name="enlarge" type="checkbox"></label>
          <label class="wide">More options <input name="more"
            placeholder="saturation:1.5/watermark:0.5:soea"></label>
          <button>Show</button>
        </form>
        <p id="error" role="alert"></p>
        <p><a id="url"></a></p>
        <main>
          <figure><figcaption>Source <span id="before"></span></figcaption>
            <img id="source" alt="The source"></figure>
          <figure><figcaption>Result <span id="after"></span></figcaption>
            <img id="result" alt="The result"></figure>
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
        <main id="figures"></main>
        <script src="playground/live.js"></script>
        </html>
        """

    static let style = """
        :root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif; }
        body { margin: 1rem auto; max-width: 80rem; padding: 0 1rem; }
        form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
        label { display: flex; flex-direction: column; font-size: .85rem; }
        label.wide { flex: 1 1 100%; }
        input, select, button { font: inherit; padding: .25rem; }
        input[type=number] { width: 6rem; }
        main { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
        figure { margin: 0; }
        figure img { max-width: 100%; border: 1px solid #8888; }
        figcaption { min-height: 3em; font-variant-numeric: tabular-nums; }
        #url { overflow-wrap: anywhere; font-family: monospace; }
        #error { color: #c33; }
        canvas { width: 100%; height: 4rem; }
        strong { font-size: 1.6rem; font-variant-numeric: tabular-nums; }
        """

    static let script = """
        "use strict";
        const form = document.getElementById("form");
        const show = (id, text) => { document.getElementById(id).textContent = text; };
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
          const path = "/" + [...parts, encode(form.elements.source.value.trim())].join("/");
          const reply = await fetch("playground/sign?path=" + encodeURIComponent(path));
          const answer = await reply.json();
          if (answer.error) { throw new Error(answer.error); }
          return answer.path;
        }

        // Loads an image, so that the fields of the response can be read, and shows it.
        async function load(path, image, caption, turn) {
          const start = performance.now();
          const reply = await fetch(path, { cache: "no-store" });
          if (!reply.ok) { throw new Error(reply.status + " " + await reply.text()); }
          const blob = await reply.blob();
          const time = performance.now() - start;
          if (turn !== round) { return; }
          const target = document.getElementById(image);
          URL.revokeObjectURL(target.src);
          target.src = URL.createObjectURL(blob);
          await target.decode();
          if (turn !== round) { return; }
          const field = (name) => reply.headers.get(name);
          show(caption, [
            target.naturalWidth + " × " + target.naturalHeight, field("Content-Type"),
            blob.size.toLocaleString() + " bytes", time.toFixed(0) + " ms",
            field("X-Cache") ? "cache: " + field("X-Cache") : "", field("Server-Timing") || "",
          ].filter((part) => part).join(", "));
        }

        form.addEventListener("submit", async (event) => {
          event.preventDefault();
          const turn = ++round;
          ["error", "before", "after", "url"].forEach((id) => show(id, ""));
          try {
            const path = await sign(options());
            const link = document.getElementById("url");
            link.href = path;
            link.textContent = location.origin + path;
            await load(path, "result", "after", turn);
            await load(await sign(["raw:1"]), "source", "before", turn);
          } catch (error) {
            if (turn === round) { show("error", error.message); }
          }
        });
        // A link to the page can name the source.
        const source = new URLSearchParams(location.search).get("source");
        if (source) {
          form.elements.source.value = source;
          form.requestSubmit();
        }
        """

    static let liveScript = """
        "use strict";
        const figures = document.getElementById("figures");
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

        function draw(name, value, text) {
          let figure = document.getElementById("f-" + name);
          if (!figure) {
            figure = document.createElement("figure");
            figure.id = "f-" + name;
            figure.append(name, document.createElement("br"), document.createElement("strong"),
              document.createElement("canvas"));
            figures.append(figure);
            past.set(name, []);
          }
          figure.querySelector("strong").textContent = text;
          const values = past.get(name);
          values.push(value);
          if (values.length > 120) { values.shift(); }
          const canvas = figure.querySelector("canvas");
          const context = canvas.getContext("2d");
          const top = Math.max(...values, 1e-9);
          context.clearRect(0, 0, canvas.width, canvas.height);
          context.strokeStyle = "#28c";
          context.beginPath();
          values.forEach((value, index) => context.lineTo(
            index * canvas.width / 119, canvas.height - 2 - value / top * (canvas.height - 4)));
          context.stroke();
        }

        async function update() {
          const reply = await fetch("metrics", { cache: "no-store" });
          if (!reply.ok) { throw new Error("metrics: " + reply.status); }
          const now = { time: performance.now(), values: parse(await reply.text()) };
          const end = (name) => [...now.values.keys()].find((key) => key.endsWith(name)) || name;
          const value = (name) => now.values.get(end(name)) || 0;
          if (last) {
            const seconds = (now.time - last.time) / 1000;
            const rise = (name) => value(name) - (last.values.get(end(name)) || 0);
            const requests = rise("kf_requests_total");
            const hits = rise("kf_cache_hits_total");
            const lookups = hits + rise("kf_cache_misses_total");
            const count = rise("kf_request_duration_seconds_count");
            const mean = count > 0 ? rise("kf_request_duration_seconds_sum") / count * 1000 : 0;
            const megabytes = rise("kf_response_bytes_total") / seconds / 1e6;
            draw("Requests per second", requests / seconds, (requests / seconds).toFixed(1));
            draw("Mean time", mean, mean.toFixed(1) + " ms");
            draw("Hits", lookups ? hits / lookups : 0,
              lookups ? (100 * hits / lookups).toFixed(0) + " %" : "–");
            draw("Sent", megabytes, megabytes.toFixed(2) + " MB/s");
          }
          for (const [name, title] of [["kf_queue_length", "Queue"], ["kf_running", "Running"],
            ["kf_workers", "Workers"]]) {
            draw(title, value(name), String(value(name)));
          }
          const memory = value("process_resident_memory_bytes") / 1e6;
          draw("Memory", memory, memory.toFixed(0) + " MB");
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
