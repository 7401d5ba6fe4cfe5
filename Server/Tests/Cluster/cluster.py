"""Loads three image services with one Redis behind one nginx, and lets parts of it fail.

Usage: cluster.py KF_SERVE NGINX REDIS PICTURE SCRATCH

KF_SERVE, NGINX and REDIS are programs, PICTURE is the image that all sources deliver. The files of
Deploy are used, with other addresses. Prints what happened, and fails if an image was wrong, a
request was lost, or an image was made more than once although nothing had failed.
"""

import atexit
import hashlib
import http.client
import http.server
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

kf_serve, nginx, redis, picture = sys.argv[1:5]
scratch = pathlib.Path(sys.argv[5]).resolve()
deploy = pathlib.Path(__file__).resolve().parents[3] / "Deploy"
IMAGES = 40
problems = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


redis_port, nginx_port = free_port(), free_port()
ports = [free_port() for _ in range(3)]

# --- The sources -----------------------------------------------------------------------------

body = pathlib.Path(picture).read_bytes()
fetches, lock = {}, threading.Lock()


class Source(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with lock:
            fetches[self.path] = fetches.get(self.path, 0) + 1
        time.sleep(0.05)
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *_):
        pass


sources = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Source)
sources.daemon_threads = True
threading.Thread(target=sources.serve_forever, daemon=True).start()

# --- Programs --------------------------------------------------------------------------------


def wait_for(port, what):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"{what} does not listen; see {scratch}/{what}.log")


def start(what, arguments, port, environment=None):
    log = open(scratch / f"{what}.log", "ab")
    process = subprocess.Popen(arguments, env=environment, stdout=log, stderr=log)
    atexit.register(process.kill)
    wait_for(port, what)
    return process


def start_redis():
    # Debian's redis-tools has the server under another name; it is one under this name.
    link = scratch / "redis-server"
    if not link.exists():
        link.symlink_to(redis)
    return start("redis", [str(link), str(deploy / "redis.conf"), "--port", str(redis_port), "--dir", str(scratch)],
                 redis_port)


def start_service(index):
    return start(f"service{index + 1}", [kf_serve], ports[index], {
        **os.environ,
        "IMGPROXY_BIND": f"127.0.0.1:{ports[index]}",
        "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
        "IMGPROXY_LOG_LEVEL": "warning",
        "KF_CACHE_PATH": str(scratch / f"cache{index + 1}"),
        "KF_REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
    })


def start_nginx():
    text = (deploy / "nginx.conf").read_text()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{nginx_port};")
    for index, port in enumerate(ports):
        text = text.replace(f"images{index + 1}:8080", f"127.0.0.1:{port}")
    temporary = "".join(f"    {name}_temp_path {scratch}/{name};\n"
                        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    text = text.replace("http {\n", f"http {{\n{temporary}", 1)
    (scratch / "nginx.conf").write_text(f"daemon off;\npid {scratch}/nginx.pid;\nerror_log {scratch}/nginx.log;\n{text}")
    return start("nginx", [nginx, "-c", str(scratch / "nginx.conf"), "-e", str(scratch / "nginx.log")], nginx_port)


# --- Requests --------------------------------------------------------------------------------

# Every image has a source, a width and so bytes of its own.
reference, reference_lock = {}, threading.Lock()


def path(phase, number):
    return f"/_/rs:fit:{60 + number}:0/plain/http://127.0.0.1:{sources.server_address[1]}/{phase}/{number}.png@png"


def request(port, address, outcomes):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", address)
        response = connection.getresponse()
        data = response.read()
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        outcomes.append(f"lost ({type(error).__name__})")
        return
    if response.status != 200:
        outcomes.append(f"{response.status} {data[:80]!r}")
        return
    width = int(re.search(r"fit:(\d+)", address)[1])
    found = int.from_bytes(data[16:20], "big") if data[:4] == b"\x89PNG" else 0
    digest = hashlib.sha256(data).hexdigest()
    with reference_lock:
        is_right = found == width and reference.setdefault(width, digest) == digest
    outcomes.append("right" if is_right else "wrong")


def load(name, phase, targets, clients, rounds, meanwhile=None):
    """Each client asks for all images in an order of its own, of targets in turn."""
    outcomes = []
    before = sum(fetches.values())
    started = time.monotonic()

    def client(seed):
        order = [number for number in range(IMAGES)] * rounds
        random.Random(seed).shuffle(order)
        for index, number in enumerate(order):
            request(targets[(seed + index) % len(targets)], path(phase, number), outcomes)

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(clients)]
    for thread in threads:
        thread.start()
    if meanwhile:
        meanwhile(lambda share: wait_until(lambda: len(outcomes) >= share * clients * IMAGES * rounds))
    for thread in threads:
        thread.join()
    made = sum(fetches.values()) - before
    right = outcomes.count("right")
    print(f"{name}: {len(outcomes)} requests in {time.monotonic() - started:.1f} s, {right} right, "
          f"{IMAGES} images, {made} downloads", flush=True)
    others = {}
    for outcome in outcomes:
        if outcome != "right":
            others[outcome] = others.get(outcome, 0) + 1
    for outcome, count in others.items():
        print(f"  {count} × {outcome}")
    if right < len(outcomes):
        problems.append(f"{name}: {len(outcomes) - right} requests without the right image")
    return made


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)


