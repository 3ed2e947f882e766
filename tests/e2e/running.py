"""Run the app as its README says."""

import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 30  # seconds until a server that does not answer is given up


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


@contextmanager
def without_upgrade(url):
    """Stand between readers and an app as a proxy that passes no WebSocket on."""
    target = urlsplit(url)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with closing(HTTPConnection(target.netloc)) as connection:
                connection.request("GET", self.path)
                answer = connection.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            self.send_header("content-type", answer.headers["content-type"])
            self.send_header("content-length", len(content))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_words):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as proxy:
        Thread(target=proxy.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{proxy.server_port}"
        proxy.shutdown()


def free_port():
    """Find a port that nothing listens to."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
