"""Measures what a request costs by the level that has its result: memory, disk, Redis, a Redis Cluster
with three masters, S3, or none, so that it is made from the source. Then one master is killed.

Usage: levels.py KF_SERVE NGINX PICTURE SCRATCH [IMAGES]

KF_SERVE and NGINX are programs, PICTURE is what every source delivers; IMAGES is the number of images,
300 by default. redis-server and redis-cli have to be on the PATH, and moto, an emulator of S3, in this
Python. Every request is sent after the response to the one before, over one connection. Everything
listens to 127.0.0.1. Fails if a request fails, or a result comes from another level than expected.
"""

import atexit
import http.client
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

import boto3

kf_serve, nginx, picture = sys.argv[1:4]
scratch = pathlib.Path(sys.argv[4]).resolve()
count = int(sys.argv[5]) if len(sys.argv) > 5 else 300
redis_conf = pathlib.Path(__file__).resolve().parents[3] / "Deploy/redis.conf"
rows = []


def free_port():
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            # A server of a cluster also listens to the port above by 10,000.
            if probe.getsockname()[1] < 55_000:
                return probe.getsockname()[1]


def wait(what, is_there):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            if is_there():
                return
        except OSError:
            pass
        time.sleep(0.02)
    sys.exit(f"{what} did not happen within two minutes; the logs are in {scratch}")


def start(name, arguments, port, environment=None):
    log = open(scratch / f"{name}.log", "ab")
    process = subprocess.Popen(arguments, env=environment, stdout=log, stderr=log)
    atexit.register(process.kill)

    def listens():
        if process.poll() is not None:
            sys.exit(f"{name} ended with status {process.returncode}; see {scratch}/{name}.log")
        return socket.create_connection(("127.0.0.1", port), timeout=1).close() is None

    wait(name, listens)
    return process


def stop(process):
    process.terminate()
    process.wait(30)


# --- Parts ---------------------------------------------------------------------------------------


