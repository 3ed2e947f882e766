"""Firefox without windows, driven by WebDriver BiDi."""

import itertools
import json
import shutil
import subprocess
import time
from contextlib import contextmanager

from websockets.sync.client import connect

from tests.browsers.driven import PATIENCE, Driven
from tests.e2e.running import free_port

NAMES = ("firefox-esr", "firefox")
NEEDS = {"firefox-esr": "firefox-esr"}
HIDDEN = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Firefox(Driven):
    """The first tab of a session.

    Parameters
    ----------
    socket : ClientConnection
        Where the browser listens.
    """

    def __init__(self, socket):
        self._socket = socket
        self._numbers = itertools.count(1)
        self._ask("session.new", capabilities={})
        (tab,) = self._ask("browsingContext.getTree")["contexts"]
        self._tab = tab["context"]
        size = {"width": 1366, "height": 768}
        self._ask("browsingContext.setViewport", context=self._tab, viewport=size)

    def go(self, url):
        self._ask(
            "browsingContext.navigate", context=self._tab, url=url, wait="complete"
        )

    def back(self):
        self._ask("browsingContext.traverseHistory", context=self._tab, delta=-1)

    def evaluate(self, script):
        answer = self._ask(
            "script.evaluate",
            expression=f"(() => {{ {script} }})()",
            target={"context": self._tab},
            awaitPromise=False,
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return answer["result"].get("value")

    def act(self, actions):
        self._ask("input.performActions", context=self._tab, actions=actions)

    def _ask(self, method, **params):
        number = next(self._numbers)
        asked = {"id": number, "method": method, "params": params}
        self._socket.send(json.dumps(asked))
        while (answer := json.loads(self._socket.recv(PATIENCE))).get("id") != number:
            pass  # what happens meanwhile is told too
        assert answer["type"] == "success", answer["message"]
        return answer["result"]


@contextmanager
def opened(folder):
    """Open it with an empty profile until the block ends."""
    port = free_port()
    program = next(path for name in NAMES if (path := shutil.which(name)))
    options = ["--headless", "--profile", folder, "--remote-debugging-port", str(port)]
    browser = subprocess.Popen([program, *options], **HIDDEN)
    try:
        with _connected(port) as socket:
            yield Firefox(socket)
    finally:
        browser.terminate()
        browser.wait()


def _connected(port):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return connect(f"ws://127.0.0.1:{port}/session", max_size=None)
        except OSError:
            assert time.monotonic() < end, "Firefox does not answer"
            time.sleep(0.1)
