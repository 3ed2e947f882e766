"""The tables of the Layer norm page hold the numbers of the trace."""

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES
from attnviz.example.norms import NORM_EXAMPLES, compute_norm
from attnviz.pages.norms.tables import norm_tables

# Course chapter, R97-R103 and P20, with ε = 1e-5.
NORMALIZED = [
    [-1.34163542, -0.44721181, 0.44721181, 1.34163542],
    [0, 0, 0, 0],
    [-0.85280209, -0.42640105, -0.42640105, 1.70560418],
]
FIRST_OUTPUT = [-1.34163542, 0.7763941, -0.10557639, 1.84163542]


@pytest.fixture(scope="module")
def tables():
    preset = "norm_rows"
    return norm_tables(compute_norm(EXAMPLES[preset], NORM_EXAMPLES[preset]))


def test_every_matrix_has_its_table(tables):
    assert {name: table.shape for name, table in tables.items()} == {
        "norm_input": (3, 4),
        "norm_statistics": (3, 4),
        "norm_normalized": (3, 4),
        "gamma": (1, 4),
        "beta": (1, 4),
        "norm_output": (3, 4),
    }


def test_statistics_are_those_of_the_chapter(tables):
    statistics = tables["norm_statistics"]
    assert list(statistics.columns) == ["μ", "v", "μ_y", "v_y"]
    assert statistics["μ"].tolist() == [2.5, 2, 1]
    assert statistics["v"].tolist() == [1.25, 0, 5.5]
    np.testing.assert_allclose(
        statistics.iloc[0, 2:].to_numpy(), [0.29270443, 1.36570931], atol=5e-9
    )


def test_normalized_rows_are_those_of_the_chapter(tables):
    normalized = tables["norm_normalized"].to_numpy()
    np.testing.assert_allclose(normalized, NORMALIZED, atol=5e-9)


def test_scaled_and_shifted_rows_are_those_of_the_chapter(tables):
    output = tables["norm_output"].to_numpy()
    np.testing.assert_allclose(output[0], FIRST_OUTPUT, atol=5e-9)
    assert output[1].tolist() == [0, 1, -1, 0.5]


def test_scale_and_shift_are_rows_of_their_own(tables):
    assert tables["gamma"].to_numpy().tolist() == [[1, 0.5, 2, 1]]
    assert tables["beta"].to_numpy().tolist() == [[0, 1, -1, 0.5]]
    assert list(tables["gamma"].index) == ["1 γ"]