def start_source():
    port, folder = free_port(), scratch / "nginx"
    (folder / "files").mkdir(parents=True)
    shutil.copy(picture, folder / "files/picture.png")
    os.chmod(scratch, 0o755)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/log; events {{}} http {{ access_log off; "
        + "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds)
        + f"types {{ image/png png; }} server {{ listen 127.0.0.1:{port}; root {folder}/files; "
        "location / { try_files /picture.png =404; } } }"
    )
    command = [nginx, "-p", str(folder), "-c", f"{folder}/nginx.conf", "-e", f"{folder}/log"]
    start("nginx", command, port)
    return port


def start_redis(*more):
    port = free_port()
    folder = scratch / f"redis{port}"
    folder.mkdir()
    command = ["redis-server", str(redis_conf), "--port", str(port), "--dir", str(folder), *more]
    return start(f"redis{port}", command, port), port


def redis_cli(*words):
    return subprocess.run(["redis-cli", *words], capture_output=True, text=True, check=True).stdout


def start_store():
    port = free_port()
    start("moto", [sys.executable, "-c", f"from moto.server import main; main(['-p', '{port}'])"], port)
    address = f"http://127.0.0.1:{port}"
    boto3.client("s3", endpoint_url=address, region_name="eu-west-1", aws_access_key_id="any",
                 aws_secret_access_key="any").create_bucket(
        Bucket="results", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return {
        "KF_RESULT_STORE": "s3://results/fleet", "KF_RESULT_STORE_TIMEOUT": "20",
        "IMGPROXY_S3_REGION": "eu-west-1", "IMGPROXY_S3_ENDPOINT": address,
        "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any",
    }


def report(title, times, used):
    times = sorted(times)
    row = title, statistics.median(times), times[len(times) * 99 // 100], used
    rows.append(row)
    print("%-50s p50 %8.2f ms   p99 %8.2f ms   CPU %7.2f ms" % row, flush=True)


class Service:
    """A service with a folder and levels of its own."""

    def __init__(self, folder, variables):
        self.port = free_port()
        self.process = start("kf-serve", [kf_serve], self.port, {
            "PATH": os.environ["PATH"], "IMGPROXY_BIND": f"127.0.0.1:{self.port}",
            "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1", "IMGPROXY_LOG_LEVEL": "warning",
            "IMGPROXY_ENABLE_DEBUG_HEADERS": "1", "KF_CACHE_PATH": str(scratch / folder),
            **variables,
        })
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.get("/health")

    def get(self, path):
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {body[:200]!r}; the logs are in {scratch}")
        return response, body

    def metric(self, name):
        found = re.search(re.escape(name) + r" (\S+)", self.get("/metrics")[1].decode())
        return float(found[1]) if found else 0

    def shared(self, level, outcome):
        return self.metric(f'kf_shared_storage_total{{level="{level}",outcome="{outcome}"}}')

    def processor_time(self):
        """Seconds of the service and of its workers."""
        total, rest = 0, [self.process.pid]
        while rest:
            process = rest.pop()
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            # Of itself, and of children that have ended.
            total += sum(map(int, fields[11:15]))
            for children in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
                rest += map(int, children.read_text().split())
        return total / os.sysconf("SC_CLK_TCK")

    def measure(self, title, layer, paths):
        before, times = self.processor_time(), []
        for path in paths:
            begin = time.perf_counter()
            response, _ = self.get(path)
            times.append((time.perf_counter() - begin) * 1000)
            if layer and response.headers["x-cache"] != layer:
                sys.exit(f"{title}: {path} came from {response.headers['x-cache']}, not {layer}")
        report(title, times, (self.processor_time() - before) * 1000 / len(times))

    def stop(self):
        self.connection.close()
        stop(self.process)


# --- The run -------------------------------------------------------------------------------------

scratch.mkdir(parents=True, exist_ok=True)
source = start_source()
paths = [f"/_/rs:fit:{200 + number % 40}:0/plain/http://127.0.0.1:{source}/{number}.png"
         for number in range(count)]
print(f"{count} images of {os.path.getsize(picture) / 1000:.0f} kB, load {os.getloadavg()[0]:.1f}")

ready, first, used = [], [], []
for number in range(10):
    begin = time.perf_counter()
    service = Service(f"start {number}", {})
    ready.append((time.perf_counter() - begin) * 1000)
    begin, before = time.perf_counter(), service.processor_time()
    service.get(paths[0])
    first.append((time.perf_counter() - begin) * 1000)
    used.append((service.processor_time() - before) * 1000)
    service.stop()
report("no level, the first request after a start", first, statistics.mean(used))
print(f"from the start to the answer of /health: {statistics.median(ready):.0f} ms")

service = Service("alone", {})
service.measure("no level: downloaded, decoded, encoded", "none", paths)
service.measure("memory", "memory", paths)
service.measure("`/health`, for comparison", None, ["/health"] * count)
service.stop()
service = Service("alone", {})
service.measure("disk", "disk", paths)
service.stop()


def measure_shared(name, level, variables):
    service = Service(f"{name} 1", variables)
    service.measure(f"no level, and {name} is asked and filled", "none", paths)
    wait(f"storing in {name}", lambda: service.shared(level, "stored") >= count)
    service.stop()
    service = Service(f"{name} 2", variables)
    before = service.shared(level, "hit")
    service.measure(name, "disk", paths)
    if service.shared(level, "hit") - before < count:
        sys.exit(f"only {service.shared(level, 'hit'):.0f} results came from {name}")
    service.stop()


redis, redis_port = start_redis()
measure_shared("Redis", "machines", {"KF_REDIS_URL": f"redis://127.0.0.1:{redis_port}"})
stop(redis)

masters = [start_redis("--cluster-enabled", "yes", "--cluster-require-full-coverage", "no",
                       "--cluster-node-timeout", "2000") for _ in range(3)]
addresses = [f"127.0.0.1:{port}" for _, port in masters]
redis_cli("--cluster", "create", *addresses, "--cluster-yes")
wait("the cluster", lambda: all("cluster_state:ok" in redis_cli("-p", str(port), "cluster", "info")
                                for _, port in masters))
cluster = {"KF_REDIS_URL": ",".join(f"redis://{address}" for address in addresses)}
measure_shared("Redis Cluster", "machines", cluster)
held = [int(redis_cli("-p", str(port), "dbsize")) for _, port in masters]
print(f"values of the three masters: {held}")
if min(held) == 0:
    sys.exit("a master has no values")

service = Service("killed", cluster)
middle = count // 2
service.measure("Redis Cluster, first half", "disk", paths[:middle])
masters[0][0].kill()
masters[0][0].wait()
service.measure("Redis Cluster, second half without one master", None, paths[middle:])
print(f"{service.shared('machines', 'hit'):.0f} of {count} values came from the cluster")
service.stop()
for process, _ in masters[1:]:
    stop(process)

measure_shared("S3", "store", start_store())

print("\n| result from | median | 99 of 100 | processor time |\n|---|---|---|---|")
for title, median, slow, used in rows:
    print(f"| {title} | {median:.2f} ms | {slow:.2f} ms | {used:.2f} ms |")
