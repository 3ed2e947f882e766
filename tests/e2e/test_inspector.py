"""Why this number? Every derivation on the page gives the number it explains."""

import pytest

from tests.e2e.derivation import (
    HALF,
    examine,
    find_faults,
    number,
    read_derivation,
)

HEAD = "input[name='attention-head']:checked"


def shown_number(one, cell, page="attention"):
    """Read from the figure the number of a cell of an address."""
    name, row, column = cell.split(".")
    return one.numbers(page)[name][int(row) - 1][int(column) - 1]


def follow(one, text, page="attention"):
    """Click the operand above a symbol."""
    one.page.evaluate(
        """([page, text]) => {
          const place = document.querySelector(`#${page}-view .inspector-work`);
          const pairs = [...place.querySelectorAll(".term, .step")].flatMap((part) => {
            const symbols = [...part.querySelectorAll(".symbol-cell")];
            return [...part.querySelectorAll(".operand")].map((operand, at) => [
              symbols[at]?.textContent, operand,
            ]);
          });
          pairs.find(([symbol]) => symbol === text)[1].click();
        }""",
        [page, text],
    )


def trail(one):
    return one.page.locator("#attention-view .trail .crumb").all_inner_texts()


# ---- every kind ----------------------------------------------------------------------
# Cell: how the inspector names it, number of terms, steps after them.

DOT = {
    "q.2.3": ("q2,3", 8, []),
    "k.5.1": ("k5,1", 8, []),
    "v.4.4": ("v4,4", 8, []),
    "scores.2.3": ("S2,3", 4, ["÷"]),
    "row_max.2.1": ("max2", 5, []),
    "row_sum.2.1": ("Σe2", 5, []),
    "weights.3.5": ("A3,5", 1, ["÷"]),
    "weight_sum.3.1": ("Σa3", 5, []),
    "context.5.4": ("C5,4", 5, []),
    "joined.3.6": ("[C]3,6", 1, []),
    "output.2.5": ("O2,5", 8, []),
}
HIDING = {
    "row_max.4.1": ("max4", 4, []),
    "row_sum.4.1": ("Σe4", 4, []),
    "weights.4.2": ("A4,2", 1, ["÷"]),
    "context.4.2": ("C4,2", 4, []),
}
CROSS = {
    "q.3.1": ("q3,1", 8, []),
    "k.7.1": ("k7,1", 8, []),
    "row_sum.3.1": ("Σe3", 7, []),
    "context.3.2": ("C3,2", 7, []),
}
SINUSOIDS = {
    "positions.3.4": ("p3,4", 1, ["÷", "cos"]),
    "positions.2.3": ("p2,3", 1, ["÷", "sin"]),
    "inputs.3.4": ("(x+p)3,4", 1, ["+"]),
    "k.3.4": ("k3,4", 8, []),
}
TURNED = {
    "q_turned.2.3": ("q′2,3", 2, []),
    "scores.2.3": ("S2,3", 4, ["÷"]),
}
BILINEAR = {"q_w.2.3": ("qW2,3", 4, []), "scores.2.3": ("S2,3", 4, [])}


KINDS = {
    "": DOT,
    "?m=causal": HIDING,
    "?dk=3": {"scores.4.5": ("S4,5", 3, ["÷"])},
    "?s=0": {"scores.2.3": ("S2,3", 4, [])},
    "?sc=bilinear": BILINEAR,
    "?sc=additive": {"scores.2.3": ("S2,3", 4, [])},
    "?pos=sinusoidal": SINUSOIDS,
    "?pos=rotary": TURNED,
    "?pos=alibi": {"scores.4.1": ("S4,1", 4, ["÷", "+"])},
}


def assert_explained(one, cells):
    found = examine(one, {cell: name for cell, (name, *_) in cells.items()})
    expected = {cell: (n, signs, []) for cell, (_, n, signs) in cells.items()}
    assert found == expected, one.page.url


def test_the_terms_on_the_page_give_the_number_in_the_figure(look):
    one = look()
    for query, cells in KINDS.items():
        one.turn_to(query)
        assert_explained(one, cells)


def test_the_terms_of_cross_attention_give_the_number_in_the_figure(look):
    assert_explained(look("?n=3&kn=7"), CROSS)


def test_the_terms_of_layer_norm_give_the_number_in_the_figure(look):
    one = look("?page=norms&ng=2,3,1,1,1,1,1,-1&nb=0,1,0.5,0,0,0,0,0")
    names = {
        "norm_mean.2.1": "μ2",
        "norm_variance.2.1": "v2",
        "norm_normalized.2.3": "x̂2,3",
        "norm_output.2.3": "y2,3",
    }
    assert examine(one, names, "norms") == {
        "norm_mean.2.1": (8, ["÷"], []),
        "norm_variance.2.1": (8, ["÷"], []),
        "norm_normalized.2.3": (1, ["−", "÷"], []),
        "norm_output.2.3": (1, ["+"], []),
    }


