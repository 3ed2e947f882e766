"""Mistakes in scores, softmax and masks return the reference's wrong numbers."""

import math

import numpy as np
import pytest

from attnviz.core.checks.case import attention_case
from attnviz.core.faults import FAULTS, masks, scores, staircases
from tests.core.faults.pitfalls import (
    CAUSAL4,
    IDS,
    LOG4,
    NUMBERS,
    log4,
    numbers,
    one_row,
)

TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def test_the_catalogue_lists_every_mistake_once_and_in_order():
    since = tuple(f"P{number}" for number in range(31, 59))
    assert tuple(fault.id for fault in FAULTS) == IDS + since


def test_variants_of_a_mistake_have_names_of_their_own():
    names = [(fault.id, v.name) for fault in FAULTS for v in fault.variants]
    assert len(set(names)) == len(names)


def test_p01_columns_sum_to_one_instead_of_rows():
    made = scores.softmax_over_queries(log4())
    np.testing.assert_allclose(made.weights, numbers("P01", "A_wrong"), **TIGHT)
    np.testing.assert_allclose(made.context, numbers("P01", "out_wrong"), **TIGHT)
    np.testing.assert_allclose(
        made.weights.sum(axis=1), numbers("P01", "rowsum"), **TIGHT
    )
    np.testing.assert_allclose(
        made.weights.sum(axis=0), numbers("P01", "colsum"), **TIGHT
    )


def test_p01_a_single_query_gives_every_key_the_weight_one():
    made = scores.softmax_over_queries(
        attention_case(LOG4["q"][:1], LOG4["k"], LOG4["v"])
    )
    np.testing.assert_allclose(made.weights, numbers("P01", "single_query"), **TIGHT)
    np.testing.assert_allclose(made.context, [[4, 1]], **TIGHT)


def test_p01_one_softmax_over_the_table_sums_to_one_in_all():
    made = scores.softmax_over_table(log4())
    # N over the sum of all its entries, 38.
    np.testing.assert_allclose(made.weights[2], np.array([5, 1, 3, 1]) / 38, **TIGHT)


def test_p01_swapped_queries_and_keys_look_along_the_columns():
    made = scores.queries_as_keys(log4())
    # Column 0 of N, over its sum 9.
    np.testing.assert_allclose(made.weights[0], np.array([1, 2, 5, 1]) / 9, **TIGHT)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (scores.unscaled, "none"),
        (scores.scaled_inversely, "inverse"),
        (scores.scaled_by_width, "one_over_dk"),
    ],
)
def test_p02_a_wrong_scale_is_a_power_of_the_right_weights(make, name):
    made = make(log4())
    wanted = NUMBERS["P02"][name]
    np.testing.assert_allclose(made.weights[0], wanted["row0"], **TIGHT)
    np.testing.assert_allclose(made.context[0], wanted["out0"], **TIGHT)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (scores.scaled_by_model_width, "sqrt_dmodel8"),
        (scores.scaled_by_heads, "sqrt_heads2"),
    ],
)
def test_p02_a_scale_from_the_number_of_heads(make, name):
    # Two heads of width 4 make d = 8.
    case = attention_case(*(np.stack([part, part]) for part in LOG4.values()))
    wanted = NUMBERS["P02"][name]
    np.testing.assert_allclose(make(case).weights[0, 0], wanted["row0"], **TIGHT)
    np.testing.assert_allclose(make(case).context[1, 0], wanted["out0"], **TIGHT)


def test_p02_the_default_in_place_of_another_scale():
    made = scores.scaled_by_default(log4(scale=1.0))
    np.testing.assert_allclose(made.weights[0], [0.1, 0.2, 0.3, 0.4], **TIGHT)


@pytest.mark.parametrize("make", [scores.scaled_by_model_width, scores.scaled_by_heads])
def test_a_scale_from_heads_needs_heads(make):
    assert make(log4()) is None


def test_p03_hiding_after_the_softmax_leaves_rows_short():
    made = masks.hidden_after_softmax(log4(visible=CAUSAL4))
    np.testing.assert_allclose(made.weights, numbers("P03", "A_wrong"), **TIGHT)
    np.testing.assert_allclose(made.context, numbers("P03", "out_wrong"), **TIGHT)
    np.testing.assert_allclose(
        made.weights.sum(axis=-1), numbers("P03", "rowsum"), **TIGHT
    )


def test_p03_renormalizing_afterwards_would_have_been_right():
    made = masks.hidden_after_softmax(log4(visible=CAUSAL4))
    np.testing.assert_allclose(
        made.weights / made.weights.sum(axis=-1, keepdims=True),
        numbers("P03", "A_right"),
        **TIGHT,
    )


def test_p03_a_hidden_key_still_moves_the_weights():
    k = LOG4["k"].copy()
    k[3, 0] = math.log(40)
    made = masks.hidden_after_softmax(
        attention_case(LOG4["q"], k, LOG4["v"], visible=CAUSAL4)
    )
    np.testing.assert_allclose(
        made.weights[0], numbers("P03", "row0_after_future_edit_wrong"), **TIGHT
    )


