"""Readers without a browser: they speak Shiny's wire format and wait for answers."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.request import urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.app.wire import SEARCH, SHOWN, PageReader

VIEW = "attention-view"
# What a reader moves by turns, and to what from a whole number.
CONTROLS: Mapping[str, Callable[[int], float]] = {
    "example-temperature": lambda number: (11 + number % 89) / 10,
    "example-seed": lambda number: 1 + number % 9973,
}
PATIENCE = 120
# Seconds in which a class comes in.
JOINING = 10


@dataclass(slots=True)
class Outcome:
    """What a class of readers met.

    Attributes
    ----------
    times : list of float
        Milliseconds from each change to its figures.
    errors : list of str
        What went wrong, if anything.
    """

    times: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def first_message(url: str, query: str = "") -> str:
    """Write the message with which a browser opens the page of an address.

    Parameters
    ----------
    url : str
        Where the app answers.
    query : str, default=""
        What is asked for.

    Returns
    -------
    message : str
        All inputs as they stand on the page.
    """
    reader = PageReader()
    with urlopen(f"{url}{query}") as response:
        reader.feed(response.read().decode())
    shown = reader.outputs
    data = {
        **reader.inputs,
        "page": "attention",
        SEARCH: query,
        **{SHOWN.format(name): False for name in shown},
    }
    return json.dumps({"method": "init", "data": data})


async def attend_class(
    url: str, sessions: int, seconds: int, queries: Sequence[str] = ("",)
) -> Outcome:
    """Let many readers each move a control once a second.

    Parameters
    ----------
    url : str
        Where the app answers.
    sessions : int
        Number of readers.
    seconds : int
        How often each does, and so how long they stay if they are answered within
        one; 0 to only come and see the first picture.
    queries : sequence of str, optional
        Addresses that they open by turns; the default example if left out.

    Returns
    -------
    outcome : Outcome
        Times and errors of all of them.
    """
    outcome = Outcome()
    starts = [await asyncio.to_thread(first_message, url, query) for query in queries]
    readers = [
        _reader(url, starts[number % len(starts)], number, sessions, seconds, outcome)
        for number in range(sessions)
    ]
    await asyncio.gather(*readers)
    return outcome


async def _reader(
    url: str,
    start: str,
    number: int,
    sessions: int,
    seconds: int,
    outcome: Outcome,
) -> None:
    # Nobody comes at the same moment as all others.
    await asyncio.sleep(number / sessions * JOINING)
    address = url.replace("http", "ws") + "websocket/"
    try:
        async with connect(address, max_size=None, open_timeout=PATIENCE) as socket:
            await _answer(socket, start)
            await _move(socket, number, seconds, outcome)
    except (ConnectionClosed, OSError, TimeoutError, ValueError) as error:
        outcome.errors.append(f"{type(error).__name__}: {error}")


async def _move(
    socket: ClientConnection, number: int, seconds: int, outcome: Outcome
) -> None:
    for turn in range(1, seconds + 1):
        name, value = list(CONTROLS.items())[turn % len(CONTROLS)]
        # Never the value that stands already, which would get no answer.
        data = {name: value(97 * number + turn)}
        sent = time.perf_counter()
        await _answer(socket, _update(data))
        outcome.times.append(1000 * (time.perf_counter() - sent))
        await asyncio.sleep(max(0, 1 - (time.perf_counter() - sent)))


def _update(data: dict[str, object]) -> str:
    return json.dumps({"method": "update", "data": data})


async def _answer(socket: ClientConnection, message: str) -> None:
    """Send, and read on until the figures come."""
    await socket.send(message)
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await socket.recv(decode=False)
            if b'"errors":{"' in answer:
                raise ValueError(answer[:200].decode())
            if answer.startswith(b'{"values":{"') and VIEW.encode() in answer:
                return
