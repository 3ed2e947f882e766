"""A tile of a window is cut out of the window's whole mask."""

import itertools

import numpy as np
import pytest

from attnviz.core.attention.masks import window_mask
from attnviz.core.fast._visibility import Visibility, cut

REACHES = (None, 0, 1, 3, 5)
OFFSETS = (-3, 0, 2, 7)
WINDOWS = list(itertools.product(REACHES, REACHES, OFFSETS))
ROWS, KEYS = slice(2, 5), slice(3, 7)


@pytest.mark.parametrize(("left", "right", "offset"), WINDOWS)
def test_tile_is_part_of_the_window(left, right, offset):
    whole = window_mask(11, 13, left=left, right=right, offset=offset)
    tile = Visibility(offset, left, right).tile(ROWS, KEYS)
    np.testing.assert_array_equal(
        np.ones((3, 4), dtype=bool) if tile is None else tile, whole[ROWS, KEYS]
    )


@pytest.mark.parametrize(("left", "right", "offset"), WINDOWS)
def test_tile_where_all_see_all_has_no_mask(left, right, offset):
    whole = window_mask(11, 13, left=left, right=right, offset=offset)
    tile = Visibility(offset, left, right).tile(ROWS, KEYS)
    assert (tile is None) == whole[ROWS, KEYS].all()


@pytest.mark.parametrize(("left", "right", "offset"), WINDOWS)
def test_tiles_meet_all_keys_within_reach_and_no_other(left, right, offset):
    whole = window_mask(11, 13, left=left, right=right, offset=offset)
    found = Visibility(offset, left, right).tiles(ROWS, 13, 2)
    met = [key for keys, _ in found for key in range(keys.start, keys.stop)]
    assert met == list(np.flatnonzero(whole[ROWS].any(axis=0)))


def test_given_mask_and_window_both_count():
    given = np.random.default_rng(0).random((2, 11, 13)) < 0.5
    window = window_mask(11, 13, left=2, right=1, offset=0)
    tile = Visibility(0, 2, 1, given).tile(ROWS, KEYS)
    np.testing.assert_array_equal(tile, given[:, ROWS, KEYS] & window[ROWS, KEYS])


def test_one_head_has_its_own_mask_and_the_same_window():
    given = np.random.default_rng(0).random((2, 11, 13)) < 0.5
    head = Visibility(0, 2, 1, given).at((1,))
    np.testing.assert_array_equal(head.given, given[1])
    assert (head.offset, head.left, head.right) == (0, 2, 1)


def test_last_slice_may_be_shorter():
    assert list(cut(3, 8, 2)) == [slice(3, 5), slice(5, 7), slice(7, 8)]
