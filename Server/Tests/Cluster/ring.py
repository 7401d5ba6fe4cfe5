#!/usr/bin/env python3
"""How many names move when a service joins or leaves: nginx's consistent hashing, computed.

Usage: ring.py [NAMES [NGINX]]        10,000,000 names by default, some fifteen seconds

With the path of nginx, 500 names are also sent through it, which has to choose the same services.

The ring is that of `hash … consistent` in nginx (the ketama algorithm): 160 points for each server,
the CRC-32 of host, zero byte, port and the number of the point before, and for a name the first
point at or above its CRC-32. Fails if more than the share of the changed server moves.
"""
import array
import bisect
import http.client
import http.server
import pathlib
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

POINTS = 160


def ring(servers):
    points = []
    for server in servers:
        host, port = server.split(":")
        base = zlib.crc32(host.encode() + b"\0" + port.encode())
        previous = 0
        for _ in range(POINTS):
            previous = zlib.crc32(struct.pack("<I", previous), base)
            points.append((previous, server))
    points.sort()
    # nginx keeps one of equal points.
    return [p for i, p in enumerate(points) if i == 0 or p[0] != points[i - 1][0]]


def owners(points, hashes):
    """The number of the server of each hash."""
    places = [hash for hash, _ in points]
    names = sorted({server for _, server in points})
    owner = [names.index(server) for _, server in points]
    found = bytearray(len(hashes))
    find, count = bisect.bisect_left, len(places)
    for index, value in enumerate(hashes):
        found[index] = owner[find(places, value) % count]
    return found, names


def shares(found, names):
    return {name: found.count(index) / len(found) for index, name in enumerate(names)}


def spread(found, names):
    """The share of each server, and that of the busiest beside an equal one."""
    all = shares(found, names)
    listed = ", ".join(f"{name} {share:.1%}" for name, share in all.items())
    return f"{listed}; the busiest has {max(all.values()) * len(all):.2f} of an equal share"


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("X-Port", str(self.server.server_address[1]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def differences(nginx):
    """The number of 500 names for which nginx chooses another service than the ring."""
    servers = [socketserver.ThreadingTCPServer(("127.0.0.1", 0), Service) for _ in range(4)]
    ports = [server.server_address[1] for server in servers]
    # The last one only has a free port for nginx.
    servers.pop().server_close()
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        pathlib.Path(folder, "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/log; events {{}} http {{ "
            + "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds)
            + "access_log off; upstream images { hash $request_uri consistent; "
            + "".join(f"server 127.0.0.1:{port}; " for port in ports[:3])
            + f"}} server {{ listen 127.0.0.1:{ports[3]}; "
            "location / { proxy_pass http://images; } } }")
        program = subprocess.Popen([nginx, "-p", folder, "-c", f"{folder}/nginx.conf"],
                                   stderr=subprocess.DEVNULL)
        try:
            return sum(asked(ports[3], name) != owner for name, owner in expected(ports[:3]))
        finally:
            program.terminate()
            program.wait()


def expected(ports):
    points = ring([f"127.0.0.1:{port}" for port in ports])
    places = [hash for hash, _ in points]
    for number in range(500):
        name = f"/_/w:300/plain/https://example.com/{number}.jpg"
        place = bisect.bisect_left(places, zlib.crc32(name.encode())) % len(places)
        yield name, points[place][1].split(":")[1]


def asked(port, name):
    deadline = time.monotonic() + 10
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", name)
            return connection.getresponse().getheader("X-Port")
        except ConnectionRefusedError:
            # nginx is starting.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    hashes = array.array("I", (
        zlib.crc32(b"/_/rs:fit:%d:%d/plain/https://example.com/%d.jpg"
                   % (200 + number % 5 * 100, 200, number)) for number in range(count)))
    three = [f"images{number}:8080" for number in (1, 2, 3)]
    before, names = owners(ring(three), hashes)
    print(f"{count:,} names, {POINTS} points for each service")
    print("three services:", spread(before, names))
    failed = False
    if len(sys.argv) > 2:
        wrong = differences(sys.argv[2])
        print(f"nginx chooses another service for {wrong} of 500 names")
        failed = wrong > 0
    for title, servers in [("one more", three + ["images4:8080"]), ("one less", three[:2])]:
        after, others = owners(ring(servers), hashes)
        old = [others.index(name) if name in others else -1 for name in names]
        table = bytes(number % 256 for number in old) + bytes(256 - len(old))
        moved = sum(a != b for a, b in zip(before.translate(table), after))
        own = shares(after, others)
        changed = (own["images4:8080"] if len(servers) > 3
                   else shares(before, names)["images3:8080"])
        print(f"{title}: {moved / count:.1%} of the names move, "
              f"the changed service has {changed:.1%}; with a plain remainder "
              f"{1 - 1 / max(len(servers), 3):.0%} would; shares: {spread(after, others)}")
        failed |= moved > changed * count + 1
    sys.exit(failed)


main()
