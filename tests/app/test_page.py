"""The page as HTML: its language, and that all it loads is here."""

import json
import re
from urllib.parse import urlencode

import pytest

from attnviz.text.catalog import translator
from tests.app.wire import read_page

WORDS = ("attention.heading", "norms.title", "warning.random", "warning.causes")


def notices(html):
    return re.search(r'<div class="notices"[^>]*>(.*?)</div>', html, re.S)[1].strip()


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("?lang=zh", "", "zh"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("?lang=en", "zh-CN", "en"),
        ("?lang=xx", "zh-CN", "zh"),
        ("?lang=<script>", "", "en"),
    ],
)
def test_the_page_speaks_the_language_of_the_address_then_of_the_browser(
    client, query, accepted, language
):
    html = client.get(f"/{query}", headers={"accept-language": accepted}).text
    assert re.search(r'<html[^>]* lang="(\w+)"', html).group(1) == language
    tr = translator(language)
    assert [key for key in WORDS if tr(key) not in html] == []


def test_every_script_style_and_icon_is_served(client):
    sources = read_page(client).sources
    assert sum("plotly.min.js" in source for source in sources) == 1
    answers = {source: client.get(f"/{source}") for source in sources}
    assert {
        source: answer.status_code
        for source, answer in answers.items()
        if answer.status_code != 200 or not answer.content
    } == {}


def test_a_missing_script_would_not_be_served(client):
    assert client.get("/lib/attnviz/missing.js").status_code == 404


def test_the_page_loads_nothing_from_another_host(client):
    assert [s for s in read_page(client).sources if re.match(r"\w+:|//", s)] == []


def test_the_fonts_of_the_style_are_served(client):
    [style] = [s for s in read_page(client).sources if s.endswith("/theme.css")]
    fonts = re.findall(r'url\("([^"]+)"\)', client.get(f"/{style}").text)
    assert fonts
    folder = style.rpartition("/")[0]
    assert {client.get(f"/{folder}/{font}").status_code for font in fonts} == {200}


def test_markup_in_the_address_stays_text(client):
    html = client.get("/", params={"t": "<script>alert(1)</script>"}).text
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_names_the_settings_of_a_link_that_were_dropped(client, language):
    html = client.get("/", params={"lang": language, "n": "999", "p": "none"}).text
    assert translator(language)("browser.address.dropped", keys="p, n") in html


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hide", "presets"),
        ("lock", "mask,a.b"),
        ("cell", "scores.0.1"),
        ("cell", "scores"),
        ("stage", "100"),
        ("stage", "x"),
        ("cover", "yes"),
        ("projector", "on"),
    ],
)
def test_a_link_that_asks_the_browser_in_vain_is_told_so(client, key, value):
    html = client.get("/", params={"lang": "en", key: value}).text
    assert translator("en")("browser.address.dropped", keys=key) in html


def test_what_the_browser_can_make_use_of_is_no_news(client):
    query = {"hide": "mask,,norms", "lock": "", "cell": "weights_2.1.11", "stage": "9"}
    html = client.get("/", params={**query, "cover": "1", "projector": "1"}).text
    assert notices(html) == ""


def test_a_good_link_drops_nothing(client):
    html = client.get("/", params={"n": "7", "m": "causal"}).text
    assert notices(html) == ""


# ---- the view that comes with the page -----------------------------------------------

FIRST = re.compile(r"<script[^>]*\bdata-first\b[^>]*>(.*?)</script>", re.S)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("attention", {}),
        ("attention", {"lang": "zh", "m": "causal", "h": "3", "head": "2"}),
        ("attention", {"h": "2", "head": "8"}),
        ("attention", {"t": "a </script><b> ü 猫"}),
        ("attention", {"n": "1"}),
        ("norms", {"page": "norms", "lang": "zh"}),
    ],
)
def test_the_page_brings_the_view_that_its_session_sends_first(
    client, converse, page, query
):
    [text] = FIRST.findall(client.get("/", params=query).text)
    conversation = converse(f"?{urlencode(query)}", page=page)
    assert json.loads(text) == {
        "view": conversation.values[f"{page}-view"],
        "derivation": conversation.values[f"{page}-derivation"],
    }


def test_settings_that_cannot_be_shown_bring_no_view(client):
    html = client.get("/", params={"page": "norms", "ng": "1,2,3", "d": "8"}).text
    assert FIRST.findall(html) == []


def test_the_document_stays_small(client):
    assert len(client.get("/?lang=zh").content) <= 100_000


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("version", ["9", "0", "two"])
def test_a_link_of_another_version_opens_with_a_notice(client, language, version):
    html = client.get(f"/?lang={language}&v={version}&n=3").text
    assert translator(language)("address.version") in notices(html)
    assert translator(language)("address.version") not in client.get("/?v=1&n=3").text
