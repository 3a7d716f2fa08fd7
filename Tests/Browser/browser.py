"""A page in a headless Chromium, driven over the DevTools protocol by a pipe; nothing but Python's standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
PATIENCE = 60  # seconds for any one answer

KEYS = {"Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35,
        "PageUp": 33, "PageDown": 34, "Tab": 9}
CTRL = 2


class BrowserError(Exception):
    pass


def find():
    """Where the browser is; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    def __init__(self, width=1400, height=1000, dark=False):
        self.folder = tempfile.mkdtemp(prefix="understudy-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        # The browser reads from descriptor 3 and writes to 4.
        def descriptors():
            high = [os.dup(to_browser), os.dup(from_browser)]
            high = [fd if fd > 4 else os.dup(fd) for fd in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb",
             f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=descriptors)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.errors = []
        self.requests = []
        self.blocked = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"]:
            self.call(domain + ".enable")
        self.resize(width, height)
        self.colours("dark" if dark else "light")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.write_end)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        shutil.rmtree(self.folder, ignore_errors=True)

    # Messages end with a zero byte.
    def read(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise BrowserError(f"the browser did not answer within {PATIENCE} s")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise BrowserError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(values["exceptionDetails"])[:2000])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(values["args"])[:2000])
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.errors.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Network.loadingFailed" and values.get("blockedReason"):
            self.blocked.append(values["blockedReason"])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialog: " + values["message"])

    def call(self, method, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path):
        """Opens a file; gives the seconds until it was loaded and drawn."""
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while True:
            message = self.read()
            self.note(message)
            if message.get("method") == "Page.loadEventFired":
                break
        self.frame()
        return time.monotonic() - begin

    def value(self, expression):
        """What an expression, or its promise, comes to."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {json.dumps(result['exceptionDetails'])[:1000]}")
        return result["result"].get("value")

    def frame(self):
        """Waits until what was asked for is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def wait(self, condition):
        """Waits for a condition, looked at once a frame."""
        self.value("new Promise(done => { const look = () => (%s) ? done(true) : requestAnimationFrame(look); look(); })" % condition)

    def box(self, selector):
        return self.value(
            "(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            " return {x: b.x, y: b.y, width: b.width, height: b.height}; })()" % json.dumps(selector))

    def click(self, selector, dx=None, dy=None):
        box = self.box(selector)
        x = box["x"] + (box["width"] / 2 if dx is None else dx)
        y = box["y"] + (box["height"] / 2 if dy is None else dy)
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.frame()

    def drag(self, selector, start, end):
        """Pulls from one place of an element to another."""
        box = self.box(selector)
        for kind, (x, y), held in [("mousePressed", start, 1), ("mouseMoved", end, 1), ("mouseReleased", end, 0)]:
            self.call("Input.dispatchMouseEvent", type=kind, x=box["x"] + x, y=box["y"] + y, button="left", buttons=held, clickCount=1)
            self.frame()

    def wheel(self, selector, delta, ctrl=False):
        box = self.box(selector)
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=box["x"] + box["width"] / 2, y=box["y"] + box["height"] / 2,
                  deltaX=0, deltaY=delta, modifiers=CTRL if ctrl else 0)
        self.frame()

    def key(self, key):
        values = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0]) if len(key) == 1 else 0), "code": key if len(key) > 1 else ""}
        if len(key) == 1:
            values["text"] = key
        elif key == "Enter":
            values["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in values.items() if k != "text"})
        self.frame()

    def type(self, text):
        for letter in text:
            self.key(letter)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def tree(self):
        """The accessibility tree: role, name and states of what is not ignored."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""),
                 {p["name"]: p["value"].get("value") for p in node.get("properties", [])})
                for node in nodes if not node["ignored"]]

    def screenshot(self, path, clip=None):
        values = {"format": "png"}
        if clip:
            values["clip"] = dict(clip, scale=1)
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **values)["data"]))
