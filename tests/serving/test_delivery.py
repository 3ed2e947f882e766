"""What reaches a browser is small, kept for good where it may be, and guarded."""

import asyncio
import base64
import hashlib
from importlib.resources import files

import pytest
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.testclient import TestClient

from attnviz.serving.delivery import INLINE_SCRIPT, MAX_FILES, MAX_PAGES, Delivery
from tests.app.wire import read_page
from tests.loops import run

GZIP = {"accept-encoding": "gzip"}
PLAIN = {"accept-encoding": "identity"}
PLOTLY = "lib/plotly-"
ENCODED = "content-encoding"
FOR_GOOD = "public, max-age=31536000, immutable"


class Origin:
    """An app of one page and many files that counts what it is asked for."""

    def __init__(self):
        self.asked = []

    async def __call__(self, scope, receive, send):
        path, query = scope["path"], scope["query_string"].decode()
        self.asked.append(path + query)
        answers = {
            "/": HTMLResponse(f"<script>own()</script><script>{query}</script>"),
            "/lib/none.js": Response(status_code=404),
        }
        script = Response("long " * 100, media_type="text/javascript")
        answer = answers.get(path, script)
        await answer(scope, receive, send)


@pytest.fixture
def origin():
    return Origin()


@pytest.fixture
def reader(origin):
    return TestClient(Delivery(origin))


def addresses_of(client):
    page = read_page(client)
    return [address for address in page.sources if address.startswith("lib/")]


def hash_of(script):
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"


# ---- files ------------------------------------------------------------------------


def test_every_file_of_the_page_is_compressed_and_kept_for_good(client):
    answers = {
        path: client.get(f"/{path}", headers=GZIP).headers
        for path in addresses_of(client)
    }
    assert 10 < len(answers) < MAX_FILES
    # A font is compressed by itself.
    plain = {path for path, headers in answers.items() if not headers.get(ENCODED)}
    assert plain == {path for path in answers if path.endswith(".woff2")}
    assert {headers["cache-control"] for headers in answers.values()} == {FOR_GOOD}


@pytest.mark.parametrize("version", ["2.0", "2.3", "2.4"])
@pytest.mark.parametrize("path", ["/", "/lib/long.js"])
def test_who_leaves_early_leaves_nothing_half_behind(version, path):
    async def origin(scope, receive, send):
        async def pieces():
            for number in range(50):
                await asyncio.sleep(0)
                yield f"{number} "

        await StreamingResponse(pieces(), media_type="text/html")(scope, receive, send)

    async def gone():
        return {"type": "http.disconnect"}

    async def nowhere(message):
        return None

    delivery = Delivery(origin)
    encodings = [(name.encode(), kinds.encode()) for name, kinds in GZIP.items()]
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": encodings,
        "asgi": {"version": "3.0", "spec_version": version},
    }
    run(delivery(scope, gone, nowhere))
    answer = TestClient(delivery).get(path, headers=GZIP)
    assert answer.text.split() == [str(number) for number in range(50)]


def test_plotly_arrives_whole_in_a_third_of_its_size(client):
    path = next(address for address in addresses_of(client) if PLOTLY in address)
    answer = client.get(f"/{path}", headers=GZIP)
    whole = files("plotly").joinpath("package_data/plotly.min.js").read_bytes()
    assert answer.content == whole
    assert int(answer.headers["content-length"]) < len(whole) / 3


def test_the_page_does_not_wait_for_plotly(client):
    page = client.get("/").text
    assert f'content="{PLOTLY}' in page
    assert f'src="{PLOTLY}' not in page


def test_a_reader_who_cannot_expand_gets_the_file_as_it_is(client):
    path = addresses_of(client)[0]
    plain = client.get(f"/{path}", headers=PLAIN)
    assert "content-encoding" not in plain.headers
    assert plain.content == client.get(f"/{path}", headers=GZIP).content


def test_a_file_is_made_once(reader, origin):
    reader.get("/lib/a-1/a.js", headers=GZIP)
    reader.get("/lib/a-1/a.js", headers=GZIP)
    assert origin.asked == ["/lib/a-1/a.js"]


def test_other_spellings_of_an_address_are_not_remembered(reader, origin):
    reader.get("/lib/a-1//a.js", headers=GZIP)
    reader.get("/lib/a-1//a.js", headers=GZIP)
    assert origin.asked == ["/lib/a-1//a.js", "/lib/a-1//a.js"]


