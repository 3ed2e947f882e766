"""Edits change the cells they name and nothing else, whatever the way to them."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import MAX_EDITS, Edit, apply_edits, settle_edits
from attnviz.example.settings import Example

PLAIN = compute(Example())


def edited(*edits, **settings):
    return compute(Example(edits=edits, **settings))


def test_an_edit_changes_one_cell_of_x():
    x = edited(Edit("x", (2, 5), 1.5)).x
    assert x[2, 5] == 1.5
    assert np.argwhere(x != PLAIN.x).tolist() == [[2, 5]]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("w_q", (1, 7, 3)),
        ("w_k", (0, 2, 1)),
        ("w_v", (1, 0, 2)),
        ("w_o", (7, 7)),
    ],
)
def test_an_edit_changes_one_cell_of_a_projection(name, index):
    parameters = edited(Edit(name, index, -2.5)).parameters
    changed = getattr(parameters, name) != getattr(PLAIN.parameters, name)
    assert getattr(parameters, name)[index] == -2.5
    assert np.argwhere(changed).tolist() == [list(index)]


def test_an_edit_of_a_query_projection_leaves_keys_and_values_alone():
    trace = edited(Edit("w_q", (0, 3, 2), 9.0))
    np.testing.assert_array_equal(trace.k, PLAIN.k)
    np.testing.assert_array_equal(trace.v, PLAIN.v)
    np.testing.assert_array_equal(trace.q[1], PLAIN.q[1])
    assert not np.array_equal(trace.q[0], PLAIN.q[0])


def test_an_edit_reaches_the_matrices_of_a_preset():
    example = replace(EXAMPLES["identity"], edits=(Edit("w_v", (0, 1, 1), 6.0),))
    np.testing.assert_allclose(
        compute(example).attention.context[0],
        [[1.33952310, 1.98143070], [0.66047690, 4.01856930]],
        atol=5e-9,
    )


def test_given_queries_keys_and_values_can_be_edited():
    edits = (
        Edit("q", (0, 0, 0), 4.0),
        Edit("k", (0, 1, 2), 3.0),
        Edit("v", (0, 3, 1), -7.0),
    )
    trace = compute(replace(EXAMPLES["fractions"], edits=edits))
    assert trace.q[0, 0, 0] == 4
    assert trace.k[0, 1, 2] == 3
    assert trace.v[0, 3, 1] == -7


def test_doubling_a_query_squares_its_shares():
    trace = compute(
        replace(EXAMPLES["fractions"], edits=(Edit("q", (0, 0, 0), 4.0),))
    ).attention
    np.testing.assert_allclose(trace.weights[0, 0], np.array([1, 4, 9, 16]) / 30)


def test_keys_from_elsewhere_can_be_edited():
    trace = edited(Edit("x_k", (2, 1), 0.25), key_length=3)
    before = edited(key_length=3)
    assert np.argwhere(trace.x_k != before.x_k).tolist() == [[2, 1]]
    np.testing.assert_array_equal(trace.x, before.x)


def test_a_hidden_cell_gets_no_weight_and_its_row_still_sums_to_one():
    weights = edited(Edit("mask", (2, 4), 0.0)).attention.weights
    others = [0, 1, 3, 4]
    assert weights[:, 2, 4].tolist() == [0, 0]
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    np.testing.assert_array_equal(
        weights[:, others], PLAIN.attention.weights[:, others]
    )


def test_a_cell_can_be_made_visible_behind_a_causal_mask():
    visible = edited(Edit("mask", (0, 3), 1.0), mask="causal").visible
    assert visible[0].tolist() == [True, False, False, True, False]


def test_a_mask_cell_toggled_twice_leaves_nothing_behind():
    example = Example(length=5)
    toggled = example.change(Edit("mask", (1, 2), 0)).change(Edit("mask", (1, 2), 1))
    assert toggled == example
    causal = replace(toggled, mask="causal")
    assert not compute(causal).visible[1, 2]
    drawn = causal.change(Edit("mask", (1, 2), 1))
    assert compute(drawn).visible[1, 2]
    assert drawn.change(Edit("mask", (1, 2), 0)) == causal


def test_a_number_put_back_stays_an_edit():
    example = Example(length=5)
    start = compute(example).x[0, 0]
    assert example.change(Edit("x", (0, 0), start)).edits == (Edit("x", (0, 0), start),)


def test_a_mask_cell_outside_the_sizes_is_kept_for_later():
    assert len(Example(length=2).change(Edit("mask", (7, 7), 1)).edits) == 1


def test_an_edited_mask_leaves_queries_keys_and_values_alone():
    trace = edited(Edit("mask", (1, 1), 0.0))
    np.testing.assert_array_equal(trace.x, PLAIN.x)
    np.testing.assert_array_equal(trace.q, PLAIN.q)
    np.testing.assert_array_equal(trace.k, PLAIN.k)
    np.testing.assert_array_equal(trace.v, PLAIN.v)


def test_a_drawn_mask_leaves_every_query_a_key():
    with pytest.raises(SettingError) as caught:
        Example(length=2, edits=(Edit("mask", (1, 0), 0), Edit("mask", (1, 1), 0)))
    assert caught.value.reason == "empty_row"
    assert caught.value.values == {"row": 2}


def test_an_edit_outside_the_sizes_has_no_effect_but_is_kept():
    edits = (Edit("x", (4, 7), 3.0), Edit("mask", (4, 0), 0.0))
    small = Example(length=3, edits=edits)
    np.testing.assert_array_equal(compute(small).x, PLAIN.x[:3])
    assert compute(replace(small, length=5)).x[4, 7] == 3


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_projected_queries_keys_and_values_follow_their_inputs(name):
    trace = edited(Edit(name, (0, 0, 0), 9.0))
    np.testing.assert_array_equal(getattr(trace, name), getattr(PLAIN, name))


def test_the_last_edit_of_a_cell_counts():
    edits = (Edit("x", (0, 0), 1.0), Edit("x", (0, 0), 2.0))
    assert Example(edits=edits) == Example(edits=edits[1:])


def test_the_order_of_edits_of_different_cells_does_not_count():
    first, second = Edit("w_q", (0, 1, 2), 1.0), Edit("mask", (0, 1), 0.0)
    one, other = Example(edits=(first, second)), Example(edits=(second, first))
    assert one == other
    assert hash(one) == hash(other)


def test_nothing_to_edit_gives_the_very_same_array():
    matrix = np.zeros((3, 2))
    assert apply_edits([Edit("x", (3, 0), 1.0)], "x", matrix) is matrix


def test_an_edited_matrix_is_a_locked_copy():
    matrix = np.zeros((3, 2))
    changed = apply_edits([Edit("x", (2, 1), 1.0)], "x", matrix)
    assert matrix.max() == 0
    assert not changed.flags.writeable


@pytest.mark.parametrize(
    ("name", "index", "value", "reason"),
    [
        ("scores", (0, 0), 1.0, "unknown_choice"),
        ("x", (0,), 1.0, "edit_place"),
        ("x", (0, -1), 1.0, "edit_place"),
        ("x", (0, 1.0), 1.0, "edit_place"),
        ("x", (0, True), 1.0, "edit_place"),
        ("w_q", (0, 512, 0), 1.0, "edit_place"),
        ("x", (0, 0), float("nan"), "edit_value"),
        ("x", (0, 0), float("-inf"), "edit_value"),
        ("x", (0, 0), 1000001, "edit_value"),
        ("x", (0, 0), "1", "edit_value"),
        ("mask", (0, 0), 0.5, "edit_mask"),
    ],
)
def test_what_no_matrix_could_hold_is_refused(name, index, value, reason):
    with pytest.raises(SettingError) as caught:
        Edit(name, index, value)
    assert caught.value.reason == reason


def test_too_many_edits_are_refused():
    edits = [Edit("w_o", (row, 0), 1.0) for row in range(MAX_EDITS)]
    assert len(settle_edits(edits)) == MAX_EDITS
    with pytest.raises(SettingError, match="many_edits"):
        settle_edits([*edits, Edit("w_o", (0, 1), 1.0)])
