"""What a link asks of a page: parts hidden or locked, covered results, a task, undo."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

TABBED = """
() => {
  const found = [];
  const marks = "button, input, select, textarea, summary, a[href], [tabindex='0']";
  for (const element of document.querySelectorAll(marks)) {
    element.focus();
    const isReached = element.tabIndex >= 0 && document.activeElement === element;
    if (isReached) found.push(element.id || element.className);
  }
  return found;
}
"""
# A reader rests: what comes then is a step of its own for back and forward.
SIZES = ("example-d_model", "example-d_k", "example-d_v", "example-n_heads")


def query_of(one):
    query = parse_qs(urlsplit(one.page.url).query)
    return {key: value for key, [value] in query.items()}


def place(one):
    return one.page.locator("#attention-view .stepper-place").inner_text()


def test_a_browser_that_makes_no_style_sheets_of_its_own_obeys_too(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(
        "window.CSSStyleSheet = function () { throw new TypeError('no constructor'); }"
    )
    page.goto(f"{server}/?lang=en&hide=mask&task=Which+row%3F")
    page.get_by_text("Which row?").wait_for()
    assert page.locator("#example-mask").is_hidden()
    assert page.locator("#example-length").is_visible()
    context.close()


def explained(one):
    return one.page.locator("#attention-view .inspector-value:visible").inner_text()


def wait_for_query(one, **expected):
    one.page.wait_for_function(
        "(wanted) => Object.entries(wanted).every(([key, value]) => "
        "new URLSearchParams(location.search).get(key) === value)",
        arg=expected,
    )


def back(one):
    one.page.evaluate("history.back()")


# ---- hidden ------------------------------------------------------------------------


# One thing of each part, as screen readers find it.
PARTS = {
    "preset": ("combobox", "Preset"),
    "positions": ("slider", "sequence length T"),
    "sizes": ("slider", "number of heads H"),
    "mask": ("combobox", "Mask"),
    "scores": ("switch", "divide by"),
    "random": ("button", "New matrices"),
    "stepper": ("button", "Next stage"),
    "history": ("button", "Undo"),
    "compare": ("button", "Freeze as A"),
    "inspector": ("region", "Why this number?"),
    "pages": ("tab", "Layer norm"),
    "share": ("button", "Share"),
}


def heard(one):
    """Name the parts that a screen reader finds."""
    return {
        part
        for part, (role, name) in PARTS.items()
        if one.page.get_by_role(role, name=name).count()
    }


@pytest.mark.parametrize(
    "hidden",
    [{"preset", "mask", "random", "stepper", "compare", "pages"}, PARTS.keys()],
    ids=["half", "all"],
)
def test_hidden_parts_and_only_they_are_gone_for_screen_readers(visit, hidden):
    assert heard(visit(f"?hide={','.join(hidden)}")) == PARTS.keys() - hidden


def test_hidden_controls_take_their_heading_along_and_no_focus(visit):
    one = visit("?hide=sizes,mask,stepper,inspector,random")
    focused = one.page.evaluate(TABBED)
    assert {"example-length", "example-temperature", "attention-freeze"} < {*focused}
    headings = one.page.locator(".controls h2:visible")
    assert headings.all_inner_texts() == ["EXAMPLE", "SCORES"]
    gone = {*SIZES, "example-mask", "example-n_padding"}
    assert gone & {*focused} == set()
    one.open()
    assert gone & {*one.page.evaluate(TABBED)} == {*SIZES, "example-mask"}


def test_a_hidden_sidebar_leaves_its_room_to_the_figures(visit):
    main = visit("?hide=sidebar").page.locator(".bslib-sidebar-layout > .main")
    assert main.bounding_box()["x"] == 0


def test_a_hidden_part_stays_hidden_when_another_preset_comes(visit):
    one = visit("?hide=mask,sizes")
    one.choose("example-preset", "cat_videos")
    one.choose("example-preset", "five")
    assert one.page.locator("#example-mask").is_hidden()
    assert one.page.locator("#example-d_model").is_hidden()


# ---- locked ------------------------------------------------------------------------


def test_a_locked_control_is_seen_and_changed_by_neither_key_nor_mouse(visit):
    one = visit("?lock=sizes,random,mask,preset,stepper")
    # What takes no focus takes no key.
    focused = {*one.page.evaluate(TABBED)}
    assert "example-length" in focused
    assert {*SIZES, "example-mask", "example-preset"} & focused == set()
    before = one.numbers()
    for name in (*SIZES, "example-seed", "example-draw"):
        box = one.page.locator(f"#{name}").bounding_box()
        one.page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 8)
    one.slide("example-temperature", 2)
    after = one.numbers()
    assert {name: after[name] for name in ("x", "w_q", "q", "scores")} == {
        name: before[name] for name in ("x", "w_q", "q", "scores")
    }
    assert after["weights"] != before["weights"]


def test_a_lock_holds_when_a_preset_would_unlock(visit):
    one = visit("?lock=sizes")
    one.choose("example-preset", "identity")
    one.choose("example-preset", "five")
    enabled = one.page.locator(".controls input.range:enabled")
    names = enabled.evaluate_all("all => all.map(({ id }) => id)")
    assert {*SIZES} & {*names} == set()
    assert "example-length" in names


def test_a_locked_sidebar_locks_all_that_is_in_it(visit):
    controls = visit("?lock=sidebar").page.locator(
        ".sidebar :is(input, select, button)"
    )
    assert controls.count() > 10
    assert controls.evaluate_all("all => all.filter((one) => !one.disabled)") == []


@pytest.mark.parametrize("link", ["?lock=edits", "?hide=edits"])
def test_numbers_are_not_changed_where_a_link_does_not_want_it(visit, link):
    one = visit(link)
    before = one.numbers()
    matrix = one.matrix("x")
    matrix.click(position={"x": 5, "y": 5})
    for key in ("+", "7", "Enter"):
        one.page.keyboard.press(key)
    box = matrix.bounding_box()
    one.page.mouse.move(box["x"] + 5, box["y"] + 5)
    one.page.mouse.down()
    one.page.mouse.move(box["x"] + 5, box["y"] - 45, steps=5)
    one.page.mouse.up()
    one.matrix("mask").click(position={"x": 5, "y": 5})
    one.catch_up()
    assert one.numbers() == before
    assert one.page.locator("#attention-view .edit-bar").is_hidden()


@pytest.mark.parametrize("link", ["?lock=stepper", "?hide=stepper"])
def test_no_key_leads_on_where_a_link_keeps_a_stage(visit, link):
    one = visit(f"{link}&stage=5")
    for key in ("PageDown", "ArrowRight", " ", "ArrowLeft", "PageUp"):
        one.page.keyboard.press(key)
    assert query_of(one)["stage"] == "5"
    assert one.page.locator("#attention-view .is-current").count() == 1


# ---- covered, task, language ---------------------------------------------------------


def test_results_start_covered_where_a_link_wants_it(visit):
    one = visit("?cover=1&stage=4")
    assert explained(one).endswith("= ?")
    for _ in range(2):
        one.page.keyboard.press(" ")
    assert explained(one).endswith("= −0.3105")
    # Covering alone starts at the first stage.
    one.open("?cover=1")
    assert place(one) == "stage 1 of 7"
    wait_for_query(one, cover="1", stage="1")


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Task"), ("zh", "任务")], ids=["en", "zh"]
)
def test_the_task_stands_under_the_heading_as_plain_text(visit, language, title):
    text = "<script>document.title='x'</script><b>猜</b> &amp; why?"
    one = visit(f"?lang={language}&task=" + text.replace("&", "%26"))
    banner = one.page.locator("#attention-view .task")
    assert banner.inner_text().split("\n") == [title, text]
    assert banner.locator("script, span b").count() == 0
    assert one.page.title() != "x"


def test_a_task_that_is_too_long_is_cut(visit):
    text = visit(f"?task={'猫' * 299}{'x' * 50}").page.locator("#attention-view .task")
    assert text.locator("span").inner_text() == "猫" * 299 + "x"


def test_a_link_without_a_task_shows_no_banner(visit):
    assert visit("?task=+%0A").page.locator(".task").count() == 0


def test_options_stay_in_the_address_while_the_example_changes(visit):
    one = visit("?hide=mask&lock=seed,sizes&task=Look&lang=zh&cover=1")
    one.slide("example-length", 6)
    wait_for_query(one, n="6", hide="mask", lock="seed,sizes", task="Look", lang="zh")
    assert query_of(one)["cover"] == "1"


def test_names_that_are_no_parts_are_passed_over(visit):
    names = "nothing,<script>,constructor,__proto__,*{display:none},,MASK"
    one = visit(f"?hide={names}&lock={names}")
    assert one.page.locator(".is-locked").count() == 0
    focused = one.page.evaluate(TABBED)
    one.open()
    assert one.page.evaluate(TABBED) == focused


# ---- the address is the document -----------------------------------------------------


def test_back_and_forward_are_undo_with_stage_and_cell(visit):
    one = visit("?lang=en")
    one.pause()
    one.slide("example-length", 7)
    wait_for_query(one, n="7")
    one.pause()
    one.page.locator("#attention-view [data-step-on]").click()
    one.pause()
    one.matrix("q").click(position={"x": 5, "y": 5})
    wait_for_query(one, n="7", stage="1", cell="q.1.1")
    one.pause()

    back(one)
    # The walk had led to the same row of its result.
    wait_for_query(one, n="7", stage="1", cell="q.2.3")
    one.catch_up()
    assert explained(one).startswith("q")
    back(one)
    one.page.wait_for_function("!location.search.includes('stage')")
    assert place(one) == "all stages"
    back(one)
    one.page.wait_for_function("!location.search.includes('n=7')")
    one.page.wait_for_function(
        "document.querySelector('[data-figure=weights]').dataset.shape === '5×5'"
    )
    one.pause()
    one.page.evaluate("history.go(3)")
    wait_for_query(one, n="7", stage="1", cell="q.1.1")
    one.page.wait_for_function(
        "document.querySelector('[data-figure=q]').attnviz.selected?.join() === '0,0'"
    )
    one.catch_up()
    assert place(one) == "stage 1 of 7"
    assert one.page.locator("#example-length").input_value() == "7"
    assert len(one.numbers()["q"]) == 7


def test_an_address_moves_every_choice_with_it(visit):
    one = visit("?lang=en")
    one.turn_to("?n=3&kn=7")
    one.matrix("weights").and_(one.page.locator("[data-shape='3×7']")).wait_for()
    is_chosen = "#example-{} input[value={}]"
    expect(one.page.locator(is_chosen.format("keys", "length"))).to_be_checked()
    one.turn_to("?t=a+b")
    expect(one.page.locator(is_chosen.format("keys", "same"))).to_be_checked()
    expect(one.page.locator(is_chosen.format("positions", "words"))).to_be_checked()


def test_back_is_one_step_however_far_the_server_is(visit):
    one = visit("?n=4", delay=400)
    one.pause()
    one.slide("example-length", 7)
    wait_for_query(one, n="7")
    one.pause()
    one.page.locator("a[data-value='norms']").click()
    wait_for_query(one, n="7", page="norms")
    one.pause()
    entries = one.page.evaluate("history.length")
    one.page.evaluate("history.go(-2)")
    one.page.wait_for_function(
        "document.querySelector('[data-figure=weights]').dataset.shape === '4×4'"
    )
    one.pause()
    assert query_of(one)["n"] == "4"
    assert one.page.evaluate("history.length") == entries
    one.page.evaluate("history.go(2)")
    one.page.wait_for_function("attnviz.shownPage().id === 'norms-view'")
    one.pause()
    assert query_of(one) == {"v": "2", "n": "7", "page": "norms"}
    assert one.page.evaluate("history.length") == entries


def test_back_finds_a_cell_that_the_sizes_after_it_did_not_have(visit):
    one = visit("?n=9&cell=weights.9.8")
    before = one.numbers()
    one.pause()
    one.slide("example-length", 3)
    wait_for_query(one, n="3", cell="weights.3.3")
    one.pause()
    back(one)
    wait_for_query(one, n="9", cell="weights.9.8")
    one.page.wait_for_function(
        "document.querySelector('[data-figure=weights]').dataset.shape === '9×9'"
    )
    one.catch_up()
    one.pause()
    assert one.numbers() == before
    selected = one.matrix("weights").evaluate("one => one.attnviz.selected")
    assert selected == [8, 7]
    assert query_of(one)["cell"] == "weights.9.8"


def test_back_leads_to_the_page_and_the_stage_that_were_left(visit):
    one = visit("?stage=3")
    one.pause()
    one.go_to("norms")
    wait_for_query(one, page="norms")
    assert "stage" not in query_of(one)
    one.pause()
    back(one)
    one.page.wait_for_selector("#attention-view", state="visible")
    one.catch_up()
    assert place(one) == "stage 3 of 7"
    assert query_of(one) == {"stage": "3", "cell": "v.2.3"}


def test_a_reload_comes_back_to_stage_and_cell(visit):
    one = visit("?n=7")
    one.page.locator("#attention-view [data-step-on]").click()
    one.matrix("w_q").click(position={"x": 5, "y": 5})
    wait_for_query(one, stage="1", cell="w_q.1.1")
    one.catch_up()
    before = explained(one)
    one.page.reload()
    one.page.wait_for_function("document.documentElement.dataset.attnvizReady")
    one.catch_up()
    assert place(one) == "stage 1 of 7"
    assert explained(one) == before


def test_projector_mode_is_kept_in_the_address_and_undone(visit):
    one = visit("?projector=1")
    html = one.page.locator("html.projector")
    assert html.count() == 1
    one.page.locator(".sidebar").wait_for(state="hidden")
    one.pause()
    one.page.locator("[data-action='projector']").click()
    one.page.wait_for_function("!location.search.includes('projector')")
    assert html.count() == 0
    one.pause()
    back(one)
    wait_for_query(one, projector="1")
    assert html.count() == 1


def test_a_step_on_another_page_is_kept_with_that_page(visit):
    one = visit("?page=norms&stage=2")
    current = one.page.locator("#norms-view .is-current")
    assert current.get_attribute("data-graph") == "norm_output"
    led = "norm_output.1.1"
    assert query_of(one) == {"v": "2", "page": "norms", "stage": "2", "cell": led}


@pytest.mark.parametrize(
    ("stage", "cell", "shown", "kept"),
    [
        ("99", "scores.99.99", "stage 7 of 7", "scores.5.5"),
        ("-1", "scores.0.1", "all stages", None),
        ("1e1&cover=yes", "__proto__.1.1", "all stages", None),
        ("0", "scores.2.3", "all stages", None),
    ],
)
def test_a_stage_and_a_cell_that_cannot_be_fall_back(visit, stage, cell, shown, kept):
    one = visit(f"?stage={stage}&cell={cell}")
    assert place(one) == shown
    assert explained(one).startswith("S")
    assert query_of(one).get("cell") == kept


def test_the_walk_stays_on_a_stage_when_a_preset_has_fewer(visit):
    one = visit("?stage=7")
    one.choose("example-preset", "recurrent")
    current = one.page.locator("#attention-view .is-current")
    assert current.count() == 1
    assert current.is_visible()
