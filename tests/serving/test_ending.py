"""A server that starts the app learns when to stop waiting for its readers."""

import asyncio
import signal

import pytest
from uvicorn import Config, Server

from attnviz.serving.delivery import Delivery
from attnviz.serving.ending import GRACE
from tests.loops import run


async def start_up(scope, receive, send):
    """Start as an app does, and take nothing more."""


@pytest.mark.parametrize(("given", "kept"), [(None, GRACE), (17, 17)])
def test_the_end_of_the_process_is_bounded_unless_it_was_already(
    monkeypatch, given, kept
):
    server = Server(Config(start_up, timeout_graceful_shutdown=given))
    monkeypatch.setattr(signal, "getsignal", lambda _: server.handle_exit)
    run(Delivery(start_up)({"type": "lifespan"}, asyncio.Queue().get, None))
    assert server.config.timeout_graceful_shutdown == kept


def test_another_server_is_left_alone():
    run(Delivery(start_up)({"type": "lifespan"}, asyncio.Queue().get, None))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
