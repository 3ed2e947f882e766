"""Modules of the browser import one way and in no circle, and this check can fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINTER = Path(sys.executable).with_name("oxlint")


def complaints(folder):
    """Lint all modules of a copy."""
    done = subprocess.run(
        [LINTER, "www"], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode else ""


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT / "www", tmp_path / "www")
    shutil.copy(ROOT / ".oxlintrc.json", tmp_path)
    return tmp_path


def test_modules_import_one_way(copy):
    assert complaints(copy) == ""


@pytest.mark.parametrize(
    ("importing", "imported"),
    [
        ("shell", "figure/text.js"),
        ("shell", "main.js"),
        ("figure", "session/qr.js"),
        ("figure", "reading/sight.js"),
        ("session", "reading/sight.js"),
        ("session", "sidebar/controls.js"),
        ("reading", "sidebar/controls.js"),
        ("reading", "page.js"),
        ("sidebar", "reading/sight.js"),
        ("sidebar", "main.js"),
    ],
)
def test_an_import_of_what_stands_above_is_seen(copy, importing, imported):
    breach = copy / "www" / importing / "breach.js"
    breach.write_text(f'import "../{imported}";\n')
    assert "no-restricted-imports" in complaints(copy)


def test_a_circle_is_seen(copy):
    for one, other in (("one", "other"), ("other", "one")):
        module = copy / "www" / "shell" / f"{one}.js"
        module.write_text(f'import "./{other}.js";\n')
    assert "no-cycle" in complaints(copy)


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("window.attnviz = {};", "no-restricted-properties"),
        ("attnviz.redrawAll();", "no-undef"),
        ('import { none } from "./words.js";\nnone();', "import(named)"),
    ],
)
def test_what_is_not_imported_is_not_there(copy, code, rule):
    (copy / "www" / "shell" / "breach.js").write_text(code + "\n")
    assert rule in complaints(copy)
