"""What the derivation of projections, outputs, norms and positions consists of."""

import math

import numpy as np
import pytest

from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.derivation import derive, derive_sinusoid, replay
from attnviz.core.layers.norms import layer_norm
from attnviz.core.positions.sinusoidal import sinusoidal_positions
from attnviz.example.compute import compute
from attnviz.example.settings import Example


def links(operands):
    return [(each.name, each.index) for each in operands]


def step_summary(work):
    names = [tuple(each.name for each in step.operands) for step in work.steps]
    operators = [step.operator for step in work.steps]
    return list(zip(operators, names, strict=True))


def test_projection_adds_its_bias_last():
    ones = np.ones((1, 1, 1))
    layer = MultiHeadParameters(2 * ones, ones, ones, ones[0], b_q=np.full((1, 1), 5.0))
    trace = multi_head_attend([[3.0]], parameters=layer)
    work = derive(trace, "q", (0, 0, 0))
    assert links(work.terms[0].operands) == [("x", (0, 0)), ("w_q", (0, 0, 0))]
    assert step_summary(work) == [("add", ("b_q",))]
    assert (work.total, work.value) == (6.0, 11.0)


@pytest.mark.parametrize(
    ("stage", "given", "source"),
    [
        ("q", ("x_q", "x_k", "x_v"), "x_q"),
        ("k", ("x_q", "x_k", "x_v"), "x_k"),
        ("v", ("x_q", "x_k", "x_v"), "x_v"),
        ("v", ("x_q", "x_k"), "x_k"),
        ("k", ("x_q",), "x"),
        ("v", ("x_q",), "x"),
    ],
)
def test_inputs_have_one_name_in_self_attention_and_more_across(stage, given, source):
    rng = np.random.default_rng(0)
    x = {name: rng.normal(size=(5, 2)) for name in given}
    shapes = [(1, 2, 3), (1, 2, 3), (1, 2, 7), (7, 2)]
    layer = MultiHeadParameters(*(rng.normal(size=shape) for shape in shapes))
    trace = multi_head_attend(**x, parameters=layer)
    work = derive(trace, stage, (0, 4, 2))
    assert work.terms[1].operands[0].name == source


def test_batches_lead_to_their_own_inputs():
    rng = np.random.default_rng(0)
    shapes = [(2, 5, 3), (2, 5, 3), (2, 5, 7), (14, 5)]
    layer = MultiHeadParameters(*(rng.normal(size=shape) for shape in shapes))
    x = rng.normal(size=(13, 11, 5))
    trace = multi_head_attend(x, parameters=layer)
    work = derive(trace, "q", (12, 1, 10, 2))
    assert links(work.terms[4].operands) == [("x", (12, 10, 4)), ("w_q", (1, 4, 2))]


def test_joined_feature_is_a_feature_of_one_head():
    trace = compute(Example(d_v=3, n_heads=5))
    work = derive(trace, "joined", (4, 13))
    assert links(work.terms[0].operands) == [("context", (4, 4, 1))]


def test_output_multiplies_joined_heads_and_w_o():
    trace = compute(Example(d_model=7, d_v=3, n_heads=5))
    work = derive(trace, "output", (4, 6))
    assert len(work.terms) == 15
    assert links(work.terms[14].operands) == [("joined", (4, 14)), ("w_o", (14, 6))]


def test_norm_takes_mean_then_squares_of_deviations():
    trace = layer_norm([[1.0, 2.0, 3.0, 6.0]], eps=0.5)
    mean, variance = derive(trace, "mean", (0,)), derive(trace, "variance", (0,))
    assert (mean.operation, mean.total, mean.value) == ("sum", 12.0, 3.0)
    assert variance.operation == "sum_of_squares"
    assert [term.value for term in variance.terms] == [4.0, 1.0, 0.0, 9.0]
    assert links(variance.terms[3].operands) == [
        ("norm_input", (0, 3)),
        ("norm_mean", (0,)),
    ]
    assert (variance.total, variance.value) == (14.0, 3.5)


def test_norm_divides_deviations_by_the_root_with_epsilon_inside():
    trace = layer_norm([[1.0, 2.0, 3.0, 6.0]], eps=0.5)
    work = derive(trace, "normalized", (0, 3))
    assert step_summary(work) == [
        ("subtract", ("norm_mean",)),
        ("divide_by_root", ("norm_variance", "eps")),
    ]
    assert [step.value for step in work.steps] == [3.0, 1.5]


def test_norm_output_scales_then_shifts():
    trace = layer_norm([[1.0, 2.0, 3.0, 6.0]], gamma=[1, 1, 1, 2], beta=[0, 0, 0, 5])
    work = derive(trace, "output", (0, 3))
    assert links(work.terms[0].operands) == [
        ("gamma", (3,)),
        ("norm_normalized", (0, 3)),
    ]
    assert step_summary(work) == [("add", ("beta",))]
    assert work.value == pytest.approx(5 + 2 * 3 / math.sqrt(3.5 + 1e-5))


@pytest.mark.parametrize("order", ["interleaved", "concatenated"])
@pytest.mark.parametrize("width", [5, 6])
def test_sinusoid_replays_to_the_table(order, width):
    table = sinusoidal_positions(11, width, base=100.0, order=order)
    found = [
        derive_sinusoid(*place, d_model=width, base=100.0, order=order)
        for place in np.ndindex(11, width)
    ]
    assert [replay(each) for each in found] == table.ravel().tolist()
    before_rounding = [each.steps[1].value for each in found]
    assert before_rounding == pytest.approx(table.ravel(), rel=0, abs=1e-15)


def test_sinusoid_turns_position_over_a_power_of_the_base():
    work = derive_sinusoid(3, 3, d_model=4)
    assert step_summary(work)[:2] == [
        ("divide_by_power", ("base", "2i", "d")),
        ("cosine", ()),
    ]
    assert [each.value for each in work.steps[0].operands] == [10000.0, 2.0, 4.0]
    assert work.steps[0].value == pytest.approx(0.03)
    assert work.value == pytest.approx(math.cos(0.03))


def test_sinusoid_refuses_a_feature_that_is_not_there():
    message = "derive_sinusoid: `feature` needs a number below d=4; got 4"
    with pytest.raises(ValueError, match=message):
        derive_sinusoid(0, 4, d_model=4)
