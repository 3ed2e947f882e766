"""What Shiny would do for nothing is not done."""

import gc
import inspect
import sys
from importlib.util import find_spec

import pytest
from shiny import reactive
from shiny.otel._core import is_otel_tracing_enabled
from shiny.reactive import _core, _reactives
from shiny.session._session import AppSession

from attnviz.serving.economy import LIBRARY, economize
from tests.loops import run


@pytest.mark.skipif(find_spec(LIBRARY) is not None, reason="the library is there")
def test_a_missing_tracing_library_is_not_looked_for(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [])  # whoever looks finds nobody to ask
    assert is_otel_tracing_enabled() is False


def test_source_is_read_for_the_first_session_alone(converse, monkeypatch):
    converse()
    read = []
    monkeypatch.setattr(inspect, "getblock", lambda lines: read.append(lines))
    converse()
    assert read == []


def test_functions_of_one_code_have_one_place():
    def make():
        def inner():
            return None

        return inner

    place = _reactives.extract_source_ref(make())
    assert place["code.function.name"] == "inner"
    assert _reactives.extract_source_ref(make()) is place
    assert _reactives.extract_source_ref(make)["code.function.name"] == "make"


def test_a_session_hears_nothing_of_the_others(converse):
    silent, speaking = converse(), converse()
    silent.send({"example-length": 3})
    alone = silent.n_heard
    for length in (4, 5, 6):
        speaking.send({"example-length": length})
    silent.send({"example-length": 7})
    assert silent.n_heard == alone


def test_a_session_does_not_grow_with_its_changes(converse):
    conversation = converse()

    def contexts_after(lengths):
        for length in lengths:
            conversation.send({"example-length": length})
        gc.collect()
        return sum(isinstance(one, _core.Context) for one in gc.get_objects())

    assert contexts_after([3, 5, 7] * 5) == contexts_after([3, 5, 7])


def test_a_value_read_in_isolation_stirs_nobody_and_one_read_openly_does():
    value, seen = reactive.value(1, name="value"), []

    @reactive.effect(session=None)
    def watch():
        with reactive.isolate():
            alone = value()
        seen.append(alone)

    @reactive.effect(session=None)
    def follow():
        seen.append(-value())

    run(reactive.flush())
    value.set(2)
    run(reactive.flush())
    assert seen == [1, -1, -2]


def test_another_shiny_is_left_alone(monkeypatch):
    monkeypatch.delattr(AppSession, "_flush")
    monkeypatch.delattr(_core, "Dependents")
    economize()
    assert not hasattr(AppSession, "_flush")
