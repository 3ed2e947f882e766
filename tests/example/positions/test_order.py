"""Who notices when the same tokens stand in another order."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.positions.compute import compute_positions
from attnviz.example.positions.order import OrderTrace, fit_order
from attnviz.example.positions.settings import PositionsSettings, positions_start
from attnviz.example.settings import Example

MOVED = PositionsSettings(order=(2, 0, 4, 1, 3))
EXERCISE = "exercise_7"


def order_of(settings=MOVED, **changes):
    return compute_positions(Example(**changes), settings).order


@pytest.mark.parametrize(
    ("changes", "largest", "tolerance"),
    [
        # Course chapter, exercise 7: 2.2e-16, 0.494 and 0.730.
        ({}, 0, 1e-15),
        ({"positions": "sinusoidal"}, 0.494, 5e-4),
        ({"mask": "causal"}, 0.730, 5e-4),
    ],
)
def test_exercise_7_comes_out_as_the_chapter_has_it(changes, largest, tolerance):
    example = replace(EXAMPLES[EXERCISE], **changes)
    trace = compute_positions(example, positions_start(EXERCISE)).order
    assert trace.order == (3, 0, 5, 1, 4, 2)
    assert trace.largest_change(0) == pytest.approx(largest, abs=tolerance)
    key = example.positions, example.mask
    assert trace.largest[key] == trace.largest_change(0)


def test_the_second_run_has_the_rows_of_the_first_where_their_tokens_stand():
    trace = order_of(positions="learned", mask="causal")
    np.testing.assert_array_equal(trace.moved.x, trace.original.x[[2, 0, 4, 1, 3]])
    assert trace.moved.tokens == ("x₃", "x₁", "x₅", "x₂", "x₄")
    context = trace.moved.attention.context
    for place, token in enumerate(trace.order):
        np.testing.assert_array_equal(trace.back[:, token], context[:, place])
        assert trace.places[token] == place


def test_the_first_run_is_that_of_the_attention_page():
    example = Example(positions="rotary", mask="causal", d_model=7)
    trace = compute_positions(example, MOVED).order
    np.testing.assert_array_equal(
        trace.original.attention.context, compute(example).attention.context
    )


@pytest.mark.parametrize("kind", POSITION_KINDS)
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_table_of_kinds_holds_what_each_kind_gives_when_chosen(kind, mask):
    whole = order_of(length=5, n_heads=3, d_model=6)
    chosen = order_of(length=5, n_heads=3, d_model=6, positions=kind, mask=mask)
    expected = pytest.approx(chosen.largest_change(0), rel=1e-9, abs=1e-14)
    assert whole.largest[kind, mask] == expected
    is_blind = (kind, mask) == ("none", "none")
    assert (whole.largest[kind, mask] < 1e-14) == is_blind


@pytest.mark.parametrize("scoring", ["bilinear", "additive"])
def test_no_score_sees_order_by_itself(scoring):
    assert order_of(scoring=scoring).largest_change(1) < 1e-14


def test_matrices_that_were_given_move_too():
    example = replace(EXAMPLES["fractions"], positions="rotary")
    trace = compute_positions(example, PositionsSettings(order=(1, 3, 0, 2))).order
    assert trace.largest["none", "none"] < 1e-14 < trace.largest["rotary", "none"]
    assert ("learned", "none") not in trace.largest


@pytest.mark.parametrize(
    ("changes", "settings", "reason"),
    [
        ({"key_length": 3}, {}, "order_of_cross"),
        ({"positions": "sinusoidal", "d_model": 7}, {}, "odd_width"),
        (
            {"positions": "learned", "length": 7},
            {"trained_length": 5},
            "beyond_trained",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(changes, settings, reason):
    order = order_of(replace(MOVED, **settings), **changes)
    assert isinstance(order, SettingError)
    assert order.reason == reason


def test_one_more_token_leaves_the_others_in_their_order():
    typed = replace(MOVED, order=(2, 0, 1))
    assert fit_order(typed, 3) == (2, 0, 1)
    assert fit_order(typed, 5) == (2, 0, 1, 3, 4)
    assert fit_order(typed, 2) == (0, 1)
    shuffled = PositionsSettings(order_seed=3)
    longer = fit_order(shuffled, 7)
    assert tuple(token for token in longer if token < 5) == fit_order(shuffled, 5)
    assert fit_order(shuffled, 7) != fit_order(PositionsSettings(order_seed=4), 7)


@pytest.mark.parametrize("length", range(2, 33))
def test_the_first_shuffle_moves_something_at_every_length(length):
    assert fit_order(PositionsSettings(), length) != tuple(range(length))


def test_scaling_the_inputs_shrinks_what_positions_do():
    scaled = replace(MOVED, scales_inputs=True)
    trace = compute_positions(Example(positions="sinusoidal"), scaled).order
    assert isinstance(trace, OrderTrace)
    root = np.sqrt(8)
    expected = root * trace.original.x + trace.original.positions
    np.testing.assert_allclose(trace.original.inputs, expected, rtol=1e-15)
