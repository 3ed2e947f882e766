"""The light layers load nothing heavy, and this check can fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

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


# A line that breaks each rule of the import contract, and the module it is put into.
BREACHES = {
    "one direction": (
        "attnviz/core/errors.py",
        "import attnviz.example.settings",
    ),
    "only the frame serves": (
        "attnviz/components/page/checks.py",
        "import attnviz.serving.assets",
    ),
    "no page imports another": (
        "attnviz/pages/norms/page.py",
        "import attnviz.pages.attention.tables",
    ),
    "within the core": (
        "attnviz/core/layers/norms.py",
        "import attnviz.core.checks.norms",
    ),
    "pure NumPy": ("attnviz/example/screen.py", "import pandas"),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "attnviz", folder / "attnviz")
    shutil.copy(ROOT / ".importlinter", folder)
    return folder


@pytest.mark.parametrize("rule", BREACHES)
def test_a_planted_breach_of_the_import_contract_is_found(copy, rule):
    path, line = BREACHES[rule]
    planted = copy / path
    whole = planted.read_text("utf-8")
    planted.write_text(f"{whole}\n{line}\n", "utf-8")
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache"],
        cwd=copy,
        env={"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    planted.write_text(whole, "utf-8")
    broken = [name for name in done.stdout.splitlines() if name.endswith(" BROKEN")]
    assert [rule in name for name in broken].count(True) == 1
