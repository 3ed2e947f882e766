"""A lost connection: the page says so, waits, and comes back as it was."""

import pytest

CUT = "Shiny.shinyapp.$socket.close()"
OVERLAY = ".connection"
STATE = "?m=causal&seed=7&e=x.0.1:2.5"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "The connection was lost"), ("zh", "连接已断开")],
)
def test_a_lost_connection_says_so_in_the_readers_language(visit, language, words):
    one = visit(STATE, language=language)
    one.page.route("**/*", lambda route: route.abort())
    one.page.evaluate(CUT)
    one.page.locator(OVERLAY).wait_for()
    assert words in one.page.locator(OVERLAY).inner_text()
    one.complaints.clear()
    one.page.unroute_all()
    one.page.wait_for_function("!document.querySelector('.connection')")


def test_the_page_comes_back_to_the_same_numbers(visit):
    one = visit(STATE)
    before = one.numbers()
    one.page.evaluate("window.isOld = true")
    one.page.evaluate(CUT)
    one.page.wait_for_function("!window.isOld")
    one.page.wait_for_function("document.documentElement.dataset.attnvizReady")
    one.catch_up()
    assert one.numbers() == before
    assert "seed=7" in one.page.url
