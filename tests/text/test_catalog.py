"""The words: the same keys in every language, all there, none too many."""

import json
import re
from dataclasses import fields as dataclass_fields
from pathlib import Path
from string import Formatter

import pytest

import attnviz
from attnviz.core.checks import check_attention, check_layer_norm
from attnviz.example.choices.masks import MASK_KINDS
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.norms import (
    DISTURBANCES,
    NORM_SOURCES,
    NormExample,
    compute_norm,
)
from attnviz.example.presets import SOURCES
from attnviz.example.settings import SETTINGS, Example
from attnviz.pages.attention.figures.stages import attention_figures
from attnviz.pages.attention.tables import attention_tables
from attnviz.pages.norms.figures import norm_figures
from attnviz.pages.norms.tables import norm_tables
from attnviz.pages.registry import PAGES
from attnviz.text.catalog import (
    LANGUAGES,
    LOCALES,
    browser_words,
    language_of,
    load,
    prose,
    translator,
)
from tests.figures.decoding import heatmaps

PACKAGE = Path(attnviz.__file__).parent
SOURCE = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
SCRIPTS = "\n".join(
    path.read_text("utf-8") for path in (PACKAGE.parent / "www").rglob("*.js")
)
HAN = re.compile(r"[\u4e00-\u9fff]")
LARGEST = compute(Example(n_heads=8))
TURNED = compute(Example(positions="rotary", scoring="bilinear"))
ADDED = compute(Example(positions="sinusoidal", scoring="additive", key_length=3))
NORMS = compute_norm(Example(), NormExample())


def fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def differences(one, other):
    """Name keys that only one of two catalogues has, or whose placeholders differ."""
    lonely = one.keys() ^ other.keys()
    shared = one.keys() & other.keys()
    return lonely | {key for key in shared if fields(one[key]) != fields(other[key])}


def written_out(pattern, text):
    return set(re.findall(pattern, text))


def unused(keys):
    """Name the keys that stand nowhere in the code, whole or with a gap for a name."""
    gap = re.compile(r"\$?\{[^}]*\}")
    written = re.findall(
        r"""["'`]([\w.${}()\[\]]+\.[\w.${}()\[\]]+)["'`]""", SOURCE + SCRIPTS
    )
    shapes = {shape.removeprefix("browser.") for shape in written}
    named = [shape for shape in shapes if re.search(r"[a-z]{4}", gap.sub("", shape))]
    known = re.compile(
        "|".join(r"[\w.-]+".join(map(re.escape, gap.split(shape))) for shape in named)
    )
    return {key for key in keys if not known.fullmatch(key.removeprefix("browser."))}


def test_both_languages_have_the_same_keys_and_placeholders():
    assert {path.name for path in LOCALES.iterdir()} == set(LANGUAGES)
    files = [{path.name for path in folder.iterdir()} for folder in LOCALES.iterdir()]
    assert all(one == files[0] for one in files)
    assert differences(load("en"), load("zh")) == set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": "x"}, {}),
        ({"a": "{m} rows"}, {"a": "{n} rows"}),
        ({"a": "{m} rows"}, {"a": "rows"}),
    ],
)
def test_the_probe_sees_a_difference(one, other):
    assert differences(one, other) == {"a"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_is_named_twice(language):
    pairs = []
    for path in (LOCALES / language).iterdir():
        json.loads(path.read_text("utf-8"), object_pairs_hook=pairs.extend)
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys)


def test_english_has_no_chinese_but_names_and_examples():
    allowed = {
        "language.zh",
        "preset.chinese",
        "preset.chinese.point",
        "preset.apple.point",
        "preset.translation",
    }
    assert {key for key, text in load("en").items() if HAN.search(text)} <= allowed


def test_sentences_in_chinese_are_chinese():
    sentences = ("warning.", "problem.", "browser.matrix.", "norms.found.")
    chinese = load("zh")
    assert {
        key
        for key, text in chinese.items()
        if key.startswith(sentences) and not HAN.search(text)
    } == set()


def test_the_two_warnings_of_the_chapter_are_word_for_word():
    # Course chapter, R151 and R152.
    assert "随机矩阵只用于核对公式和维度" in load("zh")["warning.random"]
    assert "注意力权重" in load("zh")["warning.causes"]
    assert "自动解释为因果关系" in load("zh")["warning.causes"]


