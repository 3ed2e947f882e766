"""Measure what a reader sees while dragging a slider.

Run ``python -m tests.benchmarks.drag``; tests/benchmarks/README.md explains it.
"""

import argparse

from playwright.sync_api import Browser

from tests.benchmarks.browser import SETTLED, WINDOW, chromium, open_tab
from tests.benchmarks.report import print_table
from tests.benchmarks.servers import APP, IDIOMATIC, Server, served

FIGURES = 8
# Moves a slider to and fro, sixty times a second, then waits until nothing changes.
DRAG = """async ([name, least, most, step, seconds]) => {
  const input = document.getElementById(name);
  const slider = window.jQuery(input).data("ionRangeSlider");
  const before = bench.painted;
  bench.blocked = 0;
  const began = performance.now();
  let at = 0;
  await new Promise((done) => {
    const timer = setInterval(() => {
      at += 1;
      const share = (1 - Math.cos(at / 20)) / 2;
      const value = least + Math.round((share * (most - least)) / step) * step;
      if (slider) slider.update({from: value});
      if (slider) window.jQuery(input).trigger("change");
      else input.value = value;
      if (!slider) input.dispatchEvent(new Event("input", {bubbles: true}));
      if (performance.now() - began > 1000 * seconds) {
        clearInterval(timer);
        done();
      }
    }, 1000 / 60);
  });
  const ended = performance.now();
  const during = bench.painted - before;
  await new Promise((done) => setTimeout(done, 2500));
  return [during / seconds, bench.at - ended, bench.blocked];
}"""
SLIDERS = (
    ("temperature", 0.1, 10, 0.1),
    ("length", 2, 32, 1),
)


def measure(
    browser: Browser, server: Server, prefix: str, figures: int, seconds: float
) -> list[tuple[str, list[float]]]:
    """Drag each slider on a fresh page."""
    found = []
    for name, least, most, step in SLIDERS:
        context = browser.new_context(viewport=WINDOW)
        page = open_tab(context, figures=figures).page
        page.goto(server.url)
        page.wait_for_function(SETTLED)
        page.wait_for_timeout(1000)
        drag = [f"{prefix}{name}", least, most, step, seconds]
        found.append((name, page.evaluate(DRAG, drag)))
        context.close()
    return found


def main() -> None:
    """Print this app beside the usual way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    seconds = parser.parse_args().seconds
    rows = []
    with chromium() as browser:
        for title, app, prefix, figures in (
            ("attnviz", APP, "example-", 0),
            ("render.ui of to_html", IDIOMATIC, "", FIGURES),
        ):
            with served(app) as server:
                found = measure(browser, server, prefix, figures, seconds)
            rows += [
                (f"{title}, {name}", *[f"{number:.0f}" for number in numbers])
                for name, numbers in found
            ]
    heads = ("", "pictures/s", "settled after ms", "blocked ms")
    print_table(f"A slider dragged at 60 Hz for {seconds:.0f} s", heads, rows)


if __name__ == "__main__":
    main()
