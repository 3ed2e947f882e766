"""A browser for the tests and a font for Chinese: found, or got where there is none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from subprocess import list2cmdline

from playwright.sync_api import Error, sync_playwright

# The first has no windows of its own to draw, and leaves more to the pages.
SHELL = "chromium-headless-shell"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
# Where each system keeps its programs: Playwright knows most of these places.
PLACES = (
    {"channel": "chrome"},
    {"channel": "msedge"},
    {"executable_path": "/Applications/Chromium.app/Contents/MacOS/Chromium"},
)
# No sandbox where the tests run as root, and nothing that asks a far host.
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PLAYWRIGHT = (sys.executable, "-m", "playwright")
CHROMIUM = ("--only-shell", "chromium")
FONT = "fonts-noto-cjk"
# Without a font all characters are one and the same box.
HAS_CHINESE = """
() => {
  const drawn = (text) => {
    const canvas = document.createElement("canvas");
    canvas.getContext("2d").fillText(text, 10, 20);
    return canvas.toDataURL();
  };
  return drawn("猫") !== drawn("看");
}
"""


class NoBrowserError(Exception):
    """None of the browsers there may be starts."""


def launch(playwright):
    """Start the first browser there is that starts."""
    for choice in _choices():
        try:
            return playwright.chromium.launch(args=QUIET, **choice)
        except Error:
            continue
    raise NoBrowserError(_line_for_a_browser())


def _choices():
    """Say where to look, as Playwright takes it."""
    if path := shutil.which(SHELL):
        yield {"executable_path": path}
    yield {}  # what Playwright has installed itself
    for name in NAMES:
        if path := shutil.which(name):
            yield {"executable_path": path}
    yield from PLACES


@dataclass(frozen=True)
class Need:
    """What the tests need: ways to get it, best first, and what to say after them."""

    is_met: Callable[[], bool]
    ways: tuple[Callable[[], object], ...]
    line: Callable[[], str]


def prepare():
    """Get what is missing; where nothing helps, give the line to type, else nothing."""
    for need in NEEDS:
        ways = iter(need.ways)
        while not need.is_met():
            way = next(ways, None)
            if way is None:
                return need.line()
            way()
    return ""


def _starts():
    with sync_playwright() as playwright:
        try:
            launch(playwright).close()
        except NoBrowserError:
            return False
        return True


def _writes_chinese():
    with sync_playwright() as playwright:
        browser = launch(playwright)
        found = browser.new_page().evaluate(HAS_CHINESE)
        browser.close()
        return found


def _run(*command):
    """Run a command before the eyes of whoever waits, and tell whether it succeeded."""
    print("$", *command, flush=True)
    return subprocess.run(command, check=False).returncode == 0


def _download():
    _run(*PLAYWRIGHT, "install", *CHROMIUM)


def _add_libraries():
    """Add what a downloaded browser may lack where there is no package of one."""
    if _root() is not None:
        _run(*PLAYWRIGHT, "install-deps", "chromium")


def _add_package(name):
    root = _root()
    if root is None:
        return
    apt = (*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q")
    _run(*apt, "update")
    _run(*apt, "install", "-y", "--no-install-recommends", name)


def _root():
    """Tell how to install Debian's and Ubuntu's packages: None where we may not."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return ()
    sudo = ("sudo", "-n")
    return sudo if shutil.which("sudo") and _run(*sudo, "true") else None


def _line_for_a_browser():
    download = list2cmdline([*PLAYWRIGHT, "install", "--with-deps", *CHROMIUM])
    if shutil.which("apt-get"):
        download = f"sudo apt-get install {SHELL} || {download}"
    return f"no browser starts; type: {download}"


def _line_for_a_font():
    if shutil.which("apt-get"):
        return f"no font has Chinese; type: sudo apt-get install {FONT}"
    return "no font has Chinese: install one that has, such as Noto Sans CJK"


NEEDS = (
    Need(
        _starts,
        (_download, partial(_add_package, SHELL), _add_libraries),
        _line_for_a_browser,
    ),
    Need(_writes_chinese, (partial(_add_package, FONT),), _line_for_a_font),
)
