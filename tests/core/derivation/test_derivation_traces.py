"""Every cell of every stage of every trace follows from others, but for rounding."""

import dataclasses
import math
from functools import cache, partial

import numpy as np
import pytest

from attnviz.core import (
    attend,
    attention,
    derive,
    layers,
    multi_head_attend,
    replay,
    rotate,
)
from tests.core.derivation.traces import HEADS, TRACES, X, additive, normal

EVERY = pytest.mark.parametrize("name", TRACES)


class LaidOut:
    """A trace that lays itself out once for many derivations."""

    def __init__(self, trace):
        self.kept = trace.sheet()

    def sheet(self):
        return self.kept


@cache
def all_cells(name):
    return cells_of(LaidOut(TRACES[name]))


def cells_of(trace):
    sheet = trace.sheet()
    return [
        derive(trace, name, place)
        for name in sheet.names
        for place in np.ndindex(sheet.shape(name))
    ]


def units_of_rounding(work) -> float:
    """Measure the largest round step in units of the last place of what was added."""
    steps = [step for step in work.steps if step.operator == "round"]
    met = [abs(term.value) for term in work.terms if not term.hidden]
    met += [abs(each.value) for term in work.terms for each in term.operands]
    met += [abs(step.value) for step in work.steps if step.operator != "round"]
    met += [abs(each.value) for step in work.steps for each in step.operands[:1]]
    size = max((each for each in met if math.isfinite(each)), default=0)
    largest = max((abs(step.operands[0].value) for step in steps), default=0)
    return largest / float(np.spacing(size))


def test_there_is_one_of_every_kind():
    kinds = {
        each
        for room in (attention, layers)
        for name in room.__all__
        if name.endswith("Trace") and isinstance(each := getattr(room, name), type)
    }
    assert kinds == {type(trace) for trace in TRACES.values()}


@EVERY
def test_replay_gives_exactly_the_cell(name):
    sheet, cells = TRACES[name].sheet(), all_cells(name)
    values = np.concatenate([sheet.matrix(each).ravel() for each in sheet.names])
    np.testing.assert_array_equal([each.value for each in cells], values)
    np.testing.assert_array_equal([replay(each) for each in cells], values)


@EVERY
def test_a_round_step_is_no_larger_than_rounding(name):
    assert max(units_of_rounding(work) for work in all_cells(name)) <= 8


def test_a_stage_that_does_not_follow_is_found():
    wrong = dataclasses.replace(TRACES["multi-head"], q=TRACES["multi-head"].q + 1e-9)
    assert max(units_of_rounding(work) for work in cells_of(LaidOut(wrong))) > 1e5


@EVERY
def test_every_operand_leads_to_its_cell(name):
    links = {
        each
        for work in all_cells(name)
        for group in (*work.terms, *work.steps)
        for each in group.operands
        if each.name != "rounding"
    }
    trace = LaidOut(TRACES[name])
    reached = [derive(trace, link.name, link.index) for link in links]
    assert [work.value for work in reached] == [link.value for link in links]


@EVERY
def test_every_field_is_a_stage_by_its_own_name(name):
    trace = TRACES[name]
    for field in dataclasses.fields(trace):
        array = getattr(trace, field.name)
        if isinstance(array, np.ndarray) and array.dtype != bool:
            place = (0,) * array.ndim
            assert derive(trace, field.name, place).value == array[place]


GIVEN = {
    "softmax": {"masked_scores"},
    "attention": {"q", "k", "v"},
    "another score": {"q", "k", "v", "raw_scores"},
    "multi-head": {"x"},
    "multi-head across": {"x_q", "x_k", "x_v"},
    "multi-head, rotary": {"x", "q_turn", "k_turn"},
    "multi-head, values apart": {"x", "x_v"},
    "multi-head by list": {"x"},
    "multi-head in batches": {"x"},
    "decoding": {"x_q", "q_turn", "k", "v"},
    "layer norm": {"norm_input"},
    "rms norm": {"norm_input"},
    "network, relu": {"ffn_input"},
    "network, gelu": {"ffn_input"},
    "network, gelu_tanh": {"ffn_input"},
    "encoder, post": {"x", "attention.q_turn", "attention.k_turn"},
    "encoder, pre": {"x", "attention.q_turn", "attention.k_turn"},
    "decoder, post": {"x", "memory", "self_attention.q_turn", "self_attention.k_turn"},
    "decoder, pre": {"x", "memory", "self_attention.q_turn", "self_attention.k_turn"},
}
LEARNED = {f"{kind}_{of}" for kind in "wb" for of in "qkvo12"} | {"gamma", "beta"}
SETTINGS = {"mask", "bias", "softcap", "temperature", "dropout", "d_k", "d", "eps"}


