"""Run a session while Python itself reports every file written and every connection.

Prints one line a report. With a word on the command line it does what must be reported.
"""

import os
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request")


def report(event: str, details: Sequence[object]) -> None:
    """Print what leaves the process."""
    if event == "open" and (details[2] or 0) & WRITING:
        sys.stderr.write(f"written: {details[0]}\n")
    if event in NETWORK:
        sys.stderr.write(f"network: {event}\n")


def hold_session() -> None:
    """Open a session, move controls, look at tables and both pages."""
    from starlette.testclient import TestClient

    from app import app
    from tests.app.wire import Conversation

    with TestClient(app) as client:
        client.get("/lib/none.js", headers={"accept-encoding": "gzip"})
        for page in ("attention", "norms"):
            reader = Conversation(client, "?n=7&m=causal", page=page)
            reader.send({"example-temperature": 2, "example-length": 11})
            reader.send({f"{page}-settled": 1})
            reader.send({"example-positions": "words", "example-text": "a b\0 c"})
            reader.close()


def misbehave() -> None:
    """Write a file and open a connection."""
    with Path(os.devnull).open("w") as sink:
        sink.write("x")
    with socket.socket() as caller:
        caller.connect_ex(("127.0.0.1", 9))


if __name__ == "__main__":
    # Looking for a package's folder, htmltools makes Python try where temporary files
    # could go; nothing is ever put there.
    tempfile.gettempdir()
    sys.addaudithook(report)
    if len(sys.argv) > 1:
        misbehave()
    else:
        hold_session()
    sys.stdout.write("done\n")