def test_p04_a_score_of_zero_still_weighs_one():
    made = masks.multiplied_by_mask(log4(visible=CAUSAL4))
    np.testing.assert_allclose(made.weights, numbers("P04", "A_wrong"), **TIGHT)
    np.testing.assert_allclose(made.context, numbers("P04", "out_wrong"), **TIGHT)
    np.testing.assert_allclose(
        np.triu(made.weights, 1).sum(axis=-1), numbers("P04", "upper"), **TIGHT
    )


def test_p05_a_tiny_fill_is_a_score_of_zero():
    made = masks.filled(log4(visible=CAUSAL4), 1e-9)
    np.testing.assert_allclose(made.weights, numbers("P05", "A_1em9"), **TIGHT)


def test_p05_a_fill_above_the_scores_gives_all_to_the_hidden_key():
    visible = np.array([[True, True, False]])
    case = one_row([-30000.0, -30001.0, -29999.0], visible=visible)
    made = masks.filled(case, -1e4)
    np.testing.assert_allclose(made.weights[0], numbers("P05", "row_wrong"), **TIGHT)
    np.testing.assert_allclose(
        case.answer.weights[0], numbers("P05", "row_right"), **TIGHT
    )


def test_p05_a_tiny_number_added_hides_nothing():
    made = masks.added(log4(visible=CAUSAL4), 1e-9)
    np.testing.assert_allclose(made.weights, log4().answer.weights, atol=1e-8)


def test_p06_minus_a_billion_in_half_precision_destroys_what_should_stay():
    visible = np.array([[True, True, False]])
    case = one_row(np.array([1, 2, 3], dtype=np.float16), visible=visible)
    made = masks.half_precision_bias(case)
    np.testing.assert_array_equal(made.weights[0], numbers("P06", "w_bad"))
    np.testing.assert_allclose(
        case.answer.weights[0], numbers("P06", "w_ok"), atol=2e-4
    )


EMPTY = np.array([[True, True, False], [False, False, False]])


def empty_row():
    return attention_case(
        [[1.0], [1.0]],
        np.log([[1.0], [2.0], [3.0]]),
        [[3.0], [6.0], [9.0]],
        visible=EMPTY,
    )


def test_p07_the_softmax_of_nothing_is_nan():
    made = masks.empty_rows(empty_row(), np.nan)
    np.testing.assert_allclose(made.weights, numbers("P07", "naive"), **TIGHT)


def test_p07_zeros_for_a_row_without_keys():
    made = masks.empty_rows(empty_row(), 0.0)
    np.testing.assert_allclose(made.weights, numbers("P07", "right"), **TIGHT)
    np.testing.assert_allclose(made.context, numbers("P07", "out_right"), **TIGHT)


@pytest.mark.parametrize(
    ("dtype", "adds", "name"),
    [
        ("float64", False, "replace"),
        ("float64", True, "add64"),
        ("float32", True, "add32"),
    ],
)
def test_p08_a_finite_fill_attends_where_nothing_may_be_seen(dtype, adds, name):
    visible = np.zeros((1, 3), dtype=bool)
    case = one_row(np.array([2, 1, 0], dtype=dtype), visible=visible)
    made = masks.empty_rows_filled(case, adds=adds)
    np.testing.assert_allclose(made.weights[0], numbers("P08", name), rtol=1e-7)


def test_p09_the_opposite_polarity_sees_only_the_future():
    made = masks.inverted(log4(visible=CAUSAL4))
    np.testing.assert_allclose(made.weights, numbers("P09", "A_wrong"), **TIGHT)
    np.testing.assert_allclose(made.context, numbers("P09", "out_wrong"), **TIGHT)


def test_p09_the_last_row_is_nan_where_empty_rows_are():
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    case = attention_case(x, x, x, visible=np.tri(3, dtype=bool))
    made = masks.inverted(case, empty=np.nan)
    np.testing.assert_allclose(made.weights, numbers("P09", "mha_wrong"), **TIGHT)
    np.testing.assert_allclose(
        case.answer.weights, numbers("P09", "mha_right"), **TIGHT
    )


def test_p10_a_keep_mask_added_multiplies_by_e():
    made = masks.mask_as_bias(log4(visible=CAUSAL4))
    np.testing.assert_allclose(made.weights, numbers("P10", "A_wrong"), **TIGHT)
    np.testing.assert_allclose(
        np.triu(made.weights, 1).sum(axis=-1), numbers("P10", "upper"), **TIGHT
    )


@pytest.mark.parametrize(
    ("step", "name", "cells"), [(1, "leak", 13), (-1, "noself", 6)]
)
def test_p11_a_diagonal_off_by_one(step, name, cells):
    made = staircases.shifted(log4(visible=CAUSAL4), step)
    np.testing.assert_allclose(made.weights, numbers("P11", name), **TIGHT)
    assert np.count_nonzero(made.weights) == cells
    assert cells in NUMBERS["P11"]["cells"]


