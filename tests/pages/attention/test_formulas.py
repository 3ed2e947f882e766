"""The formula that heads a figure is the one its numbers follow."""

import re
from itertools import product
from pathlib import Path

import pytest

import attnviz
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.layer.settings import LayerExample
from attnviz.example.settings import Example
from attnviz.pages.attention.formulas import (
    example_formulas,
    projection_formula,
    score_formula,
    weights_formula,
)
from attnviz.pages.layer.captions import layer_formula
from attnviz.text.formulas import NAMES, formula
from tests.pages.cases import WEIGHTS_ALONE

FIGURES = ("query", "key", "value")
ROOT = Path(attnviz.__file__).parent
# A formula that stays as it is, whatever is on screen.
WRITTEN = re.compile(r'(?:written|writer\.formula)\("(\w+)"\)')


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "scores"),
        ({"is_scaled": False}, "scores_unscaled"),
        ({"positions": "rotary"}, "scores_rotary"),
        ({"positions": "alibi", "is_scaled": False}, "scores_alibi_unscaled"),
        ({"positions": "sinusoidal"}, "scores"),
        ({"positions": "learned"}, "scores"),
        ({"scoring": "bilinear"}, "scores_bilinear"),
        ({"scoring": "additive", "positions": "rotary"}, "scores_additive_rotary"),
    ],
)
def test_scores_are_headed_by_their_own_rule(settings, name):
    assert score_formula(Example(**settings)) == name


@pytest.mark.parametrize("scoring", ["bilinear", "additive"])
def test_scores_that_are_never_divided_show_no_divisor(scoring):
    names = {
        score_formula(Example(scoring=scoring, is_scaled=is_scaled))
        for is_scaled in (False, True)
    }
    assert names == {f"scores_{scoring}"}
    assert "sqrt" not in formula(f"scores_{scoring}")


def test_scaled_scores_show_the_divisor_and_others_do_not():
    assert "<msqrt>" in formula("scores")
    assert "<msqrt>" not in formula("scores_unscaled")


@pytest.mark.parametrize("scoring", SCORING_KINDS)
@pytest.mark.parametrize("positions", POSITION_KINDS)
@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("key_length", [0, 7])
def test_every_example_has_formulas_that_there_are(
    scoring, positions, is_scaled, key_length
):
    example = Example(
        scoring=scoring,
        positions=positions,
        is_scaled=is_scaled,
        key_length=key_length,
        temperature=1 + is_scaled,
    )
    assert set(example_formulas(example).values()) <= {*NAMES, ""}


def test_every_formula_heads_something():
    chosen = {
        name
        for scoring, positions, is_scaled, key_length, temperature in product(
            SCORING_KINDS, POSITION_KINDS, (False, True), (0, 7), (1, 2)
        )
        for example in [
            Example(
                scoring=scoring,
                positions=positions,
                is_scaled=is_scaled,
                key_length=key_length,
                temperature=temperature,
            )
        ]
        for name in (*example_formulas(example).values(), weights_formula(example))
    }
    written = {
        name
        for path in ROOT.rglob("*.py")
        for name in WRITTEN.findall(path.read_text("utf-8"))
    }
    alone = example_formulas(WEIGHTS_ALONE)["page"]
    layers = {
        layer_formula(LayerExample(architecture=kind, place=place))
        for kind in ("encoder", "decoder")
        for place in ("post", "pre")
    }
    assert {*NAMES} == chosen - {""} | written | {alone} | layers


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(
    ("settings", "end"),
    [
        ({}, ""),
        ({"positions": "sinusoidal"}, "_added"),
        ({"positions": "learned"}, "_added"),
        ({"positions": "rotary"}, ""),
        ({"key_length": 7}, "_cross"),
        ({"key_text": "a b"}, "_cross"),
        ({"key_length": 7, "positions": "learned"}, "_cross_added"),
    ],
)
def test_a_projection_is_headed_by_what_it_projects(figure, settings, end):
    name = projection_formula(figure, Example(**settings))
    assert name == f"{figure}{end}"
    assert name in NAMES


@pytest.mark.parametrize(
    ("settings", "headed"),
    [
        ({}, ["projections.query", "projections.key", "projections.value"]),
        (
            {"key_length": 7},
            ["projections.query", "key_projections.key", "key_projections.value"],
        ),
    ],
)
def test_keys_from_elsewhere_leave_nothing_at_the_head_of_the_queries(settings, headed):
    names = example_formulas(Example(**settings))
    projections = {place: name for place, name in names.items() if "proj" in place}
    assert len(projections) == 5
    assert [place for place, name in projections.items() if name] == headed


def test_weights_alone_are_headed_by_what_can_be_said_of_them():
    names = example_formulas(WEIGHTS_ALONE)
    assert names == {
        "page": "weights_alone",
        **dict.fromkeys(("scores", "weights", "context"), ""),
    }
    assert "softmax" not in formula("weights_alone")


@pytest.mark.parametrize("figure", FIGURES)
def test_the_formulas_of_a_projection_differ(figure):
    ends = ("", "_added", "_cross", "_cross_added")
    assert len({formula(f"{figure}{end}") for end in ends}) == 4
