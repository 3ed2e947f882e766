"""Find a real browser, and run the app as its README says."""

import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
# The first has no windows of its own to draw, and leaves more to the pages.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# No sandbox where the tests run as root, and nothing that asks a far host.
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 30  # seconds until a server that does not answer is given up


def find_browser():
    """Find a browser; without one the tests fail, they are not skipped."""
    found = [path for name in BROWSERS if (path := shutil.which(name))]
    if not found:
        pytest.fail(f"no browser found: install one of {', '.join(BROWSERS)}")
    return found[0]


@contextmanager
def served(log, app="app.py", port=None):
    """Run an app, on a free port if none is given, until the block ends."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "shiny", "run", "--port", str(port), app]
    with log.open("w") as sink:
        process = subprocess.Popen(command, cwd=ROOT, stdout=sink, stderr=sink)
    try:
        _wait_for(process, url, log)
        yield url
    finally:
        process.terminate()
        process.wait()


def _wait_for(process, url, log):
    end = time.monotonic() + PATIENCE
    while not _answers(url):
        if process.poll() is not None or time.monotonic() > end:
            pytest.fail(f"the app did not start:\n{log.read_text()}")
        time.sleep(0.1)


def _answers(url):
    try:
        with urlopen(url) as answer:
            return answer.status == 200
    except URLError:
        return False


def free_port():
    """Find a port that nothing listens to."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