@EVERY
def test_chains_end_at_what_was_given_and_nowhere_else(name):
    ends = {work.stage for work in all_cells(name) if work.operation == "given"}
    plain = {end for end in ends if end.rpartition(".")[2] not in LEARNED | SETTINGS}
    assert plain == GIVEN[name]


def test_a_turned_query_is_made_of_the_two_features_that_turn_together():
    work = derive(TRACES["multi-head, rotary"], "q_turned", (3, 2, 5))
    places = [[each.index for each in term.operands] for term in work.terms]
    assert places == [
        [(3, 2, 4), (3, 2, 4, 5)],
        [(3, 2, 5), (3, 2, 5, 5)],
    ]
    factors = [term.operands[1].value for term in work.terms]
    angle = 2 * 1e4 ** (-4 / 6)
    assert factors == pytest.approx([math.sin(angle), math.cos(angle)], rel=1e-13)


def test_scores_of_turned_queries_are_read_from_them():
    work = derive(TRACES["multi-head, rotary"], "raw_scores", (3, 2, 1))
    names = {(each.name, each.index[:1]) for t in work.terms for each in t.operands}
    assert names == {("q_turned", (3,)), ("k_turned", (1,))}


@pytest.mark.parametrize("turn", [np.cos, lambda x: x[..., ::-1, :]])
def test_a_turn_that_is_no_product_with_a_matrix_ends_the_chain(turn):
    trace = multi_head_attend(X, parameters=HEADS, turn=turn)
    assert derive(trace, "q_turned", (0, 0, 0)).operation == "given"
    assert "q_turn" not in trace.sheet()


def test_scores_by_another_rule_start_from_themselves():
    trace = attend(normal(3, 5), normal(4, 5), normal(4, 2), score=additive)
    assert derive(trace, "raw_scores", (0, 0)).operation == "given"
    work = derive(trace, "scores", (0, 0))
    assert [each.name for each in work.terms[0].operands] == ["raw_scores"]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_replay_is_exact_in_narrow_types_of_several_heads(dtype):
    narrow = dataclasses.replace(
        HEADS,
        **{
            each.name: getattr(HEADS, each.name).astype(dtype)
            for each in dataclasses.fields(HEADS)
        },
    )
    turn = partial(rotate, positions=np.arange(3))
    trace = multi_head_attend(X.astype(dtype), parameters=narrow, turn=turn)
    laid_out = LaidOut(trace)
    for name in ("q", "q_turned", "raw_scores", "context", "output"):
        matrix = laid_out.sheet().matrix(name)
        found = [derive(laid_out, name, at) for at in np.ndindex(matrix.shape)]
        assert [replay(each) for each in found] == matrix.ravel().tolist()


def test_a_layer_adds_what_its_steps_hand_on():
    work = derive(TRACES["encoder, post"], "residual_2", (1, 2))
    read = [work.terms[0].operands[0].name]
    read += [each.name for step in work.steps for each in step.operands]
    assert read == ["norm_1.norm_output", "feed_forward.ffn_output"]


def test_a_stage_within_a_layer_is_named_with_a_point():
    trace = TRACES["encoder, pre"]
    work = derive(trace, "norm_1.norm_mean", (2,))
    assert (work.stage, work.value) == ("norm_1.norm_mean", trace.norm_1.mean[2])
    assert work.terms[0].operands[0].name == "norm_1.norm_input"
    message = (
        r"derive: `stage` needs one of .*, norm_1\.norm_mean, .*; got 'norm_1\.medium'"
    )
    with pytest.raises(ValueError, match=message):
        derive(trace, "norm_1.medium", (2,))
