"""No session waits for its reader, and what waits for a reader is bounded."""

import asyncio

import pytest

from attnviz.serving import outbox as module
from attnviz.serving.outbox import Outbox
from tests.loops import run
from tests.serving.line import Line


def written(text):
    return {"type": "websocket.send", "text": text}


async def filled(*texts):
    line = Line()
    outbox = Outbox(line.send)
    running = asyncio.create_task(outbox.run())
    for text in texts:
        await outbox.put(written(text))
    await asyncio.sleep(0)
    return line, outbox, running


def test_nobody_waits_for_a_reader_who_reads_nothing():
    async def story():
        line, outbox, running = await filled("a", "b", "c")
        assert outbox.is_behind
        assert line.sent == []
        line.read()
        await outbox.end()
        await running
        assert line.sent == ["a", "b", "c"]

    run(asyncio.wait_for(story(), 5))


def test_a_reader_for_whom_too_much_waits_is_dropped_alone(monkeypatch, caplog):
    monkeypatch.setattr(module, "MAX_WAITING", 7)

    async def story():
        line, outbox, running = await filled("abcd", "efgh")
        assert line.is_aborted
        assert not outbox.is_open
        await outbox.put(written("i"))
        await outbox.caught_up()
        await running

    run(asyncio.wait_for(story(), 5))
    assert "8 characters wait" in caplog.text


def test_a_reader_who_reads_nothing_for_too_long_is_dropped(monkeypatch, caplog):
    monkeypatch.setattr(module, "MAX_SECONDS", 0.02)

    async def story():
        line, _, running = await filled("a")
        await running
        assert line.is_aborted

    run(asyncio.wait_for(story(), 5))
    assert "read nothing for 0.02 s" in caplog.text


@pytest.mark.parametrize("is_ended", [True, False])
def test_a_connection_that_closes_is_not_waited_for_long(monkeypatch, is_ended):
    monkeypatch.setattr(module, "GRACE", 0.02)

    async def story():
        line, outbox, running = await filled("a")
        line.is_ended = is_ended
        ending = asyncio.create_task(outbox.end())
        await asyncio.sleep(0.1)
        assert line.is_aborted is ending.done() is is_ended
        line.read()
        await ending
        await running

    run(asyncio.wait_for(story(), 5))
