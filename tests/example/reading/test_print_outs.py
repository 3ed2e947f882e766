"""What programs print is read number by number, whatever is printed around it."""

import ast
from pathlib import Path

import numpy as np
import pytest

from attnviz.example.own import read_own

W = [[0.7, 0.3], [0.1, 0.9]]
HEADS = [W, [[0.5, 0.5], [0.2, 0.8]]]
NAMED = {
    "W": W,
    "HEADS": HEADS,
    "TWO": [HEADS, HEADS],
    "LAYERS": [HEADS, HEADS, HEADS],
    "WIDE": [[0.7, 0.3, 0.5], [0.1, 0.9, 0.6]],
}
PRINT_OUTS = Path(__file__).with_name("print_outs.txt")


def print_outs():
    """Give each print-out with its title, the name of its matrix, and its numbers."""
    for part in PRINT_OUTS.read_text().split("==== ")[1:]:
        head, _, text = part.partition("\n")
        title, name, numbers = head.split(" | ")
        wanted = NAMED.get(numbers) or ast.literal_eval(numbers)
        yield pytest.param(text.removesuffix("\n"), name, wanted, id=title)


@pytest.mark.parametrize(("text", "name", "numbers"), list(print_outs()))
def test_a_print_out_is_read_number_by_number(text, name, numbers):
    matrix = read_own(text).arrays[name]
    wanted = np.array(numbers)
    np.testing.assert_allclose(matrix.reshape(wanted.shape), wanted, rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("\ufeff0.7,0.3\n0.1,0.9", W),
        ("0.7\u200b\u00a00.3\n0.1\u20090.9", W),
        ("0.7\u202f0.3\r\n0.1\u30000.9", W),
        ("\u22120.7 0.3\n\u20130.1 0.9", [[-0.7, 0.3], [-0.1, 0.9]]),
        ("\uff10\uff0e\uff17\uff0c0.3\n0.1\uff0c0.9", W),
        ("tensor(\u2060[[0.7, 0.3],\u2028[0.1, 0.9]])", W),
    ],
)
def test_characters_that_nobody_sees_cost_no_column(text, numbers):
    assert read_own(text).arrays["weights"].tolist() == [numbers]
