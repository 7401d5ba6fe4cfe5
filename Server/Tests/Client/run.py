#!/usr/bin/env python3
"""Runs client libraries of other authors against a running image service.

Usage: pip install -r requirements.txt && ./run.py PATH-TO-KF-SERVE

Starts the service on a free port with keys, asks for the image of each URL that the clients build,
and checks the format and size of every result. Ends with status 1 if one is wrong.
"""

import io
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

from clients import CASES, Case, Keys, urls

KEYS = Keys("943b421c9eb07c83" * 4, "520f986b998545b4" * 4)


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        pass


def free_port() -> int:
    """A port that nothing listens to."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def fetch(url: str | urllib.request.Request) -> tuple[int, dict[str, str], bytes]:
    """The status, the fields and the body of a response."""
    try:
        with urllib.request.urlopen(url, timeout=20) as response:
            fields = {name.lower(): value for name, value in response.headers.items()}
            return response.status, fields, response.read()
    except urllib.error.HTTPError as error:
        return error.code, {}, error.read()


def problem(case: Case, url: str, source: bytes) -> str | None:
    """The fault in the result of a URL; None if there is none."""
    status, fields, body = fetch(url)
    if status != 200:
        return f"{status} {body.decode(errors='replace').strip()}"
    if case.expected == "raw:1" and body != source:
        return "not the source's bytes"
    if "return_attachment" in url and not fields["content-disposition"].startswith("attachment"):
        return f"content-disposition: {fields['content-disposition']}"
    if "filename:" in url and "%C3%BCber%20den%20Wolken" not in fields["content-disposition"]:
        return f"content-disposition: {fields['content-disposition']}"
    image = Image.open(io.BytesIO(body))
    image.load()
    found = (image.format, *image.size)
    return f"{found}, not {case.result}" if case.result and found != case.result else None


def refusals(url: str) -> list[str]:
    """The faults in the answers to URLs that must be refused."""
    parts = url.split("/", 4)
    wrong = {
        "a changed option": (url.replace("quality:70", "quality:71"), 403),
        "a wrong signature": ("/".join([*parts[:3], "A" * 43, parts[4]]), 403),
        "a truncated signature": ("/".join([*parts[:3], parts[3][:20], parts[4]]), 403),
        "no signature": ("/".join([*parts[:3], "unsafe", parts[4]]), 403),
    }
    found = []
    for name, (changed, expected) in wrong.items():
        status = fetch(changed)[0]
        if status != expected:
            found.append(f"{name}: {status}, not {expected}")
    return found


def wait(host: str, service: subprocess.Popen) -> None:
    """Waits until the service is ready, at most 20 seconds."""
    for _ in range(200):
        try:
            if service.poll() is None and fetch(f"{host}/health")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("the service did not start")


def check(host: str, folder: Path) -> list[str]:
    """The problems of all clients, with sources in a folder and on a web server."""
    source = (folder / "image 1.png").read_bytes()
    files = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    sources = [
        "local:///image 1.png",
        f"http://127.0.0.1:{files.server_port}/image%201.png?x=1&y=a@b",
    ]
    problems, count, clients = [], 0, set()
    for address in sources:
        for case in CASES:
            for client, url in urls(address, KEYS, case, host).items():
                count += 1
                clients.add(client)
                if wrong := problem(case, url, source):
                    problems.append(f"{client}: {url}: {wrong}")
                if "quality:70" in url:
                    problems += [f"{client}: {text}" for text in refusals(url)]
    print(f"{count} URLs of {len(clients)} clients, {len(problems)} problems")
    return problems


def main() -> int:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gradient = Image.linear_gradient("L").resize((300, 200))
        # No magenta, which one of the URLs trims.
        black = Image.new("L", gradient.size)
        Image.merge("RGB", [gradient, gradient.rotate(180), black]).save(folder / "image 1.png")
        Image.new("RGBA", (40, 20), (255, 255, 255, 128)).save(folder / "watermark.png")
        port = free_port()
        environment = os.environ | {
            "IMGPROXY_BIND": f"127.0.0.1:{port}",
            "IMGPROXY_KEY": KEYS.key,
            "IMGPROXY_SALT": KEYS.salt,
            "IMGPROXY_LOCAL_FILESYSTEM_ROOT": name,
            "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_ALLOW_SECURITY_OPTIONS": "1",
            "IMGPROXY_WATERMARK_PATH": str(folder / "watermark.png"),
            "IMGPROXY_LOG_LEVEL": "error",
        }
        service = subprocess.Popen([sys.argv[1]], env=environment)
        try:
            host = f"http://127.0.0.1:{port}"
            wait(host, service)
            problems = check(host, folder)
        finally:
            service.terminate()
            service.wait(timeout=30)
    for text in problems:
        print(text)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
