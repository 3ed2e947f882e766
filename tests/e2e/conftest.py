"""The app on a free port, and one real browser, for all tests of a worker."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.e2e.visit import Visit

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


def find_browser():
    """Find a browser; without one these tests fail, they are not skipped."""
    found = [path for name in BROWSERS if (path := shutil.which(name))]
    if not found:
        pytest.fail(f"no browser found: install one of {', '.join(BROWSERS)}")
    return found[0]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answers(url):
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status == 200
    except urllib.error.URLError:
        return False


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Run the app as its README says, and give its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, "-m", "shiny", "run", "--port", str(port), "app.py"]
    with log.open("w") as sink:
        process = subprocess.Popen(command, cwd=ROOT, stdout=sink, stderr=sink)
    end = time.monotonic() + PATIENCE
    while not answers(url):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            pytest.fail(f"the app did not start:\n{log.read_text()}")
        time.sleep(0.1)
    yield url
    process.terminate()
    process.wait()
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, server):
    """Open visits that must end without a complaint."""
    visits = []

    def open_visit(query="", **options):
        visits.append(Visit(browser, server, **options))
        return visits[-1].open(query)

    yield open_visit
    assert [complaint for each in visits for complaint in each.close()] == []
