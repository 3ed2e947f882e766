"""Who may come in, and what guards every answer."""

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from attnviz.serving.delivery import Delivery
from attnviz.serving.doors import ANY_ORIGIN, is_foreign

OWN = {"host": "nlp.example"}


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no browser"),
        pytest.param({"origin": "https://nlp.example"}, id="own"),
        pytest.param({"origin": "http://NLP.example:8000"}, id="other port"),
        pytest.param(
            {
                "origin": "https://course.example",
                "x-forwarded-host": "course.example, inner.example",
            },
            id="proxy that rewrites Host",
        ),
        pytest.param(
            {"origin": "https://a.shinyapps.io", "x-redx-frontend-name": "a"},
            id="hosting service",
        ),
    ],
)
def test_the_apps_own_page_may_connect(headers):
    assert not is_foreign(Headers(OWN | headers))


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "https://nlp.example.evil.example",
        "https://nlp.example@evil.example",
        "https://[",
        "null",
        "",
    ],
)
def test_a_page_of_another_host_may_not(origin, monkeypatch):
    headers = Headers(OWN | {"origin": origin})
    assert is_foreign(headers)
    monkeypatch.setenv(ANY_ORIGIN, "1")
    assert not is_foreign(headers)


def test_a_foreign_page_gets_no_session(client):
    with (
        pytest.raises(WebSocketDisconnect) as refusal,
        client.websocket_connect(
            "/websocket/", headers={"origin": "https://evil.example"}
        ),
    ):
        pass
    assert refusal.value.code == 1008


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/", "/none", "/lib/none.js", "/session/a/upload/b"])
def test_every_answer_has_a_policy(client, method, path):
    answer = client.request(method, path)
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.status_code in (200, 404, 405)


def test_an_answer_that_fails_is_guarded_and_logged(caplog):
    async def fail(scope, receive, send):
        raise ZeroDivisionError

    answer = TestClient(Delivery(fail)).get("/none")
    assert (answer.status_code, answer.text) == (500, "")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "ZeroDivisionError" in caplog.text
