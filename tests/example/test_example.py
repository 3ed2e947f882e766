"""The example on screen: its limits, and that one setting changes one factor."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.compute import compute
from attnviz.example.setting import WHOLE as WHOLE_FORM
from attnviz.example.settings import SETTINGS, Example

# Distinct primes, so that no axis can stand in for another.
PRIMES = Example(length=7, d_model=11, d_k=5, d_v=3, n_heads=2, seed=13)
STAGES = ("raw_scores", "scores", "weights", "context")

LIMITS = {name: setting.limits for name, setting in SETTINGS.items() if setting.limits}
WHOLE = [name for name in LIMITS if SETTINGS[name].form is WHOLE_FORM]


def same(one, other):
    return one.shape == other.shape and bool((one == other).all())


def inputs_are_equal(one, other):
    """Compare X, the projections, Q, K and V bit by bit."""
    parameters = [
        same(getattr(one.parameters, name), getattr(other.parameters, name))
        for name in ("w_q", "w_k", "w_v", "w_o")
    ]
    vectors = [same(getattr(one, name), getattr(other, name)) for name in "xqkv"]
    return all(parameters + vectors)


def test_shapes_are_those_of_the_chapter():
    trace = compute(PRIMES)
    assert trace.x.shape == (7, 11)
    assert trace.q.shape == trace.k.shape == (2, 7, 5)
    assert trace.v.shape == trace.attention.context.shape == (2, 7, 3)
    assert trace.attention.weights.shape == (2, 7, 7)
    assert trace.heads.joined.shape == (7, 6)
    assert trace.heads.output.shape == (7, 11)


@pytest.mark.parametrize(
    "changes",
    [
        {"mask": "causal"},
        {"mask": "window", "window_left": 2, "window_right": 0},
        {"mask": "padding", "n_padding": 3},
        {"is_scaled": False},
        {"temperature": 0.5},
    ],
    ids=["causal", "window", "padding", "unscaled", "temperature"],
)
def test_masks_scaling_and_temperature_leave_the_inputs_alone(changes):
    # Course chapter, R5.
    before, after = compute(PRIMES), compute(replace(PRIMES, **changes))
    assert inputs_are_equal(before, after)
    assert not same(before.attention.weights, after.attention.weights)


def test_another_seed_does_not_leave_the_inputs_alone():
    assert not inputs_are_equal(compute(PRIMES), compute(replace(PRIMES, seed=14)))


def test_a_mask_leaves_the_scores_before_it_alone():
    before, after = compute(PRIMES), compute(replace(PRIMES, mask="causal"))
    assert same(before.attention.scores, after.attention.scores)


def test_one_more_position_keeps_the_rows_of_the_others():
    before, after = compute(PRIMES), compute(replace(PRIMES, length=8))
    assert same(before.x, after.x[:7])


def test_one_more_head_keeps_the_stages_of_the_others():
    before, after = compute(PRIMES), compute(replace(PRIMES, n_heads=3))
    for name in STAGES:
        stage = getattr(after.attention, name)[:2]
        np.testing.assert_array_equal(getattr(before.attention, name), stage)


def test_wider_values_leave_the_weights_alone():
    before, after = compute(PRIMES), compute(replace(PRIMES, d_v=4))
    assert same(before.attention.weights, after.attention.weights)


@pytest.mark.parametrize("name", LIMITS)
def test_limits_themselves_can_be_shown(name):
    least, most = LIMITS[name]
    compute(replace(Example(), **{name: least}))
    compute(replace(Example(), **{name: most}))


@pytest.mark.parametrize("name", LIMITS)
def test_numbers_beyond_the_limits_are_refused(name):
    least, most = LIMITS[name]
    for value in (least - 1, most + 1, 10**9, float("inf"), float("nan")):
        with pytest.raises(SettingError) as caught:
            Example(**{name: value})
        assert caught.value.reason == "out_of_range"
        assert caught.value.values["name"] == name
        assert caught.value.values["least"] == least
        assert caught.value.values["most"] == most


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("value", ["5", None, True, [1], {}, 1 + 0j])
def test_what_is_no_number_is_refused(name, value):
    with pytest.raises(SettingError, match="not_a_number"):
        Example(**{name: value})


@pytest.mark.parametrize("name", WHOLE)
def test_half_a_position_is_refused(name):
    with pytest.raises(SettingError, match="not_a_number"):
        Example(**{name: 1.5})


@pytest.mark.parametrize("name", ["mask", "matrices", "is_scaled"])
@pytest.mark.parametrize("value", ["nothing", "", None, 3, (), []])
def test_an_unknown_choice_is_refused(name, value):
    with pytest.raises(SettingError, match="unknown_choice"):
        Example(**{name: value})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("word " * 33, "many_tokens"),
        ("很" * 33, "many_tokens"),
        ("x" * 2001, "long_text"),
        (" ", "no_tokens"),
        ("\u200b", "no_tokens"),
    ],
)
def test_a_sentence_that_cannot_be_shown_is_refused(text, reason):
    with pytest.raises(SettingError, match=reason):
        Example(text=text)


def test_words_take_the_place_of_the_length():
    example = Example(text="the cat sat", length=7)
    assert example.tokens == ("the", "cat", "sat")
    assert compute(example).x.shape == (3, 8)


def test_positions_without_words_are_numbered_from_1():
    assert Example(length=12).tokens[0] == "x₁"
    assert Example(length=12).tokens[-1] == "x₁₂"


def test_sizes_of_written_matrices_cannot_change():
    with pytest.raises(SettingError, match="fixed_sizes"):
        Example(matrices="identity")


def test_padding_hides_the_last_keys_but_never_all():
    padded = compute(replace(PRIMES, mask="padding", n_padding=3))
    assert padded.key_valid.tolist() == [True] * 4 + [False] * 3
    assert not padded.visible[:, 4:].any()
    everything = compute(replace(PRIMES, mask="padding", n_padding=31))
    assert everything.key_valid.tolist() == [True] + [False] * 6


def test_causal_and_padding_hide_what_either_hides():
    both = compute(replace(PRIMES, mask="causal_padding", n_padding=2)).visible
    causal = compute(replace(PRIMES, mask="causal")).visible
    padding = compute(replace(PRIMES, mask="padding", n_padding=2)).visible
    np.testing.assert_array_equal(both, causal & padding)


def test_equal_settings_share_one_computation_that_nobody_can_write_into():
    trace = compute(PRIMES)
    assert compute(replace(PRIMES)) is trace
    with pytest.raises(ValueError, match="read-only"):
        trace.x[0, 0] = 9
    with pytest.raises(ValueError, match="read-only"):
        trace.visible[0, 0] = False


@pytest.mark.parametrize(
    ("changes", "divisor"),
    [
        ({}, np.sqrt(5)),
        ({"temperature": 2.0}, 2 * np.sqrt(5)),
        ({"is_scaled": False}, 1),
        ({"scoring": "bilinear", "temperature": 3.0}, 3),
    ],
)
def test_the_divisor_follows_the_settings(changes, divisor):
    assert replace(PRIMES, **changes).divisor == divisor
