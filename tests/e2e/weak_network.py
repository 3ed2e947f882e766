"""A network that is slow and far away, between a browser and an app."""

import random
import socket
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Queue
from threading import Thread
from urllib.parse import urlsplit

SIP = 2048  # bytes that travel together
AGAIN = 0.2  # seconds besides the way there and back, until what was lost is sent again
BUFFER = 32_768  # bytes that may wait before the slow part


@dataclass
class Network:
    """What each connection meets; it may change while they last."""

    url: str
    delay: float = 0  # seconds one way
    speed: float = float("inf")  # bytes a second of a connection, one way
    loss: float = 0  # share of what travels together; all behind it waits for it


@contextmanager
def far_from(url):
    """Stand between readers and an app; as fast as nothing, until told otherwise."""
    target = urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as door:
        network = Network(f"http://127.0.0.1:{door.getsockname()[1]}")
        Thread(
            target=_let_in,
            args=(door, target.hostname, target.port, network),
            daemon=True,
        ).start()
        yield network


def _let_in(door, host, port, network):
    with suppress(OSError):  # the door has closed
        while True:
            near, _ = door.accept()
            Thread(target=_join, args=(near, host, port, network), daemon=True).start()


def _join(near, host, port, network):
    with near, socket.socket() as far:
        far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        far.connect((host, port))
        ways = [
            Thread(target=_carry, args=(*way, network), daemon=True)
            for way in ((near, far), (far, near))
        ]
        for way in ways:
            way.start()
        for way in ways:
            way.join()


def _carry(source, goal, network):
    """Take what comes at its speed, and hand it on after its delay."""
    on_the_way = Queue()
    luck = random.Random(7)
    delivery = Thread(target=_deliver, args=(on_the_way, goal), daemon=True)
    delivery.start()
    data = b"first"
    while data:
        try:
            data = source.recv(SIP)
        except OSError:
            data = b""
        time.sleep(len(data) / network.speed)
        due = time.monotonic() + network.delay
        while luck.random() < network.loss:
            due += 2 * network.delay + AGAIN
        on_the_way.put((due, data))
    delivery.join()


def _deliver(on_the_way, goal):
    with suppress(OSError):
        while True:
            due, data = on_the_way.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                goal.shutdown(socket.SHUT_WR)
                return
            goal.sendall(data)
