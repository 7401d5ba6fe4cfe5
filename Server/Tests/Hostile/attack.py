"""Attacks one image service, and checks that it goes on serving.

Usage: attack.py KF_SERVE FIXTURES SECONDS SCRATCH

KF_SERVE is the program, FIXTURES a folder of images, which are damaged in random ways. Five kinds
of clients send requests at once: for damaged files, for sources that are slow, endless or lead to
private addresses, for sources on ever new names and addresses of a server that never answers, with
wrong signatures and paths, and by clients that leave or do not read. One client asks for a control
image all the time. Prints a line every tenth of the time, and fails if the control image was ever
wrong, if it often was not made, or if memory, descriptors or workers grow.
"""

import base64
import hashlib
import hmac
import http.server
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

kf_serve, fixtures, seconds, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
KEY, SALT = b"secret key", b"salt"
random.seed(20)
files = [file.read_bytes() for file in sorted(fixtures.iterdir()) if file.is_file() and
         file.suffix not in (".rgba", ".py", ".c")]
files = [data for data in files if len(data) < 1 << 20]
control = (fixtures / "profile.jpg").read_bytes()
stop = threading.Event()
problems, statuses, lock = [], {}, threading.Lock()
seen = set()  # Processes that were workers of the service.


def damaged():
    data = bytearray(random.choice(files))
    kind = random.randrange(5)
    if kind == 0:
        return bytes(data[:random.randrange(len(data))])
    if kind == 1:
        return bytes(data) + os.urandom(random.randrange(1, 5000))
    if kind == 2:
        return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + os.urandom(4) + b"\xff\xff\xff\xff\x08\x06\x00\x00\x00" + data
    for _ in range(random.choice([1, 4, 60])):
        data[random.randrange(min(len(data), 400) if kind == 3 else len(data))] = random.randrange(256)
    return bytes(data)


