"""What cannot be: a sentence beside the control, and the last good picture stays."""

import pytest

from attnviz.text.catalog import translator

LANGUAGES = ("en", "zh")
PARAGRAPH = "Attention weights say where a query looks. " * 60


def sentence(one, name):
    """Read the sentence beside a control; it must be in sight."""
    place = one.page.locator(f"#{name}")
    place.wait_for()
    return place.inner_text()


SENTENCES = [
    ("", "no_tokens", {}),
    ("word " * 400, "many_tokens", {"got": 400, "most": 32}),
    ("很" * 500, "many_tokens", {"got": 500, "most": 32}),
    (PARAGRAPH, "long_text", {"got": 2580, "most": 2000}),
]
PARAMETERS = [
    ("gamma", "one", "not_numbers", {"got": "one", "row": 1, "column": 1}),
    ("beta", "1 2 3", "parameter_count", {"got": 3, "wanted": 8}),
    ("gamma", "", "no_numbers", {}),
]
ROWS = [
    ("1 2\n3", "ragged_rows", {"row": 2, "got": 1, "wanted": 2}),
    ("1 2\n3 y", "not_numbers", {"got": "y", "row": 2, "column": 2}),
    ("<b>1</b>", "not_numbers", {"got": "<b>1</b>", "row": 1, "column": 1}),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_cannot_be_shown_is_answered(visit, language):
    one = visit("?t=a+b+c", language=language)
    for good, (text, reason, values) in enumerate(SENTENCES, 1):
        before = one.numbers()
        one.type("example-text", text)
        expected = translator(language)(f"problem.{reason}", **values)
        assert sentence(one, "example-problem_text") == expected
        assert one.numbers() == before
        one.type("example-text", "word " * good)
        one.page.locator("#example-problem_text").wait_for(state="hidden")
        assert len(one.numbers()["x"]) == good


@pytest.mark.parametrize("language", LANGUAGES)
def test_parameters_that_cannot_be_are_answered(visit, language):
    tr = translator(language)
    one = visit("?page=norms", language=language)
    for good, (control, text, reason, values) in enumerate(PARAMETERS, 2):
        before = one.numbers("norms")
        one.type(f"norms-controls-{control}", text)
        expected = tr(f"problem.{reason}", name=tr(f"setting.{control}"), **values)
        assert sentence(one, "norms-controls-problem") == expected
        assert one.numbers("norms") == before
        one.type(f"norms-controls-{control}", str(good))
        one.page.locator("#norms-controls-problem").wait_for(state="hidden")
        assert one.numbers("norms")[control] == [[good] * 8]


@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_that_cannot_be_are_answered(visit, language):
    tr = translator(language)
    one = visit("?page=norms", language=language)
    one.pick("norms-controls-source", "rows")
    before = one.numbers("norms")
    for text, reason, values in ROWS:
        one.type("norms-controls-rows", text)
        expected = tr(f"problem.{reason}", name=tr("setting.rows"), **values)
        assert sentence(one, "norms-controls-problem") == expected
        assert one.numbers("norms") == before


def test_markup_and_emoji_are_shown_as_text(visit):
    one = visit("?t=a+b+c")
    one.type("example-text", "<script>window.harmed=1</script> <b>bold</b> 🙂")
    assert len(one.numbers()["x"]) == 3
    assert one.page.evaluate("window.harmed") is None
    assert one.page.locator("#attention-view b", has_text="bold").count() == 0
    one.matrix("scores").focus()
    one.page.keyboard.press("ArrowRight")
    label = one.matrix("scores").get_attribute("aria-label")
    assert "<" not in label or "<b>bold</b>" in label


def test_markup_in_a_link_and_in_the_tables_is_shown_as_text(visit):
    one = visit("?t=<img+src=x+onerror=window.harmed=1>+<b>bold</b>")
    one.page.locator("#attention-view details.tables > summary").click()
    cell = one.page.locator("#attention-table_scores th", has_text="<b>bold</b>")
    cell.first.wait_for()
    assert one.page.evaluate("window.harmed") is None


def test_a_hostile_link_starts_the_app_with_a_notice(visit):
    one = visit("?n=999&m=<script>&tau=nan&p=none&page=none&head=99")
    notice = one.page.locator(".problem", has_text="p, n, m, tau")
    notice.first.wait_for()
    assert len(one.numbers()["x"]) == 5


def test_after_nonsense_every_control_still_works(visit):
    one = visit("?t=a+b+c")
    one.type("example-text", "")
    one.choose("example-mask", "causal")
    one.pick("example-positions", "length")
    one.slide("example-length", 2)
    assert one.numbers()["mask"] == [[0, None], [0, 0]]
