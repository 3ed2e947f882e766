"""What attention does with keys that are hidden and queries that are padding."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, combine_masks, padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from attnviz.core.fast.fused import fast_multi_head_attend, fuse_parameters
from attnviz.core.fast.tiled import tiled_attend
from tests.core.attention.attention_arrays import primes

HIDDEN = [np.nan, np.inf, -np.inf]


def test_hidden_weights_are_exactly_zero():
    visible = np.random.default_rng(0).random((2, 3, 5, 7)) < 0.5
    visible[..., 0] = True
    trace = attend(**primes(), visible=visible)
    assert (trace.weights[~visible] == 0).all()
    assert (trace.weights[visible] > 0).all()
    assert (trace.masked_scores[~visible] == -np.inf).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("junk", HIDDEN)
def test_what_a_hidden_key_holds_never_reaches_the_result(junk, dtype):
    given = primes(dtype)
    valid = np.array([True, False, True, True, False, True, True])
    wanted = attend(**given, visible=np.broadcast_to(valid, (5, 7)))
    given["k"][..., ~valid, :] = junk
    given["v"][..., ~valid, :] = junk
    trace = attend(**given, visible=np.broadcast_to(valid, (5, 7)))
    np.testing.assert_array_equal(trace.weights, wanted.weights)
    np.testing.assert_array_equal(trace.context, wanted.context)


def test_a_hidden_score_may_overflow():
    trace = attend(
        [[1.0]],
        [[0.0], [1e308]],
        [[2.0], [3.0]],
        visible=np.array([[True, False]]),
        scale=10.0,
    )
    assert trace.scores.tolist() == [[0, np.inf]]
    assert trace.context.tolist() == [[2]]


def test_a_value_hidden_from_some_queries_reaches_only_the_others():
    v = np.array([[1.0, 2.0], [np.nan, 3.0], [np.inf, -np.inf]])
    context = attend(np.zeros((3, 2)), np.ones((3, 2)), v, visible=causal_mask(3))
    np.testing.assert_array_equal(context.context[0], [1, 2])
    np.testing.assert_array_equal(context.context[1], [np.nan, 2.5])
    np.testing.assert_array_equal(context.context[2], [np.nan, -np.inf])


def test_a_spoilt_key_spoils_only_the_queries_that_see_it():
    k = np.array([[1.0], [1.0], [np.nan]])
    trace = attend(np.ones((3, 1)), k, [[1.0], [3.0], [5.0]], visible=causal_mask(3))
    np.testing.assert_array_equal(trace.context, [[1], [2], [np.nan]])


def test_the_future_does_not_reach_the_past():
    given = primes()
    mask = causal_mask(5, 7)
    before = attend(**given, visible=mask).context
    given["k"][..., 4:, :] += 10
    given["v"][..., 4:, :] -= 10
    after = attend(**given, visible=mask).context
    np.testing.assert_array_equal(after[..., :2, :], before[..., :2, :])
    assert (after[..., 2:, :] != before[..., 2:, :]).all()


def test_a_padding_query_gets_nothing():
    valid = np.array([True, True, False, True, False])
    trace = attend(**primes(), query_valid=valid)
    assert (trace.weights[..., ~valid, :] == 0).all()
    assert (trace.context[..., ~valid, :] == 0).all()
    assert (trace.row_max[..., ~valid, :] == -np.inf).all()
    assert (trace.row_sum[..., ~valid, :] == 0).all()
    assert not trace.visible[..., ~valid, :].any()


def test_a_padding_query_leaves_the_others_alone():
    valid = np.array([True, True, False, True, False])
    trace = attend(**primes(), query_valid=valid)
    whole = attend(**primes())
    np.testing.assert_array_equal(
        trace.context[..., valid, :], whole.context[..., valid, :]
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("junk", HIDDEN)
def test_a_padding_query_may_hold_anything(junk, dtype):
    given = primes(dtype)
    valid = np.array([True, True, False, True, False])
    given["q"][..., ~valid, :] = junk
    context = attend(**given, query_valid=valid).context
    assert np.isfinite(context).all()
    assert context.dtype == dtype


def test_left_padding_under_a_causal_mask_is_no_error_for_padding():
    # Course chapter, R46: the first two rows have no key.
    valid = np.array([False, False, True, True])
    visible = combine_masks(causal_mask(4), padding_mask(valid))
    x = np.eye(4)
    trace = attend(x, x, x, visible=visible, query_valid=valid)
    assert (trace.context[:2] == 0).all()
    np.testing.assert_array_equal(trace.context[2], [0, 0, 1, 0])


def test_left_padding_under_a_causal_mask_is_refused_for_tokens():
    visible = combine_masks(causal_mask(4), padding_mask([False, False, True, True]))
    with pytest.raises(EmptyRowError, match=r"row 0; row 1\. Mark padding queries in"):
        attend(np.eye(4), np.eye(4), np.eye(4), visible=visible)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_token_that_sees_no_key_is_named_by_batch_head_and_row(dtype):
    visible = np.ones((2, 3, 5, 7), bool)
    visible[1, 2, 4] = False
    with pytest.raises(EmptyRowError) as caught:
        attend(**primes(dtype), visible=visible)
    assert str(caught.value) == (
        "attend: `visible` needs at least one key for each valid query; nothing is "
        "visible at batch 1, head 2, row 4. Mark padding queries in `query_valid`"
    )


def test_a_row_is_named_without_axes_it_does_not_have():
    with pytest.raises(EmptyRowError, match=r"visible at row 0; row 1\. Mark"):
        attend(
            np.ones((2, 3)),
            np.ones((5, 3)),
            np.ones((5, 1)),
            visible=np.zeros((2, 5), bool),
        )


def test_a_row_of_one_leading_axis_is_named_without_guessing_which():
    visible = np.ones((3, 2, 5), bool)
    visible[2, 1] = False
    with pytest.raises(
        EmptyRowError, match=r"visible at batch or head 2, row 1\. Mark"
    ):
        attend(np.ones((3, 2, 3)), np.ones((5, 3)), np.ones((5, 1)), visible=visible)


def test_only_five_empty_rows_are_named():
    with pytest.raises(EmptyRowError) as caught:
        attend(**primes(), visible=np.zeros((5, 7), bool))
    assert str(caught.value).count("; batch") == 4


def test_a_bias_that_hides_every_key_is_refused():
    bias = np.zeros((5, 7))
    bias[3] = -np.inf
    with pytest.raises(EmptyRowError, match="row 3"):
        attend(**primes(), bias=bias)


def test_no_keys_at_all_are_refused():
    with pytest.raises(EmptyRowError, match="row 0; row 1"):
        attend(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 5)))


@pytest.mark.parametrize(
    "shape", [(5, 7), (1, 7), (2, 3, 5, 7), (2, 1, 1, 7), (1, 3, 5, 7)]
)
def test_a_mask_of_two_axes_or_of_all_is_spread(shape):
    mask = np.random.default_rng(0).random(shape) < 0.6
    mask[..., 0] = True
    full = np.broadcast_to(mask, (2, 3, 5, 7))
    np.testing.assert_array_equal(
        attend(**primes(), visible=mask).weights,
        attend(**primes(), visible=full).weights,
    )


@pytest.mark.parametrize(
    "shape",
    [
        (7,),  # which axis?
        (3, 5, 7),  # heads or samples?
        (1, 5, 7),
        (5, 1),  # one answer for all keys hides nothing or everything
        (7, 5),
        (2, 3, 7, 5),
        (1, 2, 3, 5, 7),
        (3, 2, 5, 7),
        (),
    ],
)
def test_a_mask_whose_axes_must_be_guessed_is_refused(shape):
    with pytest.raises(
        MaskError,
        match=r"attend: `visible` needs shape \(..., T_q, T_k\) that covers "
        r"\(2, 3, 5, 7\), with every leading axis \(head axis too\) or none; got",
    ):
        attend(**primes(), visible=np.ones(shape, bool))


def test_a_mask_by_sample_is_refused_even_where_samples_equal_heads():
    # Course chapter, D6: broadcasting would give head b the mask of sample b.
    q = np.ones((2, 2, 3, 5))
    with pytest.raises(MaskError, match=r"got \(2, 3, 3\)"):
        attend(q, q, q, visible=np.ones((2, 3, 3), bool))


def test_a_hiding_bias_by_sample_is_refused_like_the_mask_it_is():
    q, bias = np.ones((2, 2, 3, 5)), np.zeros((2, 3, 3))
    bias[1, :, 2] = -np.inf
    with pytest.raises(
        MaskError,
        match=r"attend: `bias`, where it hides keys, needs .* got \(2, 3, 3\)",
    ):
        attend(q, q, q, bias=bias)


def test_a_bias_of_each_head_that_hides_nothing_serves_all_samples():
    bias = np.random.default_rng(3).standard_normal((3, 5, 7))
    np.testing.assert_array_equal(
        attend(**primes(), bias=bias).weights,
        attend(**primes(), bias=np.stack([bias, bias])).weights,
    )


@pytest.mark.parametrize("shape", [(5,), (2, 3, 5), (1, 1, 5), (2, 1, 5)])
def test_query_validity_of_one_axis_or_all_is_spread(shape):
    valid = np.random.default_rng(3).random(shape) < 0.5
    trace = attend(**primes(), query_valid=valid)
    full = np.broadcast_to(valid, (2, 3, 5))
    np.testing.assert_array_equal(trace.weights.any(axis=-1), full)


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 5), (2, 3, 1), (5, 1), ()])
def test_query_validity_whose_axes_must_be_guessed_is_refused(shape):
    with pytest.raises(
        MaskError, match=r"attend: `query_valid` needs shape \(..., T_q\) that covers"
    ):
        attend(**primes(), query_valid=np.ones(shape, bool))


@pytest.mark.parametrize("name", ["bias", "dropout"])
@pytest.mark.parametrize(
    "shape", [(7,), (5, 1), (7, 5), (2, 5, 7), (1, 2, 3, 5, 7), (3, 3, 5, 7)]
)
def test_a_table_that_does_not_cover_the_scores_is_refused(name, shape):
    with pytest.raises(
        ShapeError,
        match=rf"attend: `{name}` needs shape \(..., T_q, T_k\) that broadcasts to "
        r"\(2, 3, 5, 7\); got",
    ):
        attend(**primes(), **{name: np.zeros(shape)})


@pytest.mark.parametrize("length", [3, 131])
def test_scores_that_are_all_minus_infinity_are_refused_by_every_way(length):
    eye = np.eye(2)[None]
    x = np.ones((length, 2))
    keys = np.where(np.arange(length)[:, None] < 1, -np.inf, x)
    visible = causal_mask(length)
    with pytest.raises(EmptyRowError, match=r"`k` needs a score above −∞ .* at \(0,\)"):
        attend(x, keys, x, visible=visible)
    with pytest.raises(EmptyRowError, match="tiled_attend"):
        tiled_attend(x, keys, x, causal=True)
    layer = MultiHeadParameters(w_q=-eye, w_k=eye, w_v=eye, w_o=eye[0])
    x = np.where(np.arange(length)[:, None] < 1, [1e200, 1e200], 1.0)
    with pytest.raises(EmptyRowError, match="fast_multi_head_attend"):
        fast_multi_head_attend(x, parameters=fuse_parameters(layer), causal=True)
