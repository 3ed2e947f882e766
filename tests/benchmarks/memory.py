"""Measure how soon a process answers and what it holds.

Run ``python -m tests.benchmarks.memory``; tests/benchmarks/README.md explains it.
"""

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from tests.benchmarks.clients import JOINING, attend_class, first_message
from tests.benchmarks.report import print_table, share
from tests.benchmarks.servers import APP, EMPTY, served

STARTS = 5
SESSIONS = 40


@dataclass(frozen=True, slots=True)
class Start:
    """One way to start: seconds, and MB when ready, once visited, and a session."""

    ready: float
    resident: float
    visited: float
    session: float


def measure(app: str, *, has_sessions: bool) -> Start:
    """Start an app several times; the last one also takes readers in."""
    ready, resident = [], []
    for _ in range(STARTS):
        with served(app) as server:
            ready.append(server.ready)
            resident.append(server.resident())
            visited, session = resident[-1], 0.0
            if has_sessions and len(ready) == STARTS:
                asyncio.run(attend_class(server.url, 1, 0))
                visited = server.resident()
                session = asyncio.run(_grow(server.url, server.resident))
    return Start(share(ready, 50), share(resident, 50), visited, session)


async def _grow(url: str, resident: Callable[[], float]) -> float:
    """Find what each of many sessions adds while all of them are there."""
    await asyncio.to_thread(first_message, url)
    before = resident()
    # They stay until the last one has come.
    crowd = asyncio.create_task(attend_class(url, SESSIONS, 2 * JOINING))
    await asyncio.sleep(2 * JOINING)
    added = (resident() - before) / SESSIONS
    await crowd
    return added


def _row(name: str, start: Start, base: Start) -> tuple[str, ...]:
    return (
        name,
        f"{start.ready:.2f}",
        f"{start.ready / base.ready:.2f}×",
        f"{start.resident:.0f}",
        f"{start.visited:.0f}",
        f"{start.session:.2f}",
    )


def main() -> None:
    """Print the app beside an empty one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    empty = measure(EMPTY, has_sessions=False)
    own = measure(APP, has_sessions=True)
    print_table(
        f"Start and memory (median of {STARTS} starts)",
        ("", "s to ready", "to empty", "MB ready", "MB visited", "MB a session"),
        [_row("empty Shiny page", empty, empty), _row("attnviz", own, empty)],
    )


if __name__ == "__main__":
    main()
