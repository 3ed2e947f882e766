"""The app on a free port, and one real browser, for all tests of a worker."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import launch
from tests.e2e.running import served
from tests.e2e.tabs import SIZE, Tabs
from tests.e2e.visit import Visit

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with served(log) as url:
        yield url
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(browser):
    return Tabs(browser)


@pytest.fixture
def visit(tabs, server, request):
    """Open visits that must end without a complaint.

    Tests that are marked as exact see the pictures that Plotly draws.
    """
    visits = []
    exact = request.node.get_closest_marker("exact") is not None
    failures = request.session.testsfailed

    def open_visit(query="", *, theme="light", size=SIZE, reduced_motion=None, **tab):
        tab = tabs.lend(**tab)
        tab.dress(size, theme, reduced_motion, exact)
        visits.append(Visit(tab, server))
        return visits[-1].open(query)

    yield open_visit
    complaints = [complaint for each in visits for complaint in each.close()]
    for each in visits:
        # Nobody knows how a test that failed has left its tabs.
        if complaints or request.session.testsfailed > failures:
            each.context.close()
        else:
            tabs.take_back(each.tab)
    assert complaints == []


@pytest.fixture
def look(tabs, server, request):
    """Look at addresses in a page that goes on from test to test.

    For tests that do not ask what a page does when it is loaded, as it does where an
    address names a stage. A page of which a test leaves what no other address takes
    back, such as an open menu, is loaded anew for the next.
    """
    looks = []
    exact = request.node.get_closest_marker("exact") is not None
    failures = request.session.testsfailed

    def turn_page(
        query="", *, language="en", size=SIZE, theme="light", reduced_motion=None
    ):
        start = "".join(re.findall(r"\bpage=\w+", query))
        dress = (size, theme, reduced_motion, exact)
        kept = tabs.looks.setdefault((language, start, *dress), [])
        if kept:
            one, fresh = kept.pop()
        else:
            tab = tabs.lend(language=language)
            tab.dress(*dress)
            one = Visit(tab, server).open(f"?{start}")
            fresh = one.left()
        looks.append((one, fresh, kept))
        one.turn_to(query)
        one.rest()
        return one

    yield turn_page
    complaints = [complaint for one, *_ in looks for complaint in one.complain()]
    for one, fresh, kept in looks:
        one.stand_back()
        if complaints or request.session.testsfailed > failures:
            one.context.close()
        elif one.left() == fresh:
            kept.append((one, fresh))
        else:
            one.close()
            tabs.take_back(one.tab)
    assert complaints == []
