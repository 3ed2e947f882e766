"""Matrices as labelled tables."""

import numpy as np
import pandas as pd

from attnviz.tables.matrix import matrix_table

VALUES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_rows_and_columns_without_names_are_counted_from_1():
    table = matrix_table(VALUES)
    assert list(table.index) == ["1", "2", "3"]
    assert list(table.columns) == ["1", "2"]


def test_equal_names_stay_apart_by_their_position():
    table = matrix_table(VALUES, rows=["a", "b", "a"], columns=["a", "a"])
    assert list(table.index) == ["1 a", "2 b", "3 a"]
    assert list(table.columns) == ["1 a", "2 a"]


def test_numbers_are_kept_as_they_are():
    np.testing.assert_array_equal(matrix_table(VALUES / 3).to_numpy(), VALUES / 3)


def test_hidden_cells_hold_minus_infinity():
    hidden = np.array([[False, True], [False, False], [True, False]])
    table = matrix_table(VALUES, hidden=hidden)
    assert table.to_numpy()[hidden].tolist() == [-np.inf, -np.inf]


def test_a_table_is_a_copy():
    values = VALUES.copy()
    table = matrix_table(values)
    values[0, 0] = 9
    pd.testing.assert_frame_equal(table, matrix_table(VALUES))
