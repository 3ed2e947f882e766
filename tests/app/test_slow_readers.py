"""A reader who reads nothing holds up neither other readers nor the end."""

import asyncio
import time
from contextlib import ExitStack

from tests.benchmarks.clients import attend_class
from tests.benchmarks.servers import APP, served
from tests.benchmarks.slow_clients import slow_readers

STOPPED = 5
SECONDS = 2
# Tells who is answered from who waits for another, on any machine; 300 ms are the
# matter of tests/benchmarks/classroom.py.
ANSWERED = 10_000


def test_readers_who_stop_reading_hold_up_neither_the_others_nor_the_end():
    with ExitStack() as readers:
        with served(APP) as server:
            readers.enter_context(slow_readers(server.url, STOPPED, 0))
            outcome = asyncio.run(attend_class(server.url, 1, SECONDS))
            began = time.monotonic()
        assert time.monotonic() - began < 10
    assert outcome.errors == []
    assert max(outcome.times) < ANSWERED
