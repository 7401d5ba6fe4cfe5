"""Loads pages of thumbnails from nginx with Kingfisher, a program in Python, and nginx's image filter.

Usage: end_to_end.py KF_BENCH PYTHON NGINX PHOTOS SCRATCH

PHOTOS is a folder of JPEG files of 12 megapixels, of which twenty are used, in four sizes each. `cold`
runs begin with empty caches, `warm` ones with those that the cold one has left on disk, in a new
process. nginx keeps results in its proxy cache; curl asks for them. Fails if a ratio is missed.
"""

import atexit
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time

kf_bench, python, nginx = sys.argv[1:4]
photos, scratch = (pathlib.Path(path).resolve() for path in sys.argv[4:6])
here = pathlib.Path(__file__).resolve().parent
SIDES = [100, 200, 400, 800]
ROUNDS = 3
names = sorted((path.name for path in photos.glob("*.jpg")), key=lambda name: (len(name), name))[:20]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


web, filters = free_port(), free_port()


def start_nginx():
    """Starts nginx, and returns whether it has the image filter."""
    module = next((path for path in (pathlib.Path(nginx).parents[1] / "lib/nginx/modules",
                                     pathlib.Path("/usr/lib/nginx/modules"))
                   if (path / "ngx_http_image_filter_module.so").exists()), None)
    resize = f"""
    proxy_cache_path {scratch}/nginx-cache keys_zone=results:1m;
    server {{
        listen 127.0.0.1:{filters};
        location ~ ^/(\\d+)/(.*)$ {{
            alias {photos}/$2;
            image_filter resize $1 $1;
            image_filter_jpeg_quality 80;
            image_filter_buffer 64M;
        }}
    }}
    """ if module else ""
    cached = f"""
        location ~ ^/\\d+/ {{
            proxy_pass http://127.0.0.1:{filters};
            proxy_cache results;
            proxy_cache_valid 200 1h;
        }}""" if module else ""
    (scratch / "nginx.conf").write_text(f"""
{f"load_module {module}/ngx_http_image_filter_module.so;" if module else ""}
{"user root;" if os.getuid() == 0 else ""}
daemon off;
worker_processes 2;
pid {scratch}/nginx.pid;
error_log {scratch}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    client_body_temp_path {scratch}/body;
    proxy_temp_path {scratch}/proxy;
    fastcgi_temp_path {scratch}/fastcgi;
    uwsgi_temp_path {scratch}/uwsgi;
    scgi_temp_path {scratch}/scgi;
    types {{ image/jpeg jpg; }}{resize}
    server {{
        listen 127.0.0.1:{web};
        location / {{ alias {photos}/; }}{cached}
    }}
}}
""")
    process = subprocess.Popen([nginx, "-c", str(scratch / "nginx.conf"), "-e", f"{scratch}/error.log"])
    # Stops nginx also after a failure.
    atexit.register(process.terminate)
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", web)).close()
            return module is not None
        except OSError:
            time.sleep(0.01)
    sys.exit("nginx did not start")


scratch.mkdir(parents=True, exist_ok=True)
has_filter = start_nginx()
# Page by page, so that the sizes of one photo are not asked for one after the other.
page = scratch / "page.txt"
page.write_text("".join(f"{side} http://127.0.0.1:{web}/{name}\n" for side in SIDES for name in names))
resized = scratch / "resized.txt"
resized.write_text("".join(f"url = http://127.0.0.1:{web}/{side}/{name}\noutput = /dev/null\n"
                           for side in SIDES for name in names))
programs = {
    "Kingfisher": lambda cache, width: [kf_bench, "--pages", str(page), cache, str(width)],
    "Python": lambda cache, width: [python, str(here / "page_peer.py"), str(page), cache, str(width)],
}
if has_filter:
    programs["nginx's filter"] = lambda cache, width: [
        "curl", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", str(width), "--config", str(resized)]


def measure(name, width, isWarm):
    """Milliseconds per image, of CPU per image, and megabytes of one run."""
    cache = scratch / ("nginx-cache" if name == "nginx's filter" else name)
    if not isWarm:
        for child in cache.glob("*") if cache.exists() else []:
            shutil.rmtree(child) if child.is_dir() else child.unlink()
    arguments = programs[name](str(cache), width)
    output, writer = os.pipe()
    start = time.monotonic()
    process = os.posix_spawnp(arguments[0], arguments, os.environ,
                              file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
    os.close(writer)
    with os.fdopen(output) as text:
        words = text.read().split()
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{name} ended with status {status}")
    # Without the start of the program, which says little about a service.
    seconds = float(words[0]) if len(words) == 2 else time.monotonic() - start
    count = len(SIDES) * len(names)
    return 1000 * seconds / count, 1000 * (usage.ru_utime + usage.ru_stime) / count, usage.ru_maxrss / 1024


print(f"end-to-end: {len(names)} photos of 12 megapixels in {len(SIDES)} sizes from nginx, "
      f"load {os.getloadavg()[0]:.1f}")
print("                        at a time   ms/image  CPU, ms/image       MB")
missed = False
for width in (1, 64):
    # Cold and warm in turns, program by program.
    rows = {}
    for turn in range(ROUNDS):
        for name in programs:
            # The filter takes several times as long as the others together.
            if turn > 0 and name == "nginx's filter":
                continue
            for state in ("cold", "warm"):
                rows.setdefault((state, name), []).append(measure(name, width, state == "warm"))
    medians = {key: [statistics.median(column) for column in zip(*found)] for key, found in rows.items()}
    for state in ("cold", "warm"):
        for name in programs:
            wall, cpu, memory = medians[state, name]
            # The work of the filter is done by nginx, not by curl.
            rest = f"{cpu:13.2f}  {memory:7.1f}" if name != "nginx's filter" else ""
            print(f"  {name:15} {state}  {width:9}  {wall:9.2f}  {rest}".rstrip())
        ratio = medians[state, "Kingfisher"][0] / medians[state, "Python"][0]
        missed = missed or ratio > 1
        print(f"  {'MISSED' if ratio > 1 else 'ok    '}  {state}, {width} at a time, "
              f"time / Python: {ratio:.2f} (at most 1)", flush=True)
sys.exit(missed)
