"""A Shiny that nobody has tried is named in the log."""

import pytest
import shiny

from attnviz.serving.framework import note_version


@pytest.mark.parametrize(
    ("version", "is_noted"),
    [("1.8.3", False), ("1.9.0", True), ("1.10.0.9000", True), ("1.7.1", False)],
)
def test_a_later_minor_version_is_noted(monkeypatch, caplog, version, is_noted):
    monkeypatch.setattr(shiny, "__version__", version)
    note_version()
    assert (version in caplog.text) is is_noted
