"""The tables of the Attention page hold the numbers of the trace."""

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.pages.attention.tables import attention_tables

PRIMES = Example(length=7, d_model=11, d_k=5, d_v=3, n_heads=2, mask="causal", seed=13)
SHAPES = {
    "x": (7, 11),
    "w_q": (11, 5),
    "w_k": (11, 5),
    "w_v": (11, 3),
    "q": (7, 5),
    "k": (7, 5),
    "v": (7, 3),
    "scores": (7, 7),
    "mask": (7, 7),
    "weights": (7, 10),
    "context": (7, 3),
    "joined": (7, 6),
    "w_o": (6, 11),
    "output": (7, 11),
}


@pytest.fixture(scope="module")
def trace():
    return compute(PRIMES)


@pytest.fixture(scope="module")
def tables(trace):
    return attention_tables(trace, 1)


def test_every_matrix_has_its_table_in_the_order_of_the_computation(tables):
    assert {name: table.shape for name, table in tables.items()} == SHAPES
    assert list(tables) == list(SHAPES)


@pytest.mark.parametrize("name", ["q", "k", "v", "scores", "context"])
def test_stages_of_the_chosen_head_are_those_of_the_core(tables, trace, name):
    expected = getattr(trace.heads.attention, name)[1]
    np.testing.assert_array_equal(tables[name].to_numpy(), expected)


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v"])
def test_projections_of_the_chosen_head_are_those_of_the_core(tables, trace, name):
    expected = getattr(trace.parameters, name)[1]
    np.testing.assert_array_equal(tables[name].to_numpy(), expected)


def test_inputs_joined_heads_and_output_are_those_of_the_core(tables, trace):
    np.testing.assert_array_equal(tables["x"].to_numpy(), trace.x)
    np.testing.assert_array_equal(tables["joined"].to_numpy(), trace.heads.joined)
    np.testing.assert_array_equal(tables["w_o"].to_numpy(), trace.parameters.w_o)
    np.testing.assert_array_equal(tables["output"].to_numpy(), trace.heads.output)


def test_weights_carry_the_maximum_and_both_sums_of_their_row(tables, trace):
    attention = trace.heads.attention
    weights = tables["weights"]
    np.testing.assert_array_equal(weights.to_numpy()[:, :7], attention.weights[1])
    np.testing.assert_array_equal(weights[["max"]].to_numpy(), attention.row_max[1])
    np.testing.assert_array_equal(weights[["Σe"]].to_numpy(), attention.row_sum[1])
    sums = attention.weights[1].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights[["Σa"]].to_numpy(), sums, rtol=1e-15)


def test_the_mask_is_0_where_a_key_is_visible_and_minus_infinity_elsewhere(tables):
    future = np.triu(np.ones((7, 7), dtype=bool), 1)
    expected = np.where(future, -np.inf, 0)
    np.testing.assert_array_equal(tables["mask"].to_numpy(), expected)


def test_rows_and_columns_carry_their_tokens():
    tables = attention_tables(compute(EXAMPLES["cat_videos"]), 0)
    assert list(tables["scores"].index)[:3] == ["1 People", "2 like", "3 watching"]
    assert list(tables["scores"].columns)[-1] == "6 videos"
    assert list(tables["weights"].columns)[-4:] == ["6 videos", "max", "Σe", "Σa"]
    assert list(tables["q"].columns) == ["1", "2"]


@pytest.mark.parametrize(
    ("starts_at_one", "corner"), [(False, "p = 0, …, 4"), (True, "p = 1, …, 5")]
)
def test_the_corner_of_the_sinusoids_says_where_positions_begin(starts_at_one, corner):
    trace = compute(Example(positions="sinusoidal", starts_at_one=starts_at_one))
    assert attention_tables(trace, 0)["positions"].index.name == corner
    assert attention_tables(trace, 0)["inputs"].index.name is None
