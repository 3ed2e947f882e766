"""The app on a free port, and one real browser, for all tests of a worker."""

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
