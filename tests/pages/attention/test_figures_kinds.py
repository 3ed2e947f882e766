"""What an example has besides, or lacks, shows in its figures."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.pages.attention.figures.stages import attention_figures
from tests.figures.decoding import heatmaps, matrices

CROSS = Example(length=5, key_length=3, d_model=7, d_k=2, d_v=11, n_heads=2)
PLAIN = ["chain", "projections", "key_projections", "heads", "output"]


def figures_of(**settings):
    return attention_figures(compute(replace(CROSS, **settings)), 1)


def matrix_names(figure):
    return [trace["name"] for trace in figure["data"] if "symbol" in trace["meta"]]


@pytest.mark.parametrize("positions", POSITION_KINDS)
@pytest.mark.parametrize("scoring", SCORING_KINDS)
def test_plotly_accepts_every_figure(scoring, positions):
    figures = figures_of(scoring=scoring, positions=positions, mask="causal")
    assert all(go.Figure(spec) for spec in figures.values())


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        ({}, []),
        ({"positions": "rotary"}, []),
        ({"positions": "alibi"}, []),
        ({"positions": "sinusoidal"}, ["positions"]),
        ({"positions": "learned", "scoring": "bilinear"}, ["positions", "bilinear"]),
        ({"scoring": "additive"}, ["additive"]),
    ],
)
def test_an_example_brings_figures_of_its_own(settings, more):
    assert sorted(figures_of(**settings)) == sorted([*PLAIN, *more])


def test_given_matrices_start_with_their_scores():
    figures = attention_figures(compute(EXAMPLES["cross"]), 0)
    assert set(figures) == {"chain"}
    assert {"q", "k", "v", "scores", "weights", "context"} <= set(heatmaps(figures))


@pytest.mark.parametrize(
    ("settings", "sides"),
    [
        ({}, {"projections": ("x", "q"), "key_projections": ("x_k", "kv")}),
        ({"key_length": 0}, {"projections": ("x", "qkv")}),
        (
            {"positions": "learned"},
            {"projections": ("inputs", "q"), "key_projections": ("key_inputs", "kv")},
        ),
        (
            {"positions": "learned", "key_length": 0},
            {"projections": ("inputs", "qkv")},
        ),
        (
            {"positions": "rotary"},
            {"projections": ("x", "q"), "key_projections": ("x_k", "kv")},
        ),
    ],
)
def test_one_figure_projects_what_comes_from_the_same_inputs(settings, sides):
    figures = figures_of(**settings)
    drawn = {name: matrix_names(figures[name]) for name in figures if "proj" in name}
    expected = {}
    for name, (inputs, letters) in sides.items():
        pairs = [(f"w_{letter}", letter) for letter in letters]
        expected[name] = [inputs, *sum(pairs, ())]
    assert drawn == expected


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({}, ["q", "k", "scores", "row_max"]),
        ({"positions": "rotary"}, ["q_turned", "k_turned", "scores", "row_max"]),
        ({"positions": "alibi"}, ["q", "k", "scores", "bias"]),
        ({"scoring": "bilinear"}, ["q_w", "k", "scores", "row_max"]),
        ({"scoring": "additive"}, ["q", "k", "scores", "row_max"]),
    ],
)
def test_the_scores_follow_what_met(settings, names):
    assert matrix_names(figures_of(**settings)["chain"])[:4] == names


def test_the_operands_on_screen_multiply_to_bilinear_scores():
    shown = matrices(figures_of(scoring="bilinear", positions="rotary"))
    product = shown["q_w"] @ shown["k_turned"]
    np.testing.assert_allclose(product, shown["scores"], rtol=1e-4, atol=1e-5)


def test_the_operands_on_screen_add_up_to_the_inputs():
    shown = matrices(figures_of(positions="sinusoidal"))
    np.testing.assert_allclose(
        shown["x"] + shown["positions"], shown["inputs"], atol=1e-6
    )
    np.testing.assert_allclose(
        shown["x_k"] + shown["key_positions"], shown["key_inputs"], atol=1e-6
    )


@pytest.mark.parametrize("positions", POSITION_KINDS)
@pytest.mark.parametrize("scoring", SCORING_KINDS)
def test_every_matrix_stands_once_and_its_copies_name_one(scoring, positions):
    figures = figures_of(scoring=scoring, positions=positions)
    traces = [trace for spec in figures.values() for trace in spec["data"]]
    shown = [trace for trace in traces if "symbol" in trace["meta"]]
    own = [trace["name"] for trace in shown if not trace["meta"]["is_copy"]]
    copies = {trace["name"] for trace in shown if trace["meta"]["is_copy"]}
    assert len(set(own)) == len(own)
    assert copies <= set(own)


def test_keys_of_another_length_have_their_own_labels():
    axes = figures_of()["chain"]["layout"]["meta"]["axes"]
    assert len(axes["query"]["names"]) == 5
    assert axes["key"]["names"] == ["y₁", "y₂", "y₃"]


def test_padding_of_keys_from_elsewhere_marks_no_query():
    axes = figures_of(mask="padding")["chain"]["layout"]["meta"]["axes"]
    assert axes["query"]["padding"] is None
    assert axes["key"]["padding"] == [False, False, True]


def test_fractions_are_written_where_the_example_is_made_of_them():
    shown = heatmaps(attention_figures(compute(EXAMPLES["fractions"]), 0))
    assert shown["weights"]["meta"]["texts"][:4] == ["1/10", "1/5", "3/10", "2/5"]
    assert shown["context"]["meta"]["texts"][3] == "−1/4"
    assert shown["scores"]["meta"]["texts"] is None


def test_other_examples_are_written_in_digits():
    assert heatmaps(figures_of())["weights"]["meta"]["texts"] is None
