"""What every page loads: all of it is here, and browsers fetch what is new."""

import re
import shutil
from pathlib import Path

import pytest
from shiny import ui

import attnviz
from attnviz.figures.theme import css_variables
from attnviz.serving.assets import (
    FIRST_PAINT,
    FIRST_PICTURE,
    REST,
    STYLES,
    WWW,
    page_assets,
)


def dependency(language="en"):
    rendered = ui.TagList(page_assets(language)).render()
    [own] = [each for each in rendered["dependencies"] if each.name == "attnviz"]
    return own


def head():
    rendered = ui.TagList(page_assets("en")).render()
    return "".join(
        each.head.get_html_string() for each in rendered["dependencies"] if each.head
    )


def preloaded():
    own = dependency()
    folder = f"lib/{own.name}-{own.version}"
    return re.findall(rf'rel="modulepreload" href="{folder}/([^"]+)"', head())


def files(ending):
    return {path.relative_to(WWW).as_posix() for path in WWW.rglob(f"*.{ending}")}


def test_every_style_named_is_there_and_every_style_there_is_named():
    assert files("css") == {f"{name}.css" for name in STYLES}
    assert [sheet["href"] for sheet in dependency().stylesheet] == [
        f"{name}.css" for name in STYLES
    ]


def test_every_module_there_is_asked_for_at_once():
    assert sorted(preloaded()) == sorted(files("js") - {FIRST_PAINT})


def test_what_the_first_picture_needs_is_asked_for_first():
    before = preloaded()[: preloaded().index(REST)]
    assert before[0] == FIRST_PICTURE
    assert "figure/figures.js" in before
    assert "session/qr.js" not in before


def test_modules_paint_nothing_before_the_first_picture():
    tags = re.findall(r"<script[^>]*module[^>]*>", head())
    assert [('blocking="render"' in tag, REST in tag) for tag in tags] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    "changed", ["figure/figures.js", "shell/theme.css", "fonts/digits.woff2"]
)
def test_a_changed_file_gets_a_new_address(monkeypatch, tmp_path, changed):
    before = dependency().version
    same, other = tmp_path / "same", tmp_path / "other"
    for copy in (same, other):
        shutil.copytree(WWW, copy)
    monkeypatch.setattr("attnviz.serving.assets.WWW", same)
    assert dependency().version == before
    with (other / changed).open("ab") as file:
        file.write(b"/* new */")
    monkeypatch.setattr("attnviz.serving.assets.WWW", other)
    assert dependency().version != before


def test_style_uses_only_variables_that_somebody_sets():
    style = "".join(path.read_text("utf-8") for path in WWW.rglob("*.css"))
    scripts = "".join(path.read_text("utf-8") for path in WWW.rglob("*.js"))
    known = set(re.findall(r"(--[\w-]+)\s*:", style + css_variables()))
    package = Path(attnviz.__file__).parent
    inline = "".join(path.read_text("utf-8") for path in package.rglob("*.py"))
    known |= set(re.findall(r'[";](--[\w-]+):\{', inline))
    known |= set(re.findall(r'setProperty\(\s*"(--[\w-]+)"', scripts))
    used = set(re.findall(r"var\((--[\w-]+)\s*\)", style))
    foreign = {name for name in used - known if name.startswith(("--bs-", "--bslib-"))}
    assert used - known - foreign == set()


def test_no_file_of_the_page_names_another_host():
    paths = [*WWW.rglob("*.css"), *WWW.rglob("*.js")]
    texts = {path.name: path.read_text("utf-8") for path in paths}
    hosts = re.compile(r"https?://(?!www\.w3\.org/)")
    assert [name for name, text in texts.items() if hosts.search(text)] == []
