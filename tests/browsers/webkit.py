"""WebKit as GTK has it, driven by WebDriver on a screen that nobody sees."""

import json
import os
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.browsers.driven import PATIENCE, Driven
from tests.e2e.running import free_port

NEEDS = {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}
HIDDEN = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# Where distributions keep the browser that comes with the library.
PLACES = ("usr/lib*/*", "usr/lib*", "usr/libexec")
BROWSER = "webkit2gtk-4*/MiniBrowser"


class WebKit(Driven):
    """A session of WebDriver.

    Parameters
    ----------
    port : int
        Where the driver listens.
    """

    def __init__(self, port):
        self._driver = f"http://127.0.0.1:{port}"
        browser = {"binary": _browser(), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": browser}}
        self._session = f"/session/{self._new({'capabilities': wanted})}"

    def go(self, url):
        self._ask("POST", "/url", {"url": url})

    def back(self):
        self._ask("POST", "/back", {})

    def evaluate(self, script):
        return self._ask("POST", "/execute/sync", {"script": script, "args": []})

    def act(self, actions):
        self._ask("POST", "/actions", {"actions": actions})

    def close(self):
        self._ask("DELETE", "")

    def _new(self, wanted):
        """Open a session as soon as the driver listens."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self._send("POST", "/session", wanted)["sessionId"]
            except URLError:
                assert time.monotonic() < end, "the driver of WebKit does not answer"
                time.sleep(0.1)

    def _ask(self, method, path, body=None):
        return self._send(method, f"{self._session}{path}", body)

    def _send(self, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._driver}{path}", data, method=method)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]


def _browser():
    found = (path for place in PLACES for path in Path("/").glob(f"{place}/{BROWSER}"))
    return str(next(found))


@contextmanager
def opened(_folder):
    """Open it until the block ends."""
    with ExitStack() as stack:
        screen = _screen(stack)
        port = free_port()
        environment = {**os.environ, "DISPLAY": screen}
        driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], env=environment, **HIDDEN
        )
        stack.callback(driver.wait)
        stack.callback(driver.terminate)
        browser = WebKit(port)
        stack.callback(browser.close)
        yield browser


def _screen(stack):
    """Start a screen, and give the name that it has chosen."""
    reading, writing = os.pipe()
    options = ["-displayfd", str(writing), "-screen", "0", "1366x768x24"]
    server = subprocess.Popen(["Xvfb", *options], pass_fds=[writing], **HIDDEN)
    stack.callback(server.wait)
    stack.callback(server.terminate)
    os.close(writing)
    with os.fdopen(reading) as told:
        return f":{told.readline().strip()}"
