"""Frames as tables of a page."""

import numpy as np
import pandas as pd
import pytest

from attnviz.components.page.tables import tables_content, tables_fold
from attnviz.text.catalog import translator

EN = translator("en")
FRAME = pd.DataFrame(
    [[0.66976155, -np.inf], [-0.5, 2.0]], index=["1 <b>", "2 b"], columns=["1", "2"]
)


def html(choice="4"):
    return str(tables_content({"weights": FRAME}, choice, EN))


@pytest.mark.parametrize(
    ("choice", "number"),
    [
        ("4", "0.6698"),
        ("6", "0.669762"),
        (None, "0.6698"),
        ("600", "0.6698"),
        ([], "0.6698"),
    ],
)
def test_numbers_have_the_decimals_of_the_choice_or_four(choice, number):
    assert f"<td>{number}</td>" in html(choice)


def test_hidden_and_negative_numbers_carry_true_signs():
    assert "<td>−∞</td>" in html()
    assert "<td>−0.5000</td>" in html()


def test_tokens_are_shown_as_text():
    assert "1 &lt;b&gt;" in html()
    assert "<b>" not in html()


def test_rows_and_columns_are_headed():
    assert html().count('scope="row"') == 2
    assert html().count('scope="col"') == 2


def test_a_table_names_its_matrix_and_its_shape():
    assert f"{EN('browser.matrix.weights')} · 2×2" in html()


def test_a_button_copies_the_table_beside_it():
    assert 'data-copy="table_weights"' in html()
    assert 'id="table_weights"' in html()


def test_the_fold_says_when_it_has_been_opened():
    fold = str(tables_fold(EN))
    assert 'data-settled="settled"' in fold
    assert EN("tables.title") in fold
