"""The numbers of a page by name, with the meaning of their axes."""

import pytest

from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example
from tests.pages.cases import ATTENTION, attention_data, norm_data


def test_every_stage_of_a_plain_example_is_there():
    assert list(attention_data(compute(Example())).matrices) == [
        "x",
        "w_q",
        "w_k",
        "w_v",
        "q",
        "k",
        "v",
        "raw_scores",
        "scores",
        "visible",
        "masked_scores",
        "row_max",
        "exp_scores",
        "row_sum",
        "weights",
        "weight_sum",
        "context",
        "joined",
        "w_o",
        "output",
    ]


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("keys from elsewhere", {"x_k"}),
        ("sinusoidal", {"positions", "inputs"}),
        ("cross and added", {"x_k", "key_positions", "key_inputs", "inputs"}),
        ("rotary", {"q_turned", "k_turned"}),
        ("alibi", {"bias"}),
        ("bilinear", {"score_w"}),
        ("additive", {"score_w_q", "score_w_k", "score_v"}),
    ],
)
def test_what_an_example_has_besides_comes_along(name, extra):
    assert attention_data(compute(ATTENTION[name])).matrices.keys() >= extra


def test_given_queries_come_without_inputs_and_output():
    names = attention_data(compute(EXAMPLES["fractions"])).matrices.keys()
    assert names.isdisjoint({"x", "w_q", "w_o", "joined", "output"})


@pytest.mark.parametrize("name", ATTENTION)
def test_every_axis_has_the_size_its_meaning_says(name):
    trace = compute(ATTENTION[name])
    sizes = {"query": len(trace.tokens), "key": len(trace.key_tokens)}
    matrices = attention_data(trace).matrices.values()
    named = [
        (axis, size)
        for matrix in matrices
        for axis, size in zip(matrix.axes, matrix.values.shape, strict=True)
        if axis in sizes
    ]
    assert set(named) == set(sizes.items())


def test_every_axis_of_a_normalization_has_the_size_its_meaning_says():
    settings = NormExample(source="rows", n_samples=2)
    data = norm_data(compute_norm(Example(), settings), Example(), settings)
    named = {
        (axis, size)
        for matrix in data.matrices.values()
        for axis, size in zip(matrix.axes, matrix.values.shape, strict=True)
    }
    assert named == {("sample", 2), ("position", 3), ("d", 4)}