def test_what_is_not_there_is_not_remembered(reader, origin):
    assert reader.get("/lib/none.js", headers=GZIP).status_code == 404
    assert reader.get("/lib/none.js", headers=GZIP).status_code == 404
    assert len(origin.asked) == 2


def test_more_files_than_are_remembered_are_still_sent(reader, origin):
    answers = [
        reader.get(f"/lib/{number}.js", headers=GZIP) for number in range(MAX_FILES + 3)
    ]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.text for answer in answers} == {"long " * 100}
    reader.get("/lib/0.js", headers=GZIP)
    assert len(origin.asked) == MAX_FILES + 3
    reader.get(f"/lib/{MAX_FILES}.js", headers=GZIP)
    assert len(origin.asked) == MAX_FILES + 4


# ---- pages ------------------------------------------------------------------------


def test_the_page_is_compressed_and_asked_for_again(client):
    answer = client.get("/", headers=GZIP)
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-cache"


def test_a_class_that_opens_one_link_shares_one_page(reader, origin):
    pages = [reader.get("/?n=7", headers=GZIP).text for _ in range(5)]
    assert len(set(pages)) == 1
    assert origin.asked.count("/n=7") == 1


def test_another_address_and_another_language_get_their_own_page(reader, origin):
    reader.get("/?n=7", headers=GZIP)
    reader.get("/?n=7", headers=GZIP | {"accept-language": "zh"})
    reader.get("/?n=11", headers=GZIP)
    assert origin.asked.count("/n=7") == 2
    assert origin.asked.count("/n=11") == 1


def test_the_oldest_page_is_forgotten_first(reader, origin):
    for number in range(MAX_PAGES + 1):
        reader.get(f"/?n={number}", headers=GZIP)
    reader.get(f"/?n={MAX_PAGES}", headers=GZIP)
    reader.get("/?n=1", headers=GZIP)
    assert origin.asked.count("/n=1") == 1
    reader.get("/?n=0", headers=GZIP)
    assert origin.asked.count("/n=0") == 2


def test_widgets_that_no_page_has_are_not_loaded(client):
    loaded = " ".join(addresses_of(client))
    assert "shiny.js" in loaded
    assert [
        name for name in ("selectize", "datepicker", "slider") if name in loaded
    ] == []


# ---- the policy -------------------------------------------------------------------


def test_every_script_of_the_page_may_run(client):
    answer = client.get("/")
    policy = answer.headers["content-security-policy"]
    scripts = INLINE_SCRIPT.findall(answer.content)
    assert scripts
    assert [script for script in scripts if hash_of(script) not in policy] == []


def test_a_script_that_an_address_brings_in_may_not_run(reader):
    answer = reader.get("/?steal()", headers=GZIP)
    policy = answer.headers["content-security-policy"]
    assert "<script>steal()</script>" in answer.text
    assert hash_of(b"own()") in policy
    assert hash_of(b"steal()") not in policy
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]


def test_nothing_may_come_from_another_host(client):
    policy = client.get("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "*" not in policy


@pytest.mark.parametrize("path", ["/", "/lib/a-1/a.js", "/session/x/y/z", "/none"])
def test_every_answer_is_guarded(client, path):
    headers = client.get(path, headers=GZIP).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    "name", ["shiny-shared-secret", "x-redx-frontend-name", "x-rsc-request"]
)
def test_a_hosting_service_can_write_its_scripts_into_the_page(client, name):
    answer = client.get("/", headers=GZIP | {name: "yes"})
    assert "content-encoding" not in answer.headers
    assert "sha256" not in answer.headers["content-security-policy"]
    assert (
        "script-src 'self' 'unsafe-eval' 'unsafe-inline'"
        in (answer.headers["content-security-policy"])
    )


# ---- uploads ----------------------------------------------------------------------


async def take_all(scope, receive, send):
    await PlainTextResponse("taken")(scope, receive, send)


@pytest.mark.parametrize("length", ["8000001", "", "-1", "many"])
def test_an_upload_that_is_too_long_or_tells_no_length_is_refused(length):
    reader = TestClient(Delivery(take_all))
    headers = {"content-length": length}
    assert reader.post("/session/a/upload/b", headers=headers).status_code == 413


def test_an_upload_within_the_limit_is_taken():
    reader = TestClient(Delivery(take_all))
    answer = reader.post("/session/a/upload/b", content=b"1,2\n3,4\n")
    assert answer.text == "taken"
