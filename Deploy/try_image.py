#!/usr/bin/env python3
"""Runs an OCI archive with runc: read-only, without capabilities, and checks it from outside.

Usage: try_image.py ARCHIVE FOLDER
"""
import base64
import http.client
import http.server
import json
import os
import pathlib
import re
import socketserver
import struct
import subprocess
import sys
import tarfile
import threading
import time
import zlib

PORT = 18080

# Python 3.14 wants to know what archives may do; this one is our own.
tarfile.TarFile.extraction_filter = staticmethod(lambda member, _: member)


def png(width=60, height=40, colour=lambda x, y: (x * 4, y * 6, 90)):
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in colour(x, y))
                    for y in range(height))
    chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data
                                + struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def dark_pixels(file):
    """The places of the dark pixels of a PNG file with 8 bits for each sample."""
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", file[16:29])
    assert (depth, interlaced) == (8, 0) and kind in (0, 2, 4, 6), (depth, kind, interlaced)
    size = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    place, packed = 8, b""
    while place < len(file):
        length, name = struct.unpack(">I4s", file[place:place + 8])
        packed += file[place + 8:place + 8 + length] if name == b"IDAT" else b""
        place += length + 12
    rows, stride, dark = zlib.decompress(packed), width * size, set()
    above = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        filter, row = rows[start], bytearray(rows[start + 1:start + 1 + stride])
        for x in range(stride):
            left = row[x - size] if x >= size else 0
            corner = above[x - size] if x >= size else 0
            nearest = min((left, above[x], corner),
                          key=lambda value: abs(left + above[x] - corner - value))
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, nearest)[filter]) % 256
        dark |= {(x, y) for x in range(width) if row[x * size] < 100}
        above = row
    return dark


def unpack(archive, folder):
    """The root file system and the configuration of the only image of an archive."""
    layout, root = folder / "layout", folder / "rootfs"
    with tarfile.open(archive) as tar:
        tar.extractall(layout)
    blob = lambda digest: layout / "blobs" / digest.replace(":", "/")
    manifest = json.loads(blob(json.loads((layout / "index.json").read_text())
                               ["manifests"][0]["digest"]).read_text())
    root.mkdir()
    for layer in manifest["layers"]:
        with tarfile.open(blob(layer["digest"])) as tar:
            tar.extractall(root, numeric_owner=True)
    return root, json.loads(blob(manifest["config"]["digest"]).read_text())["config"]


def bundle(folder, image, cache):
    """A bundle of runc: the network of the host, everything else apart and read-only."""
    user, group = map(int, image["User"].split(":"))
    extra = ["IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES=1", f"IMGPROXY_BIND=127.0.0.1:{PORT}",
             "IMGPROXY_WORKERS=2"]
    mount = lambda place, kind, *options: {"destination": place, "type": kind, "source": kind,
                                           "options": list(options)}
    config = {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": user, "gid": group}, "args": image["Entrypoint"], "cwd": "/",
            "env": ["PATH=/usr/bin"] + image["Env"] + extra, "noNewPrivileges": True,
            "capabilities": {k: [] for k in ("bounding", "effective", "permitted")},
            "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 4096, "soft": 1024}],
        },
        "root": {"path": "rootfs", "readonly": True},
        "mounts": [
            mount("/proc", "proc", "nosuid", "noexec", "nodev"),
            mount("/dev", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
            mount("/tmp", "tmpfs", "nosuid", "nodev", "mode=1777"),
            {"destination": "/var/cache/kf-serve", "type": "bind", "source": str(cache),
             "options": ["rbind", "rw"]},
        ],
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")],
                  "maskedPaths": ["/proc/kcore"], "readonlyPaths": ["/proc/sys"]},
    }
    (folder / "config.json").write_text(json.dumps(config))


def get(path):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=15)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type"), answer.read()