def test_every_key_that_code_writes_out_exists():
    keys = written_out(r'\btr\(\s*"([a-z_.]+)"', SOURCE)
    assert len(keys) > 20
    assert keys - load("en").keys() == set()


def test_every_word_that_scripts_ask_for_exists():
    keys = written_out(r'\bword\("([a-z_.]+)"', SCRIPTS)
    assert keys
    assert {f"browser.{key}" for key in keys} - load("en").keys() == set()


@pytest.mark.parametrize(
    ("prefix", "names"),
    [
        ("preset.", EXAMPLES),
        ("preset.", [f"{name}.point" for name in EXAMPLES]),
        ("preset.", [f"{name}.source" for name in EXAMPLES]),
        ("preset.group.", SOURCES),
        ("mask.", MASK_KINDS),
        ("scoring.", SCORING_KINDS),
        ("positions.", POSITION_KINDS),
        ("setting.", [field.name for field in dataclass_fields(Example)]),
        ("norms.source.", NORM_SOURCES),
        ("norms.disturb.", DISTURBANCES),
        ("norms.found.", DISTURBANCES),
        ("browser.matrix.", heatmaps(attention_figures(LARGEST, 0))),
        ("browser.matrix.", heatmaps(attention_figures(TURNED, 0))),
        ("browser.matrix.", heatmaps(attention_figures(ADDED, 0))),
        ("browser.matrix.", attention_tables(TURNED, 0)),
        ("browser.matrix.", attention_tables(ADDED, 0)),
        ("browser.matrix.", heatmaps(norm_figures(NORMS))),
        ("browser.matrix.", attention_tables(LARGEST, 0)),
        ("browser.matrix.", norm_tables(NORMS)),
    ],
)
def test_every_name_of_the_core_has_its_words(prefix, names):
    assert {f"{prefix}{name}" for name in names} - load("en").keys() == set()


def test_every_check_has_its_words_and_its_explanation():
    attention = LARGEST.heads.attention
    checks = check_attention(attention.q, attention.k, attention.v)
    norm_checks = check_layer_norm(NORMS.norm.x, NORMS.norm.output)
    names = [check.id for check in checks] + [f"norm_{c.id}" for c in norm_checks]
    words = {f"check.{name}" for name in names}
    words |= {f"check.{name}.shown" for name in names}
    assert words - load("en").keys() == set()
    assert all(prose(language, f"checks/{n}") for language in LANGUAGES for n in names)


def test_every_problem_of_the_core_has_its_sentence():
    reasons = written_out(r'SettingError\(\s*"(\w+)"', SOURCE)
    assert len(reasons) > 10
    assert {f"problem.{reason}" for reason in reasons} - load("en").keys() == set()


def test_no_problem_is_worded_that_cannot_happen():
    reasons = written_out(r'SettingError\(\s*"(\w+)"', SOURCE)
    worded = {key for key in load("en") if key.startswith("problem.")}
    assert worded == {f"problem.{reason}" for reason in reasons}


def test_no_key_is_left_that_nothing_asks_for():
    choices = {
        f"{name}.{choice}"
        for settings in (SETTINGS, *(page.codec.settings for page in PAGES))
        for name, setting in settings.items()
        for choice in setting.choices
    }
    assert unused(load("en")) <= choices


def test_the_probe_sees_a_key_that_nothing_asks_for():
    assert unused({"app.title": "", "never.asked": ""}) == {"never.asked"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_takes_its_values_whatever_they_hold(language):
    shown = translator(language)("problem.many_tokens", got="{most}", most="<b>")
    assert "{most}" in shown
    assert "<b>" in shown


def test_an_unknown_key_is_an_error():
    with pytest.raises(KeyError, match=r"no\.such\.key"):
        translator("en")("no.such.key")


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_the_browser_are_json_and_cannot_end_their_script(language):
    text = browser_words(language)
    assert "<" not in text
    words = json.loads(text)
    assert words["matrix.q"] == load(language)["browser.matrix.q"]
    assert not any(key.startswith("browser.") for key in words)


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("?lang=zh", "en", "zh"),
        ("lang=en&n=3", "zh", "en"),
        ("?lang=xx", "", "en"),
        ("?lang=", "zh-TW", "zh"),
        ("", "fr, zh-Hans;q=0.3, en;q=0.2", "zh"),
        ("", "en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("", "zh;q=x, en", "en"),
        ("", ";;;,,,", "en"),
    ],
)
def test_the_address_chooses_the_language_then_the_browser(query, accepted, language):
    assert language_of(query, accepted) == language
