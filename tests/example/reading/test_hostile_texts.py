"""No text holds up its reader, and with that everybody else, for longer than seconds.

What is read holds Python's lock wherever it runs. Each of these once took minutes: it
made a pattern try again from every place, or grew what is gone through for every part.
"""

import pytest

from attnviz.core.errors import SettingError
from attnviz.example.own import choose_own, read_own
from attnviz.example.reading.numbers import MAX_CELLS, MAX_LINE
from attnviz.example.reading.reading import MAX_CHARACTERS
from attnviz.example.reading.text import MAX_LINES, MAX_LISTS

# A fifth of what may come: minutes all the same, where time grows as its square.
LONG = MAX_CHARACTERS // 5
UNITS = {
    "newlines": "\n",
    "tabs": "\t",
    "class words": "array(",
    "modules": "np.",
    "TensorFlow": "<tf.Tensor",
    "lists": "[1] ",
    "tables": "[[1,2],[3,4]]\n",
    "slices": "[:, :, 1] =\n1\n",
    "repeated names": "W_Q\n1\n",
    "words over numbers": "a b\n1\n",
    "bars": "|1|2|\n",
    "decimal commas": "0,5 ",
    "prompts": "In [1]: ",
    "odd characters": "⎟",
    "LaTeX": "\\begin{bmatrix}",
    "drawn and listed": "⎡1⎤\n\\begin{bmatrix}[1]",
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_what_repeats_itself_without_end_is_refused_soon(unit):
    text = unit * (LONG // len(unit))
    with pytest.raises(SettingError, match="own_"):
        choose_own(read_own(text))


@pytest.mark.timeout(30)
def test_a_title_without_end_costs_as_little_for_each_of_its_tables():
    with pytest.raises(SettingError, match="own_"):
        read_own("##" * (LONG // 2) + "[1] " * (MAX_LISTS // 2))


@pytest.mark.parametrize(
    ("text", "reason", "most"),
    [
        ("1\n" * (MAX_LINES + 1), "own_lines", MAX_LINES),
        ("Q\n" + "x" * (MAX_LINE + 1), "own_long", MAX_LINE),
        ("1 " * (MAX_LINE // 2), "own_columns", MAX_CELLS),
        ("[1] " * (MAX_LISTS + 1), "own_lists", MAX_LISTS),
    ],
)
def test_what_is_too_much_is_told_with_its_bound(text, reason, most):
    with pytest.raises(SettingError) as refusal:
        read_own(text)
    assert refusal.value.reason == reason
    assert refusal.value.values["most"] == most


def test_many_matrices_come_in_however_they_are_broken_into_lines():
    heads = ",\n".join("[[0.25,\n0.75],\n[1,\n0]]" for _ in range(32))
    weights = choose_own(read_own(f"[{heads}]")).matrices[0].values
    assert weights.shape == (32, 2, 2)
