"""Weights alone are drawn as they are, with the sums of their rows."""

import numpy as np
from plotly.graph_objects import Figure

from attnviz.example.comparison import compare
from attnviz.example.compute import compute
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.pages.attention.figures.comparison import comparison_figures
from attnviz.pages.attention.figures.stages import attention_figures
from tests.example.own.own_files import npz
from tests.figures.decoding import matrices

WEIGHTS = np.array([[[0.5, 0.25, 0.125]] * 2, [[0.0, 0.75, 0.5]] * 2])
TRACE = compute_shown(own_example(choose_own(read_own(npz(a=WEIGHTS)))))


def test_one_head_and_all_heads_are_drawn_and_nothing_else():
    figures = attention_figures(TRACE, 1)
    numbers = matrices(figures)
    assert figures.keys() == {"chain", "heads"}
    assert numbers.keys() == {"weights_1", "weights_2", "weights", "weight_sum"}
    np.testing.assert_array_equal(numbers["weights_1"], WEIGHTS[0])
    np.testing.assert_array_equal(numbers["weights"], WEIGHTS[1])
    np.testing.assert_array_equal(numbers["weight_sum"], [[1.25], [1.25]])


def test_plotly_accepts_the_figures():
    for spec in attention_figures(TRACE, 0).values():
        assert Figure(spec).data


def test_weights_keep_their_fixed_scale():
    trace = attention_figures(TRACE, 0)["chain"]["data"][0]
    assert (trace["name"], trace["zmin"], trace["zmax"]) == ("weights", 0, 1)


def test_weights_are_drawn_beside_those_of_an_example():
    before = compute(Example(length=2, key_length=3))
    figures = comparison_figures(compare(before, TRACE, 0), TRACE, ("A", "B"))
    assert figures.keys() == {"compare_weights"}
    numbers = matrices(figures)
    np.testing.assert_array_equal(numbers["b_weights"], WEIGHTS[0])
