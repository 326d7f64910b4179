"""A headless Chromium, driven as a person would: a client of WebDriver, as chromedriver speaks it."""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

import job

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"     # WebDriver's name for what refers to an element
KEYS = {"tab": "\ue004", "enter": "\ue007", "escape": "\ue00c", "shift": "\ue008", "space": " ", "backspace": "\ue003"}
START_SECONDS, COMMAND_SECONDS, END_SECONDS = 60, 120, 10
# Nothing but the page may be what asks for something. Root cannot have the sandbox.
ARGUMENTS = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]


class BrowserError(Exception):
    """The browser itself went wrong, or something is not on the page."""


def problem():
    """Why there can be no browser, or None."""
    missing = [command for command in ("chromium", "chromedriver") if not shutil.which(command)]
    return f"no {' and no '.join(missing)} (Debian: chromium, chromium-driver)" if missing else None


def raise_signal(number, _frame):
    raise SystemExit(128 + number)


class Browser:
    """As a context it is ended, whatever happens: also on signals that end this process."""

    def __init__(self, directory, width=1280, height=900):
        self.directory = directory
        self.size = (width, height)
        self.address = self.process = None
        self.handlers = {}
        # What is asked of chromedriver stays on this machine, whatever proxy the environment names.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def __enter__(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.handlers[number] = signal.signal(number, raise_signal)
        try:
            self._start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *exception):
        self.end()

    def _start(self):
        os.makedirs(self.directory)
        log = os.path.join(self.directory, "chromedriver.log")
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                ["chromedriver", "--port=0"], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": self.directory, "XDG_CONFIG_HOME": self.directory,
                     "XDG_CACHE_HOME": self.directory}, start_new_session=True)
        driver = f"http://127.0.0.1:{self._await_port(log)}"
        arguments = [*ARGUMENTS, f"--user-data-dir={self.directory}/profile",
                     f"--window-size={self.size[0]},{self.size[1]}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        made = self._ask("POST", f"{driver}/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.address = f"{driver}/session/{made['sessionId']}"
        # The browser's own first page has logged what it loads.
        self._post("url", {"url": "about:blank"})
        self.complaints()
        self.requests()

    def _await_port(self, log):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with open(log, encoding="utf-8", errors="replace") as file:
                found = re.search(r"started successfully on port (\d+)", file.read())
            if found:
                return int(found[1])
            time.sleep(0.02)
        raise BrowserError(f"chromedriver did not start: see {log}")

    def _ask(self, method, address, body=None):
        request = urllib.request.Request(address, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with self.opener.open(request, timeout=COMMAND_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read())["value"]
            raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}") from error
        except OSError as error:
            raise BrowserError(f"chromedriver does not answer: {error}") from error

    def _post(self, command, body=None):
        return self._ask("POST", f"{self.address}/{command}", body or {})

    def end(self):
        """Ends Chromium and chromedriver, and whatever else has been started by them."""
        if self.address:
            with contextlib.suppress(BrowserError):
                self._ask("DELETE", self.address)
            self.address = None
        if self.process:
            deadline = time.monotonic() + END_SECONDS
            self.process.terminate()
            while left := job.session_of(self.process.pid):
                for pid in left if time.monotonic() > deadline else ():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self.process.poll()
                time.sleep(0.02)
            self.process.wait()
            self.process = None
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        self.handlers = {}

    # What a person does.

    def open(self, path):
        self._post("url", {"url": f"file://{os.path.abspath(path)}"})

    def find(self, selector):
        return self._post("element", {"using": "css selector", "value": selector})

    def click(self, selector):
        """Where it is: what lies over it gets the click, as it would a person's."""
        self._post(f"element/{self.find(selector)[ELEMENT]}/click")

    def type(self, selector, text):
        self._post(f"element/{self.find(selector)[ELEMENT]}/value", {"text": text})

    def press(self, *names):
        """Presses keys together, the last one last, and lets them go: press("shift", "tab")."""
        keys = [KEYS.get(name, name) for name in names]
        actions = [{"type": "keyDown", "value": key} for key in keys]
        actions += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self._post("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def enter(self, selector):
        """From now on a frame is the page, until another page is opened."""
        self._post("frame", {"id": self.find(selector)})

    # What the browser does and tells.

    def run(self, script, *arguments):
        """What the body of a function returns, which is run in the page."""
        return self._post("execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """What the body of a function hands to the last of its arguments, a function, when it is ready."""
        return self._post("execute/async", {"script": script, "args": list(arguments)})

    def protocol(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self._post("goog/cdp/execute", {"cmd": command, "params": parameters})

    def work(self):
        """How often the browser has computed styles and a layout, and how many nodes there are, by DevTools' names."""
        self.protocol("Performance.enable")
        metrics = {metric["name"]: metric["value"] for metric in self.protocol("Performance.getMetrics")["metrics"]}
        return {name: int(metrics[name]) for name in ("LayoutCount", "RecalcStyleCount", "Nodes")}

    def prefer(self, scheme):
        """Light or dark."""
        self.protocol("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def prefer_paper(self, scheme):
        """The style of paper, for somebody who prefers that scheme elsewhere. It ends with prefer()."""
        self.protocol("Emulation.setEmulatedMedia", media="print",
                      features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width, height=900):
        """A window of so many pixels of the page: half as many are what 200 % zoom leaves."""
        self.protocol("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=False)

    def allow_scripts(self, allowed):
        """Those of the page. What run() is given runs all the same."""
        self.protocol("Emulation.setScriptExecutionDisabled", value=not allowed)

    def print(self):
        """The page on paper, as PDF."""
        return base64.b64decode(self._post("print", {"background": True}))

    def _log(self, kind):
        return self._post("se/log", {"type": kind})

    def complaints(self):
        """What the console has got since the last time that is an error."""
        return [entry["message"] for entry in self._log("browser") if entry["level"] == "SEVERE"]

    def requests(self):
        """The addresses that pages have asked for since the last time."""
        messages = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]
