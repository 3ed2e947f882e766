"""What stands on the page of the mistakes, section by section."""

import re

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.settings import MistakeSettings
from attnviz.export.dialect import NUMPY
from attnviz.pages.mistakes.code import aligned, code_pair
from attnviz.pages.mistakes.script import shown_script
from attnviz.pages.mistakes.sections import show
from attnviz.text.catalog import LANGUAGES, translator
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
