"""Derivations as a page sets them."""

import pytest

from attnviz.core.derivation import derive
from attnviz.core.layers.norms import layer_norm
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.text.derivation import derivation_words

EXERCISE = compute(EXAMPLES["identity"])
CAUSAL = compute(Example(length=5, mask="causal"))


def number(text):
    return float(text.replace("−", "-"))


def words(trace, stage, index):
    return derivation_words(derive(trace, stage, index))


def test_scaling_reads_as_a_division_by_the_root():
    [scaling] = words(EXERCISE, "scores", (0, 0, 0))["steps"]
    assert (scaling["sign"], scaling["label"]) == ("÷", "√2")
    assert scaling["value"] == "0.7071"


@pytest.mark.parametrize("index", [(0, 3, 1), (1, 4, 0)])
def test_displayed_terms_add_up_to_the_displayed_total(index):
    shown = words(CAUSAL, "scores", index)
    total = sum(number(term["value"]) for term in shown["terms"])
    assert total == pytest.approx(number(shown["total"]), abs=4e-4)


def test_places_count_from_one_and_link_counts_from_zero():
    shown = words(CAUSAL, "scores", (1, 3, 2))
    assert shown["index"] == [4, 3]
    assert shown["cell"] == {"name": "scores", "i": 3, "j": 2, "head": 1}


def test_the_hidden_weight_is_zero_and_says_so():
    shown = words(CAUSAL, "weights", (0, 1, 3))
    assert (shown["operation"], shown["value"]) == ("hidden", "0.0000")


@pytest.mark.parametrize(("index", "value"), [((0, 1, 3), "−∞"), ((0, 3, 1), "0")])
def test_the_mask_is_written_without_decimals(index, value):
    assert words(CAUSAL, "mask", index)["value"] == value


def test_epsilon_is_not_rounded_away():
    shown = words(layer_norm([[1.0, 2.0, 4.0]]), "norm_normalized", (0, 0))
    [root] = [step for step in shown["steps"] if step["operator"] == "divide_by_root"]
    assert root["operands"][1]["value"] == "1·10⁻⁵"


def test_rounding_in_the_last_bit_is_not_shown():
    steps = words(CAUSAL, "output", (3, 1))["steps"]
    assert "round" not in [step["operator"] for step in steps]


def symbols_of(shown):
    pieces = [*shown["terms"], *shown["steps"]]
    return [operand["symbol"] for piece in pieces for operand in piece["operands"]]


def test_what_belongs_to_another_head_says_to_which():
    joined = derive(CAUSAL, "joined", (1, 5))
    other = derivation_words(joined, head=0)
    assert symbols_of(other)[0] == ["C", "", "(2)", "c"]
    shown = derivation_words(joined, head=1)
    assert symbols_of(shown)[0] == ["C", "", "", "c"]


def test_a_weight_of_another_head_and_all_it_comes_from_say_so():
    shown = derivation_words(derive(CAUSAL, "weights", (1, 3, 2)), head=0)
    assert shown["symbol"] == ["A", "", "(2)", "s"]
    assert {symbol[2] for symbol in symbols_of(shown)} == {"(2)"}


def test_what_no_head_has_of_its_own_is_written_plainly():
    shown = derivation_words(derive(CAUSAL, "output", (1, 0)), head=1)
    assert {symbol[2] for symbol in [shown["symbol"], *symbols_of(shown)]} == {""}
