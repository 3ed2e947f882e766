"""Which check catches which mistake, and which cannot: two tables as tests."""

import itertools

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.checks import check_attention, check_layer_norm
from attnviz.core.checks.case import attention_case
from attnviz.core.faults import (
    FAULTS,
    dropout,
    heads,
    hidden,
    masks,
    norms,
    scores,
    staircases,
)
from attnviz.core.faults.positions import doubled_exponents, mixed_pairings
from attnviz.core.layers.norms import layer_norm
from tests.core.faults.pitfalls import CAUSAL4, LOG4, log4

# R156–R162 in the chapter's order, without the loop that the chapter does not ask for.
CHAPTER = (
    "row_sums",
    "hidden_weights",
    "constant_values",
    "visible_keys",
    "divisor",
    "max_subtracted",
    "score_table",
)
CAUSAL = {"visible": causal_mask(5)}
PADDED = {"visible": padding_mask([True, True, True, True, False])}
EMPTY = {"visible": causal_mask(5) & (np.arange(5) != 2)[:, None]}
KEYS = np.arange(5) < np.array([[3], [5]])
BATCH = {"visible": np.broadcast_to(padding_mask(KEYS[:, None]), (2, 3, 5, 5))}


def parts(*leading):
    rng = np.random.default_rng(17)
    return {
        name: rng.standard_normal((*leading, 5, width))
        for name, width in {"q": 4, "k": 4, "v": 7}.items()
    }


def failing(make, options, *leading):
    """Name the checks that fail for what a mistake returns."""
    arrays = parts(*(leading or (2, 3)))
    made = make(attention_case(**arrays, **options))
    checks = check_attention(
        **arrays, **options, weights=made.weights, context=made.context
    )
    return {check.id for check in checks if check.verdict == "fail"}


# The course's wrong-way buttons (R163).


@pytest.mark.parametrize(
    ("make", "options", "caught"),
    [
        (scores.softmax_over_queries, {}, {"row_sums", "constant_values"}),
        (masks.hidden_after_softmax, CAUSAL, {"row_sums", "constant_values"}),
        (scores.unscaled, {}, {"divisor"}),
        (scores.scaled_by_model_width, CAUSAL, {"divisor"}),
        (
            lambda case: masks.filled(case, -1e9),
            EMPTY,
            {"hidden_weights", "visible_keys"},
        ),
        (scores.queries_as_keys, {}, set()),
        (heads.heads_split_wrongly, CAUSAL, set()),
        (heads.heads_merged_wrongly, CAUSAL, set()),
    ],
)
def test_the_chapters_checks_catch_what_the_course_says(make, options, caught):
    assert failing(make, options) & set(CHAPTER) == caught


@pytest.mark.parametrize(
    "make",
    [scores.queries_as_keys, heads.heads_split_wrongly, heads.heads_merged_wrongly],
)
def test_only_the_loop_finds_swapped_arguments_and_missing_transposes(make):
    assert failing(make, {}) == {"loop"}


# Which check catches what.


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (scores.softmax_over_queries, {}),
        (masks.hidden_after_softmax, CAUSAL),
        (dropout.dropped, {}),
        (hidden.zero_times_infinity, CAUSAL),
        (lambda case: masks.empty_rows(case, np.nan), EMPTY),
    ],
    ids=["P01", "P03", "P20", "P44", "P07"],
)
def test_row_sums_catch(make, options):
    assert "row_sums" in failing(make, options)


HIDDEN = [
    (masks.multiplied_by_mask, CAUSAL),
    (lambda case: masks.filled(case, 1e-9), CAUSAL),
    (lambda case: masks.empty_rows_filled(case, adds=False), EMPTY),
    (masks.inverted, CAUSAL),
    (masks.mask_as_bias, CAUSAL),
    (lambda case: staircases.shifted(case, 1), CAUSAL),
    (staircases.padding_on_queries, PADDED),
    (masks.tiled_over_batch, BATCH),
]


@pytest.mark.parametrize(
    ("make", "options"),
    HIDDEN,
    ids=["P04", "P05", "P08", "P09", "P10", "P11", "P13", "P16"],
)
def test_hidden_weights_catch(make, options):
    assert "hidden_weights" in failing(make, options)


@pytest.mark.parametrize(
    "make",
    [
        lambda case: masks.empty_rows(case, np.nan),
        lambda case: masks.empty_rows_filled(case, adds=True),
    ],
    ids=["P07", "P08"],
)
def test_visible_keys_catch(make):
    assert "visible_keys" in failing(make, EMPTY)