def main():
    archive, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True)
    root, image = unpack(archive, folder)
    names = {path.name for path in root.rglob("*")}
    assert not names & {"sh", "bash", "dash", "busybox"}, "the image has a shell"
    assert not any(path.stat().st_mode & 0o6000 for path in root.rglob("*")
                   if path.is_file() and not path.is_symlink()), "a file has set-user-ID"
    assert image["User"].split(":")[0] != "0", "the user is root"
    cache = folder / "cache"
    cache.mkdir()
    os.chown(cache, 10001, 10001)
    bundle(folder, image, cache)
    fonts = subprocess.run(["fc-cache", "-v", f"--sysroot={root.resolve()}"], capture_output=True,
                           text=True, check=True).stdout
    assert "existing cache is valid: 6 fonts" in fonts, f"the cache of the fonts is old: {fonts}"
    assert (root / "usr/share/doc/fonts-dejavu-core/copyright").is_file(), "a licence is missing"

    drawing = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60">
        <rect width="200" height="60" fill="white"/>
        <text x="20" y="45" font-family="%s" font-size="40">Hello</text></svg>"""
    families = ["sans-serif", "serif", "monospace", "No Such Family"]
    files = {"/a.png": png(), "/white.png": png(200, 60, lambda x, y: (255, 255, 255))}
    files |= {f"/{n}.svg": (drawing % name).encode() for n, name in enumerate(families)}
    fixtures = pathlib.Path(__file__).resolve().parents[1] / "Tests/KFCodecsTests/Fixtures"
    samples = ["420.avif", "420.heic", "animated.jxl", "deflate.tiff"]
    files |= {f"/{name}": (fixtures / name).read_bytes() for name in samples}

    class Source(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(files[self.path])

        def log_message(self, *_):
            pass

    source = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Source)
    threading.Thread(target=source.serve_forever, daemon=True).start()
    state = str(folder / "state")
    log = open(folder / "log", "w+")
    runc = ["runc", "--root", state]
    service = subprocess.Popen(runc + ["run", "-b", str(folder), "kf-serve-try"], stdout=log,
                               stderr=log, stdin=subprocess.DEVNULL)
    try:
        check = runc + ["exec", "--user", "10001:10001", "kf-serve-try", "/usr/bin/kf-serve",
                        "--health"]
        deadline = time.monotonic() + 30
        environment = ["--env", f"IMGPROXY_BIND=127.0.0.1:{PORT}"]
        check[4:4] = environment
        while subprocess.run(check, stdout=log, stderr=log).returncode != 0:
            assert service.poll() is None and time.monotonic() < deadline, "it is not healthy"
            time.sleep(0.1)
        sources = f"http://127.0.0.1:{source.server_address[1]}"
        address = sources + "/a.png"
        for name, kind in [("png", "image/png"), ("jpg", "image/jpeg"), ("webp", "image/webp"),
                           ("avif", "image/avif")]:
            status, found, body = get(f"/_/w:20/plain/{address}@{name}")
            assert (status, found) == (200, kind), (name, status, body)
        for name in samples:
            status, _, body = get(f"/_/w:20/plain/{sources}/{name}@png")
            assert status == 200, (name, status, body)

        def letters(path):
            status, found, body = get(path + "@png")
            assert (status, found) == (200, "image/png"), (path, status, body)
            dark = dark_pixels(body)
            assert len(dark) > 100, f"{path} has {len(dark)} dark pixels: no letters"
            return frozenset(dark)

        texts = [letters(f"/_/plain/{sources}/{number}.svg") for number in range(len(families))]
        assert len(set(texts[:3])) == 3 and texts[3] == texts[0], "the families are the wrong ones"
        marks = ["Hello", "<b>Hello</b>", "<i>Hello</i>", "<tt>Hello</tt>", "Привет"]
        names = [base64.urlsafe_b64encode(mark.encode()).decode().rstrip("=") for mark in marks]
        texts = {letters(f"/_/wm:1/wmt:{name}/wms:180:50/plain/{sources}/white.png")
                 for name in names}
        assert len(texts) == len(marks), "some texts look the same"
        assert re.search(rb"kf_workers [1-9]", get("/metrics")[2])
        subprocess.run(runc + ["kill", "kf-serve-try", "TERM"], check=True)
        assert service.wait(timeout=30) == 0, "it did not stop with status 0"
        assert any(cache.rglob("*")), "the cache is empty"
    except Exception:
        log.seek(0)
        sys.stderr.write(log.read())
        raise
    finally:
        subprocess.run(runc + ["delete", "-f", "kf-serve-try"], stdout=log, stderr=log)
        source.shutdown()


main()
