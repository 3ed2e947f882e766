"""A page is one folder, one line in the registry, and words; nothing else knows it."""

import json
import shutil

import numpy as np
import pytest
from shiny import App
from starlette.testclient import TestClient

from attnviz.example.compute import compute
from attnviz.example.settings import Example
from attnviz.pages.frame import Frame
from attnviz.pages.registry import PAGES
from attnviz.text import catalog
from tests.app.wire import Conversation, read_page
from tests.figures.decoding import received
from tests.pages.toy.page import TOY

WORDS = {"toy.title": "Toy", "setting.factor": "factor"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Run the app with the toy page in its registry and the words in its locales."""
    locales = tmp_path_factory.mktemp("locales")
    shutil.copytree(catalog.LOCALES, locales, dirs_exist_ok=True)
    for language in catalog.LANGUAGES:
        (locales / language / "toy.json").write_text(json.dumps(WORDS), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "LOCALES", locales)
        _read_anew()
        frame = Frame((*PAGES, TOY))
        with TestClient(App(frame.ui, frame.server)) as client:
            yield client
    _read_anew()


def _read_anew():
    catalog.load.cache_clear()
    catalog.browser_words.cache_clear()


@pytest.fixture
def converse(client):
    opened = []

    def converse(query):
        opened.append(Conversation(client, query))
        return opened[-1]

    yield converse
    for conversation in opened:
        conversation.close()


def numbers(conversation):
    return received(conversation.values["toy-view"])["x"]


def doubled(factor):
    return factor * compute(Example()).x


def test_it_stands_in_the_navigation_and_its_content_waits(client):
    html = client.get("/").text
    assert 'data-value="toy"' in html
    assert "toy-view" not in read_page(client).outputs
    assert 'id="page-toy" class="own-controls"' in html


def test_it_comes_when_it_is_turned_to(converse):
    conversation = converse("")
    conversation.send({"page": "toy"})
    assert "toy-view" in conversation.outputs
    np.testing.assert_allclose(numbers(conversation), doubled(2), rtol=1e-6)


def test_an_address_opens_it_at_once_and_follows_it(converse, client):
    assert "toy-view" in read_page(client, "?page=toy&tf=5").outputs
    conversation = converse("?page=toy&tf=5")
    conversation.send({"page": "toy"})
    np.testing.assert_allclose(numbers(conversation), doubled(5), rtol=1e-6)
    conversation.send({"toy-factor": 3})
    assert conversation.address == {"v": "2", "page": "toy", "tf": "3"}


def test_what_it_cannot_use_of_an_address_is_named(client):
    assert "left out: tf" in client.get("/?page=toy&tf=8&lang=en").text


def test_the_address_keeps_its_settings_while_it_is_unopened(converse):
    conversation = converse("?tf=7")
    conversation.send({"example-length": 7})
    assert conversation.address == {"v": "2", "n": "7", "tf": "7"}


def test_back_brings_its_settings_back(converse):
    conversation = converse("?page=toy")
    conversation.send({"page": "toy", "address": "?page=toy&tf=6"})
    assert conversation.moved["toy-factor"]["value"] == 6
