"""Two examples side by side: what differs, and by how much."""

from dataclasses import replace

import numpy as np

from attnviz.example.comparison import COMPARED, compare
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import Edit
from attnviz.example.settings import Example

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


def test_the_difference_is_b_minus_a():
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


def test_an_example_of_fewer_heads_shows_its_last():
    fewer = compute(replace(A, n_heads=1))
    pair = compare(fewer, compute(A), 1).pairs["weights"]
    np.testing.assert_array_equal(pair.before, fewer.attention.weights[0])


def test_given_queries_keys_and_values_have_no_output_to_compare():
    given = next(e for e in EXAMPLES.values() if compute(e).heads is None)
    assert "output" not in compare(compute(given), compute(A), 0).pairs


def test_differences_are_read_only():
    assert not against(mask="causal").pairs["scores"].difference.flags.writeable
