"""Every mistake that the core can name has a sentence of its own in both languages."""

import re

import pytest

from attnviz.core.faults import FAULTS
from attnviz.text.catalog import LANGUAGES
from attnviz.text.mistakes import load_mistakes

NAMES = [f"{fault.id}.{variant.name}" for fault in FAULTS for variant in fault.variants]
CHINESE = re.compile(r"[一-鿿]")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_variant_has_one_sentence_and_no_other_is_left(language):
    words = load_mistakes(language)
    assert list(words) == NAMES
    assert len(set(words.values())) == len(words)


def test_each_sentence_is_in_its_language():
    assert not any(map(CHINESE.search, load_mistakes("en").values()))
    assert all(map(CHINESE.search, load_mistakes("zh").values()))


def test_sentences_end_as_their_language_does():
    assert all(text.endswith(".") for text in load_mistakes("en").values())
    assert all(text.endswith("。") for text in load_mistakes("zh").values())
