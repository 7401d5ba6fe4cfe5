"""Downloads from nginx on the loopback interface with Kingfisher, libcurl and URLSession.

usage: transfers.py PROGRAM CURL_PEER FOLDER [ROUNDS]

Kingfisher is measured twice: the downloader, with sharing, delegates, memory for bodies and the
return to the caller's task, and its transport alone, which does the same work as the peer with
libcurl's multi interface: both put bodies into memory that the program reuses. Both have targets;
the program fails if one is missed.

Alternates round by round, and prints the least CPU and the most requests per second of each,
because other load on the machine can only make a round worse; p99 is that of the best round.
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
OURS = {"Kingfisher": "downloader", "  transport": "transport"}
MOST_CPU = 1.5
# A small body, one at a time: each request wakes the thread of the transport and the caller's task.
MOST_CPU_ALONE = 1.6
LEAST_SPEED = 3


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
    runners = {name: [program, command] for name, command in OURS.items()}
    runners["libcurl"] = [peer]
    runners["URLSession"] = [program, "urlsession"]
    process, port = start_nginx(folder)
    verdicts = []
    try:
        print(f"transfers: downloads from nginx on this machine, load {os.getloadavg()[0]:.1f}")
        print(
            "body  at once             CPU ms    req/s     MB/s  median ms   p99 ms"
            "   CPU by libcurl's   req/s by URLSession's"
        )
        for name, size in SIZES.items():
            for width in WIDTHS:
                url = f"http://127.0.0.1:{port}/{name}"
                results = measure(runners, url, name, size, width, rounds)
                report(name, size, width, rounds, results)
                verdicts += judge(name, width, results)
    finally:
        process.terminate()
        process.wait()
    for verdict in verdicts:
        print(verdict)
    return 1 if any(verdict.lstrip().startswith("MISSED") for verdict in verdicts) else 0


def measure(runners, url, name, size, width, rounds):
    count = COUNTS[name]
    results = {runner: [] for runner in runners}
    for _ in range(rounds):
        for runner, command in runners.items():
            # Foundation is ten times slower: fewer requests, with the same figures per request.
            share = count // 5 if runner == "URLSession" else count
            try:
                result = run(command, url, share, width)
            except subprocess.TimeoutExpired:
                result = None
            if result is not None and result[4] == share * size:
                results[runner].append(result)
    return results


def least_cpu(samples):
    return min((sample[0] for sample in samples), default=None)


def most_speed(samples):
    return max((sample[1] for sample in samples), default=None)


def quotient(ours, theirs):
    return None if ours is None or theirs is None else ours / theirs


def report(name, size, width, rounds, results):
    for runner, samples in results.items():
        if not samples:
            print(f"{name:4} {width:7}  {runner:12} failed in every round")
            continue
        best = max(samples, key=lambda sample: sample[1])
        cpu = quotient(least_cpu(samples), least_cpu(results["libcurl"]))
        speed = quotient(best[1], most_speed(results["URLSession"]))
        failures = rounds - len(samples)
        failed = f"   failed in {failures} of {rounds} rounds" if failures else ""
        print(
            f"{name:4} {width:7}  {runner:12} {least_cpu(samples):9.4f} {best[1]:8.0f}"
            f" {best[1] * size / 1e6:8.0f} {best[2]:10.3f} {best[3]:8.3f} {text(cpu):>18}"
            f" {text(speed):>23}{failed}"
        )
    sys.stdout.flush()


def text(number):
    return "unknown" if number is None else f"{number:.2f}"


def judge(name, width, results):
    """One line per target of our runs: whether it was reached, or by how much it was missed."""
    for runner in OURS:
        samples = results[runner]
        cpu = quotient(least_cpu(samples), least_cpu(results["libcurl"]))
        speed = quotient(most_speed(samples), most_speed(results["URLSession"]))
        most = MOST_CPU_ALONE if name == "50k" and width == 1 else MOST_CPU
        place = f"{name}, {width} at a time, {runner.strip()}"
        yield verdict(
            cpu is not None and cpu <= most,
            f"{place}, CPU / libcurl: {text(cpu)} (at most {most})",
        )
        yield verdict(
            speed is not None and speed >= LEAST_SPEED,
            f"{place}, requests per second / URLSession: {text(speed)} (at least {LEAST_SPEED})",
        )


def verdict(is_reached, text):
    return f"  {'ok    ' if is_reached else 'MISSED'}  {text}"


sys.exit(main())
