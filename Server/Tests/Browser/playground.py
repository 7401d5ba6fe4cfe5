"""Uses the playground of an image service in a headless Chromium, and checks what it shows.

Usage: playground.py KF_SERVE CHROMIUM IMAGES SCRATCH SCREENSHOTS

KF_SERVE and CHROMIUM are programs, IMAGES is a folder with grid.png. A picture of each state is
written to SCREENSHOTS. Ends with status 1 if something is wrong.
"""

import base64
import hashlib
import hmac
import os
import pathlib
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request

from chromium import Failure, Page

kf_serve, browser = sys.argv[1:3]
images, scratch, screenshots = map(pathlib.Path, sys.argv[3:6])
KEY, SALT = b"a key", b"a salt"
problems = []


def check(title, is_right, found=""):
    print(f"  {'ok    ' if is_right else 'FAILED'}  {title}{'' if is_right else f': {found}'}", flush=True)
    if not is_right:
        problems.append(title)


def start_service():
    """The running service, and its address."""
    service = subprocess.Popen([kf_serve], stderr=subprocess.PIPE, text=True, env={
        "PATH": os.environ["PATH"], "IMGPROXY_BIND": "127.0.0.1:0", "KF_PLAYGROUND": "1",
        "IMGPROXY_KEY": KEY.hex(), "IMGPROXY_SALT": SALT.hex(), "IMGPROXY_LOCAL_FILESYSTEM_ROOT": str(images)})
    lines = []
    for line in service.stderr:
        lines.append(line)
        if match := re.search(r"listening .*:(\d+)\s", line):
            # Read on, so that the log does not fill the pipe.
            threading.Thread(target=lambda: [None for _ in service.stderr], daemon=True).start()
            return service, f"http://127.0.0.1:{match[1]}"
    sys.exit("the service has ended: " + "".join(lines))


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=20) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def shown(page, image, caption):
    """The natural size of a visible image, and the text of its caption."""
    page.wait(f"!document.getElementById('{image}').hidden && document.getElementById('{caption}').textContent !== '…'"
              f" && document.getElementById('{caption}').textContent")
    size = page.value(f"[document.getElementById('{image}').naturalWidth,"
                      f" document.getElementById('{image}').naturalHeight]")
    return size, page.value(f"document.getElementById('{caption}').textContent")


def check_form(page, address):
    page.open(address + "/")
    page.screenshot(screenshots / "1-empty.png")
    page.focus("e.name === 'source'")
    page.type("local:///grid.png")
    page.focus("e.name === 'resizing_type'")
    page.key("f", "f"), page.key("o", "o")
    page.focus("e.name === 'width'")
    page.type("320")
    page.focus("e.name === 'height'")
    page.type("200")
    page.focus("e.name === 'format'")
    page.key("w", "w")
    page.focus("e.name === 'enlarge'")
    page.key(" ")
    page.focus("e.name === 'more'")
    page.type("saturation:0.5")
    page.key("Enter")
    size, text = shown(page, "result", "after")
    check("the result has the chosen size", size == [320, 200], size)
    check("its caption has the format", "image/webp" in text, text)
    check("its caption has the bytes", re.search(r"\d[\d,.  ]* bytes", text), text)
    check("its caption has the time by stage", re.search(r"\d ms \(.*processing [\d.]+ ms\)$", text), text)
    check("its caption has the layer", "cache: none" in text, text)
    size, text = shown(page, "source", "before")
    check("the source stands beside it", "image/png" in text and size[0] > 320, f"{size} {text}")
    page.screenshot(screenshots / "2-result.png")


