"""A browser and a font are found or got anywhere; else one line says what to type.

The machines are made up: no test here looks at this one, or leaves it.
"""

import os
import shutil
import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from playwright.sync_api import Error

from tests import __main__ as checks
from tests import browser

SHELL = {"executable_path": "/bin/chromium-headless-shell"}
DOWNLOADED = {}  # Playwright needs no telling where that is
FONT = "font"
DOWNLOAD = "playwright install --only-shell chromium"
ADD_SHELL = "apt-get -q install -y --no-install-recommends chromium-headless-shell"
ADD_FONT = "apt-get -q install -y --no-install-recommends fonts-noto-cjk"
ADD_LIBRARIES = "playwright install-deps chromium"


class Machine:
    """A machine with programs, with browsers that start, and with a way out or none."""

    def __init__(self, *programs, works=(FONT,), offers=None, is_root=True):
        self.programs = programs
        self.works = list(works)
        self.offers = offers or {}  # end of a command -> what works after it
        self.is_root = is_root
        self.ran = []
        self.chromium = self

    def which(self, name):
        return f"/bin/{name}" if name in self.programs else None

    def run(self, command, check):
        self.ran.append(" ".join(command))
        for end, brought in self.offers.items():
            if self.ran[-1].endswith(end):
                self.works.append(brought)
                return SimpleNamespace(returncode=0)
        return SimpleNamespace(returncode=1)

    def launch(self, args, **choice):
        if choice not in self.works:
            raise Error("it does not start")
        return SimpleNamespace(
            choice=choice,
            close=lambda: None,
            new_page=lambda: SimpleNamespace(evaluate=lambda _: FONT in self.works),
        )

    @property
    def installed(self):
        """What has been tried, without how one becomes root."""
        return [
            line.partition(" -m ")[2] or f"apt-get{line.partition('apt-get')[2]}"
            for line in self.ran
            if not line.endswith((" true", " update"))
        ]


@pytest.fixture
def machine(monkeypatch):
    """Let the tests' browser be looked for on a machine that is made up."""

    def become(*programs, **traits):
        made_up = Machine(*programs, **traits)

        @contextmanager
        def playwright():
            yield made_up

        monkeypatch.setattr(shutil, "which", made_up.which)
        monkeypatch.setattr(subprocess, "run", made_up.run)
        monkeypatch.setattr(browser, "sync_playwright", playwright)
        user = 0 if made_up.is_root else 1000
        monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
        return made_up

    return become


# ---- found -------------------------------------------------------------------------


@pytest.mark.parametrize("name", [browser.SHELL, *browser.NAMES])
def test_a_browser_on_the_path_is_found(machine, name):
    here = {"executable_path": f"/bin/{name}"}
    found = machine(name, works=[here, FONT])
    assert browser.prepare() == ""
    assert browser.launch(found).choice == here
    assert found.ran == []


@pytest.mark.parametrize("place", [DOWNLOADED, *browser.PLACES])
def test_a_browser_in_its_usual_place_is_found(machine, place):
    found = machine(works=[place, FONT])
    assert browser.prepare() == ""
    assert browser.launch(found).choice == place
    assert found.ran == []


def test_one_without_windows_comes_first(machine):
    chrome = {"executable_path": "/bin/google-chrome"}
    both = machine("google-chrome", browser.SHELL, works=[chrome, SHELL, DOWNLOADED])
    assert browser.launch(both).choice == SHELL
    both.works.remove(SHELL)
    assert browser.launch(both).choice == DOWNLOADED


def test_a_browser_that_is_there_and_does_not_start_is_passed_over(machine):
    chrome = {"executable_path": "/bin/google-chrome"}
    found = machine("chromium-browser", "google-chrome", works=[chrome, FONT])
    assert browser.launch(found).choice == chrome


# ---- got ---------------------------------------------------------------------------


@pytest.mark.parametrize("programs", [(), ("apt-get",)], ids=["elsewhere", "Debian"])
def test_playwrights_own_is_downloaded_where_there_is_none(machine, programs):
    bare = machine(*programs, offers={DOWNLOAD: DOWNLOADED})
    assert browser.prepare() == ""
    assert bare.installed == [DOWNLOAD]


@pytest.mark.parametrize("is_root", [True, False])
def test_debians_package_comes_where_the_download_is_refused(machine, is_root):
    offers = {ADD_SHELL: SHELL, "sudo -n true": None}
    bare = machine("apt-get", "sudo", browser.SHELL, offers=offers, is_root=is_root)
    assert browser.prepare() == ""
    assert bare.installed == [DOWNLOAD, ADD_SHELL]
    assert any(line.startswith("sudo -n env ") for line in bare.ran) != is_root


def test_what_was_downloaded_gets_its_libraries_where_there_is_no_package(machine):
    ubuntu = machine("apt-get", offers={ADD_LIBRARIES: DOWNLOADED})
    assert browser.prepare() == ""
    assert ubuntu.installed == [DOWNLOAD, ADD_SHELL, ADD_LIBRARIES]


def test_a_font_for_chinese_comes_where_there_is_none(machine):
    bare = machine("apt-get", works=[DOWNLOADED], offers={ADD_FONT: FONT})
    assert browser.prepare() == ""
    assert bare.installed == [ADD_FONT]


# ---- neither -----------------------------------------------------------------------


def test_where_nothing_helps_one_line_says_what_to_type(machine):
    machine()
    line = browser.prepare()
    assert line.startswith("no browser starts; type: ")
    assert line.endswith("-m playwright install --with-deps --only-shell chromium")
    assert "\n" not in line


@pytest.mark.parametrize("programs", [("apt-get",), ("apt-get", "sudo")])
def test_who_may_not_install_is_told_how_those_do_who_may(machine, programs):
    locked = machine(*programs, is_root=False)
    line = browser.prepare()
    assert "; type: sudo apt-get install chromium-headless-shell || " in line
    assert locked.installed == [DOWNLOAD]


def test_a_font_that_cannot_be_had_is_named(machine):
    machine("apt-get", works=[DOWNLOADED])
    line = browser.prepare()
    assert line == "no font has Chinese; type: sudo apt-get install fonts-noto-cjk"
    machine(works=[DOWNLOADED])
    assert browser.prepare().startswith("no font has Chinese: install one")


def test_without_a_browser_the_tests_fail_with_that_line(machine):
    with pytest.raises(browser.NoBrowserError, match=r"type: .* install"):
        browser.launch(machine())


def test_without_a_browser_no_check_begins(machine, capsys):
    machine()
    assert checks.main([])
    assert capsys.readouterr().out.splitlines()[-1].startswith("no browser starts")
