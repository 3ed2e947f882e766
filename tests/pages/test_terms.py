"""One thing has one word, and every symbol on screen stands in the table of symbols."""

import re
from itertools import chain

import pytest

from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.norms import NormExample, compute_norm
from attnviz.pages.attention.figures.stages import attention_figures
from attnviz.pages.norms.figures import norm_figures
from attnviz.text.catalog import LANGUAGES, PROSE, load, prose
from tests.pages.cases import ATTENTION

ROW = re.compile(r"^\| *(.+?) *\|", re.MULTILINE)
SUB = re.compile(r"<sub>(.*?)</sub>")
TAG = re.compile(r"<[^>]*>|\*")


def told(language):
    """Read everything a person may read in a language, by where it stands."""
    texts = dict(load(language))
    for path in sorted((PROSE / language).rglob("*.md")):
        texts[path.stem] = path.read_text("utf-8")
    return texts


def holding(texts, *words):
    return {place for place, text in texts.items() if any(w in text for w in words)}


def listed(language):
    """Give the symbols of the table of symbols, a low line before what is lowered."""
    cells = ROW.findall(prose(language, "symbols"))
    plain = (TAG.sub("", SUB.sub(r"_\1", cell)) for cell in cells)
    return {symbol for cell in plain for symbol in re.split(r", |、", cell)}


def drawn():
    """Give the symbols of every matrix that a page can draw."""
    figures = [attention_figures(compute(one), 0) for one in ATTENTION.values()]
    for example in EXAMPLES.values():
        try:
            figures.append(norm_figures(compute_norm(example, NormExample())))
        except SettingError:
            continue
    panels = chain.from_iterable(
        figure["data"] for page in figures for figure in page.values()
    )
    symbols = {
        tuple(panel["meta"]["symbol"]) for panel in panels if "symbol" in panel["meta"]
    }
    return {f"{base}{sub and f'_{sub}'}" for base, sub, _ in symbols}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_symbol_on_screen_is_in_the_table(language):
    heads = re.compile(r"A_\d")
    missing = {one for one in drawn() if not heads.fullmatch(one)} - listed(language)
    assert missing == set()
    settings = {
        "T",
        "T_q",
        "T_k",
        "d",
        "d_k",
        "d_v",
        "H",
        "m",
        "τ",
        "ε",
        "A_1",
        "e",
        "U",
    }
    assert settings <= listed(language)


def test_masking_covering_and_hiding_have_each_a_chinese_word():
    texts = told("zh")
    uncovered = {place: text.replace("遮住", "") for place, text in texts.items()}
    assert holding(uncovered, "遮") == set()
    assert holding(texts, "遮住") & holding(texts, "掩码", "键") == set()
    assert holding(texts, "隐藏") <= {
        *("share.parts", "share.parts_note", "share.hide", "share.around"),
        # The hidden layer of a network is another thing.
        *("browser.axis.unit", "export.script.additive", "symbols"),
    }
    assert holding(texts, "禁止") == set()
    assert len(holding(texts, "屏蔽")) > 10


@pytest.mark.parametrize("place", ["mask.padding", "preset.cross.point", "masks"])
def test_the_mask_of_padding_has_the_name_of_the_chapter(place):
    assert "键填充掩码" in told("zh")[place]


def test_scale_and_shift_have_the_names_of_the_chapter():
    texts = told("zh")
    for place in ("norms.gamma", "browser.matrix.gamma", "norms", "symbols"):
        assert "缩放参数" in texts[place]
    for place in ("norms.beta", "browser.matrix.beta", "norms", "symbols"):
        assert "平移参数" in texts[place]


def test_layer_normalization_is_written_as_the_chapter_does():
    assert holding(told("zh"), "层归一化") == {"norms"}
    assert told("zh")["norms"].count("层归一化") == 1


def test_output_and_context_are_two_things():
    texts = told("zh")
    assert texts["browser.matrix.output"] == "输出 O"
    assert texts["browser.matrix.context"] == "上下文 C"
    row = re.search(r"^.*>C</b> \|.*$", texts["symbols"], re.MULTILINE)[0]
    assert "上下文" in row
    assert "输出" not in row


def test_what_cannot_be_measured_and_the_sheet_have_their_words():
    texts = told("zh")
    assert texts["browser.verdict.not-applicable"] == "不适用："
    assert texts["export.worksheet"] == "练习单"
    assert "练习单" in texts["export.sheet.large"]


# Words that end so and have nothing to do with it.
OTHERS = re.compile(
    r"\b(?:like|other|length|clock)?wise|\bexercises?|\bprecise(?:ly)?|\bnoise"
    r"|\b(?:a)?ris(?:es?|ing)|\brais(?:e[ds]?|ing)|\bpromised?s?|\bpractised?|\bsurprise|\bcomprise|\bconcise",
    re.IGNORECASE,
)


def test_english_has_one_spelling():
    british = re.compile(r"\w+is(?:e[ds]?|ing|ation)\b", re.IGNORECASE)
    found = {
        word
        for text in told("en").values()
        for word in british.findall(text)
        if not OTHERS.fullmatch(word)
    }
    assert found - {"this"} == set()
    assert "Your own data cannot travel in a link" in told("en")["share.own"]
