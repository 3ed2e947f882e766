"""Gradients of several heads agree with differences, and need the trace alone."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.errors import ShapeError
from attnviz.core.gradients import (
    multi_head_backward,
)
from attnviz.core.layers.decoding import decode_step
from attnviz.core.positions.rotary import rotate
from tests.core.gradients.differences import differences
from tests.core.gradients.gradient_arrays import CLOSE, HEADS, normal

INPUTS = {"x_q": normal(2, 3, 5), "x_k": normal(2, 4, 5), "x_v": normal(2, 4, 5)}
D_HEADS = normal(2, 3, 5)


def heads_loss(inputs, parameters, **options) -> float:
    trace = multi_head_attend(**inputs, parameters=parameters, **options)
    return float((D_HEADS * trace.output).sum())


def heads_gradients(inputs, **options):
    trace = multi_head_attend(**inputs, parameters=HEADS, **options)
    return multi_head_backward(D_HEADS, trace=trace)


@pytest.mark.parametrize("name", INPUTS)
def test_multi_head_gradient_of_each_input(name):
    np.testing.assert_allclose(
        getattr(heads_gradients(INPUTS), name),
        differences(lambda at: heads_loss({**INPUTS, name: at}, HEADS), INPUTS[name]),
        **CLOSE,
    )


@pytest.mark.parametrize(
    "name", ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"]
)
def test_multi_head_gradient_of_each_parameter(name):
    np.testing.assert_allclose(
        getattr(heads_gradients(INPUTS).parameters, name),
        differences(
            lambda at: heads_loss(INPUTS, replace(HEADS, **{name: at})),
            getattr(HEADS, name),
        ),
        **CLOSE,
    )


def test_input_that_stands_for_others_gets_their_shares():
    alone = {"x_q": INPUTS["x_q"]}
    options = {"visible": causal_mask(3)}
    found = heads_gradients(alone, **options)
    np.testing.assert_allclose(
        found.x_q,
        differences(lambda at: heads_loss({"x_q": at}, HEADS, **options), alone["x_q"]),
        **CLOSE,
    )
    assert (found.x_k, found.x_v) == (None, None)


def test_asked_input_that_stands_for_the_values_gets_their_share():
    two = {name: INPUTS[name] for name in ("x_q", "x_k")}
    found = heads_gradients(two)
    np.testing.assert_allclose(
        found.x_k,
        differences(lambda at: heads_loss({**two, "x_k": at}, HEADS), two["x_k"]),
        **CLOSE,
    )
    assert found.x_v is None


def test_gradient_goes_back_through_a_rotation():
    alone = {"x_q": INPUTS["x_q"]}
    found = heads_gradients(alone, turn=lambda x: rotate(x, np.arange(3)))
    np.testing.assert_allclose(
        found.x_q,
        differences(
            lambda at: heads_loss(
                {"x_q": at}, HEADS, turn=lambda x: rotate(x, np.arange(3))
            ),
            alone["x_q"],
        ),
        **CLOSE,
    )


def test_parameters_that_are_left_out_have_no_gradient():
    plain = MultiHeadParameters(HEADS.w_q, HEADS.w_k, HEADS.w_v, HEADS.w_o)
    trace = multi_head_attend(INPUTS["x_q"], parameters=plain)
    found = multi_head_backward(D_HEADS, trace=trace).parameters
    assert (found.b_q, found.b_k, found.b_v, found.b_o) == (None, None, None, None)


def test_hidden_position_changes_no_gradient_even_as_nan():
    valid = np.array([True, True, True, False])
    masked = {"visible": padding_mask(valid)}
    fewer = {
        "x_q": INPUTS["x_q"],
        "x_k": INPUTS["x_k"][:, :3],
        "x_v": INPUTS["x_v"][:, :3],
    }
    spoilt = {name: array.copy() for name, array in INPUTS.items()}
    spoilt["x_k"][:, 3], spoilt["x_v"][:, 3] = np.nan, np.inf
    found, expected = heads_gradients(spoilt, **masked), heads_gradients(fewer)
    np.testing.assert_array_equal(found.x_k[:, 3], 0)
    np.testing.assert_array_equal(found.x_v[:, 3], 0)
    np.testing.assert_allclose(found.x_q, expected.x_q, rtol=1e-12)
    np.testing.assert_allclose(
        found.parameters.w_k, expected.parameters.w_k, rtol=1e-10, atol=1e-13
    )
    np.testing.assert_allclose(
        found.parameters.w_v, expected.parameters.w_v, rtol=1e-10, atol=1e-13
    )


def test_what_a_layer_was_computed_from_may_stand_beside_its_trace():
    trace = multi_head_attend(**INPUTS, parameters=HEADS)
    beside = multi_head_backward(D_HEADS, **INPUTS, parameters=HEADS, trace=trace)
    alone = multi_head_backward(D_HEADS, trace=trace)
    np.testing.assert_array_equal(beside.x_k, alone.x_k)


def test_inputs_of_another_shape_are_refused():
    trace = multi_head_attend(**INPUTS, parameters=HEADS)
    with pytest.raises(
        ShapeError,
        match=r"multi_head_backward: `x_k` needs the shape it had in `trace`, "
        r"\(2, 4, 5\); got \(2, 3, 5\)",
    ):
        multi_head_backward(D_HEADS, trace=trace, x_k=INPUTS["x_q"])


@pytest.mark.parametrize(
    ("beside", "message"),
    [
        ({"x_v": INPUTS["x_k"]}, r"`x_v` needs the numbers .* at \(0, 0, 0\)"),
        (
            {"parameters": replace(HEADS, w_k=2 * HEADS.w_k)},
            r"`parameters\.w_k` needs the numbers",
        ),
        (
            {"parameters": replace(HEADS, b_o=None)},
            r"`parameters\.b_o` needs the numbers .* got others",
        ),
        ({"parameters": INPUTS}, r"`parameters` needs the numbers .* got others"),
    ],
)
def test_what_is_not_the_traces_own_is_refused(beside, message):
    trace = multi_head_attend(**INPUTS, parameters=HEADS)
    with pytest.raises(ValueError, match=f"multi_head_backward: {message}"):
        multi_head_backward(D_HEADS, trace=trace, **beside)


ROTATED = multi_head_attend(
    INPUTS["x_q"], parameters=HEADS, turn=lambda x: rotate(x, np.arange(3))
)


def test_the_opposite_rotation_may_stand_beside_the_trace():
    found = multi_head_backward(
        D_HEADS, trace=ROTATED, turn_back=lambda x: rotate(x, -np.arange(3))
    )
    alone = multi_head_backward(D_HEADS, trace=ROTATED)
    np.testing.assert_array_equal(found.x_q, alone.x_q)


def test_another_way_back_is_refused():
    with pytest.raises(ValueError, match="`turn_back` needs the transpose of what"):
        multi_head_backward(
            D_HEADS, trace=ROTATED, turn_back=lambda x: rotate(x, np.arange(3))
        )
    plain = multi_head_attend(INPUTS["x_q"], parameters=HEADS)
    with pytest.raises(ValueError, match="`turn_back` needs a `trace` whose queries"):
        multi_head_backward(D_HEADS, trace=plain, turn_back=np.negative)


def backwards(x):
    """Exchange positions, which no matrix for each position does."""
    return x[..., ::-1, :]


def test_a_turn_that_mixes_positions_needs_its_way_back():
    alone = {"x_q": INPUTS["x_q"]}
    trace = multi_head_attend(**alone, parameters=HEADS, turn=backwards)
    with pytest.raises(ValueError, match="`turn_back` needs to be given where"):
        multi_head_backward(D_HEADS, trace=trace)
    found = multi_head_backward(D_HEADS, trace=trace, turn_back=backwards)
    np.testing.assert_allclose(
        found.x_q,
        differences(
            lambda at: heads_loss({"x_q": at}, HEADS, turn=backwards), alone["x_q"]
        ),
        **CLOSE,
    )


def test_keys_from_a_cache_are_refused():
    _, cache = decode_step(INPUTS["x_k"], parameters=HEADS)
    trace, _ = decode_step(INPUTS["x_q"], cache, parameters=HEADS)
    with pytest.raises(ValueError, match="got some that were kept in a cache"):
        multi_head_backward(D_HEADS, trace=trace)


def test_heads_joined_from_another_score_are_refused():
    trace = multi_head_attend(**INPUTS, parameters=HEADS)
    scored = replace(trace, attention=replace(trace.attention, score=np.add))
    with pytest.raises(ValueError, match="`trace` needs scores that are dot products"):
        multi_head_backward(D_HEADS, trace=scored)
