"""Whatever is wrong with an argument, the message names function and argument."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attnviz.core.attention.heads import (
    merge_heads,
    project_heads,
    share_heads,
    split_fused,
    split_heads,
)
from attnviz.core.attention.masks import combine_masks, padding_mask, sparse_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.attention.weights import softmax
from attnviz.core.cost.sizes import LayerSizes
from attnviz.core.cost.work import cache_bytes
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from attnviz.core.gradients import softmax_backward
from attnviz.core.layers.norms import batch_norm, layer_norm
from attnviz.core.layers.rms import rms_norm

ONES = np.ones((3, 3))
LAYER = {"w_q": ONES[None], "w_k": ONES[None], "w_v": ONES[None], "w_o": ONES}

# Every public function that takes numbers, with arguments it accepts, and those of its
# arguments that hold arrays.
NUMBERS: list[tuple[str, Callable[..., Any], dict[str, Any], str]] = [
    ("attend", attend, {"q": ONES, "k": ONES, "v": ONES}, name)
    for name in ("q", "k", "v", "bias", "dropout")
]
NUMBERS += [
    (
        "multi_head_attend",
        multi_head_attend,
        {"x_q": ONES, "parameters": MultiHeadParameters(**LAYER)},
        name,
    )
    for name in ("x_q", "x_k", "x_v")
]
NUMBERS += [
    ("MultiHeadParameters", MultiHeadParameters, LAYER, name)
    for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
]
NUMBERS += [
    ("softmax", softmax, {}, "x"),
    ("split_heads", split_heads, {"n_heads": 1}, "x"),
    ("merge_heads", merge_heads, {}, "x"),
    ("split_fused", split_fused, {"n_heads": 1}, "qkv"),
    ("layer_norm", layer_norm, {}, "x"),
    ("layer_norm", layer_norm, {"x": ONES}, "gamma"),
    ("layer_norm", layer_norm, {"x": ONES}, "beta"),
    ("rms_norm", rms_norm, {}, "x"),
    ("rms_norm", rms_norm, {"x": ONES}, "gamma"),
    ("batch_norm", batch_norm, {}, "x"),
    (
        "batch_norm",
        batch_norm,
        {"x": ONES, "running_variance": [1] * 3},
        "running_mean",
    ),
    (
        "batch_norm",
        batch_norm,
        {"x": ONES, "running_mean": [1] * 3},
        "running_variance",
    ),
]

NO_NUMBERS = {
    "text": "three",
    "texts": [["a", "b", "c"]] * 3,
    "booleans": [[True, False, True]] * 3,
    "complex": ONES * 1j,
    "objects": [[None] * 3] * 3,
    "dates": np.full((3, 3), "2020-01-01", "datetime64[D]"),
    "ragged": [[1.0], [1.0, 2.0]],
    "a table of names": {"a": 1},
}


def by_argument(case: Any) -> str | None:
    return case if isinstance(case, str) else None


@pytest.mark.parametrize("bad", NO_NUMBERS)
@pytest.mark.parametrize(("name", "call", "good", "argument"), NUMBERS, ids=by_argument)
def test_what_holds_no_real_numbers_is_named(name, call, good, argument, bad):
    with pytest.raises(ShapeError, match=rf"^{name}: `{argument}` needs (real|rows)"):
        call(**(good | {argument: NO_NUMBERS[bad]}))


SCALARS: list[tuple[str, Callable[..., Any], dict[str, Any], str]] = [
    ("attend", attend, {"q": ONES, "k": ONES, "v": ONES}, name)
    for name in ("scale", "softcap", "temperature")
]
SCALARS += [
    (norm.__name__, norm, {"x": ONES}, "eps")
    for norm in (layer_norm, rms_norm, batch_norm)
]


@pytest.mark.parametrize("bad", ["0.5", [0.5], True, 1j, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "call", "good", "argument"), SCALARS, ids=by_argument)
def test_what_is_no_finite_number_is_named(name, call, good, argument, bad):
    with pytest.raises(
        ValueError, match=rf"^{name}: `{argument}` needs a finite number; got"
    ):
        call(**(good | {argument: bad}))


@pytest.mark.parametrize("bad", [0, -1.0])
@pytest.mark.parametrize(
    ("name", "call", "good", "argument"), SCALARS[1:], ids=by_argument
)
def test_what_is_not_above_zero_is_named(name, call, good, argument, bad):
    with pytest.raises(
        ValueError, match=rf"^{name}: `{argument}` needs a number above 0; got"
    ):
        call(**(good | {argument: bad}))


MASKS: list[tuple[str, Callable[..., Any], dict[str, Any], str]] = [
    ("attend", attend, {"q": ONES, "k": ONES, "v": ONES}, "visible"),
    ("attend", attend, {"q": ONES, "k": ONES, "v": ONES}, "query_valid"),
    ("softmax", softmax, {"x": ONES}, "visible"),
    ("padding_mask", padding_mask, {}, "key_valid"),
    ("combine_masks", lambda masks: combine_masks(masks), {}, "masks"),
]


@pytest.mark.parametrize(
    "bad",
    [ONES, ONES.astype(int), np.where(ONES > 0, 0, -np.inf), "yes", [[True], []]],
    ids=["floats", "numbers", "additive", "text", "ragged"],
)
@pytest.mark.parametrize(("name", "call", "good", "argument"), MASKS, ids=by_argument)
def test_what_is_no_boolean_mask_is_named(name, call, good, argument, bad):
    with pytest.raises(
        MaskError, match=rf"^{name}: `{argument}` needs (booleans|rows of equal)"
    ):
        call(**(good | {argument: bad}))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            ((5, 3), (7, 2), (7, 11)),
            "`k` needs shape (..., T_k, d_k) with d_k=3 (from `q`); got (7, 2)",
        ),
        (
            ((5, 3), (7, 3), (6, 11)),
            "`v` needs shape (..., T_k, d_v) with T_k=7 (from `k`); got (6, 11)",
        ),
        (((3,), (7, 3), (7, 11)), "`q` needs shape (..., T_q, d_k); got (3,)"),
        (((5, 3), (3,), (7, 11)), "`k` needs shape (..., T_k, d_k); got (3,)"),
        (((5, 3), (7, 3), (11,)), "`v` needs shape (..., T_k, d_v); got (11,)"),
        (((), (7, 3), (7, 11)), "`q` needs shape (..., T_q, d_k); got ()"),
        (((5, 0), (7, 0), (7, 11)), "`q` needs d_k of at least 1; got (5, 0)"),
        (((2, 5, 0), (7, 0), (7, 11)), "`q` needs d_k of at least 1; got (2, 5, 0)"),
        (
            ((2, 5, 3), (3, 7, 3), (7, 11)),
            "`k` needs leading axes that broadcast with (2,); got (3, 7, 3)",
        ),
        (
            ((2, 5, 3), (7, 3), (3, 7, 11)),
            "`v` needs leading axes that broadcast with (2,); got (3, 7, 11)",
        ),
    ],
)
def test_shapes_that_disagree_are_named(shapes, message):
    with pytest.raises(ShapeError) as caught:
        attend(*map(np.ones, shapes))
    assert str(caught.value) == f"attend: {message}"


def test_heads_that_cannot_be_shared_are_named():
    with pytest.raises(ShapeError, match=r"^share_heads: `x` needs"):
        share_heads(np.ones((3, 5, 7)), 4)


@pytest.mark.parametrize("error", [ShapeError, MaskError, EmptyRowError])
def test_every_refusal_is_a_value_error(error):
    assert issubclass(error, ValueError)


def test_an_empty_row_is_a_matter_of_masks():
    assert issubclass(EmptyRowError, MaskError)


@pytest.mark.parametrize("n_heads", [0, -6, 2.0, True])
def test_a_number_of_heads_that_is_none_is_named(n_heads):
    with pytest.raises(
        ValueError, match=r"^share_heads: `n_heads` needs a whole number"
    ):
        share_heads(np.ones((3, 5, 7)), n_heads)


def test_lists_are_shared_like_arrays():
    assert share_heads([[[1.0, 2.0]]], 3).shape == (3, 1, 2)


def test_a_bias_of_each_head_alone_is_not_spread_over_its_features():
    with pytest.raises(
        ShapeError, match=r"^project_heads: `b` .* = \(2, 5\); got \(2, 1"
    ):
        project_heads(np.ones((7, 3)), np.ones((2, 3, 5)), np.ones((2, 1)))


@pytest.mark.parametrize("axis", [0.5, True, None])
def test_an_axis_that_is_no_whole_number_is_named(axis):
    with pytest.raises(ValueError, match=r"^softmax: `axis` needs a whole number"):
        softmax(ONES, axis=axis)
    with pytest.raises(ValueError, match=r"^softmax_backward: `axis` needs a whole"):
        softmax_backward(ONES, weights=ONES, axis=axis)


def test_an_axis_that_is_not_there_is_named_on_the_way_back():
    with pytest.raises(ShapeError, match=r"^softmax_backward: `axis` needs one of"):
        softmax_backward(ONES, weights=ONES, axis=7)


def test_a_source_of_chance_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"^sparse_mask: `rng` needs a numpy.random"):
        sparse_mask(5, window=1, n_global=1, n_random=1, rng=None)


def test_a_score_may_be_a_list_but_no_text():
    scores = [[1.0, 2.0, 3.0]] * 3
    np.testing.assert_array_equal(
        attend(ONES, ONES, ONES, score=lambda q, k: scores).raw_scores, scores
    )
    with pytest.raises(ShapeError, match=r"^attend: `score` needs real numbers"):
        attend(ONES, ONES, ONES, score=lambda q, k: "text")


def test_a_number_may_come_as_an_array_without_axes():
    assert attend(ONES, ONES, ONES, scale=np.array(0.5)).scale == 0.5


def test_the_mask_of_a_masked_array_is_not_dropped():
    masked = np.ma.masked_array(ONES, ONES > 0)
    with pytest.raises(ShapeError, match=r"^attend: `k` needs a plain array"):
        attend(ONES, masked, ONES)


def test_a_type_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"^cache_bytes: `dtype` needs a NumPy type"):
        cache_bytes(LayerSizes.usual(8, 2), 5, dtype="zzz")
