"""Mistakes with heads, samples, dropout and widths return the reference's numbers."""

import itertools

import numpy as np
import pytest

from attnviz.core.attention.heads import merge_heads, split_heads
from attnviz.core.checks.case import attention_case
from attnviz.core.cost.sizes import LayerSizes
from attnviz.core.cost.work import attention_parameters
from attnviz.core.errors import ShapeError
from attnviz.core.faults import dropout, heads
from attnviz.core.faults.parameters import model_width_for_each_head
from tests.core.faults.pitfalls import NUMBERS, log4, numbers

TIGHT = {"rtol": 1e-12, "atol": 1e-14}
# Tens say the position, units the feature.
TAGS = np.array([[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])


def draw(*leading, length=5):
    rng = np.random.default_rng(14)
    return (
        rng.standard_normal((*leading, length, 3)),
        rng.standard_normal((*leading, length, 3)),
        rng.standard_normal((*leading, length, 2)),
    )


def test_p14_a_reshape_alone_cuts_across_positions():
    np.testing.assert_array_equal(
        heads.split_without_transpose(TAGS, 2), numbers("P14", "wrong")
    )
    np.testing.assert_array_equal(split_heads(TAGS, 2), numbers("P14", "right"))


def test_p15_a_reshape_alone_joins_positions_of_one_head():
    h, t, j = np.ix_(range(2), range(3), range(2))
    tags = 100 * h + 10 * t + j
    np.testing.assert_array_equal(
        heads.merge_without_transpose(tags), numbers("P15", "wrong")
    )
    np.testing.assert_array_equal(merge_heads(tags), numbers("P15", "right"))


def test_p15_both_mistakes_together_give_the_input_back():
    split = heads.split_without_transpose(TAGS, 2)
    np.testing.assert_array_equal(
        heads.merge_without_transpose(split), numbers("P15", "roundtrip_wrong_wrong")
    )


def test_p14_attention_mixes_what_was_cut_wrongly():
    q, k, v = draw(2)
    made = heads.heads_split_wrongly(attention_case(q, k, v))
    wrong = [heads.split_without_transpose(merge_heads(part), 2) for part in (q, k, v)]
    wanted = attention_case(*wrong).answer
    np.testing.assert_array_equal(made.weights, wanted.weights)
    np.testing.assert_array_equal(made.context, wanted.context)


def test_p14_keys_shared_by_all_heads_are_cut_for_each():
    q, k, v = draw(2)
    shared = heads.heads_split_wrongly(attention_case(q, k[:1], v))
    spread = heads.heads_split_wrongly(attention_case(q, np.stack([k[0]] * 2), v))
    np.testing.assert_array_equal(shared.weights, spread.weights)


def test_p15_the_weights_are_right_and_the_context_is_not():
    case = attention_case(*draw(2))
    made = heads.heads_merged_wrongly(case)
    joined = heads.merge_without_transpose(case.answer.context)
    np.testing.assert_array_equal(made.weights, case.answer.weights)
    np.testing.assert_array_equal(merge_heads(made.context), joined)


def test_p14_with_p15_the_context_of_each_position_is_still_wrong():
    case = attention_case(*draw(2))
    made = heads.heads_split_and_merged_wrongly(case)
    assert made.context.shape == case.answer.context.shape
    assert np.abs(made.context - case.answer.context).max() > 0.1


def test_p17_tiling_pairs_the_wrong_heads():
    v = np.array([10.0, 20.0])[:, None, None]
    q, k = np.ones((4, 1, 1)), np.ones((2, 1, 1))
    case = attention_case(q, np.repeat(k, 2, axis=0), np.repeat(v, 2, axis=0))
    made = heads.shared_heads_tiled(case)
    np.testing.assert_array_equal(made.context.ravel(), numbers("P17", "wrong"))
    np.testing.assert_array_equal(case.answer.context.ravel(), numbers("P17", "right"))
    np.testing.assert_array_equal(
        heads.tile_heads(v, 4).ravel(), numbers("P17", "wrong")
    )


@pytest.mark.parametrize("n_heads", [4, 5])
def test_p17_heads_of_their_own_cannot_be_paired_wrongly(n_heads):
    assert heads.shared_heads_tiled(attention_case(*draw(n_heads))) is None


def test_p18_attention_across_samples_averages_them():
    v = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])[..., None]
    case = attention_case(np.zeros((2, 3, 1)), np.zeros((2, 3, 1)), v)
    made = heads.samples_as_positions(case)
    np.testing.assert_allclose(made.context[..., 0], numbers("P18", "wrong"), **TIGHT)
    np.testing.assert_allclose(
        case.answer.context[..., 0], numbers("P18", "right"), **TIGHT
    )
    assert made.weights.shape == (3, 2, 2)


