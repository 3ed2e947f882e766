"""Measure how soon a process answers and what it holds.

Run ``python -m tests.benchmarks.memory``; tests/benchmarks/README.md explains it.
"""

import argparse
import asyncio
from dataclasses import dataclass

from tests.benchmarks.clients import attend_class, first_message
from tests.benchmarks.report import print_table, share
from tests.benchmarks.servers import APP, EMPTY, served

STARTS = 5
SESSIONS = 40
# Long enough that all of them are there at once.
STAY = 5


@dataclass(frozen=True, slots=True)
class Start:
    """One way to start: seconds, MB when ready, MB after a first reader, MB a session."""

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


async def _grow(url: str, resident) -> float:  # noqa: ANN001 - any reader of memory
    """Find what each of many sessions adds while all of them are there."""
    await asyncio.to_thread(first_message, url)
    before = resident()
    crowd = asyncio.create_task(attend_class(url, SESSIONS, STAY))
    await asyncio.sleep(STAY)
    added = (resident() - before) / SESSIONS
    await crowd
    return added


def main() -> None:
    """Print the app beside an empty one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    empty = measure(EMPTY, has_sessions=False)
    own = measure(APP, has_sessions=True)
    print_table(
        f"Start and memory (median of {STARTS} starts)",
        ("", "s to ready", "to empty", "MB ready", "MB visited", "MB a session"),
        [
            ("empty Shiny page", f"{empty.ready:.2f}", "1.00×")
            + (f"{empty.resident:.0f}", "", ""),
            ("attnviz", f"{own.ready:.2f}", f"{own.ready / empty.ready:.2f}×")
            + (f"{own.resident:.0f}", f"{own.visited:.0f}", f"{own.session:.2f}"),
        ],
    )


if __name__ == "__main__":
    main()
