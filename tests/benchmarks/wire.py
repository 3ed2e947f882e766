"""Count the bytes that one change, and one selected cell, send to a reader.

Run ``python -m tests.benchmarks.wire``; tests/benchmarks/README.md explains it.
"""

import json
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

from tests.app.wire import SEARCH, SHOWN, PageReader
from tests.benchmarks.report import print_table
from tests.benchmarks.servers import APP, served

EXAMPLES = {"defaults": "", "limits": "?n=32&d=64&dk=64&dv=64&h=8"}
# What a reader does, one after the other: a name, and the inputs it sends.
DEEDS = {
    "temperature": {"example-temperature": 1.5},
    "mask": {"example-mask": "causal"},
    "seed": {"example-seed": 7},
    "length": {"example-length": 4},
    "a score": {"attention-cell": {"name": "scores", "i": 1, "j": 0, "head": 0}},
    "an output": {"attention-cell": {"name": "output", "i": 1, "j": 2, "head": None}},
}
QUESTION = "are_you_done"


def measure(url: str, query: str) -> list[int]:
    """Give the bytes of the document, and of what answers each deed."""
    with urlopen(f"{url}{query}") as response:
        page = response.read()
    reader = PageReader()
    reader.feed(page.decode())
    shown = {SHOWN.format(name): False for name in reader.outputs}
    start = {**reader.inputs, "page": "attention", SEARCH: query, **shown}
    address = url.replace("http", "ws") + "websocket/"
    with connect(address, max_size=None) as socket:
        _answer(socket, "init", start)
        return [
            len(page),
            *(_answer(socket, "update", deed) for deed in DEEDS.values()),
        ]


def _answer(socket: ClientConnection, method: str, data: dict[str, object]) -> int:
    """Send, and count what comes before the answer to a question behind it."""
    socket.send(json.dumps({"method": method, "data": data}))
    socket.send(json.dumps({"method": QUESTION, "tag": 1, "args": []}))
    total = 0
    while True:
        message = socket.recv(decode=False)
        if message.startswith(b'{"response"'):
            return total
        total += len(message)


def main() -> None:
    """Print one row an example."""
    with served(APP) as server:
        rows = [
            [name, *(f"{size / 1000:.1f}" for size in measure(server.url, query))]
            for name, query in EXAMPLES.items()
        ]
    print_table("Kilobytes to a reader", ["example", "document", *DEEDS], rows)


if __name__ == "__main__":
    main()
