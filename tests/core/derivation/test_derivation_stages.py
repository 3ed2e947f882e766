"""What the derivation of each stage of attention consists of."""

import math

import numpy as np
import pytest

from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.derivation import derive, replay

CAUSAL = np.array([[True, False], [True, True]])
SMALL = attend(
    [[3.0, 4.0], [1.0, 0.0]],
    [[1.0, 2.0], [5.0, -1.0]],
    [[2.0], [4.0]],
    visible=CAUSAL,
    scale=0.5,
)


def links(operands):
    return [(each.name, each.index) for each in operands]


def step_summary(work):
    names = [tuple(each.name for each in step.operands) for step in work.steps]
    operators = [step.operator for step in work.steps]
    return list(zip(operators, names, strict=True))


def test_raw_score_adds_products_feature_by_feature():
    work = derive(SMALL, "raw_scores", (0, 1))
    assert work.operation == "sum_of_products"
    assert [links(term.operands) for term in work.terms] == [
        [("q", (0, 0)), ("k", (1, 0))],
        [("q", (0, 1)), ("k", (1, 1))],
    ]
    assert [(term.value, term.running) for term in work.terms] == [(15, 15), (-4, 11)]


def test_score_goes_through_scale_softcap_and_bias_in_this_order():
    trace = attend([[6.0]], [[1.0]], [[1.0]], scale=0.5, softcap=2.0, bias=[[0.25]])
    work = derive(trace, "scores", (0, 0))
    assert step_summary(work) == [
        ("multiply", ("scale",)),
        ("soft_cap", ("softcap",)),
        ("add", ("bias",)),
    ]
    values = [step.value for step in work.steps]
    assert values == pytest.approx([3.0, 1.810296506, 2.060296506])


def test_scale_is_worked_out_from_d_k():
    trace = attend(np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 1)))
    work = derive(trace, "scale", ())
    assert links(work.terms[0].operands) == [("d_k", ())]
    assert (work.total, work.steps[0].operator, work.value) == (
        4.0,
        "reciprocal_root",
        0.5,
    )


def test_chosen_scale_is_given():
    assert derive(SMALL, "scale", ()).operation == "given"


def test_scale_of_queries_without_features_is_given():
    trace = attend(np.ones((2, 0)), np.ones((3, 0)), np.ones((3, 5)), scale=0.5)
    assert derive(trace, "scale", ()).operation == "given"


def test_hidden_score_is_minus_infinity_by_the_mask():
    work = derive(SMALL, "masked_scores", (0, 1))
    assert links(work.terms[0].operands) == [("scores", (0, 1))]
    assert step_summary(work) == [("mask", ("mask",))]
    assert (work.steps[0].operands[0].value, work.value) == (-math.inf, -math.inf)


def test_visible_score_passes_the_mask_unchanged():
    work = derive(SMALL, "masked_scores", (1, 0))
    assert work.steps[0].operands[0].value == 0.0
    assert work.value == 0.5


def test_temperature_divides_before_the_mask():
    trace = attend([[3.0]], [[1.0]], [[1.0]], scale=1.0, temperature=2.0)
    work = derive(trace, "masked_scores", (0, 0))
    assert step_summary(work) == [("divide", ("temperature",)), ("mask", ("mask",))]
    assert work.value == 1.5


def test_row_maximum_leaves_hidden_keys_out():
    work = derive(SMALL, "row_max", (0, 0))
    assert [term.hidden for term in work.terms] == [False, True]
    assert [term.running for term in work.terms] == [5.5, 5.5]


def test_exponential_subtracts_the_row_maximum():
    work = derive(SMALL, "exp_scores", (1, 0))
    assert step_summary(work) == [("subtract", ("row_max",)), ("exp", ())]
    assert work.steps[0].operands[0].index == (1, 0)
    assert work.value == pytest.approx(math.exp(-2))


def test_weight_is_a_quotient():
    work = derive(SMALL, "weights", (1, 0))
    assert links(work.terms[0].operands) == [("exp_scores", (1, 0))]
    assert step_summary(work) == [("divide", ("row_sum",))]
    assert work.value == pytest.approx(0.11920292)


@pytest.mark.parametrize("stage", ["exp_scores", "weights"])
def test_hidden_key_gives_exactly_nothing(stage):
    work = derive(SMALL, stage, (0, 1))
    assert (work.operation, work.value, replay(work)) == ("hidden", 0.0, 0.0)
    assert links(work.terms[0].operands) == [("masked_scores", (0, 1))]


def test_hidden_value_never_reaches_the_context():
    trace = attend([[1.0]], [[1.0], [1.0]], [[3.0], [math.nan]], visible=CAUSAL[:1])
    work = derive(trace, "context", (0, 0))
    assert [term.hidden for term in work.terms] == [False, True]
    assert [term.value for term in work.terms] == [3.0, 0.0]
    assert (work.value, replay(work)) == (3.0, 3.0)


def test_padding_query_sees_nothing_and_finds_nothing():
    valid = np.array([True, False])
    trace = attend(SMALL.q, SMALL.k, SMALL.v, query_valid=valid)
    values = [
        replay(derive(trace, stage, (1, 0)))
        for stage in ("row_max", "row_sum", "weights", "context")
    ]
    assert values == [-math.inf, 0.0, 0.0, 0.0]


def test_context_weighs_values_and_names_dropout():
    dropped = [[0.0, 2.0], [2.0, 2.0]]
    trace = attend(SMALL.q, SMALL.k, SMALL.v, visible=CAUSAL, dropout=dropped)
    work = derive(trace, "context", (1, 0))
    assert links(work.terms[1].operands) == [
        ("weights", (1, 1)),
        ("dropout", (1, 1)),
        ("v", (1, 0)),
    ]


def test_fields_may_be_asked_for_by_their_own_name():
    assert derive(SMALL, "exp_scores", (1, 0)) == derive(SMALL, "exp_scores", (1, 0))
    assert derive(SMALL, "visible", (0, 1)).value == -math.inf


def test_shared_arrays_are_named_at_their_own_place():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(3, 5)), rng.normal(size=(2, 1, 7, 5))
    trace = attend(q, k, rng.normal(size=(11, 7, 2)), bias=rng.normal(size=(1, 7)))
    product = derive(trace, "raw_scores", (1, 0, 2, 6))
    biased = derive(trace, "scores", (1, 0, 2, 6))
    mixed = derive(trace, "context", (1, 10, 2, 1))
    assert links(product.terms[4].operands) == [("q", (2, 4)), ("k", (1, 0, 6, 4))]
    assert links(biased.steps[-1].operands) == [("bias", (0, 6))]
    assert links(mixed.terms[6].operands) == [
        ("weights", (1, 0, 2, 6)),
        ("v", (10, 6, 1)),
    ]
    assert replay(mixed) == trace.context[1, 10, 2, 1]


def test_query_heads_share_key_and_value_heads_in_order():
    rng = np.random.default_rng(0)
    shapes = [(6, 7, 5), (2, 7, 5), (2, 7, 3), (18, 7)]
    layer = MultiHeadParameters(*(rng.normal(size=shape) for shape in shapes))
    trace = multi_head_attend(rng.normal(size=(11, 7)), parameters=layer)
    product = derive(trace, "raw_scores", (2, 10, 9))
    mixed = derive(trace, "context", (3, 10, 1))
    assert links(product.terms[0].operands) == [("q", (2, 10, 0)), ("k", (0, 9, 0))]
    assert links(mixed.terms[9].operands) == [("weights", (3, 10, 9)), ("v", (1, 9, 1))]