class Source(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def send(self, data, fields=(), status=200, length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        kind = self.path.split("/")[1].split("?")[0]
        if kind == "control":
            self.send(control, [("Cache-Control", "max-age=5"), ("ETag", '"1"')])
        elif kind == "damaged":
            self.send(damaged(), [("Cache-Control", random.choice(["no-store", "max-age=9"]))])
        elif kind == "redirect":
            target = random.choice(["http://169.254.169.254/", "http://10.0.0.1/", "file:///etc/passwd",
                                    self.path, "//[::ffff:10.0.0.1]/", "http://192.168.0.1:22/"])
            self.send(b"", [("Location", target)], random.choice([301, 302, 307, 308]))
        elif kind == "silent":
            stop.wait(20)
        elif kind == "short":
            self.send(control[:100], length=len(control))
            self.close_connection = True
        elif kind == "fields":
            self.send(control, [("X-" + "a" * 60, "b" * 6000)] * random.randrange(1, 90))
        elif kind == "status":
            self.send(b"x", status=random.choice([204, 206, 304, 404, 410, 500, 503, 999]))
        elif kind == "endless":
            self.send_response(200)
            self.end_headers()
            while not stop.is_set():
                self.wfile.write(control[:20] + bytes(1 << 16))
        else:  # slow
            self.send_response(200)
            self.send_header("Content-Length", str(len(control)))
            self.end_headers()
            for byte in control:
                self.wfile.write(bytes([byte]))
                if stop.wait(0.05):
                    return

    def log_message(self, *_):
        pass


class Sources(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass  # The service has left.


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# The service limits the sources of a network together: the second one is for those that never answer,
# the last one for the control image.
servers = [Sources(("127.0.0.1", 0), Source)]
for number in range(2, 10):
    servers.append(Sources((f"127.0.1.{number}", servers[0].server_address[1]), Source))
servers.append(Sources(("127.9.0.1", servers[0].server_address[1]), Source))
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
web = servers[0].server_address[1]
port = free_port()
service = subprocess.Popen([kf_serve], stderr=open(f"{scratch}/service.log", "wb"), env={
    "PATH": os.environ["PATH"], "IMGPROXY_BIND": f"127.0.0.1:{port}", "KF_CACHE_PATH": f"{scratch}/cache",
    "IMGPROXY_KEY": KEY.hex(), "IMGPROXY_SALT": SALT.hex(), "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
    "IMGPROXY_MAX_SRC_FILE_SIZE": str(20 << 20), "IMGPROXY_DOWNLOAD_TIMEOUT": "2", "IMGPROXY_LOG_LEVEL": "error",
    "IMGPROXY_WRITE_RESPONSE_TIMEOUT": "2", "IMGPROXY_READ_REQUEST_TIMEOUT": "2", "IMGPROXY_TIMEOUT": "5",
    "KF_CACHE_SIZE": str(64 << 20), "KF_SOURCE_DISK_SIZE": str(64 << 20), "KF_MEMORY_CACHE_SIZE": str(32 << 20)})


def signed(rest):
    tag = hmac.new(KEY, SALT + rest.encode(), hashlib.sha256).digest()
    return "/" + base64.urlsafe_b64encode(tag).rstrip(b"=").decode() + rest


def options():
    return random.choice(["rs:fit:%d:%d", "rs:fill:%d:%d/g:sm", "rs:force:%d:%d/f:webp", "w:%d/bl:%d", "s:%d:%d/f:png",
                          "w:%d/mb:%d", "c:%d:%d", "rt:auto/s:%d:%d/f:avif"]) % (random.randrange(1, 600),
                                                                                random.randrange(1, 300))


def path(kind, host="127.0.0.1"):
    return signed(f"/{options()}/plain/http://{host}:{web}/{kind}/{random.randrange(1 << 30)}.jpg")


def connect():
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    return client


def ask(target, client=None):
    """The status and the body; nothing if the connection ends."""
    client = client or connect()
    with client:
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode("latin-1"))
        data = b"".join(iter(lambda: client.recv(1 << 16), b""))
    head, _, body = data.partition(b"\r\n\r\n")
    return (int(head[9:12]) if head else 0), body


def note(name, status):
    with lock:
        statuses[name, status] = statuses.get((name, status), 0) + 1


def hostile_files():
    note("damaged", ask(path("damaged"))[0])


def hostile_sources():
    kind = random.choice(["redirect", "redirect", "short", "fields", "status", "endless", "slow"])
    status = ask(path(kind))[0]
    note(kind, status)
    if kind == "redirect" and status == 200:
        problems.append("a redirect to a private address was followed")


def hostile_hosts():
    # libcurl resolves every name below localhost to this machine, as a wildcard in the DNS would.
    number = random.randrange(1 << 30)
    last = number % 8 + 2
    host = random.choice([f"n{number}.evil.localhost", f"127.0.1.{last}", f"127.0.{256 + last}"])
    note("hosts", ask(path("silent", host))[0])


def hostile_paths():
    right = random.choice([path("control"), "/" + os.urandom(30).hex(), "/" + "a" * 9000, "//..//", "/_/plain/x"])
    place = random.randrange(1, len(right))
    target = right[:place] + random.choice("abz%:/@?\x7f\xe9") + right[place + 1:]
    status = ask(target)[0]
    note("path", status)
    # Without its query the path may be that of the page at /.
    if status == 200 and target != right and target[1] != "?":
        problems.append(f"{target[:200]} was answered like {right[:200]}")


def hostile_clients():
    client = connect()
    target = path(random.choice(["damaged", "slow", "control"]))
    text = f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    kind = random.randrange(4)
    client.sendall(text[:random.randrange(len(text))] if kind == 0 else text * (20 if kind == 1 else 1))
    time.sleep(random.choice([0, 0.01, 0.3]))
    if kind == 2:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
    client.close()
    note("left", 0)


def hot(attack):
    while not stop.is_set():
        try:
            attack()
        except OSError:
            note(attack.__name__, "lost")


def check_control():
    expected = {}
    while not stop.is_set():
        width = random.choice([16, 24])
        # Most are hits; every twentieth has to be made.
        buster = f"/cb:{random.randrange(1 << 30)}" if random.random() < 0.05 else ""
        rest = f"/rs:fit:{width}:0{buster}/f:png/plain/http://127.9.0.1:{web}/control/1"
        begin = time.monotonic()
        try:
            status, body = ask(signed(rest))
        except OSError as error:
            status, body = 0, repr(error).encode()
        took = time.monotonic() - begin
        note("made control" if buster else "control", status)
        with lock:
            statuses["slowest control"] = max(statuses.get("slowest control", 0), took)
        if status in (429, 503, 504) and buster:
            continue  # The queue is full of hostile work; see below.
        if status != 200 or expected.setdefault(width, body) != body:
            problems.append(f"the control image got {status} {body[:80]!r}")
        time.sleep(0.02)


def measure():
    with open(f"/proc/{service.pid}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) // 1024
    descriptors = len(os.listdir(f"/proc/{service.pid}/fd"))
    workers = [entry for entry in os.listdir("/proc") if entry.isdigit() and parent(entry) == service.pid]
    seen.update(workers)
    return memory, descriptors, len(workers)


def is_worker(process):
    try:
        return b"kingfisher-worker" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def parent(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


while True:
    try:
        connect().close()
        break
    except OSError:
        if service.poll() is not None:
            sys.exit(f"the service has ended: {service.returncode}; see {scratch}/service.log")
        time.sleep(0.05)
attacks = [hostile_files] * 3 + [hostile_sources] * 6 + [hostile_paths] + [hostile_clients] * 2
# So many that the last of them would wait longer than the time for a request.
attacks += [hostile_hosts] * 160
threads = [threading.Thread(target=hot, args=[attack], daemon=True) for attack in attacks]
threads.append(threading.Thread(target=check_control, daemon=True))
for thread in threads:
    thread.start()
print("   time  memory  descriptors  workers  requests", flush=True)
series, begin = [], time.monotonic()
for step in range(1, 11):
    time.sleep(max(0, begin + seconds * step / 10 - time.monotonic()))
    if service.poll() is not None:
        problems.append(f"the service ended with {service.returncode}")
        break
    series.append(measure())
    count = sum(value for key, value in statuses.items() if isinstance(key, tuple))
    print(f"{seconds * step / 10:6.0f}s {series[-1][0]:5} MB {series[-1][1]:12} {series[-1][2]:8} {count:9}", flush=True)
stop.set()
for thread in threads:
    thread.join(40)
for server in servers:
    server.shutdown()
if service.poll() is None:
    time.sleep(12)  # Time-outs and idle connections end.
    memory, descriptors, workers = measure()
    print(f"  after {memory:5} MB {descriptors:12} {workers:8}")
    half = series[len(series) // 2 - 1]
    if series[-1][0] > 1.2 * half[0] + 20:
        problems.append(f"memory grows: {half[0]} MB, then {series[-1][0]} MB")
    if descriptors > 120:
        problems.append(f"{descriptors} descriptors are left")
    service.send_signal(signal.SIGTERM)
    try:
        code = service.wait(30)
        if code != 0:
            problems.append(f"the service ended with {code} after SIGTERM")
    except subprocess.TimeoutExpired:
        service.kill()
        problems.append("the service did not end after SIGTERM")
slowest = statuses.pop("slowest control", 0)
for name in sorted({key[0] for key in statuses}):
    parts = sorted((str(key[1]), value) for key, value in statuses.items() if key[0] == name)
    print(f"{name:>10}: " + ", ".join(f"{status} × {value}" for status, value in parts))
print(f"the slowest control image took {slowest:.2f} s")
made = sum(value for key, value in statuses.items() if key[0] == "made control")
refused = made - statuses.get(("made control", 200), 0)
if refused > made / 5:
    problems.append(f"{refused} of {made} control images were not made")
left = [entry for entry in seen if is_worker(entry)]
if left:
    problems.append(f"{len(left)} workers are left")
for problem in dict.fromkeys(problems):
    print("FAILED:", problem)
sys.exit(1 if problems else 0)
