"""Results are kept as long as there is room for their bytes."""

from dataclasses import dataclass

import numpy as np
import pytest

from attnviz.core.arrays.remembering import OVERHEAD, bytes_of, remember
from attnviz.core.arrays.shapes import FloatArray


@pytest.fixture
def drawn():
    """Give a function of sizes, and the sizes it was called with."""
    calls = []

    @remember(3 * (OVERHEAD + 80))
    def numbers(size):
        calls.append(size)
        return np.zeros(size)

    return numbers, calls


def test_what_fits_is_kept_and_what_was_asked_for_longest_ago_goes_first(drawn):
    numbers, calls = drawn
    first = numbers(7)
    numbers(5)
    numbers(3)
    assert numbers(7) is first
    numbers(2)
    assert numbers(7) is first
    numbers(5)
    assert calls == [7, 5, 3, 2, 5]


def test_a_result_larger_than_the_room_stays_alone_and_until_the_next(drawn):
    numbers, calls = drawn
    numbers(7)
    large = numbers(1009)
    assert numbers(1009) is large
    numbers(7)
    numbers(1009)
    assert calls == [7, 1009, 7, 1009]


def test_an_argument_that_only_looks_the_same_is_another(drawn):
    numbers, calls = drawn
    numbers(1)
    for size in (1.0, True):
        with pytest.raises(TypeError):
            numbers(size)
    assert [type(size) for size in calls] == [int, float, bool]


def test_arrays_are_counted_once_wherever_they_stand():
    @dataclass(frozen=True)
    class Pair:
        one: FloatArray
        two: tuple[FloatArray, ...]

    row = np.zeros(11)
    pair = Pair(row, (row, np.zeros((3, 7))))
    assert bytes_of({"pair": pair}) == 3 * OVERHEAD + 8 * (11 + 21)
