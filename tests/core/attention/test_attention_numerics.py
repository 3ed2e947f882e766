"""Attention: types, precision, memory, and traces that stay as they are."""

import dataclasses
import re

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend
from tests.core.attention.attention_arrays import primes

STAGES = (
    "q",
    "k",
    "v",
    "raw_scores",
    "scores",
    "masked_scores",
    "row_max",
    "exp_scores",
    "row_sum",
    "weights",
    "context",
)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_stage_keeps_the_type_of_the_arguments(dtype):
    trace = attend(**primes(dtype), visible=causal_mask(5, 7))
    assert {getattr(trace, stage).dtype for stage in STAGES} == {np.dtype(dtype)}


def test_whole_numbers_are_computed_in_float64():
    assert attend([[1]], [[1]], [[1]]).context.dtype == np.float64


def test_options_do_not_widen_the_type():
    data = primes("float32")
    trace = attend(
        **data,
        bias=np.zeros((5, 7)),
        dropout=np.ones((5, 7)),
        scale=np.float64(0.3),
        softcap=np.float64(5),
        temperature=np.float64(2),
    )
    assert trace.context.dtype == np.float32
    assert trace.bias.dtype == trace.dropout.dtype == np.float32


def test_float32_is_as_good_as_its_rounding():
    exact = attend(**{n: a.astype("float64") for n, a in primes("float32").items()})
    trace = attend(**primes("float32"))
    np.testing.assert_allclose(trace.context, exact.context, rtol=1e-5, atol=1e-6)


def test_half_precision_is_rounded_once():
    exact = attend(**{n: a.astype("float32") for n, a in primes("float16").items()})
    trace = attend(**primes("float16"))
    np.testing.assert_array_equal(trace.context, exact.context.astype("float16"))


def test_half_precision_survives_scores_beyond_its_range():
    q = np.full((1, 64), 60_000, "float16")
    k = np.stack([np.ones(64), -np.ones(64)]).astype("float16") * 1000
    trace = attend(q, k, np.array([[1], [2]], "float16"))
    assert trace.scores.tolist() == [[np.inf, -np.inf]]
    assert trace.weights.tolist() == [[1, 0]]
    assert trace.context.tolist() == [[1]]


def test_scores_times_ten_thousand_stay_finite():
    # Course chapter, R161.
    data = primes()
    trace = attend(data["q"] * 1e4, data["k"], data["v"])
    assert np.isfinite(trace.context).all()
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-12)


def test_a_huge_hidden_score_does_not_wash_out_the_visible_ones():
    trace = attend(
        [[1.0]],
        [[0.0], [0.0], [1e6]],
        [[1.0], [3.0], [9.0]],
        visible=np.array([[True, True, False]]),
    )
    assert trace.row_max.tolist() == [[0]]
    assert trace.context.tolist() == [[2]]


def test_arguments_stay_as_they_were_and_may_be_locked():
    data = primes()
    before = {name: array.copy() for name, array in data.items()}
    data["q"].flags.writeable = False
    attend(**data, visible=causal_mask(5, 7))
    np.testing.assert_equal(data, before)


def test_the_memory_order_does_not_matter():
    data = primes()
    turned = {name: np.asfortranarray(array) for name, array in data.items()}
    strided = {name: np.repeat(a, 2, axis=-2)[..., ::2, :] for name, a in data.items()}
    wanted = attend(**data).context
    np.testing.assert_allclose(attend(**turned).context, wanted, rtol=1e-12)
    np.testing.assert_allclose(attend(**strided).context, wanted, rtol=1e-12)


def test_a_trace_does_not_follow_later_changes_of_its_arguments():
    data = primes() | {"bias": np.zeros((5, 7)), "visible": causal_mask(5, 7)}
    trace = attend(**data)
    before = {name: getattr(trace, name).copy() for name in data}
    data["q"][...] = data["k"][...] = data["v"][...] = data["bias"][...] = 9
    data["visible"][...] = False
    np.testing.assert_equal({name: getattr(trace, name) for name in data}, before)


def test_nobody_can_write_into_a_trace():
    trace = attend(
        **primes(),
        visible=causal_mask(5, 7),
        bias=np.zeros((5, 7)),
        dropout=np.ones((5, 7)),
    )
    fields = [getattr(trace, field.name) for field in dataclasses.fields(trace)]
    arrays = [field for field in fields if isinstance(field, np.ndarray)]
    assert len(arrays) == 14
    assert not any(array.flags.writeable for array in arrays)


def test_nobody_can_replace_a_stage():
    trace = attend(**primes())
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.weights = np.eye(4)


@pytest.mark.parametrize(
    ("dtype", "name", "number"),
    [
        ("float32", "softcap", 1e39),
        ("float32", "scale", -1e39),
        ("float32", "temperature", 1e-46),
        ("float16", "temperature", 1e-46),
        ("float64", "temperature", 1e-320),
    ],
)
def test_a_setting_that_the_type_cannot_hold_is_refused(dtype, name, number):
    wide = "float64" if dtype == "float64" else "float32"
    with pytest.raises(
        ValueError,
        match=f"attend: `{name}` needs a number that {wide} holds to full precision; "
        f"got {re.escape(str(number))}",
    ):
        attend(**primes(dtype), **{name: number})


def test_a_scale_of_almost_nothing_spreads_evenly():
    weights = attend(**primes("float32"), scale=1e-46).weights
    np.testing.assert_allclose(weights, 1 / 7, rtol=1e-6)