def test_p19_the_mean_of_the_heads_is_no_head():
    weights = np.array([[[8, 1, 1]], [[1, 1, 8]]]) / 10
    v = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])[..., None]
    case = attention_case(np.ones((2, 1, 1)), np.log(weights).swapaxes(-1, -2), v)
    shown, applied = heads.heads_averaged(case), heads.average_applied(case)
    np.testing.assert_allclose(shown.weights[0], numbers("P19", "avg"), **TIGHT)
    np.testing.assert_allclose(shown.context.ravel(), numbers("P19", "out"), **TIGHT)
    np.testing.assert_allclose(
        applied.context.ravel(), numbers("P19", "avgout"), **TIGHT
    )


@pytest.mark.parametrize(
    "make",
    [
        heads.heads_split_wrongly,
        heads.heads_split_and_merged_wrongly,
        heads.heads_merged_wrongly,
        heads.shared_heads_tiled,
        heads.samples_as_positions,
        heads.heads_averaged,
        heads.average_applied,
    ],
)
def test_one_head_cannot_be_confused_with_another(make):
    assert make(log4()) is None


# Every way to keep or drop the four weights [1, 2, 3, 4] / 10 of one row.
KEEP = np.array(list(itertools.product([False, True], repeat=4)))


def dropped_sums(**options):
    patterns = [
        dropout.dropped(log4(), keep=np.tile(keep, (4, 1)), **options).weights[0]
        for keep in KEEP
    ]
    return np.sum(patterns, axis=-1)


def test_p20_one_pattern():
    keep = np.array([True, False, True, True])
    made = dropout.dropped(log4(), keep=np.tile(keep, (4, 1)))
    np.testing.assert_allclose(made.weights[0], numbers("P20", "one"), **TIGHT)
    assert made.weights[0].sum() == pytest.approx(NUMBERS["P20"]["sum_one"])


def test_p20_rows_sum_to_one_only_on_average():
    sums = dropped_sums()
    assert sums.mean() == pytest.approx(NUMBERS["P20"]["mean"])
    assert sums.var() == pytest.approx(NUMBERS["P20"]["var"])
    assert (sums == 0).mean() == NUMBERS["P20"]["p_zero"]


def test_p20_without_the_factor_not_even_that():
    assert dropped_sums(rescale=False).mean() == pytest.approx(
        NUMBERS["P20"]["mean_no"]
    )


def test_p20_a_pattern_and_a_rate_are_read_off_the_weights():
    keep = np.array([True, False, True, True])
    made = dropout.dropped(log4(), keep=keep, rate=0.25)
    found = dropout.solve_dropout(log4(), made.weights, None)
    assert found.found == {"rate": 0.25}
    np.testing.assert_allclose(found.made.weights, made.weights, **TIGHT)


def test_p20_weights_that_all_stay_are_no_dropout():
    assert dropout.solve_dropout(log4(), 2 * log4().answer.weights, None) is None


def test_p20_weights_without_the_factor_are_not_taken_for_rescaled_ones():
    made = dropout.dropped(log4(), rescale=False)
    assert dropout.solve_dropout(log4(), made.weights, None) is None
    found = dropout.solve_dropout(log4(), made.weights, None, rescale=False)
    np.testing.assert_array_equal(found.made.weights, made.weights)


def test_p20_a_context_does_not_show_what_was_dropped():
    assert dropout.solve_dropout(log4(), None, log4().answer.context) is None


def test_p30_the_width_of_the_model_for_each_head():
    assert model_width_for_each_head(8, 2) == NUMBERS["P30"]["keras_keydim8"]
    right = attention_parameters(LayerSizes.usual(8, 2), bias=True)
    assert right == NUMBERS["P30"]["torch_h2"] == NUMBERS["P30"]["keras_keydim4"]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: heads.split_without_transpose(TAGS, 3), ShapeError, "with H=3"),
        (lambda: heads.split_without_transpose(TAGS, 0), ValueError, "`n_heads`"),
        (lambda: heads.split_without_transpose([1.0], 1), ShapeError, "`x` needs"),
        (lambda: heads.merge_without_transpose(TAGS), ShapeError, "`x` needs"),
        (lambda: heads.tile_heads(np.ones((2, 3, 4)), 5), ValueError, "of H_kv=2"),
        (lambda: heads.tile_heads(np.ones(4), 2), ShapeError, "`x` needs"),
        (lambda: heads.tile_heads(np.ones((0, 3, 4)), 2), ShapeError, "at least 1"),
    ],
)
def test_what_cannot_be_cut_into_heads_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
