"""What every page loads: all of it is here, and browsers fetch what is new."""

import re

import pytest
from shiny import ui

from attnviz.figures.theme import css_variables
from attnviz.serving.assets import SCRIPTS, STYLES, WWW, page_assets


def dependency(language="en"):
    rendered = ui.TagList(page_assets(language)).render()
    [own] = [each for each in rendered["dependencies"] if each.name == "attnviz"]
    return own


@pytest.mark.parametrize(("ending", "names"), [("js", SCRIPTS), ("css", STYLES)])
def test_every_file_named_is_there_and_every_file_there_is_named(ending, names):
    assert {path.stem for path in WWW.glob(f"*.{ending}")} == set(names)


def test_scripts_and_styles_are_served_from_one_folder():
    own = dependency()
    scripts = [script["src"] for script in own.script]
    styles = [sheet["href"] for sheet in own.stylesheet]
    assert scripts == [f"{name}.js" for name in SCRIPTS]
    assert styles == [f"{name}.css" for name in STYLES]


@pytest.mark.parametrize("changed", ["figures.js", "theme.css", "digits.woff2"])
def test_a_changed_file_gets_a_new_address(monkeypatch, tmp_path, changed):
    before = dependency().version
    for path in WWW.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr("attnviz.serving.assets.WWW", tmp_path)
    assert dependency().version == before
    with (tmp_path / changed).open("ab") as file:
        file.write(b"/* new */")
    assert dependency().version != before


def test_style_uses_only_variables_that_somebody_sets():
    style = "".join(path.read_text("utf-8") for path in WWW.glob("*.css"))
    scripts = "".join(path.read_text("utf-8") for path in WWW.glob("*.js"))
    known = set(re.findall(r"(--[\w-]+)\s*:", style + css_variables()))
    known |= set(re.findall(r'setProperty\(\s*"(--[\w-]+)"', scripts))
    used = set(re.findall(r"var\((--[\w-]+)\s*\)", style))
    foreign = {name for name in used - known if name.startswith(("--bs-", "--bslib-"))}
    assert used - known - foreign == set()


def test_no_file_of_the_page_names_another_host():
    paths = [*WWW.glob("*.css"), *WWW.glob("*.js")]
    texts = {path.name: path.read_text("utf-8") for path in paths}
    hosts = re.compile(r"https?://(?!www\.w3\.org/)")
    assert [name for name, text in texts.items() if hosts.search(text)] == []
