"""The figures of the Attention page show the numbers of the trace."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.pages.attention.figures.stages import attention_figures
from tests.figures.decoding import decode, heatmaps, hidden_cells, matrices

# Distinct primes, so that no axis can stand in for another.
PRIMES = Example(length=7, d_model=11, d_k=5, d_v=3, n_heads=2, mask="causal", seed=13)
SHAPES = {
    "x": (7, 11),
    "w_q": (11, 5),
    "w_k": (11, 5),
    "w_v": (11, 3),
    "q": (7, 5),
    "k": (5, 7),
    "v": (7, 3),
    "scores": (7, 7),
    "mask": (7, 7),
    "weights": (7, 7),
    "row_max": (7, 1),
    "row_sum": (7, 1),
    "exp_scores": (7, 7),
    "weight_sum": (7, 1),
    "context": (7, 3),
    "joined": (7, 6),
    "w_o": (6, 11),
    "output": (7, 11),
    "weights_1": (7, 7),
    "weights_2": (7, 7),
}
FUTURE = np.triu(np.ones((7, 7), dtype=bool), 1)


@pytest.fixture(scope="module")
def trace():
    return compute(PRIMES)


@pytest.fixture(scope="module")
def figures(trace):
    return attention_figures(trace, 1)


def test_every_matrix_is_there_under_its_name_and_with_its_shape(figures):
    assert {name: z.shape for name, z in matrices(figures).items()} == SHAPES


@pytest.mark.parametrize(
    "name",
    [
        "q",
        "v",
        "scores",
        "row_max",
        "exp_scores",
        "row_sum",
        "weights",
        "context",
    ],
)
def test_stages_of_the_chosen_head_are_those_of_the_core(figures, trace, name):
    expected = getattr(trace.heads.attention, name)[1].astype("f4")
    np.testing.assert_array_equal(matrices(figures)[name], expected)


def test_the_sum_of_weights_is_their_real_sum(figures, trace):
    sums = trace.heads.attention.weights[1].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(matrices(figures)["weight_sum"], sums, rtol=1e-7)


def test_inputs_and_projections_are_those_of_the_core(figures, trace):
    numbers = matrices(figures)
    np.testing.assert_array_equal(numbers["x"], trace.x.astype("f4"))
    parameters = trace.parameters
    np.testing.assert_array_equal(numbers["w_q"], parameters.w_q[1].astype("f4"))
    np.testing.assert_array_equal(numbers["w_k"], parameters.w_k[1].astype("f4"))
    np.testing.assert_array_equal(numbers["w_v"], parameters.w_v[1].astype("f4"))
    np.testing.assert_array_equal(numbers["w_o"], parameters.w_o.astype("f4"))


def test_joined_heads_and_output_are_those_of_the_core(figures, trace):
    numbers = matrices(figures)
    np.testing.assert_array_equal(numbers["joined"], trace.heads.joined.astype("f4"))
    np.testing.assert_array_equal(numbers["output"], trace.heads.output.astype("f4"))


def test_small_multiples_show_every_head(figures, trace):
    numbers = matrices(figures)
    weights = trace.heads.attention.weights.astype("f4")
    np.testing.assert_array_equal(numbers["weights_1"], weights[0])
    np.testing.assert_array_equal(numbers["weights_2"], weights[1])


@pytest.mark.parametrize("name", ["mask", "weights", "weights_1", "weights_2"])
def test_what_a_mask_hides_is_hidden_and_exactly_0(figures, name):
    np.testing.assert_array_equal(hidden_cells(figures, name), FUTURE)
    assert (matrices(figures)[name][FUTURE] == 0).all()


def test_scores_are_shown_before_the_mask_hides_them(figures):
    assert not hidden_cells(figures, "scores").any()
    assert (matrices(figures)["scores"][FUTURE] != 0).all()


@pytest.mark.parametrize("name", ["weights", "weights_1"])
def test_weights_run_from_0_to_1(figures, name):
    scale = heatmaps(figures)[name]
    assert (scale["zmin"], scale["zmax"]) == (0, 1)


def test_a_copy_shows_the_numbers_of_its_original(figures):
    copies = [
        trace
        for spec in figures.values()
        for trace in spec["data"]
        if trace["meta"].get("is_copy")
    ]
    names = sorted(trace["name"] for trace in copies)
    assert names == ["k", "q", "v"]
    originals = matrices(figures)
    originals["k"] = originals["k"].T
    for copy in copies:
        np.testing.assert_array_equal(decode(copy["z"]), originals[copy["name"]])


def test_keys_stand_transposed_over_the_scores(figures, trace):
    k = heatmaps(figures)["k"]
    expected = trace.heads.attention.k[1].T.astype("f4")
    np.testing.assert_array_equal(decode(k["z"]), expected)
    assert k["meta"]["symbol"] == ("K", "", "⊤")


def test_rows_are_queries_and_columns_are_keys(figures):
    meta = heatmaps(figures)["scores"]["meta"]
    assert (meta["rows"], meta["columns"]) == ("query", "key")


def test_padding_keys_are_marked(trace):
    padded = compute(Example(length=3, mask="padding", n_padding=1))
    axes = attention_figures(padded, 0)["chain"]["layout"]["meta"]["axes"]
    assert axes["key"]["padding"] == [False, False, True]
    axes = attention_figures(trace, 0)["chain"]["layout"]["meta"]["axes"]
    assert axes["query"]["padding"] is None


@pytest.mark.parametrize("preset", EXAMPLES)
def test_plotly_accepts_every_figure_of_every_preset(preset):
    figures = attention_figures(compute(EXAMPLES[preset]), 0)
    for spec in figures.values():
        go.Figure(json.loads(json.dumps(spec, allow_nan=False)))


@pytest.mark.parametrize(
    "example",
    [
        Example(length=1, d_model=1, d_k=1, d_v=1, n_heads=1),
        Example(length=32, d_model=64, d_k=64, d_v=64, n_heads=8, mask="window"),
    ],
    ids=["smallest", "largest"],
)
def test_the_limits_can_be_drawn(example):
    figures = attention_figures(compute(example), example.n_heads - 1)
    json.dumps(figures, allow_nan=False)
    assert heatmaps(figures)["weights"]
    assert ("heads" in figures) == (example.n_heads > 1)
    assert matrices(figures)["x"].shape == (example.length, example.d_model)