def check_address(page, address):
    page.send("Browser.grantPermissions", origin=address, permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.focus("e.id === 'copy'")
    page.key("Enter")
    page.wait("document.getElementById('copied').textContent")
    copied = page.value("navigator.clipboard.readText()")
    check("Copy copies the address", copied == page.value("document.getElementById('url').href"), copied)
    signature, rest = copied.removeprefix(address + "/").split("/", 1)
    tag = hmac.new(KEY, SALT + b"/" + rest.encode(), hashlib.sha256).digest()
    check("the address is signed", signature == base64.urlsafe_b64encode(tag).rstrip(b"=").decode(), copied)
    check("it names the options of the form", "resizing_type:force/width:320/height:200/format:webp/enlarge:1/"
          "saturation:0.5/" in rest, rest)
    check("it is answered without the page", status(copied) == 200, status(copied))
    check("a changed one is refused", status(copied.replace("320", "321")) == 403)


def check_again(page):
    page.focus("e.textContent === 'Show'")
    page.value("document.getElementById('after').textContent = ''")
    page.key("Enter")
    page.wait("document.getElementById('after').textContent.includes('bytes')")
    text = page.value("document.getElementById('after').textContent")
    check("the second time, the memory answers", "cache: memory" in text, text)
    check("every control has a name for screen readers", not page.unnamed(), page.unnamed())


def check_file(page):
    page.drop(images / "grid.png")
    page.wait("document.getElementById('after').textContent.includes('bytes')")
    size, text = shown(page, "result", "after")
    check("a dropped file is processed", size == [320, 200] and "image/webp" in text, f"{size} {text}")
    page.screenshot(screenshots / "3-file.png")


def check_error(page, address):
    page.open(f"{address}/?source=local:///none.png")
    page.wait("document.getElementById('error').textContent")
    text = page.value("document.getElementById('error').textContent")
    check("a source that is missing is reported", "404" in text and "not found" in text, text)
    check("no place is kept for images", page.value("document.getElementById('images').hidden"))
    page.screenshot(screenshots / "4-error.png")
    # The browser logs the response with 404, which is right here.
    check("nothing else is on the console", all("404" in error for error in page.errors), page.errors)
    page.errors.clear()


def check_phone(page, address):
    page.size(390, 844, is_phone=True)
    for name, path in (("5-phone", "/?source=local:///grid.png"), ("6-phone-live", "/live")):
        page.open(address + path)
        if path != "/live":
            shown(page, "source", "before")
        width = page.value("document.documentElement.scrollWidth")
        check(f"{path} fits a width of 390 px", width <= 390, width)
        small = page.value("""[...document.querySelectorAll("input, select, button")].filter((e) => e.offsetParent
            && Math.max(e.offsetHeight, e.closest("label")?.offsetHeight ?? 0) < 32).map((e) => e.name || e.id)""")
        check(f"{path} has controls that a finger can hit", not small, small)
        page.screenshot(screenshots / f"{name}.png")
    page.size(1280, 900)


def check_figures(page, address):
    page.open(address + "/live")
    # After the first look at the metrics, so that the second sees a change.
    page.wait("past.get('Memory')?.length > 0")
    check("the service is ready", status(address + "/health") == 200)
    page.wait("""[...document.querySelectorAll("figure")].some((f) => /^Requests/.test(f.textContent)
        && parseFloat(f.querySelector("strong").textContent) > 0)""")
    # Two values make a line.
    page.wait("past.get('Requests').length > 3")
    names = page.value("[...document.querySelectorAll('figure')].map((f) => f.id.slice(2))")
    for wanted in ("Requests", "From memory", "From disk", "Queue", "Workers"):
        check(f"the figures have {wanted}", wanted in names, names)
    empty = page.value("""[...document.querySelectorAll("figure")].filter((figure) => {
        const canvas = figure.querySelector("canvas");
        return !canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte);
      }).map((figure) => figure.id)""")
    check("every figure has a plot", not empty, empty)
    page.screenshot(screenshots / "7-live.png")


service, address = start_service()
page = None
try:
    page = Page(browser, scratch / "profile")
    page.size(1280, 900)
    print(f"playground: {page.send('Browser.getVersion')['product']}", flush=True)
    check_form(page, address)
    check_address(page, address)
    check_again(page)
    check_file(page)
    check("nothing is on the console", not page.errors, page.errors)
    check_error(page, address)
    check_phone(page, address)
    check_figures(page, address)
    check("nothing is on the console", not page.errors, page.errors)
except Failure as failure:
    check("the page can be used", False, failure)
finally:
    if page:
        page.close()
    service.terminate()
    check("the service ends with status 0", service.wait(30) == 0, service.returncode)
sys.exit(1 if problems else 0)
