"""Downloads from nginx on the loopback interface, by us, libcurl's multi interface and URLSession.

usage: transfers.py PROGRAM CURL_PEER FOLDER [ROUNDS]

Kingfisher is the transport alone, which does what libcurl's peer does; downloader is all that is
between a load and its bytes.

Takes turns, round after round, and prints the least CPU and the most requests per second of each,
because what the machine does besides can only make a round worse; p99 is that of the best round.
"""

import os
import random
import socket
import subprocess
import sys
import time

SIZES = {"50k": 50_000, "2m": 2_000_000}
NGINX = os.environ.get("NGINX_PROGRAM", "/usr/sbin/nginx")
WIDTHS = [1, 8, 64]
COUNTS = {"50k": 4000, "2m": 300}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_nginx(folder):
    port = free_port()
    root = os.path.join(folder, "root")
    os.makedirs(root, exist_ok=True)
    chance = random.Random(1)
    for name, size in SIZES.items():
        with open(os.path.join(root, name), "wb") as file:
            file.write(chance.randbytes(size))
    paths = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    )
    config = f"""
        {"user root;" if os.getuid() == 0 else ""}
        worker_processes 1;
        daemon off;
        pid {folder}/nginx.pid;
        error_log {folder}/error.log;
        events {{ worker_connections 512; }}
        http {{
            access_log off;
            sendfile on;
            {paths}
            keepalive_requests 1000000;
            server {{ listen 127.0.0.1:{port}; root {root}; }}
        }}
    """
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w") as file:
        file.write(config)
    process = subprocess.Popen([NGINX, "-q", "-p", folder, "-c", path])
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port
        except OSError:
            time.sleep(0.01)
    process.terminate()
    sys.exit("nginx did not start")


def run(command, url, count, width):
    line = subprocess.run(
        [*command, url, str(count), str(width)], capture_output=True, text=True, timeout=300
    )
    if line.returncode != 0:
        return None
    return [float(number) for number in line.stdout.split()]


def main():
    program, peer, folder = sys.argv[1:4]
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    runners = {
        "Kingfisher": [program, "transport"],
        "downloader": [program, "downloader"],
        "libcurl": [peer],
        "URLSession": [program, "urlsession"],
    }
    process, port = start_nginx(folder)
    try:
        print(f"load {os.getloadavg()[0]:.1f}")
        print(
            "body  at once             CPU ms    req/s     MB/s  median ms   p99 ms"
            "   CPU ours/theirs   req/s by URLSession's"
        )
        for name, size in SIZES.items():
            for width in WIDTHS:
                measure(runners, f"http://127.0.0.1:{port}/{name}", name, size, width, rounds)
    finally:
        process.terminate()
        process.wait()


def measure(runners, url, name, size, width, rounds):
    count = COUNTS[name]
    results = {runner: [] for runner in runners}
    failures = {runner: 0 for runner in runners}
    for _ in range(rounds):
        for runner, command in runners.items():
            # Foundation is ten times slower: fewer requests, the same figures for each.
            share = count // 5 if runner == "URLSession" else count
            try:
                result = run(command, url, share, width)
            except subprocess.TimeoutExpired:
                result = None
            if result is None or result[4] != share * size:
                failures[runner] += 1
            else:
                results[runner].append(result)
    session = max((r[1] for r in results["URLSession"]), default=None)
    ours = min((r[0] for r in results["Kingfisher"]), default=None)
    for runner, samples in results.items():
        if not samples:
            print(f"{name:4} {width:7}  {runner:12} failed in every round")
            continue
        cpu = min(sample[0] for sample in samples)
        best = max(samples, key=lambda sample: sample[1])
        is_ours = runner in ("Kingfisher", "downloader")
        ratio = "" if is_ours or ours is None else f"{ours / cpu:.2f}"
        speed = "" if session is None else f"{best[1] / session:.2f}"
        failed = f"   failed {failures[runner]} of {rounds} rounds" if failures[runner] else ""
        print(
            f"{name:4} {width:7}  {runner:12} {cpu:9.4f} {best[1]:8.0f}"
            f" {best[1] * size / 1e6:8.0f} {best[2]:10.3f} {best[3]:8.3f} {ratio:>17}"
            f" {speed:>23}{failed}"
        )
    sys.stdout.flush()


main()
