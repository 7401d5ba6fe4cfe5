"""Drives one page of a headless Chromium by the DevTools protocol.

The protocol runs over a pair of pipes (`--remote-debugging-pipe`): JSON texts that end with a zero byte.
Needs only Python's standard library.
"""

import base64
import json
import os
import pathlib
import select
import subprocess
import time


class Failure(Exception):
    """The browser has ended, does not answer in time, or reports an error."""


class Page:
    """A page, and the errors that it has written to its console."""

    def __init__(self, chromium, profile, seconds=30):
        self.seconds = seconds
        self.errors = []
        self.buffer, self.number, self.session = b"", 0, None
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            # Copies first: one of the pipes may have the number of the other's place.
            copies = os.dup(to_browser), os.dup(from_browser)
            for place, copy in zip((3, 4), copies):
                os.dup2(copy, place, inheritable=True)

        arguments = [chromium, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}",
                     "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        # Chromium refuses to isolate its processes for root.
        arguments += ["--no-sandbox"] if os.getuid() == 0 else []
        with open(f"{profile}.log", "wb") as log:
            self.process = subprocess.Popen(arguments + ["about:blank"], close_fds=False, preexec_fn=connect,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(to_browser)
        os.close(from_browser)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.send(f"{domain}.enable")

    # --- The protocol ------------------------------------------------------------------------

    def send(self, method, **parameters):
        """Sends a command, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + self.seconds
        while True:
            reply = self.receive(end, method)
            if reply.get("id") == self.number:
                break
            self.note(reply)
        if "error" in reply:
            raise Failure(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def receive(self, end, purpose):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise Failure(f"no answer to {purpose} within {self.seconds} seconds")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise Failure(f"the browser ended during {purpose}")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def note(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(item.get("value")) for item in parameters["args"]))
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            entry = parameters["entry"]
            self.errors.append(f"{entry['text']} ({entry.get('url', '')})")

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    # --- The page ----------------------------------------------------------------------------

    def value(self, expression):
        """The value of an expression in the page; a promise is awaited."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(f"{expression}: {details.get('exception', {}).get('description') or details['text']}")
        return result["result"].get("value")

    def wait(self, condition):
        """Waits until an expression in the page is true."""
        milliseconds = 1000 * (self.seconds - 5)
        if not self.value("""new Promise((resolve) => {
                const end = performance.now() + %d;
                const look = () => (%s) ? resolve(true)
                  : performance.now() > end ? resolve(false) : setTimeout(look, 20);
                look();
              })""" % (milliseconds, condition)):
            raise Failure(f"never true: {condition}; the page shows: {self.value('document.body.innerText')}")

    def open(self, address):
        self.value("window.isOld = true")
        self.send("Page.navigate", url=address)
        self.wait("!window.isOld && document.readyState === 'complete'")

    def key(self, name, text=None, modifiers=0):
        """Presses a key such as `Tab`; one with a text also types it."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(name, text)
        fields = {"key": name, "windowsVirtualKeyCode": codes.get(name, 0), "modifiers": modifiers}
        if text:
            fields["text"] = text
        self.send("Input.dispatchKeyEvent", type="keyDown", **fields)
        self.send("Input.dispatchKeyEvent", type="keyUp", **fields)

    def type(self, text):
        """Replaces the content of the focused field, as typed."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key="a", modifiers=2, commands=["selectAll"])
        for character in text:
            self.key(character, character)

    def focus(self, condition):
        """Presses Tab until an expression about the focused element `e` is true."""
        for _ in range(60):
            self.key("Tab")
            if self.value(f"((e) => {condition})(document.activeElement)"):
                return
        raise Failure(f"Tab never reaches: {condition}")

    def drop(self, file):
        """Drops a file on the page."""
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for step in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=step, x=200, y=300, data=data)

    def size(self, width, height, is_phone=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=is_phone,
                  deviceScaleFactor=2 if is_phone else 1)

    def unnamed(self):
        """The roles of the controls that screen readers cannot name."""
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        wanted = {"textbox", "spinbutton", "combobox", "checkbox", "button", "link", "image"}
        return [node["role"]["value"] for node in nodes if not node["ignored"]
                and node["role"]["value"] in wanted and not node.get("name", {}).get("value")]

    def screenshot(self, path):
        picture = self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))
