"""Masks: who may see whom."""

import numpy as np
import pytest

from attnviz.core.attention.masks import (
    causal_mask,
    combine_masks,
    padding_mask,
    sparse_mask,
    window_mask,
)
from attnviz.core.errors import MaskError


def test_a_causal_mask_is_a_lower_triangle():
    assert causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_a_causal_mask_hides_what_the_chapter_counts():
    # Course chapter, R51: T=6 leaves 21 visible and hides 15.
    visible = causal_mask(6)
    assert (visible.sum(), (~visible).sum()) == (21, 15)


def test_with_a_cache_the_last_query_stands_at_the_last_key():
    # Course chapter, R142.
    assert causal_mask(2, 4).astype(int).tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]


def test_offset_zero_puts_the_first_query_at_the_first_key():
    visible = causal_mask(2, 4, offset=0)
    assert visible.astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]


def test_a_negative_offset_leaves_early_queries_without_keys():
    visible = causal_mask(3, 3, offset=-2)
    assert visible.astype(int).tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_more_queries_than_keys_are_aligned_at_the_end():
    visible = causal_mask(3, 2)
    assert visible.astype(int).tolist() == [[0, 0], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("length", "reach", "visible"),
    [(16, 2, 74), (64, 4, 556), (512, 32, 32_224)],
)
def test_a_window_shows_what_the_chapter_counts(length, reach, visible):
    # Course chapter, R133.
    assert window_mask(length, left=reach, right=reach).sum() == visible


def test_a_window_reaches_left_and_right_by_their_own_lengths():
    assert window_mask(4, left=2, right=1).astype(int).tolist() == [
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
        [0, 1, 1, 1],
    ]


@pytest.mark.parametrize(
    ("left", "right", "row"),
    [
        (None, None, [1, 1, 1, 1, 1]),
        (None, 1, [1, 1, 1, 1, 0]),
        (1, None, [0, 1, 1, 1, 1]),
        (0, 0, [0, 0, 1, 0, 0]),
    ],
)
def test_a_side_without_limit_is_open(left, right, row):
    visible = window_mask(5, left=left, right=right)
    assert visible[2].astype(int).tolist() == row


def test_a_window_follows_the_offset():
    visible = window_mask(2, 5, left=1, right=0, offset=1)
    assert visible.astype(int).tolist() == [[1, 1, 0, 0, 0], [0, 1, 1, 0, 0]]


@pytest.mark.parametrize(("len_q", "len_k"), [(0, 0), (0, 3), (3, 0)])
def test_masks_of_nothing_have_their_shape(len_q, len_k):
    assert causal_mask(len_q, len_k).shape == (len_q, len_k)


def test_padding_hides_its_columns_from_all_rows():
    valid = np.array([[True, True, False], [True, False, False]])
    visible = np.broadcast_to(padding_mask(valid), (2, 2, 3))
    assert visible.astype(int).tolist() == [
        [[1, 1, 0], [1, 1, 0]],
        [[1, 0, 0], [1, 0, 0]],
    ]


def test_padding_leaves_room_for_the_queries():
    assert padding_mask(np.ones((2, 3, 5), bool)).shape == (2, 3, 1, 5)


def test_masks_combine_to_what_all_let_through():
    visible = combine_masks(
        causal_mask(3),
        padding_mask([True, False, True]),
        window_mask(3, left=1, right=1),
    )
    assert visible.astype(int).tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]


def test_one_mask_combined_is_a_copy_of_it():
    given = np.array([[True, False]])
    visible = combine_masks(given)
    given[0, 1] = True
    assert visible.tolist() == [[True, False]]


def sparse(seed: int = 0, **changes: int) -> np.ndarray:
    sizes = {"window": 1, "n_global": 2, "n_random": 2} | changes
    return sparse_mask(16, **sizes, rng=np.random.default_rng(seed))


@pytest.mark.parametrize(("n_random", "visible"), [(0, 100), (2, 128)])
def test_a_sparse_mask_shows_what_the_chapter_counts(n_random, visible):
    # Course chapter, R134.
    assert sparse(n_random=n_random).sum() == visible


def test_global_positions_see_all_and_are_seen_by_all():
    visible = sparse()
    assert visible[:2].all()
    assert visible[:, :2].all()


def test_a_sparse_mask_keeps_its_window():
    assert sparse()[window_mask(16, left=1, right=1)].all()


def test_a_sparse_mask_depends_on_its_stream_alone():
    np.testing.assert_array_equal(sparse(3), sparse(3))
    assert (sparse(3) != sparse(4)).any()


def test_more_random_keys_than_there_are_show_all():
    assert sparse(n_random=99).all()


def test_a_mask_without_rules_is_the_diagonal():
    visible = sparse(window=0, n_global=0, n_random=0)
    np.testing.assert_array_equal(visible, np.eye(16, dtype=bool))


def test_the_function_that_was_called_is_named():
    with pytest.raises(
        ValueError,
        match="causal_mask: `len_q` needs a whole number of at least 0; got -1",
    ):
        causal_mask(-1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"len_q": 2.0}, "`len_q` needs a whole number of at least 0; got 2.0"),
        ({"len_k": -3}, "`len_k` needs a whole number of at least 0; got -3"),
        ({"left": -1}, "`left` needs a whole number of at least 0; got -1"),
        ({"right": 0.5}, "`right` needs a whole number of at least 0; got 0.5"),
        ({"offset": 0.5}, "`offset` needs a whole number; got 0.5"),
    ],
)
def test_a_window_of_impossible_size_is_refused(changes, message):
    with pytest.raises(ValueError, match=f"window_mask: {message}"):
        window_mask(**({"len_q": 3, "left": 1, "right": 1} | changes))


@pytest.mark.parametrize("name", ["window", "n_global", "n_random"])
def test_a_sparse_mask_of_impossible_size_is_refused(name):
    with pytest.raises(ValueError, match=f"sparse_mask: `{name}` needs a whole number"):
        sparse(**{name: -1})


def test_a_sparse_mask_of_impossible_length_is_refused():
    with pytest.raises(ValueError, match="sparse_mask: `length` needs a whole number"):
        sparse_mask(1.5, window=1, n_global=0, n_random=0, rng=np.random.default_rng(0))


def test_padding_without_axis_is_refused():
    with pytest.raises(
        MaskError, match=r"padding_mask: `key_valid` needs shape \(..., T_k\); got \(\)"
    ):
        padding_mask(True)


def test_padding_by_numbers_is_refused():
    with pytest.raises(MaskError, match="padding_mask: `key_valid` needs booleans"):
        padding_mask([1, 1, 0])


def test_combining_nothing_is_refused():
    with pytest.raises(
        MaskError, match="combine_masks: needs at least one mask; got none"
    ):
        combine_masks()


def test_combining_what_does_not_broadcast_is_refused():
    with pytest.raises(
        MaskError,
        match=r"combine_masks: `masks` need shapes that broadcast; "
        r"got \(2, 2\), \(3,\)",
    ):
        combine_masks(causal_mask(2), np.ones(3, bool))
