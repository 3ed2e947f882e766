"""Take the pictures of the README anew: ``python -m tests.first_screen``.

They show the first screen of the app in both themes, as a reader with a laptop sees it.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import launch
from tests.e2e.running import ROOT, served

FOLDER = ROOT / ".github"
THEMES = ("light", "dark")
QUERY = "?lang=zh"
SIZE = {"width": 1366, "height": 768}
SHARPNESS = 1.5  # pixels of the picture a pixel of the screen
# Fonts, the exact figures and the words of the sidebar are there, and nothing is about
# to change.
AT_REST = """
async () => {
  await document.fonts.ready;
  const isReady = document.documentElement.dataset.attnvizReady === "true";
  const point = document.querySelector(".preset-point").textContent.trim();
  return isReady && point && attnviz.isQuiet();
}
"""


def path_of(theme: str) -> Path:
    """Name the picture of a theme."""
    return FOLDER / f"first_screen_{theme}.png"


def main() -> None:
    """Start the app and a browser, and save one picture a theme."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "log.txt") as url,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        for theme in THEMES:
            page = browser.new_page(
                viewport=SIZE, device_scale_factor=SHARPNESS, color_scheme=theme
            )
            page.goto(f"{url}/{QUERY}")
            page.wait_for_function(AT_REST)
            page.screenshot(path=path_of(theme), animations="disabled")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
