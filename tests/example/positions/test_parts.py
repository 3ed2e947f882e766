"""The table P, rotations and biases, and what must hold of them."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.positions.checks import check_positions
from attnviz.example.positions.compute import compute_positions
from attnviz.example.positions.settings import PositionsSettings
from attnviz.example.settings import Example
from tests.core.golden import GOLDEN

PLAIN = PositionsSettings()


def traced(settings=PLAIN, **changes):
    return compute_positions(Example(**changes), settings)


def verdicts(trace):
    return {check.id: check.verdict for check in check_positions(trace)}


def test_the_table_is_that_of_the_chapter_to_eight_decimals():
    # Course chapter, R75.
    rows = np.reshape(
        [
            *(0, 1, 0, 1, 0, 1, 0, 1),
            *(0.84147098, 0.54030231, 0.09983342, 0.99500417),
            *(0.00999983, 0.99995000, 0.00100000, 0.99999950),
            *(0.90929743, -0.41614684, 0.19866933, 0.98006658),
            *(0.01999867, 0.99980001, 0.00200000, 0.99999800),
        ],
        (3, 8),
    )
    table = traced().table
    np.testing.assert_allclose(table.table[:3], rows, rtol=0, atol=5e-9)
    np.testing.assert_allclose(table.table[:4], GOLDEN["pos_enc"]["T4_d8_start0"])


def test_counting_from_one_skips_the_first_row():
    table = traced(starts_at_one=True, d_model=4).table
    np.testing.assert_allclose(table.table[:3], GOLDEN["pos_enc"]["T3_d4_start1"])


def test_the_other_order_of_features_has_other_stripes_and_the_same_products():
    # Pitfall P21.
    one, other = (
        traced(replace(PLAIN, features=features), d_model=6).table
        for features in ("interleaved", "concatenated")
    )
    moved = other.table[:, [0, 3, 1, 4, 2, 5]]
    np.testing.assert_array_equal(one.table, moved)
    assert not np.allclose(one.table, other.table)
    np.testing.assert_allclose(one.gram, other.gram, atol=1e-14)


@pytest.mark.parametrize(
    ("features", "column", "wavelength"),
    [
        ("interleaved", 0, 2 * np.pi),
        ("interleaved", 3, 20 * np.pi),
        ("concatenated", 3, 2000 * np.pi),
        ("concatenated", 5, 20 * np.pi),
    ],
)
def test_the_curve_repeats_after_its_wavelength(features, column, wavelength):
    settings = replace(PLAIN, features=features, column=column)
    table = traced(settings, d_model=8).table
    assert table.wavelength == pytest.approx(wavelength)
    np.testing.assert_array_equal(table.curve[:8], table.table[:, column])
    assert len(table.curve) == 64


def test_lengths_stand_beside_the_rows_of_the_sum():
    table = traced(replace(PLAIN, scales_inputs=True), length=3, d_model=8).table
    np.testing.assert_allclose(table.p_norm, [2, 2, 2])
    np.testing.assert_allclose(table.x_norm, np.linalg.norm(table.scaled_x, axis=-1))
    np.testing.assert_array_equal(table.total, table.scaled_x + table.added)


@pytest.mark.parametrize(
    ("settings", "changes", "reason", "values"),
    [
        ({}, {"d_model": 7}, "odd_width", {"got": 7}),
        (
            {"table": "learned", "n_positions": 40, "trained_length": 32},
            {},
            "beyond_trained",
            {"got": 40, "trained": 32},
        ),
    ],
)
def test_a_table_that_cannot_be_says_why(settings, changes, reason, values):
    table = traced(replace(PLAIN, **settings), **changes).table
    assert isinstance(table, SettingError)
    assert (table.reason, dict(table.values)) == (reason, values)


@pytest.mark.parametrize("settings", [{}, {"turning": "half"}, {"base": "100"}])
def test_all_claims_hold(settings):
    trace = traced(replace(PLAIN, **settings), positions="relative")
    assert set(verdicts(trace).values()) == {"pass"}


def test_mixed_pairings_keep_lengths_and_lose_the_distance():
    # Pitfall P23.
    found = verdicts(traced(replace(PLAIN, turning="mixed")))
    assert [name for name, verdict in found.items() if verdict != "pass"] == [
        "rotary_diagonals"
    ]
    assert found["rotary_diagonals"] == "fail"


def test_a_learned_table_owes_nothing():
    found = verdicts(traced(replace(PLAIN, table="learned")))
    names = ("pair_norm", "gram_diagonals", "gram_order")
    assert {found[name] for name in names} == {"not applicable"}


@pytest.mark.parametrize("kind", ["alibi", "relative"])
def test_a_bias_gives_the_weights_of_an_example_of_that_kind(kind):
    trace = traced(
        replace(PLAIN, bias_kind=kind), positions=kind, mask="causal", n_heads=3
    )
    whole = trace.order.original.attention
    np.testing.assert_array_equal(trace.bias.bias, whole.bias)
    np.testing.assert_allclose(trace.bias.attention.weights, whole.weights)


@pytest.mark.parametrize("kind", ["alibi", "relative"])
def test_the_last_queries_stand_at_the_last_keys(kind):
    settings = replace(PLAIN, bias_kind=kind)
    whole = traced(settings, length=7, n_heads=3).bias
    last = traced(replace(settings, last_queries=2), length=7, n_heads=3).bias
    assert last.bias.shape == (3, 2, 7)
    np.testing.assert_array_equal(last.bias, whole.bias[:, -2:])
    np.testing.assert_array_equal(last.scores, whole.scores[:, -2:])


def test_slopes_follow_the_published_rule_where_heads_are_no_power_of_two():
    # Pitfall P25.
    bias = traced(length=2, n_heads=6).bias.bias
    slopes = [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    np.testing.assert_array_equal(-bias[:, 1, 0], slopes)
