"""Presets are named, explained, and say where they come from."""

import pytest

from attnviz.example.presets import PRESETS
from attnviz.text.catalog import LANGUAGES, translator
from attnviz.text.presets import preset_choices, preset_origin, preset_point

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
    assert "{" not in preset_point(name, translator(language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PRESETS)
def test_what_was_constructed_says_so(name, language):
    origin = preset_origin(name, translator(language))
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
    point = preset_point(name, translator(language))
    assert [number for number in numbers if number not in point] == []
