"""Keys from elsewhere, other scores, positions: each changes what it should alone."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.core.positions.relative import alibi_slopes
from attnviz.core.positions.sinusoidal import sinusoidal_positions
from attnviz.example.checks import check_example
from attnviz.example.choices.masks import MASK_KINDS
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example

PLAIN = compute(Example())
CROSS = Example(length=5, key_length=3, d_model=7, d_k=2, d_v=11, n_heads=2)


def failures(trace):
    return [check.id for check in check_example(trace) if check.verdict == "fail"]


def test_self_attention_shares_one_input():
    assert PLAIN.x_k is PLAIN.x
    assert PLAIN.inputs is PLAIN.x
    assert PLAIN.key_tokens == PLAIN.tokens


def test_cross_attention_has_a_row_a_query_and_a_column_a_key():
    trace = compute(CROSS)
    assert trace.attention.weights.shape == (2, 5, 3)
    assert (trace.q.shape, trace.k.shape) == ((2, 5, 2), (2, 3, 2))
    assert trace.v.shape == (2, 3, 11)
    assert trace.heads.output.shape == (5, 7)
    assert (trace.x.shape, trace.x_k.shape) == ((5, 7), (3, 7))


def test_keys_take_their_words_from_their_own_sentence():
    trace = compute(Example(text="a b", key_text="d e f", key_length=7))
    assert (trace.tokens, trace.key_tokens) == (("a", "b"), ("d", "e", "f"))


def test_the_same_sentence_on_both_sides_is_self_attention():
    text = "funny cat videos"
    alone = compute(Example(text=text)).attention
    crossed = compute(Example(text=text, key_text=text)).attention
    np.testing.assert_array_equal(crossed.weights, alone.weights)


def test_keys_from_elsewhere_leave_the_queries_alone():
    np.testing.assert_array_equal(compute(Example(key_length=3)).q, PLAIN.q)


def test_one_more_key_keeps_the_earlier_ones():
    few, more = compute(CROSS), compute(replace(CROSS, key_length=4))
    np.testing.assert_array_equal(more.k[:, :3], few.k)


def test_padding_of_the_keys_leaves_the_queries_unmarked():
    trace = compute(replace(CROSS, mask="padding", n_padding=1))
    assert trace.key_valid.tolist() == [True, True, False]
    assert trace.attention.weights[..., 2].max() == 0


def test_a_causal_mask_counts_queries_and_keys_from_the_first():
    visible = compute(replace(CROSS, mask="causal")).visible
    assert visible.astype(int).tolist() == [
        [1, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
        [1, 1, 1],
        [1, 1, 1],
    ]


def test_a_window_that_reaches_no_key_is_refused():
    with pytest.raises(SettingError) as caught:
        replace(CROSS, mask="window", window_left=1)
    assert (caught.value.reason, caught.value.values) == ("empty_row", {"row": 5})


def test_left_padding_hides_the_first_keys_and_empties_their_rows():
    trace = compute(Example(length=3, mask="causal_left_padding", n_padding=2))
    assert trace.visible.astype(int).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert trace.attention.weights[:, 2].tolist() == [[0, 0, 1], [0, 0, 1]]


def test_padding_in_front_leaves_at_least_one_position():
    trace = compute(Example(length=3, mask="causal_left_padding", n_padding=9))
    assert trace.key_valid.tolist() == [False, False, True]


@pytest.mark.parametrize("scoring", SCORING_KINDS)
def test_another_score_leaves_queries_keys_and_values_alone(scoring):
    trace = compute(Example(scoring=scoring))
    np.testing.assert_array_equal(trace.q, PLAIN.q)
    np.testing.assert_array_equal(trace.k, PLAIN.k)
    np.testing.assert_array_equal(trace.v, PLAIN.v)


def test_bilinear_scores_come_through_w():
    trace = compute(Example(scoring="bilinear"))
    raw = np.einsum("hif,fg,hjg->hij", trace.q, trace.scoring.w, trace.k)
    np.testing.assert_allclose(trace.attention.raw_scores, raw, rtol=1e-12)


def test_additive_scores_come_through_a_hidden_layer():
    trace = compute(Example(scoring="additive"))
    learned, query, key = trace.scoring, trace.q[1, 4], trace.k[1, 2]
    hidden = np.tanh(learned.w_q @ query + learned.w_k @ key)
    assert trace.attention.raw_scores[1, 4, 2] == pytest.approx(learned.v @ hidden)


@pytest.mark.parametrize("scoring", ["bilinear", "additive"])
def test_other_scores_are_not_divided(scoring):
    trace = compute(Example(scoring=scoring)).attention
    undivided = compute(Example(scoring=scoring, is_scaled=False)).attention
    np.testing.assert_array_equal(trace.scores, trace.raw_scores)
    np.testing.assert_array_equal(undivided.weights, trace.weights)


@pytest.mark.parametrize("scoring", ["bilinear", "additive"])
def test_drawn_scores_spread_by_about_one(scoring):
    spreads = [
        compute(
            Example(
                length=32, d_model=64, d_k=16, n_heads=1, scoring=scoring, seed=seed
            )
        ).attention.scores.std()
        for seed in range(20)
    ]
    assert 0.4 < np.mean(spreads) < 1.2


@pytest.mark.parametrize("positions", POSITION_KINDS)
def test_positions_leave_the_inputs_and_projections_alone(positions):
    trace = compute(Example(positions=positions))
    np.testing.assert_array_equal(trace.x, PLAIN.x)
    np.testing.assert_array_equal(trace.parameters.w_q, PLAIN.parameters.w_q)


@pytest.mark.parametrize(("starts_at_one", "first"), [(False, 0), (True, 1)])
def test_sinusoids_count_from_0_or_from_1(starts_at_one, first):
    trace = compute(Example(positions="sinusoidal", starts_at_one=starts_at_one))
    wanted = sinusoidal_positions(5, 8, start=first)
    work = derive(trace, "positions", (2, 3))
    assert work.terms[0].value == 2 + first
    np.testing.assert_array_equal(trace.positions, wanted)
    np.testing.assert_array_equal(trace.inputs, PLAIN.x + wanted)
    np.testing.assert_allclose(
        trace.q[1], trace.inputs @ trace.parameters.w_q[1], rtol=1e-12
    )


def test_learned_positions_keep_their_rows_when_the_sequence_grows():
    short = compute(Example(positions="learned", length=3))
    long = compute(Example(positions="learned", length=7))
    np.testing.assert_array_equal(long.positions[:3], short.positions)
    assert not np.array_equal(
        compute(Example(positions="learned", length=3, seed=1)).positions,
        short.positions,
    )


def test_each_side_has_positions_of_its_own():
    trace = compute(replace(CROSS, positions="sinusoidal"))
    np.testing.assert_array_equal(trace.key_positions, trace.positions[:3])
    np.testing.assert_array_equal(trace.key_inputs, trace.x_k + trace.key_positions)


def test_turned_queries_keep_their_length_and_leave_q_alone():
    trace = compute(Example(positions="rotary"))
    np.testing.assert_array_equal(trace.q, PLAIN.q)
    assert not np.allclose(trace.attention.q, trace.q)
    np.testing.assert_allclose(
        np.linalg.norm(trace.attention.q, axis=-1), np.linalg.norm(trace.q, axis=-1)
    )
    np.testing.assert_array_equal(trace.attention.v, PLAIN.v)


def test_turned_queries_begin_with_no_turn_at_0_and_scores_do_not_care():
    at_zero, at_one = (
        compute(Example(positions="rotary", starts_at_one=one)).attention
        for one in (False, True)
    )
    np.testing.assert_array_equal(at_zero.q[:, 0], PLAIN.q[:, 0])
    assert not np.allclose(at_one.q[:, 0], PLAIN.q[:, 0])
    np.testing.assert_allclose(at_one.scores, at_zero.scores, rtol=1e-12)


def test_turned_scores_depend_on_the_distance_alone():
    raw = compute(Example(text="a a a a a", positions="rotary")).attention.raw_scores
    np.testing.assert_allclose(raw[0, 1:, 1:], raw[0, :-1, :-1], rtol=1e-9)


def test_alibi_lowers_scores_by_the_distance():
    trace = compute(Example(positions="alibi")).attention
    slopes = alibi_slopes(2)
    np.testing.assert_allclose(trace.bias[:, 4, 1], -3 * slopes)
    np.testing.assert_allclose(
        trace.scores, PLAIN.attention.scores + trace.bias, rtol=1e-12
    )


@pytest.mark.parametrize("positions", ["rotary", "alibi"])
def test_given_queries_and_keys_can_be_told_apart_by_position(positions):
    trace = compute(replace(EXAMPLES["fractions"], positions=positions))
    assert not np.allclose(
        trace.attention.weights, compute(EXAMPLES["fractions"]).attention.weights
    )


@pytest.mark.parametrize(
    ("start", "changes", "reason"),
    [
        ("fractions", {"positions": "sinusoidal"}, "no_inputs"),
        ("fractions", {"positions": "learned"}, "no_inputs"),
        ("five", {"positions": "rotary", "d_k": 3}, "odd_pairs"),
        ("five", {"positions": "absolute"}, "unknown_choice"),
        ("five", {"scoring": "cosine"}, "unknown_choice"),
        ("five", {"is_scaled": "yes"}, "unknown_choice"),
        ("five", {"key_length": 33}, "out_of_range"),
        ("five", {"key_text": " "}, "no_tokens"),
        ("five", {"key_text": "a " * 33}, "many_tokens"),
        ("cross", {"key_length": 5}, "fixed_sizes"),
        ("identity", {"key_length": 2}, "fixed_sizes"),
        ("apple", {"length": 4}, "fixed_length"),
    ],
)
def test_what_does_not_fit_is_refused(start, changes, reason):
    with pytest.raises(SettingError) as caught:
        replace(EXAMPLES[start], **changes)
    assert caught.value.reason == reason


def test_a_whole_number_in_floating_point_is_that_number():
    example = Example(length=3.0)
    assert type(example.length) is int
    assert example.tokens == ("x₁", "x₂", "x₃")


def test_given_matrices_have_no_inputs_and_no_output():
    trace = compute(EXAMPLES["fractions"])
    assert (trace.x, trace.parameters, trace.heads) == (None, None, None)


def test_given_matrices_leave_nothing_to_normalize():
    with pytest.raises(SettingError, match="no_inputs"):
        compute_norm(EXAMPLES["fractions"], NormExample())


@pytest.mark.parametrize("mask", MASK_KINDS[:4])
@pytest.mark.parametrize("positions", POSITION_KINDS)
@pytest.mark.parametrize("scoring", SCORING_KINDS)
def test_no_check_fails_whatever_the_choice(scoring, positions, mask):
    example = replace(
        CROSS, scoring=scoring, positions=positions, mask=mask, temperature=2.0
    )
    assert failures(compute(example)) == []


def test_an_unscaled_dot_product_fails_the_divisor():
    assert "divisor" in failures(compute(Example(is_scaled=False)))


def test_a_divisor_is_measured_with_a_bias_under_temperature():
    trace = compute(Example(positions="alibi", temperature=2.0))
    divisor = next(check for check in check_example(trace) if check.id == "divisor")
    assert (divisor.verdict, divisor.measured) == ("convention", pytest.approx(4.0))


@pytest.mark.parametrize(
    ("settings", "stage", "operands"),
    [
        ({"positions": "sinusoidal"}, "inputs", ["x", "positions"]),
        ({"positions": "sinusoidal"}, "positions", ["position", "base", "2i", "d"]),
        ({"positions": "learned"}, "key_inputs", ["x_k", "key_positions"]),
        ({"positions": "rotary"}, "k_turned", ["k", "cos", "k", "sin"]),
        ({"scoring": "bilinear"}, "q_w", ["q", "score_w", "q", "score_w"]),
    ],
)
def test_a_cell_leads_back_to_what_it_came_from(settings, stage, operands):
    trace = compute(replace(CROSS, **settings))
    head = (1,) if stage in ("k_turned", "q_w") else ()
    derivation = derive(trace, stage, (*head, 2, 0))
    pieces = [*derivation.terms, *derivation.steps]
    named = [operand.name for piece in pieces for operand in piece.operands]
    assert [name for name in named if name != "rounding"] == operands


@pytest.mark.parametrize(
    ("settings", "query", "key"),
    [
        ({}, "q", "k"),
        ({"positions": "rotary"}, "q_turned", "k_turned"),
        ({"scoring": "bilinear"}, "q_w", "k"),
        ({"scoring": "bilinear", "positions": "rotary"}, "q_w", "k_turned"),
        ({"scoring": "additive"}, "score_v", "score_hidden"),
    ],
)
def test_a_score_names_the_factors_that_met(settings, query, key):
    trace = compute(replace(CROSS, **settings))
    derivation = derive(trace, "raw_scores", (1, 4, 2))
    first = derivation.terms[0].operands
    assert (first[0].name, first[1].name) == (query, key)
    assert replay(derivation) == trace.attention.raw_scores[1, 4, 2]


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
@pytest.mark.parametrize("letter", ["q", "k", "v"])
def test_projections_replay_from_what_was_projected(letter, positions):
    trace = compute(replace(CROSS, positions=positions))
    assert replay(derive(trace, letter, (1, 2, 1))) == getattr(trace, letter)[1, 2, 1]
