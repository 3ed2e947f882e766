"""Figures are plain JSON: the serving process never loads Plotly's objects."""

import subprocess
import sys

PROBE = """
import importlib, pkgutil, sys
import attnviz.figures
for info in pkgutil.walk_packages(attnviz.figures.__path__, "attnviz.figures."):
    importlib.import_module(info.name)
from attnviz.example.settings import Example
from attnviz.example.compute import compute
from attnviz.pages.attention.figures.stages import attention_figures
attention_figures(compute(Example()), 0)
{also}
print(*sorted({{"plotly", "pandas", "shiny"}} & set(sys.modules)))
"""


def heavy_modules(also=""):
    """Draw in a fresh process, and name the heavy modules it has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(also=also)],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_drawing_loads_nothing_heavy():
    assert heavy_modules() == []


def test_the_probe_sees_a_heavy_module():
    assert heavy_modules("import plotly.graph_objects") == ["plotly"]
