"""Readers who read slowly, or stop reading, and go on moving controls."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread

from websockets.client import ClientProtocol
from websockets.uri import parse_uri

from tests.benchmarks.clients import first_message

LARGEST = "?n=32&d=64&dk=64&dv=64&h=8"
CHANGES = 300
# Bytes that a slow reader takes at once.
SIP = 20_000


class SlowReader:
    """Opens the largest example, and moves controls without waiting for an answer.

    Parameters
    ----------
    url : str
        Where the app answers.
    first : str
        What opens the example.
    speed : int
        Bytes a second that it reads; 0 for none.
    """

    def __init__(self, url: str, first: str, speed: int) -> None:
        address = parse_uri(url.replace("http", "ws") + "websocket/")
        self._socket = socket.create_connection((address.host, address.port))
        self._protocol = ClientProtocol(address)
        self._protocol.send_request(self._protocol.connect())
        self._send()
        self._protocol.receive_data(self._socket.recv(4096))
        self._speed = speed
        self._first = first
        for work in (self._move, self._read):
            Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """Go, with whatever is unread."""
        self._socket.close()

    def _move(self) -> None:
        self._say(self._first)
        for turn in range(CHANGES):
            # Two controls by turns: none of the moves can stand for another.
            name = ("example-seed", "example-temperature")[turn % 2]
            data = {name: turn % 89 + 1}
            self._say(json.dumps({"method": "update", "data": data}))

    def _say(self, text: str) -> None:
        self._protocol.send_text(text.encode())
        self._send()

    def _send(self) -> None:
        self._socket.sendall(b"".join(self._protocol.data_to_send()))

    def _read(self) -> None:
        while self._speed and self._socket.recv(SIP):
            time.sleep(SIP / self._speed)


@contextmanager
def slow_readers(url: str, number: int, speed: int) -> Iterator[None]:
    """Let slow readers in, until the block ends.

    Parameters
    ----------
    url : str
        Where the app answers.
    number : int
        How many come.
    speed : int
        Bytes a second that each reads; 0 for none.
    """
    first = first_message(url, LARGEST)
    with ExitStack() as stack:
        for _ in range(number):
            stack.callback(SlowReader(url, first, speed).close)
        yield
