"""What the sections beside the mistakes compute: claims, and cells that answer."""

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.example.compute import compute
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes import layouts
from attnviz.example.mistakes.drawn_masks import damage, draw_conventions, drawn_mask
from attnviz.example.mistakes.guessing import RIGHT, ask
from attnviz.example.mistakes.head_views import (
    drop,
    look_at_heads,
    same_output,
    weigh_values,
)
from attnviz.example.mistakes.mask_effects import add_up, pad, renormalize
from attnviz.example.mistakes.settings import MistakeSettings
from attnviz.example.settings import Example

EXAMPLE = compute(Example(length=5, d_model=7, d_k=2, d_v=3, n_heads=3, mask="causal"))
DRAWN = MistakeSettings(n_queries=3, n_keys=5, flips=((0, 4),))
LAID = {
    "conventions": draw_conventions(DRAWN),
    "padding": pad(3)[0],
    "ways": renormalize()[0],
    "sums": add_up(EXAMPLE),
    "heads by hand": look_at_heads(None)[0],
    "heads": look_at_heads(EXAMPLE)[0],
    "carried": weigh_values(EXAMPLE),
    "same": same_output(),
    "dropout": drop(0.3),
    "split": layouts.split_digits(),
    "merge": layouts.merge_digits(),
    "products": layouts.add_heads(EXAMPLE),
    "batch": layouts.stack_batch(),
    "guess": ask(7, 2).laid(is_answered=True),
}
# Where chains may end.
GIVEN = {"mask", "seen", "q", "k", "v", "x", "w_q", "w_k", "w_v", "w_o", "keep"}
GIVEN |= {"whole", "parts", "samples"}


@pytest.mark.parametrize("name", LAID)
def test_every_cell_of_a_section_says_where_it_comes_from(name):
    laid = LAID[name]
    # Heads that were made by hand, and the row that is dropped from, are given.
    given = GIVEN | ({"weights"} if name in ("heads by hand", "dropout") else set())
    for matrix, values in laid.screen().matrices.items():
        if not values.ndim:
            continue
        for index in np.ndindex(values.shape):
            work = derive(laid, matrix, index)
            assert work.operation != "given" or matrix in given, (matrix, index)
            value = laid.sheet().value(matrix, index)
            assert np.array_equal(replay(work), value, equal_nan=True)


def test_a_mask_is_drawn_over_its_kind_and_read_both_ways():
    visible = drawn_mask(DRAWN)
    expected = np.tri(3, 5, 2, dtype=bool)
    expected[0, 4] = True
    np.testing.assert_array_equal(visible, expected)
    assert damage(visible) == (2, 1)
    laid = LAID["conventions"]
    assert (laid.matrices["weights"][0][~visible] == 0).all()
    assert (laid.matrices[f"{FAULTY}weights"][0][visible] == 0).all()
    first = drawn_mask(MistakeSettings(kind="causal_first", n_queries=3, n_keys=5))
    np.testing.assert_array_equal(first, np.tri(3, 5, dtype=bool))


@pytest.mark.parametrize("n_pads", [1, 3])
def test_hidden_padding_moves_no_word(n_pads):
    laid, moved, unhidden = pad(n_pads)
    assert laid.matrices["weights"].shape == (1, 4 + n_pads, 4 + n_pads)
    assert moved == 0
    assert unhidden > 0.1


def test_zero_after_the_softmax_and_renormalized_is_minus_infinity_before_it():
    laid, gap = renormalize()
    assert gap < 1e-15
    short = laid.matrices[f"{FAULTY}weight_sum"].ravel()
    np.testing.assert_allclose(short, [0.1, 0.375, 0.9, 1])


def test_rows_sum_to_one_and_columns_to_anything():
    matrices = add_up(EXAMPLE).matrices
    np.testing.assert_allclose(matrices["weight_sum"], 1)
    totals = matrices["column_total"]
    np.testing.assert_allclose(totals.sum(axis=-1), 5)
    assert np.ptp(totals) > 0.5


