"""Arguments are checked, named and never changed."""

import numpy as np
import pytest

from attnviz.core.arrays.shapes import (
    as_floats,
    as_mask,
    bind_parameter,
    bind_shapes,
    count,
    finite,
    positive,
    read_only,
)
from attnviz.core.errors import MaskError, ShapeError


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        ("float16", "float16", "float16"),
        ("float32", "float32", "float32"),
        ("float16", "float32", "float32"),
        ("float32", "float64", "float64"),
        ("int64", "float32", "float64"),
        ("uint8", "uint8", "float64"),
    ],
)
def test_arguments_get_the_smallest_type_that_holds_them(first, second, common):
    x, y = as_floats("demo", x=np.ones(2, first), y=np.ones(3, second))
    assert (x.dtype, y.dtype) == (common, common)


def test_floats_are_copies_of_the_arguments():
    given = np.array([1.0, 2.0])
    (floats,) = as_floats("demo", x=given)
    given[0] = 9
    assert floats.tolist() == [1, 2]


@pytest.mark.parametrize("value", [[True], [1j], ["1"], [None], "word"])
def test_what_is_no_real_number_is_refused(value):
    with pytest.raises(ShapeError, match=r"demo: `x` needs real numbers; got dtype"):
        as_floats("demo", x=value)


def test_ragged_rows_are_refused():
    with pytest.raises(
        ShapeError, match=r"demo: `x` needs rows of equal length; got a ragged list"
    ):
        as_floats("demo", x=[[1.0], [1.0, 2.0]])


def test_symbols_are_bound_to_sizes():
    sizes = bind_shapes(
        "demo", q=(np.zeros((2, 3, 5)), "T_q d_k"), k=(np.zeros((7, 5)), "T_k d_k")
    )
    assert sizes == {"T_q": 3, "d_k": 5, "T_k": 7}


@pytest.mark.parametrize("leading", [(), (2,), (1,), (11, 2), (11, 1)])
def test_leading_axes_may_broadcast(leading):
    sizes = bind_shapes(
        "demo", q=(np.zeros((2, 3)), "d"), k=(np.zeros((*leading, 3)), "d")
    )
    assert sizes == {"d": 3}


def test_a_second_size_for_a_symbol_is_refused():
    with pytest.raises(ShapeError) as caught:
        bind_shapes(
            "demo", k=(np.zeros((5, 3)), "T_k d_k"), v=(np.zeros((4, 2)), "T_k d_v")
        )
    assert str(caught.value) == (
        "demo: `v` needs shape (..., T_k, d_v) with T_k=5 (from `k`); got (4, 2)"
    )


def test_one_symbol_twice_means_one_size():
    with pytest.raises(ShapeError, match=r"with T=2 \(from `s`\); got \(2, 3\)"):
        bind_shapes("demo", s=(np.zeros((2, 3)), "T T"))


def test_a_missing_axis_is_refused():
    with pytest.raises(
        ShapeError, match=r"demo: `q` needs shape \(..., T_q, d_k\); got \(3,\)"
    ):
        bind_shapes("demo", q=(np.zeros(3), "T_q d_k"))


def test_leading_axes_that_do_not_broadcast_are_refused():
    with pytest.raises(
        ShapeError,
        match=r"demo: `k` needs leading axes that broadcast with \(2,\); got \(3, 5\)",
    ):
        bind_shapes("demo", q=(np.zeros((2, 5)), "d"), k=(np.zeros((3, 5)), "d"))


def test_a_parameter_keeps_its_numbers():
    assert bind_parameter("demo", "gamma", [1, 2, 3], (3,)).tolist() == [1, 2, 3]


def test_a_parameter_of_another_shape_is_refused():
    with pytest.raises(
        ShapeError, match=r"demo: `gamma` needs shape \(3,\); got \(2,\)"
    ):
        bind_parameter("demo", "gamma", [1.0, 2.0], (3,))


def test_a_boolean_mask_is_taken_as_it_is():
    assert as_mask("demo", "visible", [True, False]).tolist() == [True, False]


@pytest.mark.parametrize("value", [[1, 0], [0.0, -np.inf], ["a"], [None]])
def test_a_mask_that_is_not_boolean_is_refused(value):
    with pytest.raises(
        MaskError,
        match=r"demo: `visible` needs booleans \(True = may be seen\); got dtype "
        r".*Additive masks belong in `bias`",
    ):
        as_mask("demo", "visible", value)


def test_a_ragged_mask_is_refused():
    with pytest.raises(MaskError, match="demo: `visible` needs rows of equal length"):
        as_mask("demo", "visible", [[True], [True, False]])


@pytest.mark.parametrize("value", [0, -2.5, np.float32(0.5), np.int8(3)])
def test_a_finite_number_becomes_a_float(value):
    number = finite("demo", "scale", value)
    assert type(number) is float
    assert number == value


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, "1", None, True, [1.0]])
def test_what_is_not_a_finite_number_is_refused(value):
    with pytest.raises(ValueError, match="demo: `scale` needs a finite number; got"):
        finite("demo", "scale", value)


def test_a_positive_number_becomes_a_float():
    assert positive("demo", "eps", 1) == 1.0


@pytest.mark.parametrize("value", [0, 0.0, -1e-9])
def test_a_number_that_is_not_above_zero_is_refused(value):
    with pytest.raises(ValueError, match="demo: `eps` needs a number above 0; got"):
        positive("demo", "eps", value)


@pytest.mark.parametrize(
    ("value", "least"), [(0, 0), (3, 3), (np.int64(5), 0), (-7, None), (2, 1)]
)
def test_a_whole_number_is_taken(value, least):
    number = count("demo", "n", value, least=least)
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize("value", [-1, 1.0, 2.5, True, "2", None])
def test_what_is_no_whole_number_from_0_is_refused(value):
    with pytest.raises(
        ValueError, match="demo: `n` needs a whole number of at least 0; got"
    ):
        count("demo", "n", value)


def test_the_bound_of_a_whole_number_is_named():
    with pytest.raises(ValueError, match="whole number of at least 2; got 1"):
        count("demo", "n", 1, least=2)


def test_a_number_without_bound_must_still_be_whole():
    with pytest.raises(ValueError, match=r"demo: `n` needs a whole number; got 0\.5"):
        count("demo", "n", 0.5, least=None)


def test_a_locked_view_leaves_its_array_open():
    numbers = np.array([1.0, 2.0])
    view = read_only(numbers)
    numbers[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        view[1] = 4
    assert view.tolist() == [3, 2]
