"""Measure a class of readers on one process.

Run ``python -m tests.benchmarks.classroom``; tests/benchmarks/README.md explains it.
"""

import argparse
import asyncio
import time
from contextlib import ExitStack

from tests.benchmarks.clients import Outcome, attend_class
from tests.benchmarks.report import print_table, share
from tests.benchmarks.servers import APP, served
from tests.benchmarks.slow_clients import LARGEST, slow_readers

# What readers open, by turns.
SIZES = {
    "default": ("",),
    "limits": (LARGEST,),
    "mixed": ("", "?n=8", "?n=16&d=32&h=4", "?preset=cat_videos", "?h=1", LARGEST),
}

HEADS = (
    "sessions",
    "changes",
    "p50 ms",
    "p95 ms",
    "max ms",
    "server CPU",
    "CPU ms a change",
    "errors",
    "MB before",
    "MB with them",
    "MB after",
)


def measure(
    sessions: int, seconds: int, classes: int, size: str, slow: int, speed: int
) -> tuple[str, ...]:
    """Let classes in and out, one after the other, on a fresh process."""
    outcome = Outcome()
    lasted = 0.0
    with ExitStack() as stack:
        server = stack.enter_context(served(APP))
        # The first reader makes the process load what it needs.
        asyncio.run(attend_class(server.url, 1, 0))
        before, cpu = server.resident(), server.cpu()
        stack.enter_context(slow_readers(server.url, slow, speed))
        for number in range(classes):
            coming = attend_class(server.url, sessions, seconds, SIZES[size])
            began = time.perf_counter()
            found = asyncio.run(coming)
            lasted += time.perf_counter() - began
            outcome.times += found.times
            outcome.errors += found.errors
            if number == 0:
                present = server.resident()
        used = server.cpu() - cpu
        asyncio.run(attend_class(server.url, 1, 0))
        after = server.resident()
    for error in sorted(set(outcome.errors))[:3]:
        print(error)
    if not outcome.times:
        raise RuntimeError(f"none of {sessions} sessions got an answer")
    return (
        str(sessions),
        str(len(outcome.times)),
        f"{share(outcome.times, 50):.0f}",
        f"{share(outcome.times, 95):.0f}",
        f"{max(outcome.times):.0f}",
        f"{used / lasted:.0%}",
        f"{1000 * used / len(outcome.times):.1f}",
        str(len(outcome.errors)),
        f"{before:.0f}",
        f"{present:.0f}",
        f"{after:.0f}",
    )


def main() -> None:
    """Print one row a class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 30, 100, 200])
    parser.add_argument("--classes", type=int, default=1)
    parser.add_argument("--sizes", choices=SIZES, default="default")
    parser.add_argument("--slow", type=int, default=0)
    parser.add_argument("--speed", type=int, default=0)
    options = parser.parse_args()
    kind = options.sizes, options.slow, options.speed
    rows = [
        measure(sessions, options.seconds, options.classes, *kind)
        for sessions in options.sessions
    ]
    title = f"{options.seconds} changes a session, one a second, {options.sizes} sizes"
    if options.slow:
        title += f", beside {options.slow} readers of {options.speed} bytes a second"
    print_table(title, HEADS, rows)


if __name__ == "__main__":
    main()
