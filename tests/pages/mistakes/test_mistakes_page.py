"""What stands on the page of the mistakes, section by section."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attnviz.example.address import read_settings, write_settings
from attnviz.example.compute import EXAMPLES
from attnviz.example.mistakes.guessing import ask
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.settings import (
    HEAD_VIEWS,
    MASK_VIEWS,
    MISTAKE_SETTINGS,
    SPLIT_VIEWS,
    MistakeSettings,
)
from attnviz.export.dialect import NUMPY
from attnviz.export.paper import Writer
from attnviz.pages.mistakes.code import aligned, code_pair
from attnviz.pages.mistakes.script import shown_script
from attnviz.pages.mistakes.sections import lay_out, show
from attnviz.pages.mistakes.tables import shown_tables
from attnviz.pages.mistakes.worksheet import shown_worksheet
from attnviz.text.catalog import LANGUAGES, load, translator
from attnviz.text.formulas import formula
from tests.figures.decoding import decode, heatmaps

EN = translator("en")


def mistake(id="P03", **settings):
    return show(MistakeSettings(mistake=id, **settings), EXAMPLES["five"])


@pytest.mark.parametrize("id", PROGRAMS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mistake_has_its_figures_its_words_and_its_code(id, language):
    shown = mistake(id)
    assert {"right", "faulty"} <= shown.figures.keys()
    view = shown.view(translator(language), language)
    assert view.live["mistakes.found"].text
    html = str(shown.told(translator(language), language))
    assert html.count('class="code-line') >= 2
    assert "<mark>" in html or "is-missing" in html


def test_the_fractions_stand_beside_what_hiding_too_late_makes_of_them():
    figures = mistake().figures
    drawn = {n: decode(part["z"]) for n, part in heatmaps(figures).items()}
    np.testing.assert_allclose(drawn["weights"][1], [2 / 3, 1 / 3, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(
        drawn["faulty_weights"][1], [1 / 4, 1 / 8, 0, 0], rtol=1e-6
    )
    np.testing.assert_allclose(
        drawn["gap_weight_sum"].ravel(), [-0.9, -0.625, -0.1, 0], atol=1e-7
    )


def test_lines_that_assign_the_same_stand_side_by_side():
    right = ["s = 1", "s = 2", "a = 3", "c = 4"]
    wrong = ["s = 1", "a = 3", "a = 5", "c = 4"]
    assert aligned(right, wrong) == [
        ("s = 1", "s = 1"),
        ("s = 2", ""),
        ("a = 3", "a = 3"),
        ("", "a = 5"),
        ("c = 4", "c = 4"),
    ]


def test_only_what_differs_is_marked():
    html = str(code_pair("a = e.sum(-1)\n", "a = e.sum(-2)\n", EN))
    assert re.findall(r"<mark>(.*?)</mark>", html) == ["1", "2"]


@pytest.mark.parametrize("id", ["P03", "P06", "P14.reshape", "P25", "P27"])
def test_the_script_computes_what_is_on_screen(id):
    text = shown_script(mistake(id), NUMPY, EN)
    with np.errstate(all="ignore"):
        exec(compile(text, id, "exec"), {})


SECTIONS = {
    "guess": {"section": "guess"},
    "batch": {"section": "batch"},
    **{f"masks {view}": {"section": "masks", "mask_view": view} for view in MASK_VIEWS},
    **{f"heads {view}": {"section": "heads", "head_view": view} for view in HEAD_VIEWS},
    **{f"split {v}": {"section": "split", "split_view": v} for v in SPLIT_VIEWS},
}


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_only_the_open_section_has_figures_and_all_of_it_has_words(name, language):
    tr = translator(language)
    shown = show(MistakeSettings(**SECTIONS[name]), EXAMPLES["five"])
    places = str(lay_out(MistakeSettings(**SECTIONS[name]), shown, tr, language))
    for figure in shown.figures:
        assert f'data-graph="{figure}"' in places
        assert load(language)[f"browser.export.figure.{figure}"]
    for matrix in heatmaps(shown.figures):
        plain = re.sub(r"_\d+$", "", matrix)
        assert f"browser.matrix.{plain}" in load(language) or plain == "weights"
    view = shown.view(tr, language)
    open_ones = [key for key, told in view.live.items() if told.state == "on"]
    assert open_ones == [f"section.{name.split()[0]}"]
    assert str(shown.told(tr, language))


@pytest.mark.parametrize("name", SECTIONS)
def test_the_script_of_a_section_computes_what_is_on_screen(name):
    shown = show(MistakeSettings(**SECTIONS[name]), EXAMPLES["five"])
    exec(compile(shown_script(shown, NUMPY, EN), name, "exec"), {})
    # It would notice: results that are moved are found out.
    moved = tuple(
        (title, lines, {key: value + 1 for key, value in results.items()})
        for title, lines, results in shown.code.parts
    )
    spoilt = replace(shown, code=replace(shown.code, parts=moved))
    with pytest.raises(AssertionError):
        exec(compile(shown_script(spoilt, NUMPY, EN), name, "exec"), {})


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_has_tables_and_a_sheet_of_paper(name):
    shown = show(MistakeSettings(**SECTIONS[name]), EXAMPLES["five"])
    assert shown_tables(shown).keys() == set(shown.tables)
    sheet = shown_worksheet(shown, Writer(EN, formula, is_key=False))
    assert "<script" not in sheet


def test_a_choice_is_answered_with_distances_and_counted():
    settings = MistakeSettings(section="guess")
    question = ask(settings.guess_seed, settings.guess_round)
    place = question.choices.index(question.answer)
    asked = (settings.guess_seed, settings.guess_round)

    def live(answers):
        return show(settings, EXAMPLES["five"], answers).view(EN, "en").live

    before, after = live({}), live({asked: place})
    assert before["guess.distance.1"].text == ""
    assert after[f"guess.distance.{place + 1}"].text in ("0", "2·10⁻¹⁶")
    assert after[f"guess.state.{place + 1}"].state == "right"
    wrong = (place + 1) % 5
    missed = live({asked: wrong})
    assert missed[f"guess.state.{wrong + 1}"].state == "wrong"
    assert "0 of 1 right" in missed["guess.score"].text


def test_the_drawn_mask_stands_in_the_address():
    settings = MistakeSettings(section="masks", flips=((0, 3), (2, 1)))
    start = MistakeSettings()
    query = write_settings(settings, start, MISTAKE_SETTINGS)
    assert query == {"sec": "masks", "mf": "1-4.3-2"}
    assert read_settings(query, start, MISTAKE_SETTINGS) == (settings, [])
    for bad in ("9-1", "1-1.x", "0-2"):
        assert read_settings({"mf": bad}, start, MISTAKE_SETTINGS) == (start, ["mf"])


def test_an_unknown_mistake_falls_back_and_is_named():
    start = MistakeSettings()
    found = read_settings({"mistake": "P99"}, start, MISTAKE_SETTINGS)
    assert found == (start, ["mistake"])
