"""A sheet of paper: what it gives is enough, and its key follows from it alone."""

import re

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.pages.attention.worksheet import attention_worksheet
from attnviz.pages.norms.worksheet import norm_worksheet
from attnviz.text.catalog import translator
from attnviz.text.formulas import formula
from tests.pages.cases import ATTENTION, NORMS, WEIGHTS_ALONE
from tests.pages.sheets import Sheet, writer

HAN = re.compile(r"[\u4e00-\u9fff]")
# Half of the last of four decimals.
PRINTED = {"rtol": 0, "atol": 0.5001e-4}
SIZES = {"length": 5, "d_model": 7, "d_k": 3, "d_v": 2}


def attention(example, *, head=0, language="en", is_key=False):
    return attention_worksheet(compute(example), head, writer(language, is_key=is_key))


def norms(settings, *, language="en", is_key=False):
    trace = compute_norm(Example(), settings)
    return norm_worksheet(trace, writer(language, is_key=is_key))


@pytest.fixture
def key():
    example = Example(**SIZES, mask="causal", temperature=2.0)
    return Sheet(attention(example, head=1, is_key=True))


# ---- what is given ----------------------------------------------------------


def test_given_numbers_are_those_on_screen_rounded_to_two_decimals(key):
    trace = compute(Example(**SIZES))
    np.testing.assert_array_equal(key.numbers("X"), trace.x.round(2))
    np.testing.assert_array_equal(key.numbers("WQ"), trace.parameters.w_q[1].round(2))


def test_the_key_follows_from_the_printed_numbers(key):
    q = key.numbers("X") @ key.numbers("WQ")
    k, v = key.numbers("K"), key.numbers("V")
    np.testing.assert_allclose(key.numbers("Q"), q, **PRINTED)
    scores = q @ k.T / np.sqrt(3)
    np.testing.assert_allclose(key.numbers("S"), scores, **PRINTED)
    visible = np.tri(5, dtype=bool)
    exps = np.exp(np.where(visible, scores / 2, -np.inf))
    weights = exps / exps.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(key.numbers("C"), weights @ v, **PRINTED)
    np.testing.assert_allclose(key.row("A")[:-1], weights[3], **PRINTED)


def test_keys_and_values_are_printed_with_all_their_digits(key):
    trace = compute(Example(**SIZES))
    x, p = trace.x.round(2), trace.parameters
    np.testing.assert_allclose(key.numbers("K"), x @ p.w_k[1].round(2), atol=1e-12)
    np.testing.assert_allclose(key.numbers("V"), x @ p.w_v[1].round(2), atol=1e-12)


def test_only_what_is_used_is_given():
    sheet = Sheet(attention(Example(**SIZES, key_length=4, scoring="additive")))
    captions = [caption.split()[0] for caption in sheet.captions()]
    assert captions == ["XQ", "WQ", "Q", "Wq", "Wk", "v", "K", "S", "V", "C"]


@pytest.mark.parametrize(
    ("settings", "formulas"),
    [
        ({}, ("query", "scores", "weights", "context")),
        ({"is_scaled": False}, ("query", "scores_unscaled", "weights", "context")),
        ({"temperature": 2.0}, ("query", "scores", "weights_temperature", "context")),
        (
            {"positions": "sinusoidal", "key_length": 3},
            ("query_cross_added", "scores", "weights", "context"),
        ),
        ({"positions": "rotary", "d_k": 4}, ("query", "scores_rotary", "weights")),
        ({"positions": "alibi"}, ("query", "scores_alibi", "weights", "context")),
        ({"scoring": "bilinear"}, ("query", "scores_bilinear", "weights", "context")),
    ],
)
def test_the_formulas_are_those_of_the_page(settings, formulas):
    document = attention(Example(**(SIZES | settings)))
    places = [document.find(formula(name)) for name in formulas]
    assert -1 not in places
    assert places == sorted(places)


def test_the_stages_of_a_row_are_worked_out(key):
    start, exps, weights = (key.row(label) for label in ("S/τ + M", "e", "A"))
    assert start[4] == -np.inf
    assert start[5] == max(start[:5])
    np.testing.assert_allclose(
        exps[:5], np.exp(np.array(start[:5]) - start[5]), atol=2e-4
    )
    assert exps[5] == pytest.approx(sum(exps[:5]), abs=3e-4)
    assert weights[5] == 1


def test_a_position_is_normalized_from_its_printed_numbers(key):
    x = np.array(key.row("x 4 x₄"))
    (mean,), (variance,) = key.row("μ"), key.row("v")
    assert mean == pytest.approx(x.mean(), abs=1e-4)
    assert variance == pytest.approx(x.var(), abs=1e-4)
    expected = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
    np.testing.assert_allclose(key.row("x̂"), expected, **PRINTED)


def test_given_queries_stand_for_themselves():
    sheet = Sheet(attention(EXAMPLES["identity"], is_key=True))
    np.testing.assert_array_equal(sheet.numbers("Q"), np.eye(2))
    given = Sheet(attention(EXAMPLES["same_output"], is_key=True))
    assert given.numbers("K").shape == compute(EXAMPLES["same_output"]).k.shape[1:]
    assert "WQ" not in given.text


