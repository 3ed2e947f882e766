"""The Positions page: tokens are moved, kinds are pressed, every cell answers."""

import numpy as np
from playwright.sync_api import expect

HEART = (
    "x",
    "weights",
    "order_original",
    "order_change",
    "moved_x",
    "moved_weights",
    "moved_context",
    "order_permuted",
)
# The matrices that do not stand wholly between the bar and the inspector.
CUT_OFF = """
(names) => {
  const page = document.querySelector("#positions-view");
  const foot = page.querySelector(".inspector").getBoundingClientRect().top;
  return names.filter((name) => {
    const box = page.querySelector(`[data-figure="${name}"]`).getBoundingClientRect();
    return !(box.top >= 48 && box.bottom <= foot && box.right <= innerWidth);
  });
}
"""
# Where the name of a row stands in the window, by its place.
ROW_NAME = """
(place) => {
  const element = document.querySelector("[data-figure='moved_x']");
  const { geometry } = attnviz.viewOf(element.closest("[data-graph]"));
  const box = element.getBoundingClientRect();
  return { x: box.left - 12, y: box.top + (place + 0.5) * geometry.cell };
}
"""
ORDER = "[...document.querySelectorAll('.order-chip')].map((one) => one.textContent)"
QUERY = "?page=positions&po=3-1-5-2-4"


def positions(visit, query=""):
    return visit(QUERY + query)


def order(one):
    return one.page.evaluate(ORDER)


def pressed(one):
    return one.page.locator("[data-try][aria-pressed='true']").evaluate_all(
        "all => all.map((each) => each.dataset.try)"
    )


def test_the_experiment_stands_whole_on_the_first_screen(visit):
    one = positions(visit)
    one.page.set_viewport_size({"width": 1366, "height": 768})
    one.page.wait_for_timeout(200)
    assert one.page.evaluate(CUT_OFF, HEART) == []
    answer = one.page.locator("[data-live='positions.answer']").inner_text()
    numbers = one.numbers("positions")
    assert np.abs(numbers["order_change"]).max() < 1e-15
    assert answer.startswith("Nothing, without positions and mask")


def test_pressing_a_kind_sets_the_example_and_the_answer(visit):
    one = positions(visit)
    one.change("positions-try", one.page.locator("[data-try='none causal']").click)
    assert pressed(one) == ["none causal"]
    assert one.value("example-mask") == "causal"
    largest = np.abs(one.numbers("positions")["order_change"]).max()
    shown = one.page.locator("[data-try='none causal'] [data-live-text]").inner_text()
    assert float(shown) == float(f"{largest:.4g}")
    answer = one.page.locator("[data-live='positions.answer']").inner_text()
    assert answer.startswith("The mask alone tells places apart")
    assert answer.rstrip(".").endswith(shown)


def drag(one):
    """Drag the name of the first row to the fourth."""
    one.page.locator("[data-figure='moved_x']").scroll_into_view_if_needed()
    start, end = (one.page.evaluate(ROW_NAME, place) for place in (0, 3))
    mouse = one.page.mouse
    mouse.move(**start)
    mouse.down()
    mouse.move(end["x"], end["y"], steps=5)
    mouse.up()


def test_a_token_is_dragged_by_its_name_and_comes_back(visit):
    one = positions(visit)
    before = one.numbers("positions")
    one.change("positions-order", lambda: drag(one))
    assert order(one) == ["x₁", "x₅", "x₂", "x₃", "x₄"]
    rows = one.numbers("positions")["moved_x"]
    assert rows[3] == before["moved_x"][0]
    one.page.go_back()
    one.page.wait_for_function(f"({ORDER})[0] === 'x₃'")


def test_keys_and_lists_move_tokens_too(visit):
    one = positions(visit)
    first = one.page.locator(".order-chip").first
    one.change("positions-order", lambda: first.press("ArrowRight"))
    assert order(one) == ["x₁", "x₃", "x₅", "x₂", "x₄"]
    focused = one.page.evaluate("document.activeElement.textContent")
    assert focused == "x₃"
    one.page.locator("[data-swap='first']").select_option(label="x₁")
    one.page.locator("[data-swap='second']").select_option(label="x₄")
    one.change("positions-order", one.page.locator("[data-order='swap']").click)
    assert order(one) == ["x₄", "x₃", "x₅", "x₂", "x₁"]
    one.change("positions-order", one.page.locator("[data-order='identity']").click)
    assert order(one) == ["x₁", "x₂", "x₃", "x₄", "x₅"]


def test_nothing_is_moved_or_pressed_where_a_link_does_not_want_it(visit):
    one = visit()
    enabled = one.page.locator("#positions-view [data-try]:enabled")
    for closed in ("lock=place", "hide=place", "lock=mask", "hide=more"):
        one.open(f"{QUERY}&{closed}")
        if closed.endswith("place"):
            drag(one)
            one.catch_up()
            assert order(one)[0] == "x₃", closed
        assert closed == "hide=place" or enabled.count() == 0, closed


def test_equal_words_are_told_apart_and_no_order_is_asked_of_none(visit):
    one = visit("?page=positions&t=the+cat+the+dog&po=1-2-3-4")
    options = one.page.locator("[data-swap='first'] option")
    assert options.all_inner_texts() == ["1 the", "2 cat", "3 the", "4 dog"]
    second = one.page.locator(".order-chip").nth(2)
    one.change("positions-order", lambda: second.press("ArrowRight"))
    assert order(one) == ["the", "cat", "dog", "the"]
    assert one.page.evaluate("document.activeElement.dataset.place") == "3"
    one.open("?page=positions&kn=3")
    for tool in ("identity", "swap"):
        one.page.locator(f"[data-order='{tool}']").click()
    one.catch_up()
    assert one.page.locator("[data-live='positions.problem']").inner_text() == ""


def test_one_cell_of_every_matrix_is_explained(visit):
    one = positions(visit, "&pos=sinusoidal&pr=1&bk=relative")
    told = one.page.locator("#positions-view .inspector-value")
    names = [
        name
        for name in one.numbers("positions")
        if not name.startswith("position_bias_")
    ]
    assert len(names) > 20
    for name in names:
        one.click_cell(name, 1, 1, "positions")
        selected = one.matrix(name, "positions").evaluate("one => one.attnviz.selected")
        assert selected == [0, 0], name
        expect(told).not_to_be_empty()
    # The inspector follows the last of them.
    expect(one.page.locator("#positions-view .inspector-work")).not_to_be_empty()


def test_a_column_of_the_table_becomes_the_curve(visit):
    one = positions(visit)
    one.click_cell("position_table", 2, 1, "positions")
    said = one.page.locator("[data-live='positions.table.said']")
    expect(said).to_contain_text("Column 1 repeats after 6.283 positions")


def test_what_was_never_learned_is_refused_in_words(visit):
    one = positions(visit, "&pos=learned&pt=learned")
    one.slide("positions-trained_length", 4)
    answer = one.page.locator("[data-live='positions.answer']")
    expect(answer).to_contain_text(
        "a row for each position that was trained: 4 of them"
    )
    one.slide("positions-trained_length", 32)
    expect(answer).to_contain_text("It sees order (learned)")
