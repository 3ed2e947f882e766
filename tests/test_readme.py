"""The README shows what there is, in both languages."""

import re

from tests.e2e.running import ROOT
from tests.first_screen import THEMES, path_of

README = (ROOT / "README.md").read_text("utf-8")
CHINESE, ENGLISH = README.split("## What it is")


def test_the_pictures_of_the_first_screen_are_those_that_the_command_takes():
    shown = re.findall(r'(?:src|srcset)="([^"]+)"', README)
    assert sorted(shown) == sorted(
        path_of(theme).relative_to(ROOT).as_posix() for theme in THEMES
    )
    assert all((ROOT / picture).stat().st_size > 10_000 for picture in shown)
    assert README.index("<picture>") < README.index("## ")


def test_both_languages_name_the_two_commands():
    commands = [".venv/bin/shiny run app.py", ".venv/bin/python -m tests"]
    for part in (CHINESE, ENGLISH):
        assert [command for command in commands if command not in part] == []