def test_p12_the_other_corner_of_a_wide_table():
    visible = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
    case = attention_case(LOG4["q"][:2], LOG4["k"], LOG4["v"], visible=visible)
    made = staircases.aligned_otherwise(case)
    np.testing.assert_allclose(case.answer.weights, numbers("P12", "A_br"), **TIGHT)
    np.testing.assert_allclose(case.answer.context, numbers("P12", "O_br"), **TIGHT)
    np.testing.assert_allclose(made.weights, numbers("P12", "A_tl"), **TIGHT)
    np.testing.assert_allclose(made.context, numbers("P12", "O_tl"), **TIGHT)


def test_p12_works_from_either_corner():
    visible = np.array([[1, 0, 0, 0], [1, 1, 0, 0]], dtype=bool)
    case = attention_case(LOG4["q"][:2], LOG4["k"], LOG4["v"], visible=visible)
    made = staircases.aligned_otherwise(case)
    np.testing.assert_allclose(made.weights, numbers("P12", "A_br"), **TIGHT)


def test_p12_a_single_query_at_the_top_left_returns_the_first_value():
    case = attention_case(LOG4["q"][3:], LOG4["k"], LOG4["v"])
    made = staircases.aligned_otherwise(case)
    np.testing.assert_allclose(made.context, numbers("P12", "one_q_topleft"), **TIGHT)
    np.testing.assert_allclose(
        case.answer.context, numbers("P12", "one_q_right"), **TIGHT
    )


def test_p13_padding_on_the_query_axis_leaves_the_pad_in_sight():
    keys = np.array([True, True, True, False])
    case = log4(visible=np.broadcast_to(keys, (4, 4)))
    made = staircases.padding_on_queries(case)
    np.testing.assert_allclose(case.answer.weights, numbers("P13", "A_right"), **TIGHT)
    np.testing.assert_allclose(made.weights, numbers("P13", "A_wrong"), **TIGHT)
    np.testing.assert_allclose(
        made.weights[:, 3], numbers("P13", "pad_col_wrong"), **TIGHT
    )


def test_p13_padding_is_told_apart_from_the_causal_mask_beside_it():
    keys = np.array([False, True, True, True])
    made = staircases.padding_on_queries(log4(visible=CAUSAL4 & keys))
    wanted = [[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    np.testing.assert_array_equal(made.weights > 0, np.array(wanted, dtype=bool))


def test_p13_a_padding_query_may_hold_numbers():
    case = log4(query_valid=np.array([True, True, True, False]))
    made = staircases.padding_answered(case)
    np.testing.assert_allclose(made.weights[3], [0.1, 0.1, 0.2, 0.6], **TIGHT)
    assert not case.answer.weights[3].any()


def test_p16_masks_repeated_as_a_whole_reach_other_samples():
    keys = np.array([[True, True, False], [True, True, True]])
    visible = np.broadcast_to(keys[:, None, None, :], (2, 2, 3, 3))
    ones = np.ones((2, 2, 3, 1))
    case = attention_case(ones, ones, ones, visible=visible)
    made = masks.tiled_over_batch(case)
    np.testing.assert_allclose(
        case.answer.weights[:, :, 0], numbers("P16", "right"), **TIGHT
    )
    np.testing.assert_allclose(made.weights[:, :, 0], numbers("P16", "wrong"), **TIGHT)
    np.testing.assert_allclose(
        made.weights[:, :, 0].mean(axis=1), numbers("P16", "wrong_avg"), **TIGHT
    )


@pytest.mark.parametrize(
    "make",
    [
        masks.inverted,
        masks.tiled_over_batch,
        lambda case: masks.empty_rows(case, 0.0),
        lambda case: masks.empty_rows_filled(case, adds=True),
        lambda case: staircases.shifted(case, 1),
        staircases.aligned_otherwise,
        staircases.padding_on_queries,
        staircases.padding_answered,
    ],
)
def test_without_a_mask_no_mask_can_be_wrong(make):
    assert make(log4()) is None


def test_a_mask_of_another_kind_is_not_taken_for_a_causal_one():
    visible = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]]) > 0
    assert staircases.shifted(log4(visible=visible), 1) is None
    assert staircases.padding_on_queries(log4(visible=visible)) is None
    padded = visible & (np.arange(4) != 3)
    assert staircases.padding_on_queries(log4(visible=padded)) is None


@pytest.mark.parametrize(
    ("dtype", "row", "wrong", "right"),
    [
        ("float32", [100, 99, 98], "naive32", "right"),
        ("float64", [-1000, -1001], "naive_under", "right_under"),
    ],
)
def test_p29_exponentials_overflow_or_vanish(dtype, row, wrong, right):
    case = one_row(np.array(row, dtype=dtype))
    made = scores.maximum_not_subtracted(case)
    np.testing.assert_array_equal(made.weights[0], numbers("P29", wrong))
    np.testing.assert_allclose(case.answer.weights[0], numbers("P29", right), rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("float16", "lim16"), ("float32", "lim32"), ("float64", "lim64")],
)
def test_p29_each_precision_has_its_limit(dtype, name):
    limit = NUMBERS["P29"][name]
    below, above = np.array([[0.999 * limit], [1.001 * limit]], dtype=dtype)
    assert np.isfinite(scores.naive_softmax(below)).all()
    assert np.isnan(scores.naive_softmax(above)).all()
