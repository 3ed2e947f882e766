"""A tracing library that is not installed is looked for once."""

import sys
from importlib.util import find_spec

import pytest
from shiny.otel import _core

from attnviz.components.tracing import PACKAGE, spare_search


@pytest.mark.skipif(find_spec(PACKAGE) is not None, reason="the library is there")
def test_a_missing_library_is_not_looked_for_again(monkeypatch):
    monkeypatch.delitem(sys.modules, f"{PACKAGE}.trace", raising=False)
    spare_search()
    monkeypatch.setattr(sys, "meta_path", [])  # whoever still looks finds nobody to ask
    assert _core.is_otel_tracing_enabled() is False


def test_a_library_that_is_there_is_left_alone(monkeypatch):
    monkeypatch.setattr("attnviz.components.tracing.PACKAGE", "json")
    spare_search()
    assert "json.trace" not in sys.modules
