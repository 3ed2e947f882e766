"""The pages of the app, and what each promises."""

import json
from dataclasses import asdict
from html import unescape

import pytest

from attnviz.example.document import Document
from attnviz.pages.attention.steps import ATTENTION_STEPS
from attnviz.pages.norms.page import NORM_STEPS
from attnviz.pages.page import Opening
from attnviz.pages.registry import PAGES
from attnviz.text.catalog import LANGUAGES, load, translator


def layout(page, language="en"):
    settings = {each.id: each.codec.start("five") for each in PAGES}
    opening = Opening(language, translator(language), Document(pages=settings))
    return str(page.layout(page.id, opening))


def test_attention_comes_first_and_layer_norm_after_it():
    assert [page.id for page in PAGES][:2] == ["attention", "norms"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_a_title_and_a_layout_in_every_language(page, language):
    assert load(language)[page.title_key]
    html = layout(page, language)
    assert load(language)[f"{page.id}.heading"] in html
    assert html.count("<h1>") == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_names_of_a_page_carry_its_namespace(page):
    assert f'id="{page.id}-view"' in layout(page)
    assert f'id="{page.id}-tables"' in layout(page)


def test_the_attention_page_has_a_place_for_every_figure_of_the_chapter():
    html = layout(PAGES[0])
    figures = ("chain", "projections", "key_projections", "heads", "output")
    missing = [name for name in figures if f'data-graph="{name}"' not in html]
    assert missing == []


@pytest.mark.parametrize(
    ("page", "steps"),
    [(PAGES[0], ATTENTION_STEPS), (PAGES[1], NORM_STEPS)],
    ids=["attention", "norms"],
)
def test_a_page_tells_the_browser_its_walk(page, steps):
    told = layout(page).split('data-steps="', 1)[1].split('"', 1)[0]
    expected = [json.loads(json.dumps(asdict(step))) for step in steps]
    assert json.loads(unescape(told)) == expected