@pytest.mark.parametrize(
    ("make", "counts"),
    [
        (masks.inverted, [3, 2, 1, 0]),
        (lambda case: staircases.shifted(case, 1), [2, 3, 4, 4]),
        (lambda case: staircases.shifted(case, -1), [0, 1, 2, 3]),
    ],
    ids=["P09", "P11 next", "P11 itself"],
)
def test_row_i_of_a_causal_mask_has_another_number_of_keys(make, counts):
    made = make(log4(visible=CAUSAL4))
    assert np.count_nonzero(made.weights, axis=-1).tolist() == counts


@pytest.mark.parametrize(
    ("make", "options"),
    [(scores.unscaled, {}), (scores.scaled_by_model_width, CAUSAL)],
    ids=["P02", "P30"],
)
def test_the_divisor_catches(make, options):
    assert "divisor" in failing(make, options)


def test_the_shape_of_the_table_catches_swapped_axes_and_averaged_heads():
    assert "score_table" in failing(heads.samples_as_positions, {}, 2)
    assert "score_table" in failing(heads.heads_averaged, {})


def test_row_sums_are_blind_to_most_mistakes():
    blind = [
        (scores.unscaled, {}),
        *HIDDEN[:2],
        (masks.mask_as_bias, CAUSAL),
        (masks.tiled_over_batch, BATCH),
        (heads.heads_split_wrongly, {}),
        (heads.heads_merged_wrongly, {}),
    ]
    caught = [failing(make, options) for make, options in blind]
    assert not any("row_sums" in ids for ids in caught)


# Experiments of two runs.


def moved(make, edited, rows, **options):
    """Measure how far an edit of what is hidden moves the context of some rows."""
    before = make(log4(**options)).context[rows]
    after = make(attention_case(**(LOG4 | edited), **options)).context[rows]
    return float(np.abs(after - before).max())


FUTURE = {
    "k": LOG4["k"] + np.array([[0], [0], [0], [1]]),
    "v": LOG4["v"] + np.array([[0], [0], [0], [5]]),
}


@pytest.mark.parametrize(
    "make",
    [
        masks.hidden_after_softmax,
        masks.multiplied_by_mask,
        masks.inverted,
        lambda case: staircases.shifted(case, 1),
    ],
    ids=["P03", "P04", "P09", "P11"],
)
def test_an_edit_of_the_future_moves_the_past(make):
    assert moved(make, FUTURE, slice(3), visible=CAUSAL4) > 0.01


def test_an_edit_of_padding_moves_what_reads_it():
    visible = np.broadcast_to(np.array([True, True, True, False]), (4, 4))
    make = staircases.padding_on_queries
    assert moved(make, FUTURE, slice(3), visible=visible) > 0.01


def test_an_edit_of_what_is_hidden_moves_no_right_result():
    def right(case):
        return case.answer

    assert moved(right, FUTURE, slice(3), visible=CAUSAL4) == 0


def test_an_edit_of_the_future_moves_heads_that_were_cut_wrongly():
    arrays = parts(2)
    edited = arrays | {"v": arrays["v"] + (np.arange(5) == 4)[:, None]}
    before = heads.heads_split_wrongly(attention_case(**arrays, **CAUSAL))
    after = heads.heads_split_wrongly(attention_case(**edited, **CAUSAL))
    assert np.abs(after.context - before.context)[:, :4].max() > 0.01


def alone(make, arrays, options):
    """Compare the first sample in a batch with the same sample alone."""
    first = {name: array[:1] for name, array in arrays.items()}
    masks_of_first = {name: array[:1] for name, array in options.items()}
    together = make(attention_case(**arrays, **options)).context[0]
    return np.abs(together - make(attention_case(**first, **masks_of_first)).context[0])


def test_a_sample_alone_is_not_the_same_as_in_a_batch():
    assert alone(masks.tiled_over_batch, parts(2, 3), BATCH).max() > 0.01
    assert alone(heads.samples_as_positions, parts(2), {}).max() > 0.01


def test_a_position_alone_is_normalized_otherwise():
    x = parts()["v"]
    together = norms.over_sample(layer_norm(x))[:1]
    assert np.abs(together - norms.over_sample(layer_norm(x[:1]))).max() > 0.01


def test_one_step_with_a_cache_is_not_the_last_row_of_all():
    full = log4(visible=CAUSAL4).answer.context[3]
    step = attention_case(LOG4["q"][3:], LOG4["k"], LOG4["v"])
    np.testing.assert_allclose(step.answer.context[0], full)
    assert np.abs(staircases.aligned_otherwise(step).context[0] - full).max() > 0.1