def test_heads_made_by_hand_have_the_labels_and_numbers_of_the_course():
    _, heads = look_at_heads(None)
    assert [head.label for head in heads] == [
        "uniform",
        "collapsed",
        "positional",
        "mixed",
    ]
    # R146: normalized entropy, mean largest weight, largest column mean.
    wanted = [
        (1, 0.1667, 0.1667),
        (0, 1, 1),
        (0, 1, 0.3333),
        (0.9013, 0.3298, 0.2083),
    ]
    found = [(head.entropy, head.largest, head.column) for head in heads]
    np.testing.assert_allclose(found, wanted, atol=5e-5)


def test_an_even_causal_head_is_uniform_once_visible_keys_are_counted():
    even = compute(Example(length=6, mask="causal", temperature=10.0))
    _, heads = look_at_heads(even)
    assert all(head.entropy > 0.98 for head in heads)


@pytest.mark.parametrize("rate", [0.5, 0.3])
def test_the_sixteen_ways_of_dropping_bring_back_the_row_on_average(rate):
    matrices = drop(rate).matrices
    assert matrices["keep"].shape == (16, 4)
    np.testing.assert_allclose(matrices["chance"].sum(), 1)
    np.testing.assert_allclose(matrices["dropped_mean"], [[0.1, 0.2, 0.3, 0.4]])
    sums, chance = matrices["dropped_sum"], matrices["chance"]
    # Variance p/(1 − p)·Σa².
    spread = (chance * (sums - 1) ** 2).sum()
    np.testing.assert_allclose(spread, rate / (1 - rate) * 0.3)


def test_two_tables_of_weights_give_one_context():
    matrices = same_output().matrices
    rows = matrices["weights"][0]
    assert np.ptp(rows, axis=0).max() > 0.1
    np.testing.assert_allclose(np.ptp(matrices["context"][0], axis=0), 0, atol=1e-15)


def test_digits_show_what_a_transpose_does():
    matrices = layouts.split_digits().matrices
    np.testing.assert_array_equal(matrices["split"][1], [[2, 3], [12, 13], [22, 23]])
    np.testing.assert_array_equal(
        matrices[f"{FAULTY}split"][1], [[12, 13], [20, 21], [22, 23]]
    )
    merged = layouts.merge_digits().matrices
    np.testing.assert_array_equal(merged["merged"][1], [10, 11, 110, 111])
    np.testing.assert_array_equal(merged[f"{FAULTY}merged"][0], [0, 1, 10, 11])


def test_joined_heads_times_w_o_are_a_sum_over_heads():
    matrices = layouts.add_heads(EXAMPLE).matrices
    assert matrices["head_product"].shape == (3, 5, 7)
    np.testing.assert_allclose(
        matrices["head_product"].sum(axis=0), matrices["output"], atol=1e-14
    )


def test_a_sample_is_the_same_alone_and_in_its_batch():
    matrices = layouts.stack_batch().matrices
    assert (matrices["alone_gap"] == 0).all()
    np.testing.assert_allclose(matrices["faulty_alone_gap"].ravel(), [3.5, 9, 14.5])


def test_a_sequence_asks_ten_different_things_and_the_same_of_everybody():
    asked = [ask(7, number) for number in range(1, 11)]
    assert len({question.answer for question in asked}) == 10
    for question in asked:
        assert question.answer in question.choices
        assert len(set(question.choices)) == 5
        distances = dict(zip(question.choices, question.distances, strict=True))
        assert distances.pop(question.answer) < 1e-12
        assert min(distances.values()) > 1e-3
    ask.cache_clear()
    assert ask(7, 4).choices == asked[3].choices
    assert ask(8, 4).choices != asked[3].choices


def test_the_core_names_what_was_made():
    for seed, number in [(s, n) for s in (1, 2) for n in range(1, 11)]:
        question = ask(seed, number)
        found = question.diagnosis
        if question.answer == RIGHT:
            assert found.verdict == "right"
        else:
            named = {one.fault.id for one in found.candidates if one.fits}
            assert question.answer.partition(".")[0] in named


def test_nobody_is_told_before_the_answer():
    laid = ask(7, 3).laid(is_answered=False)
    assert derive(laid, f"{FAULTY}weights", (0, 2, 1)).operation == "given"
