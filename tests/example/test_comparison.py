"""Two examples side by side: what differs, and by how much."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.example.comparison import COMPARED, compare
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import Edit
from attnviz.example.settings import Example
from attnviz.export.derivation import derivation_as_text
from attnviz.text.cells import Cell, cell_of, stage_of
from attnviz.text.derivation import derivation_words

A = Example(length=5, d_model=11, d_k=3, d_v=7, n_heads=2)


def against(**settings):
    return compare(compute(A), compute(replace(A, **settings)), 1)


def test_an_example_differs_in_nothing_from_itself():
    comparison = against()
    assert comparison.changed == ()
    assert [pair.difference.any() for pair in comparison.pairs.values()] == [False] * 4


def test_the_settings_that_differ_are_named_in_order():
    comparison = against(temperature=2.0, mask="causal", edits=(Edit("x", (0, 0), 1),))
    assert comparison.changed == ("mask", "temperature", "edits")


def test_the_difference_is_second_minus_first():
    pair = against(mask="causal").pairs["weights"]
    np.testing.assert_array_equal(pair.difference, pair.after - pair.before)
    assert pair.difference[0, 0] > 0


def test_a_mask_changes_weights_and_what_follows_but_no_scores():
    pairs = against(mask="causal").pairs
    changed = [name for name in COMPARED if pairs[name].difference.any()]
    assert changed == ["weights", "context", "output"]


def test_other_shapes_have_no_difference():
    pairs = against(length=7).pairs
    assert [pairs[name].difference for name in COMPARED] == [None] * 4
    assert pairs["weights"].before.shape == (5, 5)
    assert pairs["weights"].after.shape == (7, 7)


def test_heads_are_compared_like_with_like():
    fewer = compute(replace(A, n_heads=1))
    first = compare(fewer, compute(A), 0).pairs["weights"]
    np.testing.assert_array_equal(first.before, fewer.attention.weights[0])
    np.testing.assert_array_equal(first.after, compute(A).attention.weights[0])
    # The output is of no head.
    assert compare(fewer, compute(A), 1).pairs.keys() == {"output"}


@pytest.mark.parametrize("side", ["a", "b", "delta"])
@pytest.mark.parametrize("name", COMPARED)
def test_every_cell_of_a_comparison_says_where_it_comes_from(side, name):
    comparison = against(mask="causal", temperature=2.0)
    pair = comparison.pairs[name]
    shown = {"a": pair.before, "b": pair.after, "delta": pair.difference}[side]
    names = comparison.names("first", "second")
    work = derive(comparison, *stage_of(Cell(f"{side}_{name}", 3, 1, 1)))
    assert replay(work) == work.value == shown[3, 1]
    words = derivation_words(work, names=names)
    assert words["cell"]["name"] == f"{side}_{name}"
    assert words["index"] == [4, 2]
    assert derivation_as_text(work, names=names)


def test_a_chain_in_the_first_example_stays_in_the_first():
    comparison = against(seed=1)
    work = derive(comparison, *stage_of(Cell("a_weights", 3, 1, 1)))
    while work.terms:
        operand = work.terms[0].operands[0]
        assert operand.name.startswith("a.")
        cell = cell_of(operand.name, operand.index)
        assert cell.name.startswith("a_")
        work = derive(comparison, *stage_of(cell))
    assert work.stage == "a.x"
    assert work.value == compute(A).x[work.index]
    assert comparison.names("first", "second")["a.w_q"].sub == "Q first"


def test_given_queries_keys_and_values_have_no_output_to_compare():
    given = next(e for e in EXAMPLES.values() if compute(e).heads is None)
    assert "output" not in compare(compute(given), compute(A), 0).pairs


def test_differences_are_read_only():
    assert not against(mask="causal").pairs["scores"].difference.flags.writeable
