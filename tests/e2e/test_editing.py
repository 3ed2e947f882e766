"""Numbers that a reader changes: typed, nudged, dragged, swung, and taken back."""

import pytest

from attnviz.text.catalog import translator

FIELD = "#attention-view .edit-bar input"
# The numbers that differ from those remembered, by matrix.
CHANGED = """
() => Object.fromEntries(
  [...document.querySelectorAll("#attention-view [data-graph]")]
    .map(attnviz.viewOf)
    .filter((view) => view.ghost)
    .flatMap((view) => view.panels.map((panel) => {
      const before = view.ghost.get(panel.name);
      const changed = [...panel.values].filter((value, at) => value !== before[at]);
      return [panel.name, changed.length];
    }))
    .filter(([, count]) => count)
)
"""


def edit(one, act):
    """Change the selected number, and wait for what follows."""
    one.change("attention-edit", act)


def fill(one, text):
    one.page.locator(FIELD).fill(text)
    one.page.keyboard.press("Enter")


def press(one, name):
    one.page.locator("#attention-view").get_by_role("button", name=name).click()


def drag(one, name, row, column, pixels):
    """Drag a cell up by some pixels, in several moves."""
    one.click_cell(name, row, column)
    box = one.page.locator("#attention-view .lit-selected").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.page.mouse.move(x, y - pixels, steps=4)
    one.page.mouse.up()
    one.catch_up()


def problem(one):
    """Read the sentence about an edit that cannot be."""
    return one.page.locator("#attention-view .inspector .problem:visible")


# ---- ways to change a number -------------------------------------------------------


def test_a_typed_number_takes_its_place_and_nothing_else_is_given(visit):
    one = visit()
    one.click_cell("w_q", 3, 2)
    for text, value in (("1.5", 1.5), ("−0.25", -0.25), ("-3", -3), ("2,5", 2.5)):
        before = one.numbers()
        edit(one, lambda text=text: fill(one, text))
        after = one.numbers()
        assert after["w_q"][2][1] == value
        after["w_q"][2][1] = before["w_q"][2][1]
        for name in ("x", "w_q", "w_k", "w_v", "w_o", "mask", "k", "v"):
            assert after[name] == before[name]
        assert after["q"] != before["q"]
        assert [row[0] for row in after["q"]] == [row[0] for row in before["q"]]


def test_buttons_nudge_by_a_tenth(visit):
    one = visit()
    start = one.numbers()["w_o"][0][0]
    one.click_cell("w_o", 1, 1)
    edit(one, lambda: press(one, "more (+)"))
    edit(one, lambda: press(one, "more (+)"))
    edit(one, lambda: press(one, "less (−)"))
    assert one.numbers()["w_o"][0][0] == pytest.approx(start + 0.1, abs=2e-6)


def test_dragging_up_raises_a_number_and_chooses_its_cell(visit):
    one = visit()
    start = one.numbers()["x"][1][2]
    drag(one, "x", 2, 3, 40)
    raised = one.numbers()["x"][1][2]
    assert raised == pytest.approx(start + 40 * 0.02, abs=2e-6)
    assert one.matrix("x").evaluate("one => one.attnviz.selected") == [1, 2]
    drag(one, "x", 2, 3, -40)
    assert one.numbers()["x"][1][2] == pytest.approx(start, abs=4e-6)


def test_results_are_not_changed_by_hand(visit):
    one = visit()
    before = one.numbers()
    drag(one, "scores", 2, 3, 40)
    assert one.page.locator("#attention-view .edit-bar").is_hidden()
    assert one.numbers() == before


MARKED = """
() => [...document.querySelectorAll("#attention-view .lit-edited")].map((mark) => {
  const view = attnviz.viewOf(mark.closest("[data-graph]"));
  const [x, y] = [parseFloat(mark.style.left) + 2, parseFloat(mark.style.top) + 2];
  const panel = view.panels.find(({ rect }) =>
    x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height);
  const at = (place, start) => Math.floor((place - start) / view.geometry.cell) + 1;
  return `${panel.name}.${at(y, panel.rect.y)}.${at(x, panel.rect.x)}`;
})
"""


def note(one):
    return one.page.locator("#attention-view .inspector-note").inner_text()


