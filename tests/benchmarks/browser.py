"""A real browser that counts what crosses the wire and what blocks its page."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import launch

WINDOW = {"width": 1920, "height": 1080}

# Runs before any script of the page. `bench.painted` counts complete pictures: one
# `attnviz:painted` event of this app, or all plots of one answer the usual way.
PROBE = """
window.bench = {painted: 0, exact: 0, blocked: 0, at: 0, plots: 0, tell: () => {}};
const paint = () => {
  bench.painted += 1;
  bench.tell();
};
document.addEventListener("attnviz:painted", (event) => {
  paint();
  if (event.detail.exact) bench.exact += 1;
  bench.at = performance.now();
});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    bench.blocked = Math.max(bench.blocked, entry.duration);
  }
}).observe({type: "longtask"});
let plotly;
const count = (made) => made.then((plot) => {
  bench.plots += 1;
  if (window.bench.figures && bench.plots % bench.figures === 0) paint();
  bench.at = performance.now();
  return plot;
});
Object.defineProperty(window, "Plotly", {
  configurable: true,
  get: () => plotly,
  set: (value) => {
    const {newPlot} = value;
    plotly = value;
    plotly.newPlot = (...all) => count(newPlot(...all));
  },
});
"""
# Every figure has been drawn for good.
SETTLED = "window.bench && (bench.figures ? bench.painted : bench.exact) > 0"
# Resolves when what is drawn has also reached the screen.
SHOWN = (
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
)


@dataclass(slots=True)
class Tab:
    """A page and its traffic.

    Attributes
    ----------
    page : Page
        Playwright's page.
    received : list of float
        Bytes of each response and each socket frame, as sent over the wire.
    """

    page: Page
    received: list[float] = field(default_factory=list)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser that the machine has.

    Yields
    ------
    browser : Browser
        Chromium without a window.
    """
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield browser
        finally:
            browser.close()


def open_tab(context: BrowserContext, *, figures: int = 0) -> Tab:
    """Open a page that counts from its very first byte.

    Parameters
    ----------
    context : BrowserContext
        A profile, cold or warm.
    figures : int, default=0
        How many plots make one picture where no event tells.

    Returns
    -------
    tab : Tab
        An empty page.
    """
    page = context.new_page()
    page.add_init_script(f"{PROBE}bench.figures = {figures};")
    tab = Tab(page)
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on(
        "Network.loadingFinished",
        lambda event: tab.received.append(event["encodedDataLength"]),
    )
    wire.on(
        "Network.webSocketFrameReceived",
        lambda event: tab.received.append(len(event["response"]["payloadData"])),
    )
    return tab