def expect(name, made, most):
    if made > most:
        problems.append(f"{name}: {made} downloads for {IMAGES} images, at most {most} expected")


# --- The run ---------------------------------------------------------------------------------

scratch.mkdir(parents=True, exist_ok=True)
redis_process = start_redis()
services = [start_service(index) for index in range(3)]
balancer = start_nginx()

made = load("three services asked directly", "direct", ports, clients=12, rounds=1)
expect("three services asked directly", made, IMAGES)
made = load("through the balancer", "balanced", [nginx_port], clients=12, rounds=2)
expect("through the balancer", made, IMAGES)


def kill_a_service(after):
    after(0.3)
    services[1].send_signal(signal.SIGKILL)
    services[1].wait()


made = load("one service is killed", "killed", [nginx_port], clients=12, rounds=2, meanwhile=kill_a_service)
# What it was making when it ended is made again.
expect("one service is killed", made, IMAGES + 12)
services[1] = start_service(1)


def restart_redis(after):
    global redis_process
    after(0.2)
    redis_process.send_signal(signal.SIGKILL)
    redis_process.wait()
    after(0.6)
    redis_process = start_redis()


made = load("Redis ends and starts again", "redis", [nginx_port], clients=12, rounds=2, meanwhile=restart_redis)
expect("Redis ends and starts again", made, IMAGES + 12)


def wait_for_redis():
    """Services that found Redis missing do not ask it for some seconds; then a request tests it."""
    started = time.monotonic()
    for index, port in enumerate(ports):
        outcomes = []
        # On a busy machine the first request may find Redis too slow, and the service pauses again.
        for attempt in range(3):
            wait_until(lambda: is_redis_used(port))
            request(port, path(f"again{attempt}", index), outcomes)
            if is_redis_used(port):
                break
        if set(outcomes) != {"right"} or not is_redis_used(port):
            problems.append(f"service {index + 1} does not use Redis again: {outcomes}")
    print(f"all services use Redis again after {time.monotonic() - started:.1f} s")


def is_redis_used(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return 'kf_shared_storage_paused{level="machines"} 0' in text


wait_for_redis()


def stop_a_service(after):
    after(0.3)
    services[2].send_signal(signal.SIGTERM)
    status = services[2].wait(30)
    print(f"  the service ended with status {status}")
    if status != 0:
        problems.append(f"a stopped service ended with status {status}")


made = load("one service is stopped", "stopped", [nginx_port], clients=12, rounds=2, meanwhile=stop_a_service)
# Requests that it no longer accepts are made elsewhere, perhaps before its results are in Redis.
expect("one service is stopped", made, IMAGES + 12)
for index in (0, 1):
    if services[index].poll() is not None:
        problems.append(f"service {index + 1} ended by itself")
for problem in problems:
    print(f"error: {problem}")
print("Everything held." if not problems else f"{len(problems)} problems; the logs are in {scratch}")
sys.exit(bool(problems))
