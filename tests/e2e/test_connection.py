"""A lost connection: the page says so, waits, and comes back as it was."""

import pytest

from tests.e2e.running import free_port, served, without_upgrade
from tests.e2e.tabs import Tab
from tests.e2e.visit import Visit

CUT = "Shiny.shinyapp.$socket.close()"
OVERLAY = ".connection"
STATE = "?m=causal&seed=7&e=x.1.2:2.5"


@pytest.mark.parametrize(
    ("language", "words", "offer"),
    [
        ("en", "The connection was lost", "Reload now"),
        ("zh", "连接已断开", "立即重新加载"),
    ],
)
def test_a_lost_connection_says_so_in_the_readers_language(
    visit, language, words, offer
):
    one = visit(STATE, language=language)
    one.page.route("**/*", lambda route: route.abort())
    one.page.evaluate(CUT)
    overlay = one.page.get_by_role("alertdialog", name=words)
    overlay.wait_for()
    assert words in overlay.inner_text()
    assert one.page.evaluate("document.activeElement.textContent") == offer
    one.complaints.clear()
    one.page.unroute_all()
    overlay.wait_for(state="detached")


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


@pytest.mark.timeout(120)
def test_the_page_comes_back_when_the_server_is_started_again(browser, tmp_path):
    port = free_port()
    with served(tmp_path / "first.txt", port=port) as url:
        one = Visit(Tab(browser, language="zh"), url)
        one.open(f"{STATE}&page=attention&head=2&cell=weights.2.1&stage=5")
        before = one.numbers(), one.page.url
        explained = one.page.locator("#attention-view .inspector-value").inner_text()
    one.page.locator(OVERLAY).wait_for()
    one.page.evaluate("window.isOld = true")
    with served(tmp_path / "second.txt", port=port):
        one.page.wait_for_function("!window.isOld")
        one.page.wait_for_function("document.documentElement.dataset.attnvizReady")
        value = one.page.locator("#attention-view .inspector-value:visible")
        assert value.inner_text() == explained
        one.catch_up()
        assert (one.numbers(), one.page.url) == before
        assert one.page.locator(OVERLAY).count() == 0
        one.page.goto("about:blank")
    one.context.close()


def test_where_no_socket_gets_through_the_page_says_what_to_ask_for(browser, server):
    context = browser.new_context()
    page = context.new_page()
    with without_upgrade(server) as proxy:
        page.goto(f"{proxy}/?lang=zh")
        overlay = page.get_by_role("alertdialog", name="无法与服务器建立实时连接")
        overlay.wait_for()
        address = proxy.replace("http", "ws")
        assert f"{address}/websocket/" in overlay.inner_text()
        assert "Upgrade" in overlay.inner_text()
        page.locator("#example-length").focus()
        assert page.evaluate("document.activeElement.id") != "example-length"
    context.close()
