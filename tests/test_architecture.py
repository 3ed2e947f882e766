"""The light layers load nothing heavy, and this check can fail."""

import subprocess
import sys

import pytest

HEAVY = ("shiny", "plotly", "pandas")
# Import a package with all its modules, then say which of the heavy ones came along.
PROBE = """
import importlib, pkgutil, sys
package = importlib.import_module({package!r})
found = pkgutil.walk_packages(getattr(package, "__path__", ()), package.__name__ + ".")
for info in found:
    importlib.import_module(info.name)
print(*(name for name in {heavy!r} if name in sys.modules))
"""


def heavy_modules_behind(package: str) -> list[str]:
    """Import a package in a fresh process, and name the heavy modules it loads."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(package=package, heavy=HEAVY)],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


@pytest.mark.parametrize("layer", ["attnviz.core", "attnviz.text"])
def test_a_light_layer_loads_nothing_heavy(layer):
    assert heavy_modules_behind(layer) == []


@pytest.mark.parametrize("module", ["plotly", "pandas"])
def test_the_probe_sees_a_heavy_module(module):
    assert module in heavy_modules_behind(f"{module}.io")
