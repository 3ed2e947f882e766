"""The figures of the Layer norm page show the numbers of the trace."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.example.norms import DISTURBANCES, NormExample, compute_norm
from attnviz.example.settings import Example
from attnviz.pages.norms.figures import norm_figures
from attnviz.pages.norms.page import NORM_STEPS
from tests.figures.decoding import heatmaps, matrices

PRIMES = Example(length=7, d_model=5, seed=11)
SETTINGS = NormExample(gamma=(1, 2, 3, 5, 7), beta=(-1,), disturbance="samples")
SHAPES = {
    "norm_input": (7, 5),
    "norm_mean": (7, 1),
    "norm_variance": (7, 1),
    "norm_normalized": (7, 5),
    "gamma": (1, 5),
    "beta": (1, 5),
    "norm_output": (7, 5),
    "output_mean": (7, 1),
    "output_variance": (7, 1),
    "layer_change": (7, 5),
    "batch_change": (7, 5),
}


@pytest.fixture(scope="module")
def trace():
    return compute_norm(PRIMES, SETTINGS)


@pytest.fixture(scope="module")
def figures(trace):
    return norm_figures(trace)


def test_every_matrix_is_there_under_its_name_and_with_its_shape(figures):
    assert {name: z.shape for name, z in matrices(figures).items()} == SHAPES


def test_stages_are_those_of_the_core(figures, trace):
    numbers = matrices(figures)
    norm = trace.norm
    np.testing.assert_array_equal(numbers["norm_input"], norm.x.astype("f4"))
    np.testing.assert_array_equal(numbers["norm_mean"][:, 0], norm.mean.astype("f4"))
    variance = norm.variance.astype("f4")
    np.testing.assert_array_equal(numbers["norm_variance"][:, 0], variance)
    normalized = norm.normalized.astype("f4")
    np.testing.assert_array_equal(numbers["norm_normalized"], normalized)
    np.testing.assert_array_equal(numbers["norm_output"], norm.output.astype("f4"))


def test_a_mean_has_the_colours_of_what_it_is_the_mean_of():
    plain = norm_figures(compute_norm(PRIMES, NormExample()))
    bounds = {name: one["zmax"] for name, one in heatmaps(plain).items()}
    assert bounds["output_mean"] == bounds["norm_output"] >= 1
    assert bounds["norm_mean"] == bounds["norm_input"]


def test_scale_and_shift_stand_as_rows_over_the_features(figures):
    assert matrices(figures)["gamma"].tolist() == [[1, 2, 3, 5, 7]]
    assert matrices(figures)["beta"].tolist() == [[-1, -1, -1, -1, -1]]


def test_changes_under_both_norms_share_one_scale(figures):
    layer, batch = (heatmaps(figures)[f"{kind}_change"] for kind in ("layer", "batch"))
    assert layer["zmax"] == batch["zmax"]
    assert not matrices(figures)["layer_change"].any()
    assert matrices(figures)["batch_change"].all()


@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_plotly_accepts_every_figure(disturbance):
    settings = NormExample(source="rows", disturbance=disturbance)
    for spec in norm_figures(compute_norm(PRIMES, settings)).values():
        go.Figure(json.loads(json.dumps(spec, allow_nan=False)))


def test_every_step_of_the_walk_takes_and_yields_what_is_drawn(figures):
    results = [name for step in NORM_STEPS for name in step.results]
    assert len(set(results)) == len(results)
    operands = {name for step in NORM_STEPS for name in step.operands}
    assert operands | set(results) <= set(heatmaps(figures))
