"""What every page loads: all of it is here, and browsers fetch what is new."""

import re

from shiny import ui

from attnviz.components.assets import SCRIPTS, WWW, page_assets
from attnviz.figures.theme import css_variables


def dependency(language="en"):
    rendered = ui.TagList(page_assets(language)).render()
    [own] = [each for each in rendered["dependencies"] if each.name == "attnviz"]
    return own


def test_every_script_is_there_and_every_script_there_is_loaded():
    assert {path.stem for path in WWW.glob("*.js")} == set(SCRIPTS)


def test_scripts_and_style_are_served_from_one_folder():
    own = dependency()
    assert [script["src"] for script in own.script] == [
        f"{name}.js" for name in SCRIPTS
    ]
    assert [sheet["href"] for sheet in own.stylesheet] == ["style.css"]


def test_a_changed_file_gets_a_new_address(monkeypatch, tmp_path):
    before = dependency().version
    for path in WWW.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr("attnviz.components.assets.WWW", tmp_path)
    assert dependency().version == before
    with (tmp_path / "style.css").open("a") as style:
        style.write("/* new */")
    assert dependency().version != before


def test_style_uses_only_variables_that_somebody_sets():
    style = (WWW / "style.css").read_text("utf-8")
    scripts = "".join(path.read_text("utf-8") for path in WWW.glob("*.js"))
    known = set(re.findall(r"(--[\w-]+)\s*:", style + css_variables()))
    known |= set(re.findall(r'setProperty\(\s*"(--[\w-]+)"', scripts))
    used = set(re.findall(r"var\((--[\w-]+)\s*\)", style))
    foreign = {name for name in used - known if name.startswith(("--bs-", "--bslib-"))}
    assert used - known - foreign == set()


def test_no_file_of_the_page_names_another_host():
    texts = {path.name: path.read_text("utf-8") for path in WWW.glob("*.[jc]ss*")}
    texts |= {path.name: path.read_text("utf-8") for path in WWW.glob("*.js")}
    hosts = re.compile(r"https?://(?!www\.w3\.org/)")
    assert [name for name, text in texts.items() if hosts.search(text)] == []
