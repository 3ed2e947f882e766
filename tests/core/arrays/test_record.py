"""Traces, parameters and gradients introduce themselves by shapes, not by numbers."""

import dataclasses
from functools import partial

import numpy as np
import pytest

import attnviz.core
from attnviz.core import attention, checks, fast, faults, gradients, layers
from attnviz.core.arrays import Record
from attnviz.core.positions import rotate

Q, K, V = np.ones((2, 3, 5)), np.ones((2, 7, 5)), np.ones((2, 7, 11))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Sample(Record):
    """A field of every kind."""

    table: object
    inner: object
    rule: object
    number: float
    word: str | None


def sample(**values) -> Sample:
    plain = {"table": None, "inner": None, "rule": None, "number": 0.5, "word": None}
    return Sample(**(plain | values))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"table": Q}, "table=(2, 3, 5)"),
        ({"table": Q[0, 0]}, "table=(5,)"),
        ({"inner": sample(table=Q)}, "inner=Sample(…)"),
        ({"inner": {"q": Q, "k": K}}, "inner={q, k}"),
        ({"rule": rotate}, "rule=rotate"),
        ({"rule": partial(rotate, positions=np.arange(9))}, "rule=partial"),
        ({"number": 1 / 3}, "number=0.333333"),
        ({"word": "post"}, "word='post'"),
        ({}, "word=None"),
    ],
)
def test_a_field_takes_a_few_characters(values, text):
    assert text in repr(sample(**values))


def test_floating_types_stand_at_the_end():
    assert repr(sample()).endswith("word=None)")
    assert repr(sample(table=np.float32(Q))).endswith("word=None; float32)")
    both = repr(sample(table=np.float32(Q), inner=Q))
    assert both.endswith("word=None; float32 and float64)")
    assert repr(sample(table=Q > 0)).endswith("word=None)")


def test_a_trace_shows_every_stage_by_its_shape():
    shown = repr(attnviz.core.attend(Q, K, V, softcap=2.0))
    assert shown.startswith("AttentionTrace(q=(2, 3, 5), k=(2, 7, 5), v=(2, 7, 11), ")
    assert "weights=(2, 3, 7), context=(2, 3, 11), visible=(2, 3, 7)" in shown
    assert "scale=0.447214, softcap=2, bias=None" in shown


@pytest.mark.parametrize("room", [attention, checks, fast, faults, gradients, layers])
def test_whatever_holds_arrays_is_a_record(room):
    offered = [getattr(room, name) for name in room.__all__]
    holders = [
        each
        for each in offered
        if dataclasses.is_dataclass(each)
        and any("ndarray" in str(f.type) for f in dataclasses.fields(each))
    ]
    assert [each for each in holders if not issubclass(each, Record)] == []
    assert holders