def test_a_link_to_a_cell_of_layer_norm_explains_it(visit):
    one = visit("?page=norms&cell=norm_mean.2.1")
    assert find_faults(read_derivation(one, "μ2", "norms")) == []


def test_a_cell_of_the_turned_keys_is_named_as_in_the_keys(look):
    # The figure shows Kᵀ: feature 2 of key 3 stands in its row 2, column 3.
    one = look("?pos=rotary")
    one.click_cell("k_turned", 3, 2)
    reading = read_derivation(one, "k′3,2")
    assert find_faults(reading) == []
    shown = one.numbers()["k_turned"]
    assert reading.value == pytest.approx(shown[2][1], abs=HALF)
    one.matrix("k_turned").press("ArrowRight")
    assert read_derivation(one, "k′4,2").value == pytest.approx(shown[3][1], abs=HALF)


def test_a_given_number_says_so_and_has_no_terms(look):
    one = look("?m=causal&pos=learned")
    for cell, name in (
        ("x.1.1", "x1,1"),
        ("w_o.8.8", "WO 8,8"),
        ("positions.3.4", "p3,4"),
    ):
        one.turn_to(f"?m=causal&pos=learned&cell={cell}")
        reading = read_derivation(one, name)
        assert (reading.operation, reading.terms, reading.totals) == ("given", [], [])
        note = one.page.locator("#attention-view .inspector-note")
        assert note.inner_text().startswith("This number was given")


def test_a_hidden_weight_is_0_and_its_term_is_crossed_out_of_a_sum(look):
    one = look("?m=causal&cell=weights.2.4")
    reading = read_derivation(one, "A2,4")
    assert (reading.operation, reading.value) == ("hidden", 0)
    note = one.page.locator("#attention-view .inspector-note")
    assert "exactly 0" in note.inner_text()
    one.click_cell("context", 2, 1)
    read_derivation(one, "C2,1")
    crossed = one.page.locator("#attention-view .term.is-hidden")
    assert crossed.count() == 3


EVERY_MATRIX = """
(page) => [...document.querySelectorAll(`#${page}-view [data-figure]`)]
  .map((element) => element.dataset.figure)
"""
PAGES = {
    "?m=causal": "attention",
    "?pos=alibi&sc=additive": "attention",
    "?pos=rotary&sc=bilinear&kn=3": "attention",
    "?pos=sinusoidal": "attention",
    "?p=fractions": "attention",
    "?page=norms&nd=samples&ns=residual": "norms",
}


@pytest.mark.parametrize("query", PAGES)
def test_a_click_on_any_matrix_explains_its_own_cell(look, query):
    page = PAGES[query]
    one = look(query)
    for name in one.page.evaluate(EVERY_MATRIX, page):
        one.click_cell(name, 1, 1, page)
        place = one.page.locator(f"#{page}-view .inspector")
        assert "is-empty" not in place.get_attribute("class"), name
        value = place.locator(".inspector-value").inner_text()
        shown = one.numbers(page)[name][0][0]
        if shown is not None:
            exact = place.locator(".inspector-value").get_attribute("title")
            assert float(exact) == pytest.approx(shown, rel=1e-6), name
        assert place.locator(".crumb").inner_text() == value.split(" = ")[0], name


def test_nothing_of_the_cell_before_is_left_where_a_cell_cannot_be_explained(look):
    one = look("?cell=scores.2.3")
    read_derivation(one, "S2,3")
    page = one.page.locator("#attention-view")
    one.page.evaluate("Shiny.setInputValue('attention-cell', {name: 'n', i: 0, j: 0})")
    page.locator(".inspector.is-empty").wait_for(state="attached")
    assert page.locator(".inspector-body").inner_text().strip() == ""
    assert page.locator(".crumb").count() == 0
    copies = page.locator("[data-copy-derivation]")
    assert [each.is_disabled() for each in copies.all()] == [True] * 3
    one.click_cell("scores", 1, 1)
    assert read_derivation(one, "S1,1").value
    assert not copies.first.is_disabled()


# ---- chains --------------------------------------------------------------------------


def test_a_chain_leads_from_a_weight_down_to_an_input_and_back(look):
    one = look("?m=causal&tau=2&cell=weights.4.2")
    chain = ["A4,2", "e4,2", "SM4,2", "S4,2", "k2,3", "x2,5"]
    readings = [read_derivation(one, chain[0])]
    for name in chain[1:]:
        follow(one, name)
        readings.append(read_derivation(one, name))
    signs = [reading.signs for reading in readings]
    assert signs == [["÷"], ["−", "exp"], ["÷", "+"], ["÷"], [], []]
    assert [find_faults(reading) for reading in readings[:-1]] == [[]] * 5
    assert [text.replace("\n", "") for text in trail(one)] == chain
    one.page.locator("#attention-view button.crumb").nth(1).click()
    assert read_derivation(one, "e4,2") == readings[1]
    assert trail(one) == ["A4,2", "e4,2"]


