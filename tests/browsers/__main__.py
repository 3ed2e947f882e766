"""Walk through the app in WebKit and Firefox: ``python -m tests.browsers [names]``.

A browser that is missing fails, and is named with the packages of Debian that bring it.
"""

import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browsers import firefox, webkit
from tests.browsers.walk import walk
from tests.e2e.running import served

BROWSERS = {"webkit": webkit, "firefox": firefox}


def main(names: Sequence[str]) -> int:
    """Walk in each browser, even after one has failed; tell whether any has."""
    with TemporaryDirectory() as folder, served(Path(folder, "log.txt")) as url:
        return sum(not _walks(name, f"{url}/") for name in names or BROWSERS)


def _walks(name: str, url: str) -> bool:
    browser = BROWSERS[name]
    missing = [
        package
        for program, package in browser.NEEDS.items()
        if shutil.which(program) is None
    ]
    if missing:
        print(f"{name}: missing; type: sudo apt-get install {' '.join(missing)}")
        return False
    began = time.monotonic()
    with TemporaryDirectory() as folder, browser.opened(folder) as tab:
        try:
            for step in walk(tab, url):
                print(f"{name}: {step} ({time.monotonic() - began:.1f} s)", flush=True)
        except (AssertionError, OSError) as failure:
            print(f"{name}: FAILED after that: {failure!r}")
            return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
