"""What is said beside a number: who hides it, and that it was changed by hand."""

from dataclasses import replace

import pytest

from attnviz.core.derivation import derive
from attnviz.example.choices.masks import MASK_KINDS, MASK_RULES
from attnviz.example.compute import compute
from attnviz.example.edits import Edit
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example
from attnviz.text.catalog import LANGUAGES, translator
from attnviz.text.notes import attention_note, norm_note

TR = translator("en")
FIVE = Example(n_padding=2)


def said(example, row, column, stage="mask"):
    index = (0, row, column)
    trace = compute(example)
    return attention_note(trace, derive(trace, stage, index), TR)


@pytest.mark.parametrize("kind", MASK_KINDS)
def test_a_reason_is_given_exactly_for_the_cells_that_a_kind_hides(kind):
    example = replace(FIVE, mask=kind)
    visible = compute(example).visible
    for (row, column), sees in [*_cells(visible)]:
        assert ("may not see" in said(example, row, column)) != sees
        assert (said(example, row, column, "weights") == "") == sees


def _cells(visible):
    return (((i, j), bool(visible[i, j])) for i in range(5) for j in range(5))


def test_two_reasons_are_both_given():
    note = said(replace(FIVE, mask="causal_padding"), 1, 4)
    assert "(j > i: 5 > 2), and key 5 is padding" in note


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_its_words(language):
    values = {"query": 2, "key": 3, "least": 1, "most": 4}
    for rules in MASK_RULES.values():
        for rule in rules:
            assert translator(language)(f"note.hides.{rule.name}", **values)


def test_a_number_changed_by_hand_says_so_and_its_neighbour_does_not():
    example = replace(FIVE, edits=(Edit("w_q", (0, 2, 1), 3.0),))
    assert said(example, 2, 1, "w_q") == TR("note.edited")
    assert said(example, 2, 0, "w_q") == said(example, 2, 1, "q") == ""


def test_the_change_of_a_disturbed_position_says_that_it_is_left_out():
    trace = compute_norm(FIVE, NormExample(disturbance="positions"))
    notes = [
        norm_note(trace, derive(trace, "batch_change", (i, 0)), TR) for i in (3, 4)
    ]
    assert notes == ["", TR("note.left_out", position=5)]