def toggle_in_mask(one, row, column):
    """Click a cell of the mask to ask about it, and once more to change it."""
    one.click_cell("mask", row, column)
    edit(one, lambda: one.click_cell("mask", row, column))


@pytest.mark.parametrize(
    ("query", "cell", "reason"),
    [
        ("?m=causal", (2, 4), "the key comes after the query (j > i: 4 > 2)"),
        ("?m=padding&pad=2", (2, 4), "key 4 is padding"),
        ("?m=causal_left_padding&pad=1&n=6", (3, 1), "key 1 is padding"),
        ("?m=window&wl=1&wr=0", (4, 5), "the window of query 4 reaches from key 3"),
        ("?e=m.2.4:0", (2, 4), "hidden by hand"),
        ("?m=causal&e=m.2.4:1", (2, 4), "visible by hand, although the key comes"),
        ("", (2, 4), "Query 2 may see key 4: 0 is added"),
    ],
)
def test_a_click_on_a_cell_of_the_mask_says_why_and_changes_nothing(
    visit, query, cell, reason
):
    one = visit(query)
    before = one.numbers()
    one.click_cell("mask", *cell)
    assert reason in note(one)
    assert one.numbers() == before
    assert one.matrix("mask").evaluate("one => one.attnviz.selected") == [
        place - 1 for place in cell
    ]


def test_numbers_changed_by_hand_are_marked_in_the_mask_too(visit):
    one = visit("?e=x.2.3:1;m.2.4:0;wq.2.1.1:0")
    assert {*one.page.evaluate(MARKED)} == {"x.2.3", "mask.2.4"}
    one.pick("attention-head", 1)
    assert {*one.page.evaluate(MARKED)} == {"x.2.3", "mask.2.4", "w_q.1.1"}
    one.click_cell("x", 2, 3)
    assert note(one) == "This number was changed by hand."


def test_enter_and_the_bar_change_the_chosen_cell_of_the_mask(visit):
    one = visit("?cell=mask.2.4")
    edit(one, lambda: one.matrix("mask").press("Enter"))
    assert one.numbers()["mask"][1][3] is None
    edit(one, lambda: press(one, "Hide / show"))
    assert one.numbers()["mask"][1][3] == 0


def test_a_second_click_toggles_a_cell_of_the_mask_and_a_third_leaves_no_trace(visit):
    one = visit("?m=causal")
    causal = one.numbers()
    one.choose("example-mask", "none")
    before = one.numbers()
    toggle_in_mask(one, 2, 4)
    hidden = one.numbers()
    assert hidden["mask"][1] == [0, 0, 0, None, 0]
    assert hidden["weights"][1][3] is None
    assert sum(cell or 0 for cell in hidden["weights"][1]) == pytest.approx(1, abs=1e-6)
    assert hidden["weights"][0] == before["weights"][0]
    edit(one, lambda: one.click_cell("mask", 2, 4))
    assert one.numbers() == before
    one.choose("example-mask", "causal")
    assert one.numbers() == causal


def test_a_typed_key_changes_the_cell_that_the_turned_picture_shows(visit):
    # Own K stands as Kᵀ above the scores: row 2, column 1 is feature 2 of key 1.
    one = visit("?p=fractions")
    before = one.numbers()["k"]
    one.click_cell("k", 2, 1)
    edit(one, lambda: fill(one, "0.75"))
    after = one.numbers()["k"]
    assert after[1][0] == 0.75
    after[1][0] = before[1][0]
    assert after == before


def test_an_edit_belongs_to_the_head_on_screen(visit):
    one = visit()
    first = one.numbers()["w_v"]
    one.pick("attention-head", 1)
    assert one.numbers()["w_v"][0][0] != 5
    one.click_cell("w_v", 1, 1)
    edit(one, lambda: fill(one, "5"))
    assert one.numbers()["w_v"][0][0] == 5
    one.pick("attention-head", 0)
    assert one.numbers()["w_v"] == first


