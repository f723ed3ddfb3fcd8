"""Chromium without a screen, spoken to over a pipe (the DevTools protocol): what a test of a page
needs, with Python's own library and nothing else.

    with Browser() as browser:
        page = browser.open("/tmp/report.html", width=360)
        page.value("document.title")
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
# No network but this machine: every name resolves to nothing, every proxy is absent.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-background-networking",
         "--disable-component-update", "--remote-debugging-pipe",
         # A page that the browser takes for hidden would draw no frames and slow its timers down.
         "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding"]
TIMEOUT = 60.0
READY = "document.documentElement?.dataset.ready === 'yes' || document.querySelector('.problem[role]')"
# Keys that do something by themselves: their text and code.
KEYS = {"Enter": {"text": "\r", "windowsVirtualKeyCode": 13}, " ": {"text": " ", "windowsVirtualKeyCode": 32},
        "Tab": {"windowsVirtualKeyCode": 9}}


def program():
    for name in NAMES:
        if shutil.which(name):
            return shutil.which(name)
    raise RuntimeError(f"no Chromium found; looked for {', '.join(NAMES)}; scripts/install.sh test installs one")


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="rein_browser_")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The protocol's pipes are file descriptors 3 and 4 of the browser; bash puts them there.
        words = [program(), *FLAGS, f"--user-data-dir={self.profile}"]
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *words], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last_id, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write_end)
        os.close(self.read_end)
        self.process.terminate()
        self.process.wait(TIMEOUT)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser did not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.receive(deadline)
            if answer.get("id") != self.last_id:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def open(self, path, width=1280, height=900, dark=False, ready=READY):
        """Opens a file or an http address, and waits until `ready` is true there."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            page.call(f"{domain}.enable")
        page.resize(width, height)
        page.set_dark(dark)
        page.call("Page.navigate", url=path if path.startswith("http://") else "file://" + os.path.abspath(path))
        page.wait(ready)
        page.settle()
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def set_dark(self, dark):
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression):
        """The value of a JavaScript expression; what it throws is raised here."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def wait(self, expression):
        deadline = time.monotonic() + TIMEOUT
        while not self.value(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                seen = self.value("[document.visibilityState, document.body?.innerText.slice(0, 400)]")
                raise TimeoutError(f"never true: {expression}; the page is {seen}; it complained {self.complaints()[-3:]}")
            time.sleep(0.02)

    def settle(self):
        """Until the page has laid out and drawn what was asked for."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, key):
        for kind in ["keyDown", "keyUp"]:
            more = KEYS.get(key, {}) if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key, **more)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def move_to(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def events(self, *methods):
        return [event["params"] for event in self.browser.events
                if event.get("sessionId") == self.session and event.get("method") in methods]

    def complaints(self):
        """Errors and warnings of the console, and exceptions."""
        said = [entry for entry in self.events("Runtime.consoleAPICalled") if entry["type"] in ("error", "warning")]
        logged = [entry for entry in self.events("Log.entryAdded") if entry["entry"]["level"] in ("error", "warning")]
        return said + logged + self.events("Runtime.exceptionThrown")

    def requests(self):
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, paper=(8.27, 11.69)):
        answer = self.call("Page.printToPDF", printBackground=True, paperWidth=paper[0], paperHeight=paper[1],
                           preferCSSPageSize=False)
        return base64.b64decode(answer["data"])
