"""Presets are named, explained, and say where they come from."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.choices.masks import MASK_KINDS
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import Edit
from attnviz.example.own import OwnData, OwnMatrix
from attnviz.example.own.example import own_example
from attnviz.example.presets import PRESETS
from attnviz.text.catalog import LANGUAGES, translator
from attnviz.text.presets import (
    origin_line,
    preset_choices,
    preset_origin,
    preset_point,
)

LABELS = {"en": "constructed by hand, not learned", "zh": "人工构造，非训练所得"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_can_be_chosen_once(language):
    groups = preset_choices(translator(language))
    names = [name for group in groups.values() for name in group]
    assert sorted(names) == sorted(PRESETS)
    assert next(iter(next(iter(groups.values())))) == "five"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_makes_its_point(name, language):
    tr = translator(language)
    assert "{" not in preset_point(name, EXAMPLES[name], tr)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PRESETS)
def test_what_was_constructed_says_so(name, language):
    origin = preset_origin(name, EXAMPLES[name], translator(language))
    assert (LABELS[language] in origin) == PRESETS[name].is_constructed


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("model_sizes", ["768", "12", "64", "8", "2\u202f359\u202f296"]),
        ("model_sizes", ["2\u202f362\u202f368"]),
        ("size_calculator", ["128", "256", "32", "1\u202f048\u202f576", "4 MiB"]),
    ],
)
def test_counts_stand_in_the_sentence(name, numbers, language):
    point = preset_point(name, EXAMPLES[name], translator(language))
    assert [number for number in numbers if number not in point] == []


def looks_most(trace, query, *keys):
    """Tell whether the first head of a query gives keys most weight, in order."""
    order = np.argsort(-trace.attention.weights[0, query])
    return (
        tuple(order[: len(keys)]) == keys
        and trace.attention.weights[0, query].max() > 0.5
    )


# What the sentence of a preset claims, of the numbers on screen.
CLAIMS = {
    "constant_values": lambda t: np.allclose(
        t.attention.context[:, t.visible.any(axis=-1)], [1.5, -2]
    ),
    "cat_videos": lambda t: (
        not t.attention.scores.any() and t.visible.sum() == 21 and not t.visible[0, 1]
    ),
    "tired_animal": lambda t: looks_most(t, 7, 1, 5),
    "its_law": lambda t: looks_most(t, 8, 1),
    "apple": lambda t: looks_most(t, 0, 1) and looks_most(t, 1, 0),
    "same_output": lambda t: np.allclose(
        t.attention.context[0], t.attention.context[0, 0]
    ),
    "left_padding": lambda t: (
        t.visible.any(axis=-1).tolist()[:3] == [False, False, True]
    ),
    "recurrent": lambda t: t.attention.scale == 1,
    "one_head": lambda t: t.q.shape[-1] < t.x.shape[-1] and t.n_heads == 1,
    "sequence": lambda t: (
        t.inputs is not t.x
        and np.array_equal(t.x[0], t.x[3])
        and not np.array_equal(t.inputs[0], t.inputs[3])
    ),
    "chinese": lambda t: all(
        np.array_equal(t.x[i], t.x[j])
        for i, one in enumerate(t.tokens)
        for j, other in enumerate(t.tokens)
        if one == other
    ),
    "fractions": lambda t: np.allclose(
        np.exp(t.attention.scores) % 1 % 0.999999, 0, atol=1e-5
    ),
}
CHANGES = [
    *({"mask": kind, "n_padding": 1} for kind in MASK_KINDS),
    *({"positions": kind} for kind in POSITION_KINDS),
    *({"scoring": kind} for kind in SCORING_KINDS),
    {"is_scaled": False},
    {"is_scaled": True},
    {"temperature": 10.0},
    {"temperature": 0.1},
    {"d_k": 16},
    {"n_heads": 3},
    {"seed": 7},
    {"text": "a b a"},
    {"key_length": 3},
    {"edits": (Edit("x", (0, 0), 9.0), Edit("v", (0, 0, 0), 9.0))},
    {"edits": (Edit("mask", (1, 0), 0.0),)},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("name", CLAIMS)
def test_a_preset_claims_nothing_that_is_no_longer_so(name, change):
    try:
        example = replace(EXAMPLES[name], **change)
        trace = compute(example)
    except SettingError:
        return
    tr = translator("en")
    is_claimed = preset_point(name, example, tr) == tr(f"preset.{name}.point")
    assert not is_claimed or CLAIMS[name](trace)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_preset_claims_what_is_so_at_first(name):
    assert CLAIMS[name](compute(EXAMPLES[name]))


def test_the_sentence_of_five_positions_holds_for_any_number_of_them():
    tr = translator("en")
    for length in (1, 5, 16):
        example = replace(EXAMPLES["five"], length=length)
        assert preset_point("five", example, tr) == tr("preset.five.point")
    assert not any(
        letter.isdigit() and letter != "3" for letter in tr("preset.five.point")
    )


def test_own_weights_of_several_samples_say_which_one_is_shown():
    weights = np.full((3, 2, 5, 7, 7), 1 / 7)
    own = OwnData((OwnMatrix.of("weights", weights),))
    line = origin_line("own", own_example(own, layer=3), translator("en"), head=0)
    assert "layer 2 of 3 · sample 2 of 2 · head 1 of 5" in line


def test_what_was_changed_is_named():
    changed = replace(EXAMPLES["recurrent"], is_scaled=True)
    point = preset_point("recurrent", changed, translator("en"))
    assert point.startswith("Changed here: divide by √dₖ.")