# ---- what cannot be ----------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_no_number_gets_a_sentence_and_changes_nothing(visit, language):
    one = visit(language=language)
    field = one.page.locator(FIELD)
    one.click_cell("x", 1, 1)
    for value, text in enumerate(["abc", "", "1e999", "1.2.3", "NaN", "<b>1</b>"]):
        before = one.numbers()
        fill(one, text)
        said = problem(one).inner_text()
        assert said == translator(language)("browser.edit.number")
        assert field.get_attribute("aria-invalid") == "true"
        described = field.get_attribute("aria-describedby")
        assert one.page.locator(f"#{described}").inner_text() == said
        assert one.numbers() == before
        edit(one, lambda value=value: fill(one, str(value)))
        assert field.get_attribute("aria-invalid") == "false"
        assert problem(one).count() == 0
        assert one.numbers()["x"][0][0] == value


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_number_beyond_all_gets_a_sentence_and_changes_nothing(visit, language):
    one = visit(language=language)
    before = one.numbers()
    one.click_cell("x", 1, 1)
    edit(one, lambda: fill(one, "1e99"))
    problem = one.page.locator("#attention-view [data-live='edit.problem']")
    sentence = translator(language)("problem.edit_value", most="1000000")
    assert problem.inner_text() == sentence
    assert one.numbers() == before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_query_keeps_its_last_key_and_a_sentence_says_why(visit, language):
    one = visit("?m=causal", language=language)
    before = one.numbers()
    toggle_in_mask(one, 1, 1)
    assert one.numbers() == before
    sentence = translator(language)("problem.empty_row", row=1)
    assert problem(one).inner_text() == sentence
    toggle_in_mask(one, 1, 2)
    assert one.numbers()["mask"][0][:2] == [0, 0]
    assert problem(one).count() == 0


# ---- taking back -------------------------------------------------------------------


def test_undo_redo_and_clear_lead_back_and_forth_bit_by_bit(visit):
    one = visit()
    states = [one.numbers()]
    one.click_cell("x", 1, 1)
    for value in ("1", "2"):
        one.pause()
        edit(one, lambda value=value: fill(one, value))
        states.append(one.numbers())
    one.pause()

    def go(name, value):
        press(one, name)
        one.page.wait_for_function(
            "(value) => attnviz.panelNamed("
            "document.querySelector('#attention-view'), 'x').values[0] === value",
            arg=value,
        )
        one.catch_up()
        one.pause()
        return one.numbers()

    start = states[0]["x"][0][0]
    assert go("undo", 1) == states[1]
    assert go("undo", start) == states[0]
    assert go("redo", 1) == states[1]
    one.page.go_forward()
    one.page.wait_for_function("location.search.includes('x.1.1:2')")
    one.catch_up()
    assert one.numbers() == states[2]
    one.pause()
    clear = translator("en")("edit.clear_hint")
    one.change("attention-clear", lambda: press(one, clear))
    assert one.numbers() == states[0]
    assert "e=" not in one.page.url
    one.pause()
    assert go("undo", 2) == states[2]


def test_a_drag_is_one_step_for_undo(visit):
    one = visit()
    before = one.numbers()
    one.click_cell("x", 2, 3)
    one.pause()
    drag(one, "x", 2, 3, 60)
    assert one.numbers() != before
    one.pause()
    one.page.go_back()
    one.page.wait_for_function("!location.search.includes('e=')")
    one.catch_up()
    assert one.numbers() == before


# Pressed on a number, taken away by the system, and moved on without a button.
CANCELLED_DRAG = """
() => {
  const matrix = document.querySelector("#attention-view [data-figure='x']");
  const { x, y } = matrix.getBoundingClientRect();
  const tell = (type, down, buttons) =>
    matrix.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        pointerType: "mouse",
        clientX: x + 5,
        clientY: y + 5 + down,
        buttons,
      })
    );
  tell("pointerdown", 0, 1);
  tell("pointercancel", 0, 0);
  tell("pointermove", -40, 0);
}
"""


# Keeps every address that the page has given itself.
NOTE_ADDRESSES = """
() => {
  watched.told = [];
  for (const name of ["pushState", "replaceState"]) {
    const tell = history[name];
    history[name] = function (state, title, address) {
      watched.told.push(address);
      return tell.call(this, state, title, address);
    };
  }
}
"""


def ended(one):
    """Wait until the server knows that a swing is over."""
    one.page.wait_for_function("watched.sent['attention-swing'] % 2 === 0")
    one.catch_up()


