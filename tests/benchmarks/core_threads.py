"""Time small products with the threads that NumPy takes by default, and with one.

Run ``python -m tests.benchmarks.core_threads``; tests/benchmarks/README.md explains it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import chain, count
from statistics import median
from time import perf_counter, process_time

import numpy as np

from attnviz.core import tiled_attend
from attnviz.example.checks import check_example
from attnviz.example.compute import Example, compute
from tests.benchmarks.report import print_table

LIMITS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
HEADS = ("", "default ms", "one ms", "default ÷ one", "CPU default ÷ one")
Times = dict[str, tuple[list[float], list[float]]]


def works() -> dict[str, Callable[[], object]]:
    """Set up what is timed: one long product of narrow heads, and one change."""
    q, k, v = np.random.default_rng(0).standard_normal((3, 2000, 16), dtype="f4")
    seeds = count(1)
    return {
        "tiled_attend T=2000 d=16": lambda: tiled_attend(q, k, v),
        "a change at the defaults": lambda: change(Example(seed=next(seeds))),
        "a change at the limits": lambda: change(
            Example(length=32, d_model=64, d_k=64, d_v=64, n_heads=8, seed=next(seeds))
        ),
    }


def change(example: Example) -> object:
    """Compute and check an example that has not been seen before."""
    return check_example(compute(example))


def time_works(calls: int) -> Times:
    """Measure milliseconds of the clock and of the processor, call by call."""
    times: Times = {}
    for name, work in works().items():
        work()
        clock, processor = times.setdefault(name, ([], []))
        for _ in range(calls):
            start, spent = perf_counter(), process_time()
            work()
            processor.append((process_time() - spent) * 1e3)
            clock.append((perf_counter() - start) * 1e3)
    return times


def time_apart(*, one: bool, calls: int) -> Times:
    """Measure in a process of its own: the libraries count threads when loaded."""
    kept = {name: value for name, value in os.environ.items() if name not in LIMITS}
    environment = kept | (dict.fromkeys(LIMITS, "1") if one else {})
    command = [sys.executable, "-m", "tests.benchmarks.core_threads", "--once"]
    done = subprocess.run(
        [*command, "--calls", str(calls)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    found: Times = json.loads(done.stdout)
    return found


def print_threads(rounds: int, calls: int) -> None:
    """Let both take turns, and print their medians and the ratios of these."""
    runs = {one: [time_apart(one=one, calls=calls)] for one in (False, True)}
    for _ in range(rounds - 1):
        for one, found in runs.items():
            found.append(time_apart(one=one, calls=calls))
    rows = []
    for name in works():
        clock, spent = middle(runs[False], name)
        clock_one, spent_one = middle(runs[True], name)
        ratios = f"{clock / clock_one:.2f}", f"{spent / spent_one:.2f}"
        rows.append([name, f"{clock:.2f}", f"{clock_one:.2f}", *ratios])
    print_table("Threads: the libraries' own choice against one", HEADS, rows)


def middle(runs: list[Times], name: str) -> list[float]:
    """Take the medians of clock and processor over the calls of all runs."""
    return [median(chain(*(run[name][kind] for run in runs))) for kind in (0, 1)]


def main() -> None:
    """Print the table, or the times of this process alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--once", action="store_true")
    chosen = parser.parse_args()
    if chosen.once:
        print(json.dumps(time_works(chosen.calls)))
        return
    print_threads(chosen.rounds, chosen.calls)


if __name__ == "__main__":
    main()