def test_exercise_1_has_the_numbers_of_the_chapter():
    sheet = Sheet(attention(EXAMPLES["identity"], is_key=True))
    np.testing.assert_array_equal(sheet.numbers("S"), [[0.7071, 0], [0, 0.7071]])
    np.testing.assert_array_equal(
        sheet.numbers("C"), [[1.3395, 1.3210], [0.6605, 2.6790]]
    )


def test_hidden_cells_are_hatched(key):
    hidden = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    assert key.places("S", "hidden") == hidden
    assert translator("en")("export.sheet.hidden") in key.text


def test_without_a_mask_nothing_is_hatched():
    sheet = Sheet(attention(Example()))
    assert sheet.cells("hidden") == []
    assert translator("en")("export.sheet.hidden") not in sheet.text


def test_a_rounded_minus_zero_is_zero():
    documents = [attention(example, is_key=True) for example in ATTENTION.values()]
    assert not re.search(r">−0\.0+<", "".join(documents))


# ---- what is left open ----------------------------------------------------------


def test_places_to_fill_in_are_those_the_key_fills():
    example = Example(**SIZES)
    sheet, key = Sheet(attention(example)), Sheet(attention(example, is_key=True))
    assert sheet.places("Q", "blank") == [(2, 0), (2, 1), (2, 2)]
    assert sheet.places("S", "blank") == [(2, 4)]
    assert sheet.places("C", "blank") == [(2, 0)]
    assert key.places("Q", "answer") == sheet.places("Q", "blank")
    assert key.places("S", "answer") == sheet.places("S", "blank")
    assert key.places("C", "answer") == sheet.places("C", "blank")
    assert sheet.cells("answer") == key.cells("blank") == []


@pytest.mark.parametrize("name", ATTENTION)
def test_every_example_has_a_sheet_and_a_key_that_fills_it(name):
    sheet = Sheet(attention(ATTENTION[name]))
    key = Sheet(attention(ATTENTION[name], is_key=True))
    assert set(sheet.cells("blank")) <= {""}
    assert "" not in key.cells("answer")
    assert len(key.cells("answer")) == len(sheet.cells("blank"))
    assert "NaN" not in key.text


@pytest.mark.parametrize("name", NORMS)
def test_every_normalization_has_a_sheet_and_a_key(name):
    sheet = Sheet(norms(NORMS[name]))
    key = Sheet(norms(NORMS[name], is_key=True))
    assert len(key.cells("answer")) == len(sheet.cells("blank")) > 0


def test_layer_norm_uses_the_rows_and_parameters_on_screen():
    settings = NormExample(source="rows", gamma=(1, 0.5, 2, 1), beta=(0, 1, -1, 0.5))
    key = Sheet(norms(settings, is_key=True))
    np.testing.assert_array_equal(
        key.numbers("x"), [[1, 2, 3, 4], [2, 2, 2, 2], [-1, 0, 0, 5]]
    )
    assert key.row("γ") == [1, 0.5, 2, 1]
    assert (key.row("μ"), key.row("v")) == ([1], [5.5])
    assert key.row("x̂") == [-0.8528, -0.4264, -0.4264, 1.7056]
    assert key.row("y") == [-0.8528, 0.7868, -1.8528, 2.2056]


def test_weights_alone_leave_nothing_to_compute():
    sheet = Sheet(attention_worksheet(compute_shown(WEIGHTS_ALONE), 0, writer("zh")))
    assert translator("zh")("export.sheet.weights_alone") in sheet.text


@pytest.mark.parametrize("sizes", [{"length": 13}, {"d_model": 13}, {"d_v": 13}])
def test_what_is_too_large_for_paper_says_so(sizes):
    sheet = Sheet(attention(Example(**sizes)))
    assert translator("en")("export.sheet.large", most=12) in sheet.text
    assert list(sheet.root.iter("table")) == []


# ---- the document ----------------------------------------------------------


def test_a_sheet_stands_alone_without_scripts_and_addresses():
    document = attention(Example())
    assert "<script" not in document
    assert re.findall(r"(?:src|href)=", document) == []
    assert set(re.findall(r"url\(\"(.{5})", document)) == {"data:"}


def test_a_sheet_is_in_the_language_of_the_reader():
    english = Sheet(attention(Example()))
    chinese = Sheet(attention(Example(), language="zh"))
    assert (english.root.get("lang"), chinese.root.get("lang")) == ("en", "zh")
    assert not HAN.search(english.text)
    assert translator("zh")("export.sheet.query", row=3) in chinese.text


@pytest.mark.parametrize("is_key", [False, True])
def test_a_sheet_says_both_warnings_and_what_it_is(is_key):
    tr = translator("zh")
    sheet = Sheet(attention(Example(), language="zh", is_key=is_key))
    assert tr("warning.random") in sheet.text
    assert tr("warning.causes") in sheet.text
    assert (tr("export.sheet.key") in sheet.root.findtext(".//h1")) == is_key


def test_markup_in_a_token_is_text():
    sheet = Sheet(attention(Example(text="<b>cat</b> &amp;")))
    assert "1 <b>cat</b>" in sheet.text
    assert "2 &amp;" in sheet.text