def test_a_masked_score_of_a_hidden_key_is_minus_infinity(look):
    one = look("?m=causal&cell=weights.2.4")
    read_derivation(one, "A2,4")
    follow(one, "SM2,4")
    reading = read_derivation(one, "SM2,4")
    assert (reading.value, reading.signs) == (float("-inf"), ["+"])
    assert find_faults(reading) == []


def test_a_link_to_a_number_in_no_figure_explains_it(visit):
    one = visit("?m=causal&cell=exp.4.2")
    assert find_faults(read_derivation(one, "e4,2")) == []


def test_a_term_of_another_head_shows_that_head(look):
    one = look("?cell=joined.3.6")
    read_derivation(one, "[C]3,6")
    assert one.page.locator(HEAD).input_value() == "0"
    follow(one, "C(2)3,2")
    reading = read_derivation(one, "C3,2")
    assert one.page.locator(HEAD).input_value() == "1"
    numbers = one.numbers()
    assert numbers["weights"] == numbers["weights_2"]
    assert reading.value == pytest.approx(numbers["joined"][2][5], abs=HALF)


def test_the_cell_a_term_leads_to_is_marked_in_its_figure(look):
    one = look("?cell=scores.2.3")
    read_derivation(one, "S2,3")
    follow(one, "k3,1")
    read_derivation(one, "k3,1")
    assert one.matrix("k").evaluate("one => one.attnviz.selected") == [2, 0]
    assert one.matrix("scores").evaluate("one => one.attnviz.selected") is None


# ---- long sums -----------------------------------------------------------------------


def test_a_long_sum_folds_in_the_middle_and_opens(look):
    one = look("?d=23&cell=q.1.1")
    folded = read_derivation(one, "q1,1")
    more = one.page.locator("#attention-view [data-unfold]")
    assert len(folded.terms) == 7
    head = sum(folded.products[:4])
    text = more.inner_text()
    assert text.startswith("… 16 more")
    rest = number(text.split()[-1]) - head
    assert sum(folded.products) + rest == pytest.approx(folded.value, abs=9 * HALF)
    more.click()
    opened = read_derivation(one, "q1,1")
    assert len(opened.terms) == 23
    assert find_faults(opened) == []
    assert more.count() == 0


def test_a_sum_that_was_opened_stays_open_while_its_numbers_move(look):
    one = look("?d=23&cell=q.1.1")
    read_derivation(one, "q1,1")
    one.page.locator("#attention-view [data-unfold]").click()
    one.slide("example-seed", 3)
    moved = read_derivation(one, "q1,1")
    assert len(moved.terms) == 23
    assert find_faults(moved) == []
    one.matrix("q").press("ArrowRight")
    assert len(read_derivation(one, "q1,2").terms) == 7


# ---- take it along -------------------------------------------------------------------


@pytest.fixture
def reader(visit):
    """Open a page that may write to the clipboard and read from it."""
    reader = visit("?cell=scores.2.3")
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return reader


def copied(one, button):
    """Press a button of the inspector, and give what it copies."""
    pressed = one.page.get_by_role("button", name=button, exact=True).element_handle()
    pressed.click()
    one.page.wait_for_function("button => button.textContent === 'Copied'", arg=pressed)
    return one.page.evaluate("navigator.clipboard.readText()")


def test_the_copied_numpy_code_gives_the_cell(reader):
    for cell, name in (
        ("scores.2.3", "S2,3"),
        ("row_sum.4.1", "Σe4"),
        ("output.2.5", "O2,5"),
    ):
        reader.turn_to(f"?cell={cell}")
        read_derivation(reader, name)
        found = {}
        exec(compile(copied(reader, "NumPy"), "<copied>", "exec"), found)
        value = reader.page.locator("#attention-view .inspector-value")
        assert float(found["value"]) == float(value.get_attribute("title"))
        assert found["value"] == pytest.approx(shown_number(reader, cell), rel=1e-6)


def test_the_copied_text_and_latex_say_what_the_page_says(reader):
    text = copied(reader, "Text")
    assert text.split("=")[-1].strip() == "−0.3105"
    assert "1.079 · (−1.711)" in text
    latex = copied(reader, "LaTeX")
    assert latex.startswith(r"\begin{aligned}")
    assert latex.rstrip().endswith(r"\end{aligned}")
    assert "-0.3105" in latex
