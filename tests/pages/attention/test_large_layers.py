"""Heads of a larger layer keep the numbers they have there."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.components.page.compare import compare_live
from attnviz.core.derivation import derive
from attnviz.example.checks import check_example
from attnviz.example.comparison import compare
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.weights_alone import compute_shown
from attnviz.pages.attention.figures.comparison import comparison_figures
from attnviz.pages.attention.figures.heads import heads_figure
from attnviz.text.catalog import translator
from attnviz.text.checks import check_words
from attnviz.text.derivation import derivation_words
from attnviz.text.presets import origin_line
from tests.example.own.own_files import npy

EN = translator("en")
MODEL = np.random.default_rng(7).dirichlet(np.ones(5), (3, 11, 5))
MODEL[2, 9, 1] *= 0.5
OWN = choose_own(read_own(npy(MODEL)))


def shown(group):
    return compute_shown(own_example(OWN, layer=2, group=group))


def symbols(figure):
    parts = [trace["meta"] for trace in figure["data"] if "symbol" in trace["meta"]]
    return [part["symbol"] for part in parts]


@pytest.mark.parametrize(("group", "numbers"), [("1", range(1, 9)), ("2", (9, 10, 11))])
def test_the_figure_of_all_heads_names_each_by_its_number(group, numbers):
    drawn = symbols(heads_figure(shown(group).screen()))
    assert [symbol[1] for symbol in drawn] == [str(number) for number in numbers]


def test_a_picture_says_of_which_layer_and_head_it_is():
    line = origin_line("article", shown("2").example, EN, head=1)
    assert line == "own data · layer 3 of 3 · head 10 of 11"
    mean = origin_line("article", shown("mean").example, EN, head=0)
    assert mean == "own data · layer 3 of 3 · Mean of all 11 heads"


def test_a_weight_of_another_head_says_to_which_of_the_layer():
    work = derive(shown("2"), "weights", (1, 3, 2))
    words = derivation_words(work, head=0, first_head=8)
    assert words["symbol"][2] == "(10)"


def test_a_check_that_fails_names_the_head_of_the_layer():
    check = check_example(shown("2"))[0]
    assert (check.verdict, check.where) == ("fail", (1, 1))
    assert "head 10, query 2" in check_words(check, EN, first_head=8).whole


def test_a_comparison_names_the_heads_of_both_sides():
    first, second = shown("1"), shown("2")
    figures = comparison_figures(compare(first, second, 1), second, ("a", "b"))
    sups = [symbol[2] for symbol in symbols(figures["compare_weights"])]
    assert sups == ["(2)", "(10)", ""]
    same = comparison_figures(compare(second, second, 1), second, ("a", "b"))
    assert {symbol[2] for symbol in symbols(same["compare_weights"])} == {"(10)"}


def test_a_head_that_the_first_lacks_is_named_by_its_number():
    one = own_example(choose_own(read_own(npy(MODEL[2, :1]))))
    told = compare_live(compare(compute_shown(one), shown("2"), 2), EN)
    sentence = EN("compare.no_head", count=1, head=11)
    assert told["compare.changed"] == replace(told["compare.changed"], text=sentence)
