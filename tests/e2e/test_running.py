"""Without a browser or a server these tests fail; they are never skipped."""

import shutil

import pytest

from tests.e2e.running import BROWSERS, find_browser, served


def test_without_a_browser_the_tests_fail(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(pytest.fail.Exception, match="no browser found: install one of"):
        find_browser()


def test_any_of_several_browsers_will_do(monkeypatch):
    there = {BROWSERS[2]: "/there"}
    monkeypatch.setattr(shutil, "which", there.get)
    assert find_browser() == "/there"


def test_an_app_that_does_not_start_fails_with_what_it_said(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise RuntimeError('no such luck')\n")
    with (
        pytest.raises(pytest.fail.Exception, match="no such luck"),
        served(tmp_path / "log.txt", str(broken)),
    ):
        pytest.fail("a broken app was served")
