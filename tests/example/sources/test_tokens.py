"""Tokens of any script."""

import pytest

from attnviz.example.sources.tokens import clean_label, split_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("The cat sat.", ("The", "cat", "sat."), id="spaces"),
        pytest.param("  a \t b\nc  ", ("a", "b", "c"), id="any-space"),
        pytest.param("我爱你", ("我", "爱", "你"), id="han"),
        pytest.param("GPT很有趣!", ("GPT", "很", "有", "趣", "!"), id="mixed"),
        pytest.param("你好，世界。", ("你", "好", "，", "世", "界", "。"), id="stops"),
        pytest.param("第3章", ("第", "3", "章"), id="digits"),
        pytest.param("アニメ です", ("ア", "ニ", "メ", "で", "す"), id="kana"),
        pytest.param("か\u3099", ("が",), id="composed-kana"),
        pytest.param("한국어 문장", ("한국어", "문장"), id="hangul"),
        pytest.param("مرحبا بالعالم", ("مرحبا", "بالعالم"), id="arabic"),
        pytest.param("नमस्ते दुनिया", ("नमस्ते", "दुनिया"), id="devanagari"),
        pytest.param("cafe\u0301 nai\u0308ve", ("café", "naïve"), id="composed"),
        pytest.param("👩‍👩‍👧 ok", ("👩‍👩‍👧", "ok"), id="joined-emoji"),
        pytest.param("𠮷野", ("𠮷", "野"), id="beyond-the-basic-plane"),
        pytest.param("葛\U000e0100城", ("葛\U000e0100", "城"), id="variant"),
        pytest.param("a\u3000b\u00a0c", ("a", "b", "c"), id="wide-spaces"),
        pytest.param("a\u2028b\u2029c", ("a", "b", "c"), id="separators"),
        pytest.param("<b>&amp;", ("<b>&amp;",), id="markup"),
        pytest.param("[PAD] [MASK]", ("[PAD]", "[MASK]"), id="special"),
        pytest.param("ＡＢ", ("Ａ", "Ｂ"), id="full-width"),
    ],
)
def test_text_is_cut_into_tokens(text, tokens):
    assert split_tokens(text) == tokens


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\t", "\u200b", "\u200d", "\x00", "\ufeff"]
)
def test_nothing_to_see_gives_no_tokens(text):
    assert split_tokens(text) == ()


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("a\x00b", "ab"),
        ("\u202eabc\u202c", "abc"),
        ("\ufeffabc", "abc"),
        ("soft\u00adhyphen", "softhyphen"),
        ("a\ud800b", "ab"),
    ],
)
def test_what_cannot_be_seen_is_left_out(text, token):
    assert split_tokens(text) == (token,)


def test_joiners_inside_words_stay():
    assert split_tokens("می\u200cخواهم") == ("می\u200cخواهم",)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("the cat", "the cat"),
        (" a\n\tb ", "a b"),
        ("a\x00b\ud800\u202ec", "abc"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("\u200f\x07", ""),
    ],
)
def test_a_label_keeps_what_can_be_seen_and_its_spaces(text, label):
    assert clean_label(text) == label