# Give each head a value of its own: what comes out says where it came from.
TAGGED = parts(4) | {"v": np.broadcast_to(np.arange(4.0)[:, None, None], (4, 5, 7))}
GROUPED = TAGGED | {
    "k": np.repeat(TAGGED["k"][:2], 2, axis=0),
    "v": np.repeat(TAGGED["v"][:2], 2, axis=0),
}


@pytest.mark.parametrize(
    ("make", "arrays"),
    [
        (scores.softmax_over_queries, TAGGED),
        (heads.heads_split_wrongly, TAGGED),
        (heads.heads_merged_wrongly, TAGGED),
        (heads.shared_heads_tiled, GROUPED),
        (heads.average_applied, parts(4)),
    ],
    ids=["P01", "P14", "P15", "P17", "P19"],
)
def test_tagged_values_come_out_of_the_wrong_place(make, arrays):
    case = attention_case(**arrays)
    assert np.abs(make(case).context - case.answer.context).max() > 0.1


def test_the_context_does_not_follow_from_averaged_or_undropped_weights():
    case = attention_case(**parts(3))
    shown = heads.heads_averaged(case)
    assert np.abs(shown.weights @ case.v - shown.context).max() > 0.1
    kept = dropout.dropped(case)
    assert np.abs(case.answer.weights @ case.v - kept.context).max() > 0.1


def test_all_sign_vectors_show_the_variance_of_the_scores():
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))
    case = attention_case(signs, signs, signs)
    assert case.answer.raw_scores.var() == 4
    assert case.answer.scores.var() == 1
    assert (case.answer.raw_scores / 8**0.5).var() == pytest.approx(0.5)


@pytest.mark.parametrize(
    "make",
    [lambda case: masks.filled(case, -1e4), scores.maximum_not_subtracted],
    ids=["P05", "P29"],
)
def test_a_constant_added_to_all_scores_of_a_row_changes_the_answer(make):
    arrays = parts()
    here = attention_case(**arrays, **CAUSAL, bias=np.zeros((5, 5)))
    there = attention_case(**arrays, **CAUSAL, bias=np.full((5, 5), -2e4))
    np.testing.assert_allclose(there.answer.weights, here.answer.weights, atol=1e-10)
    gap = make(there).weights - make(here).weights
    assert not np.abs(gap).max() < 0.1


def test_lengths_change_where_angles_are_mixed_up():
    table = doubled_exponents(4, 6)
    assert np.ptp(np.square(table).sum(axis=-1)) > 0.1
    x = np.tile(np.arange(6.0), (5, 1))
    assert np.ptp(np.square(mixed_pairings(x, np.arange(5))).sum(axis=-1)) > 0.1


@pytest.mark.parametrize(
    ("make", "caught"),
    [
        (norms.one_less_divisor, {"mean_square"}),
        (norms.eps_outside_root, {"mean_square"}),
        (norms.mean_not_subtracted, {"mean", "mean_square"}),
        (norms.over_positions, {"mean", "mean_square", "own_position"}),
        (norms.over_batch, {"mean", "mean_square", "own_position"}),
        (norms.over_sample, {"mean", "mean_square"}),
        (norms.not_normalized, {"mean", "mean_square"}),
    ],
)
def test_moments_catch_mistakes_of_the_norm(make, caught):
    x = 1 + parts(3)["v"]
    checks = check_layer_norm(x, make(layer_norm(x)))
    failed = {check.id for check in checks if check.verdict == "fail"}
    assert failed == caught | {"loop"}


@pytest.mark.parametrize("make", [norms.normalized_again, norms.parameters_left_out])
def test_gamma_and_beta_must_survive(make):
    x = parts(3)["v"]
    parameters = {"gamma": np.full(7, 2.0), "beta": np.ones(7)}
    checks = check_layer_norm(x, make(layer_norm(x, **parameters)), **parameters)
    assert {"mean", "mean_square", "loop"} <= {
        check.id for check in checks if check.verdict == "fail"
    }


def test_two_runs_with_dropout_differ():
    rng = np.random.default_rng(23)
    first, second = (
        dropout.dropped(log4(), keep=rng.random((4, 4)) >= 0.5) for _ in range(2)
    )
    assert np.abs(first.context - second.context).max() > 0.1


def test_the_catalogue_says_what_reveals_each_mistake():
    revealing = {fault.id: set(fault.revealed_by) for fault in FAULTS}
    assert {f for f, by in revealing.items() if "hidden_weights" in by} == {
        *("P04", "P05", "P08", "P09", "P10", "P11", "P13", "P16", "P31")
    }
    assert {f for f, by in revealing.items() if "row_sums" in by} == {
        *("P01", "P03", "P06", "P07", "P20", "P29"),
        *("P36", "P37", "P41", "P43", "P44"),
    }
    assert {f for f, by in revealing.items() if not by} == {"P21"}
