"""Measure first load and repaint against an empty page and against the usual way.

Run ``python -m tests.benchmarks.page_speed``; tests/benchmarks/README.md explains it.
"""

import argparse
from dataclasses import dataclass

from playwright.sync_api import Browser, Page

from tests.benchmarks.browser import SETTLED, SHOWN, WINDOW, chromium, open_tab
from tests.benchmarks.report import print_table, share
from tests.benchmarks.servers import (
    APP,
    EMPTY,
    IDIOMATIC,
    WITH_DIGITS,
    Server,
    served,
)

FIGURES = 8
USUAL = "render.ui of to_html"
LOADS = 3
EMPTY_READY = "window.Shiny?.shinyapp?.isConnected()"
PAINTED = "window.bench?.painted > 0"
EXACT = "document.documentElement.dataset.attnvizReady === 'true'"
LONG = "?n=32"

# Move a slider of this app, or give the usual app the value without its 250 ms delay.
MOVE = """(value) => {
  const input = document.getElementById("example-temperature");
  input.value = value;
  input.dispatchEvent(new Event("input", {bubbles: true}));
}"""
SET = "(value) => Shiny.setInputValue('temperature', value, {priority: 'event'})"
CHANGE = f"""async ([value, move]) => {{
  const start = performance.now();
  const painted = new Promise((done) => (bench.tell = done));
  move(value);
  await painted;
  await {SHOWN};
  return performance.now() - start;
}}"""


@dataclass(frozen=True, slots=True)
class Load:
    """One way to load a page: milliseconds, bytes cold, bytes warm."""

    painted: float
    cold: float
    warm: float


@dataclass(frozen=True, slots=True)
class Repaint:
    """Many changes: milliseconds in the browser and on the server."""

    times: list[float]
    cpu: float
    blocked: float


def measure_load(browser: Browser, server: Server, ready: str, figures: int) -> Load:
    """Load a page with an empty cache, then again with a full one."""
    times, cold, warm = [], 0.0, 0.0
    for _ in range(LOADS):
        context = browser.new_context(viewport=WINDOW)
        tab = open_tab(context, figures=figures)
        tab.page.goto(server.url, wait_until="commit")
        tab.page.wait_for_function(ready)
        tab.page.evaluate(SHOWN)
        times.append(tab.page.evaluate("performance.now()"))
        tab.page.wait_for_timeout(1500)
        cold = sum(tab.received)
        again = open_tab(context, figures=figures)
        again.page.goto(server.url)
        again.page.wait_for_timeout(1500)
        warm = sum(again.received)
        context.close()
    return Load(min(times), cold, warm)


def measure_repaint(
    browser: Browser, server: Server, query: str, move: str, figures: int, changes: int
) -> Repaint:
    """Change the temperature many times, each time waiting for the picture."""
    context = browser.new_context(viewport=WINDOW)
    page = open_tab(context, figures=figures).page
    page.goto(server.url + query)
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(1000)
    _prepare(page, query, figures)
    page.evaluate("bench.blocked = 0")
    before = server.cpu()
    times = [
        page.evaluate(f"(value) => ({CHANGE})([value, {move}])", 1 + k % 40 / 10)
        for k in range(1, changes + 1)
    ]
    cpu = (server.cpu() - before) / changes * 1000
    page.wait_for_timeout(600)
    blocked = page.evaluate("bench.blocked")
    context.close()
    return Repaint(times, cpu, blocked)


def _prepare(page: Page, query: str, figures: int) -> None:
    """Set the length where the address does not."""
    if figures and query == LONG:
        page.evaluate("Shiny.setInputValue('length', 32)")
        page.wait_for_timeout(2500)


def print_loads(browser: Browser) -> None:
    """Compare first loads."""
    loads = {}
    ways = (
        ("empty Shiny page", EMPTY, EMPTY_READY, 0),
        ("attnviz, first picture", APP, PAINTED, 0),
        ("attnviz, exact picture", APP, EXACT, 0),
        (USUAL, IDIOMATIC, PAINTED, FIGURES),
    )
    for name, app, ready, figures in ways:
        with served(app) as server:
            loads[name] = measure_load(browser, server, ready, figures)
    base = loads["empty Shiny page"].painted
    print_table(
        "First load, empty cache (best of 3)",
        ("", "ms", "to empty", "kB cold", "kB warm"),
        [
            (
                name,
                f"{load.painted:.0f}",
                f"{load.painted / base:.2f}×",
                f"{load.cold / 1000:.0f}",
                f"{load.warm / 1000:.0f}",
            )
            for name, load in loads.items()
        ],
    )


def print_repaints(browser: Browser, changes: int) -> None:
    """Compare repaints after a change of the temperature."""
    rows = []
    for title, query in (("T=5", ""), ("T=32", LONG)):
        found = {}
        for name, app, move, figures in (
            ("attnviz", APP, MOVE, 0),
            (USUAL, IDIOMATIC, SET, FIGURES),
            (f"{USUAL}, digits", WITH_DIGITS, SET, FIGURES),
        ):
            with served(app) as server:
                found[name] = measure_repaint(
                    browser, server, query, move, figures, changes
                )
        usual = found[USUAL]
        for name, result in found.items():
            rows.append(
                (
                    f"{name}, {title}",
                    f"{share(result.times, 50):.0f}",
                    f"{share(result.times, 95):.0f}",
                    f"{share(usual.times, 50) / share(result.times, 50):.1f}×",
                    f"{result.cpu:.1f}",
                    f"{usual.cpu / result.cpu:.1f}×",
                    f"{result.blocked:.0f}",
                )
            )
    heads = ("", "p50 ms", "p95 ms", "faster", "server ms", "less", "blocked ms")
    print_table(f"From input event to repaint, {changes} changes", heads, rows)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=40)
    changes = parser.parse_args().changes
    with chromium() as browser:
        print_loads(browser)
        print_repaints(browser, changes)


if __name__ == "__main__":
    main()
