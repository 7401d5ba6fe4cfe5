"""Measures the image service beside thumbor and nginx's image filter, over the same photographs.

Usage: service.py KF_SERVE KF NGINX THUMBOR WRK PHOTOS SCRATCH [SECONDS [PART]]

PHOTOS is a folder of JPEG files of 12 megapixels, of which twenty are used. Every result fits 400 × 400
at quality 80. `cold` results are made anew for each request, from sources on a local web server;
`hot` ones come from memory. The last part sends 200 clients at once. nginx and thumbor have a process
per core, as the service has; thumbor also runs with one, its default. The service runs with its own
quality and, as `prefers speed`, with that of thumbor, whose decoder scales JPEG files coarsely too.
Goals are for equal quality and for thumbor's default. Other sizes and formats follow, with 8 connections, beside the
faster of thumbor's two, and a client of small images beside 24 others. PART runs only one of these two, `sizes` or
`fairness`. Fails if a goal is missed.
"""

import atexit
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

kf_serve, kf, nginx, thumbor, wrk = sys.argv[1:6]
photos, scratch = (pathlib.Path(path).resolve() for path in sys.argv[6:8])
seconds = float(sys.argv[8]) if len(sys.argv) > 8 else 10
scratch.mkdir(parents=True, exist_ok=True)
names = sorted((path.name for path in photos.glob("*.jpg")), key=lambda name: (len(name), name))[:20]
cores = len(os.sched_getaffinity(0))
counter = itertools.count()
verdicts = []
FAST = "the service, prefers speed"
BEGINNINGS = {"jpg": b"\xff\xd8", "png": b"\x89PNG", "webp": b"RIFF", "avif": b"\0\0\0"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


web, thumbor_port, service_port = free_port(), free_port(), free_port()
source = f"http://127.0.0.1:{web}/photos"


def verdict(title, value, limit, at_least=False):
    is_met = value >= limit if at_least else value <= limit
    verdicts.append(is_met)
    relation = "at least" if at_least else "at most"
    print(f"  {'ok    ' if is_met else 'MISSED'}  {title}: {value:.3g} ({relation} {limit:.3g})", flush=True)


# --- Servers ---------------------------------------------------------------------------------


def start(arguments, port, environment=None, path="/"):
    log = open(scratch / f"{pathlib.Path(arguments[0]).name}.log", "wb")
    process = subprocess.Popen(
        arguments, env=environment, stdout=log, stderr=log, start_new_session=True)
    # However this ends, no server is left, nor a process that one has forked.
    atexit.register(kill, process)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", path)
            connection.getresponse().read()
            return process
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{arguments[0]} does not answer; see {log.name}")


def start_nginx(small):
    # nginx serves files as another user if root starts it.
    scratch.chmod(0o755)
    shutil.copy(small, scratch / "static.jpg")
    module = next((path for path in (pathlib.Path(nginx).parents[1] / "lib/nginx/modules",
                                     pathlib.Path("/usr/lib/nginx/modules"))
                   if (path / "ngx_http_image_filter_module.so").exists()), None)
    load = f"load_module {module}/ngx_http_image_filter_module.so;" if module else ""
    resize = """
        location /resized/ {
            alias %s/;
            image_filter resize 400 400;
            image_filter_jpeg_quality 80;
            image_filter_buffer 64M;
        }""" % photos if module else ""
    (scratch / "nginx.conf").write_text(f"""
{load}
daemon off;
worker_processes {cores};
pid {scratch}/nginx.pid;
error_log {scratch}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 100000000;
    client_body_temp_path {scratch}/body;
    proxy_temp_path {scratch}/proxy;
    fastcgi_temp_path {scratch}/fastcgi;
    uwsgi_temp_path {scratch}/uwsgi;
    scgi_temp_path {scratch}/scgi;
    types {{ image/jpeg jpg; }}
    server {{
        listen 127.0.0.1:{web} backlog=4096;
        location /photos/ {{ alias {photos}/; }}{resize}
        location /static/ {{ alias {scratch}/; }}
    }}
}}
""")
    return start([nginx, "-c", str(scratch / "nginx.conf"), "-e", f"{scratch}/error.log"], web,
                 path="/static/static.jpg"), module is not None


def start_thumbor(processes):
    (scratch / "thumbor.conf").write_text("""
LOADER = 'thumbor.loaders.http_loader'
STORAGE = 'thumbor.storages.no_storage'
RESULT_STORAGE = None
ENGINE = 'thumbor.engines.pil'
QUALITY = 80
ALLOW_UNSAFE_URL = True
AUTO_WEBP = False
""")
    return start([thumbor, "--port", str(thumbor_port), "--ip", "127.0.0.1", "--processes", str(processes),
                  "-c", str(scratch / "thumbor.conf"), "-l", "error"], thumbor_port, path="/healthcheck")


def start_service(**settings):
    shutil.rmtree(scratch / "cache", ignore_errors=True)
    environment = {
        **os.environ,
        "IMGPROXY_BIND": f"127.0.0.1:{service_port}",
        "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
        "IMGPROXY_LOG_LEVEL": "error",
        "KF_CACHE_PATH": str(scratch / "cache"),
        **settings,
    }
    return start([kf_serve], service_port, environment, path="/health")


def kill(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def stop(process):
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(30)
    # The workers of thumbor outlive the process that has forked them.
    kill(process)
    process.wait()


# --- Requests --------------------------------------------------------------------------------


def ours(name, side=400, kind="jpg", folder=source):
    # Each request is a result of its own.
    options = f"rs:fit:{side}:{side}/{'' if kind == 'avif' else 'q:80/'}cb:{next(counter)}"
    return service_port, f"/_/{options}/plain/{folder}/{name}@{kind}"


def of_thumbor(name, side=400, kind="jpg", folder=source):
    filters = "" if kind == "jpg" else f"/filters:format({kind})"
    return thumbor_port, f"/unsafe/fit-in/{side}x{side}{filters}/{folder}/{name}"


def of_nginx(name):
    return web, f"/resized/{name}"


class Client(threading.Thread):
    """One connection that asks again as soon as it has an answer, from an address of its own if it has a number."""

    def __init__(self, address, load, number=0):
        super().__init__(daemon=True)
        self.address, self.load, self.number = address, load, number
        self.times, self.statuses = [], []

    def run(self):
        connection = None
        while time.monotonic() < self.load["end"]:
            port, path = self.address(next(self.load["names"]))
            started = time.monotonic()
            try:
                if connection is None:
                    connection = http.client.HTTPConnection(
                        "127.0.0.1", port, timeout=60, source_address=(f"127.0.0.{self.number + 1}", 0))
                connection.request("GET", path)
                response = connection.getresponse()
                body = response.read()
                status = response.status
                if status == 200 and not body.startswith(BEGINNINGS[self.load.get("kind", "jpg")]):
                    status = -1
                if response.will_close:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException):
                status, connection = 0, None
            self.times.append(time.monotonic() - started)
            self.statuses.append(status)


def answers(address, connections, duration, **load):
    """The times, in order, and the statuses of clients that ask for some seconds, and the seconds that it took."""
    load = {"names": itertools.cycle(names), **load, "end": time.monotonic() + duration}
    started = time.monotonic()
    clients = [Client(address, load) for _ in range(connections)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    elapsed = time.monotonic() - started
    times, statuses = ([value for client in clients for value in getattr(client, what)]
                       for what in ("times", "statuses"))
    return sorted(times), statuses, elapsed


def percentile(times, share):
    """A percentile of times in order, in milliseconds."""
    return 1000 * times[min(len(times) - 1, int(len(times) * share))]


def cold(title, address, connections, duration):
    times, statuses, elapsed = answers(address, connections, duration)
    right = statuses.count(200)
    rate = right / elapsed
    p50, p99 = (percentile(times, share) for share in (0.5, 0.99))
    lost = f", {len(statuses) - right} without an image" if right < len(statuses) else ""
    print(f"  {title:26} {connections:3} connections  {rate:7.1f}/s  p50 {p50:6.0f} ms  p99 {p99:6.0f} ms{lost}",
          flush=True)
    return rate, p99, statuses


def hot(port, path):
    output = subprocess.run([wrk, "-t2", "-c64", f"-d{max(2, int(seconds))}s",
                             f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True).stdout
    if "Non-2xx" in output:
        sys.exit(f"{path}: {output}")
    return float(re.search(r"Requests/sec:\s*([\d.]+)", output).group(1))


def decoding_alone():
    """Photographs per second of kf convert, which only decodes, resizes and encodes."""
    folder = scratch / "inputs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for turn in range(10):
        for name in names:
            # Not links, which cannot leave a file system.
            shutil.copyfile(photos / name, folder / f"{turn}-{name}")
    rates = []
    for _ in range(2):
        shutil.rmtree(scratch / "outputs", ignore_errors=True)
        started = time.monotonic()
        subprocess.run([kf, "convert", str(folder), "-o", str(scratch / "outputs"), "-p", "downsample:400x400",
                        "--quality", "80", "--quiet"], check=True)
        rates.append(len(names) * 10 / (time.monotonic() - started))
    return max(rates)


def quality(address):
    """Decibels between a result and the first photo, decoded at its full size and resized losslessly."""
    reference, result = scratch / "reference.png", scratch / "result.jpg"
    if not reference.exists():
        subprocess.run([kf, "get", str(photos / names[0]), "-p", "resize:400x400:fit", "-o", str(reference),
                        "--quiet"], check=True)
    port, path = address(names[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    result.write_bytes(connection.getresponse().read())
    output = subprocess.run([kf, "diff", str(reference), str(result), "--json"], check=True,
                            capture_output=True).stdout
    return json.loads(output)["psnr"]


def tree(pid):
    """A process and all that descend from it."""
    yield pid
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from tree(child)


class Memory(threading.Thread):
    """The largest sum of proportional memory of a process and its descendants, in megabytes."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.most, self.is_done = process, 0.0, False

    def run(self):
        while not self.is_done:
            # A process may end meanwhile.
            with contextlib.suppress(OSError, AttributeError):
                # A child that has not called exec yet shares the memory of the service, and so all figures.
                maps = {pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in tree(self.process.pid)}
                total = sum(int(re.search(r"^Pss:\s*(\d+)", text, re.M).group(1)) for text in maps)
                self.most = max(self.most, total / 1024)
            time.sleep(0.1)


def processor_seconds(process):
    """Processor time of a process, its descendants and those that have ended."""
    fields = (pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
              for pid in tree(process.pid))
    return sum(int(field) for four in fields for field in four) / os.sysconf("SC_CLK_TCK")


def resized(name, size):
    """A photo of another size, in the folder of the web server."""
    target = scratch / f"{size}-{name}"
    if not target.exists():
        subprocess.run(["vipsthumbnail", str(photos / name), "--size", f"{size}!", "-o", f"{target}[Q=90,strip]"],
                       check=True)
    return target.name


SERVED = f"http://127.0.0.1:{web}/static"
# What is asked for: the photos, the longer side and the format.
ROWS = {
    "1 to 4 MP to 300": (lambda name, turn: f"{1152 + 60 * turn}x{864 + 45 * turn}", 300, "jpg"),
    "24 MP to 300": (lambda *_: "6000x4000", 300, "jpg"),
    "24 MP to 1500": (lambda *_: "6000x4000", 1500, "jpg"),
    **{f"4 MP to 800 as {name}": (lambda *_: "2400x1600", 800, kind)
       for kind, name in (("jpg", "JPEG"), ("png", "PNG"), ("webp", "WebP"), ("avif", "AVIF"))},
}


def sizes():
    """Other sizes and formats, 8 at a time: the service with its own quality and with thumbor's, beside thumbor."""
    found = {}
    inputs = {row: [resized(name, size(name, turn)) for turn, name in enumerate(names)]
              for row, (size, _, _) in ROWS.items()}
    for title, starting, address in (
        ("the service", start_service, ours),
        (FAST, lambda: start_service(KF_PREFER_SPEED="1"), ours),
        ("thumbor, one process", lambda: start_thumbor(1), of_thumbor),
        ("thumbor, one per core", lambda: start_thumbor(cores), of_thumbor),
    ):
        process = starting()
        memory = Memory(process)
        memory.start()
        for row, (_, side, kind) in ROWS.items():
            before = processor_seconds(process)
            times, statuses, elapsed = answers(
                lambda name, side=side, kind=kind: address(name, side, kind, SERVED), 8, seconds,
                names=itertools.cycle(inputs[row]), kind=kind)
            used, right = processor_seconds(process) - before, statuses.count(200)
            p99 = percentile(times, 0.99)
            found[title, row] = right / elapsed, p99
            lost = f", {len(statuses) - right} without an image" if right < len(statuses) else ""
            print(f"  {row:19} {title:26} {right / elapsed:7.1f}/s  p99 {p99:6.0f} ms  CPU "
                  f"{1000 * used / max(1, right):6.1f} ms each  {used / elapsed:4.2f} cores{lost}", flush=True)
        memory.is_done = True
        memory.join()
        print(f"  {title:26} {memory.most:.0f} MB at the most, with its processes", flush=True)
        stop(process)
    for row in ROWS:
        rate, p99 = max(found[f"thumbor, one {share}", row] for share in ("process", "per core"))
        verdict(f"{row}, prefers speed / thumbor", found[FAST, row][0] / rate, 1.2, at_least=True)
        verdict(f"{row}, prefers speed, p99 / thumbor", found[FAST, row][1] / p99, 1)


def milliseconds(clients):
    """The median and the 99th percentile of the times of clients, their number, and the answers without an image."""
    times = sorted(itertools.chain.from_iterable(client.times for client in clients))
    lost = sum(status != 200 for client in clients for status in client.statuses)
    return percentile(times, 0.5), percentile(times, 0.99), len(times), lost


def fairness():
    """A client of small images, alone and beside 24 clients of 24 megapixels, each with an address of its own."""
    large, small = resized(names[0], "6000x4000"), resized(names[0], "640x480")

    def of(image, side):
        return lambda _: (service_port, f"/_/rs:fit:{side}:{side}/q:80/cb:{next(counter)}/plain/{SERVED}/{image}@jpg")

    service = start_service()
    rates = {}
    for title, others in (("alone", 0), ("24 others alone", 24), ("beside 24 others", 24)):
        load = {"end": time.monotonic() + 2 * seconds, "names": itertools.cycle(names)}
        crowd = [Client(of(large, 1500), load, 2 + number) for number in range(others)]
        one = [] if title == "24 others alone" else [Client(of(small, 300), load, 1)]
        for client in crowd + one:
            client.start()
        for client in crowd + one:
            client.join()
        for what, clients in (("small", one), ("24 MP", crowd)):
            if clients:
                p50, p99, count, lost = milliseconds(clients)
                rates[title, what] = p50, p99, count
                print(f"  {title:18} {what}: {count:5} answers  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms, "
                      f"{lost} without an image, load {os.getloadavg()[0]:.1f}", flush=True)
    stop(service)
    p50, p99, count = rates["beside 24 others", "small"]
    pixels = 24 * rates["beside 24 others", "24 MP"][2] + 640 * 480 / 1e6 * count
    share = pixels / (24 * rates["24 others alone", "24 MP"][2])
    verdict("pixels of sources beside the small client / without it", share, 0.95, at_least=True)
    verdict("small images beside 24 clients of 24 MP, p50 in ms", p50, 60)
    verdict("small images beside 24 clients of 24 MP, p99 in ms", p99, 250)


# --- The run ---------------------------------------------------------------------------------

if sys.argv[9:]:
    part = {"fairness": fairness, "sizes": sizes}[sys.argv[9]]
    print(f"service: {sys.argv[9]}, {cores} cores, load {os.getloadavg()[0]:.1f}")
    (scratch / "placeholder.jpg").write_bytes(b"")
    web_server, _ = start_nginx(scratch / "placeholder.jpg")
    part()
    stop(web_server)
    sys.exit(not all(verdicts))

print(f"service: {len(names)} photos to fit 400 × 400 at quality 80, {cores} cores, load {os.getloadavg()[0]:.1f}")
service = start_service()
connection = http.client.HTTPConnection("127.0.0.1", service_port)
# nginx is needed as the source of this one, too.
placeholder = scratch / "placeholder.jpg"
placeholder.write_bytes(b"")
web_server, has_filter = start_nginx(placeholder)
connection.request("GET", ours(names[0])[1])
answer = connection.getresponse()
thumbnail = answer.read()
if answer.status != 200:
    sys.exit(f"the service answers {answer.status}: {thumbnail[:200]!r}")
(scratch / "static.jpg").write_bytes(thumbnail)
print(f"  a result has {len(thumbnail) / 1000:.1f} kB")

alone = decoding_alone()
print(f"  decoding alone (kf convert)                 {alone:7.1f}/s")
servers = [("the service", ours)]
if has_filter:
    servers.append(("nginx's image filter", of_nginx))
else:
    print("  nginx's image filter is not installed")
rates = {}
for connections in (1, 8, 64):
    for title, address in servers:
        rates[title, connections] = cold(title, address, connections, seconds)[:2]
qualities = {title: quality(address) for title, address in servers}
stop(service)
service = start_service(KF_PREFER_SPEED="1")
qualities[FAST] = quality(ours)
for connections in (1, 8, 64):
    rates[FAST, connections] = cold(FAST, ours, connections, seconds)[:2]
stop(service)
for title, processes in (("thumbor, one process", 1), ("thumbor, one per core", cores)):
    thumbor_process = start_thumbor(processes)
    for connections in (1, 8, 64):
        rates[title, connections] = cold(title, of_thumbor, connections, seconds)[:2]
    qualities["thumbor"] = quality(of_thumbor)
    stop(thumbor_process)
for title, decibels in qualities.items():
    print(f"  {title:26} {decibels:.2f} dB beside the photo resized without loss")

(own, p99), (fast, fast_p99) = rates["the service", 8], rates[FAST, 8]
default_rate, per_core = (rates[f"thumbor, one {share}", 8][0] for share in ("process", "per core"))
print(f"  cold, 8 connections, own quality / thumbor: {own / default_rate:.3g}, "
      f"one per core: {own / per_core:.3g}")
print(f"  cold, 8 connections, prefers speed / thumbor, one per core: {fast / per_core:.3g}")
print(f"  cold, 8 connections, own quality, p99 in ms: {p99:.3g}", flush=True)
verdict("cold, 8 connections, prefers speed / thumbor", fast / default_rate, 2.5, at_least=True)
if has_filter:
    filtered = rates["nginx's image filter", 8][0]
    print(f"  cold, 8 connections, own quality / nginx's filter: {own / filtered:.3g}", flush=True)
    verdict("cold, 8 connections, prefers speed / nginx's filter", fast / filtered, 10, at_least=True)
verdict("cold, 8 connections, own quality / decoding alone", own / alone, 0.8, at_least=True)
verdict("cold, 8 connections, prefers speed, p99 in ms", fast_p99, 130)

service = start_service()
address = f"/_/rs:fit:400:400/q:80/plain/{source}/{names[0]}@jpg"
connection = http.client.HTTPConnection("127.0.0.1", service_port)
connection.request("GET", address)
connection.getresponse().read()
static, ours_hot = hot(web, "/static/static.jpg"), hot(service_port, address)
print(f"  hot: nginx {static:.0f}/s as a static file, the service {ours_hot:.0f}/s")
verdict("hot, 64 connections / nginx's static file", ours_hot / static, 0.25, at_least=True)
verdict("hot, requests per second", ours_hot, 3 * 3560, at_least=True)
stop(service)

service = start_service()
memory = Memory(service)
memory.start()
_, _, statuses = cold("200 clients", ours, 200, 2 * seconds)
memory.is_done = True
memory.join()
lost = sum(1 for status in statuses if status not in (200, 429))
print(f"  {statuses.count(200)} images, {statuses.count(429)} refused with 429, {lost} lost")
verdict("200 clients, lost requests", lost, 0)
verdict("200 clients, memory with workers, MB", memory.most, 300)
stop(service)
sizes()
fairness()
stop(web_server)
sys.exit(not all(verdicts))