def test_a_swing_moves_what_follows_and_ends_exactly_where_it_began(visit):
    one = visit()
    before = one.numbers()
    one.click_cell("w_k", 2, 1)
    one.page.evaluate(
        """() => {
          watched.outputs = new Set();
          document.addEventListener("attnviz:painted", () => {
            const page = document.querySelector("#attention-view");
            watched.outputs.add(attnviz.panelNamed(page, "output").values[0]);
          });
        }"""
    )
    edit(one, lambda: press(one, "let it swing"))
    one.page.wait_for_function("watched.outputs.size > 5")
    ended(one)
    assert one.numbers() == before
    assert "e=" not in one.page.url


def test_choosing_another_cell_ends_a_swing_where_it_began(visit):
    one = visit()
    before = one.numbers()
    one.click_cell("x", 2, 1)
    edit(one, lambda: press(one, "let it swing"))
    one.click_cell("q", 1, 1)
    ended(one)
    assert one.numbers() == before


@pytest.mark.parametrize("delay", [80, 300])
def test_an_edit_during_a_swing_is_kept_however_far_the_server_is(visit, delay):
    one = visit(delay=delay)
    before = one.numbers()
    one.click_cell("x", 2, 1)
    one.page.evaluate(NOTE_ADDRESSES)
    edit(one, lambda: press(one, "let it swing"))
    one.page.wait_for_timeout(400)
    toggle_in_mask(one, 1, 3)
    ended(one)
    one.page.wait_for_url("**e=m.1.3:0**")
    one.catch_up()
    after = one.numbers()
    assert after["mask"][0][2] is None
    assert after["x"] == before["x"]
    assert not [told for told in one.page.evaluate("watched.told") if "x.1.0" in told]


def test_a_swing_leaves_what_was_set_meanwhile(visit):
    one = visit()
    before = one.numbers()
    one.click_cell("x", 1, 1)
    edit(one, lambda: press(one, "let it swing"))
    one.choose("example-mask", "causal")
    one.slide("example-temperature", 2)
    press(one, "let it swing")
    ended(one)
    one.page.wait_for_url("**m=causal**")
    assert one.numbers()["x"] == before["x"]
    assert "tau=2" in one.page.url
    assert "e=" not in one.page.url
    after = one.numbers()
    one.open("?m=causal&tau=2")
    assert one.numbers() == after


def test_what_is_not_let_go_where_it_was_pressed_changes_nothing(visit):
    one = visit()
    before = one.numbers()
    one.page.evaluate(CANCELLED_DRAG)
    one.catch_up()
    assert one.numbers() == before
    box = one.matrix("mask").bounding_box()
    one.page.mouse.move(box["x"] + 5, box["y"] + 5)
    one.page.mouse.down()
    one.page.mouse.move(box["x"] + box["width"] - 5, box["y"] + 5)
    one.page.mouse.up()
    one.catch_up()
    assert one.numbers() == before


# ---- before and after --------------------------------------------------------------


def test_what_changed_is_marked_until_another_cell_is_chosen(visit):
    one = visit()
    one.click_cell("x", 2, 3)
    assert one.page.evaluate(CHANGED) == {}
    edit(one, lambda: fill(one, "3"))
    changed = one.page.evaluate(CHANGED)
    assert changed["x"] == 1
    assert changed["q"] == 4
    assert changed["output"] == 40
    assert {"w_q", "w_k", "w_v", "w_o", "mask"} & changed.keys() == set()
    one.click_cell("scores", 1, 1)
    assert one.page.evaluate(CHANGED) == {}


@pytest.mark.parametrize(("language", "word"), [("en", "was"), ("zh", "原为")])
def test_the_inspector_says_what_the_number_was(visit, language, word):
    one = visit(language=language)
    start = f"{one.numbers()['x'][1][2]:.4f}".replace("-", "−")
    one.click_cell("x", 2, 3)
    before = one.page.locator("#attention-view .edit-before")
    assert before.inner_text() == ""
    edit(one, lambda: fill(one, "3"))
    edit(one, lambda: fill(one, "4"))
    assert before.inner_text() == f"{word} {start}"
    value = one.page.locator("#attention-view .inspector-value")
    assert value.inner_text().endswith("= 4.0000")
    one.click_cell("x", 2, 4)
    assert before.inner_text() == ""
