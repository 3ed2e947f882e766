"""A session hears its reader at the pace at which they read."""

import asyncio
import json

import pytest

from attnviz.serving.conversation import converse
from tests.loops import run
from tests.serving.line import Line


async def talk(act):
    """Run a session that answers all it hears; give what it has heard and the line."""
    line, heard = Line(), []

    async def session(_scope, receive, send):
        while (message := await receive())["type"] == "websocket.receive":
            heard.append(json.loads(message["text"])["data"])
            await send({"type": "websocket.send", "text": f"answer {len(heard)}"})

    running = asyncio.create_task(converse(session, {}, line.receive, line.send))
    line.begin(a=1, b=1, **{"c:shiny.action": 0})
    await rest()
    await act(line, heard)
    line.leave()
    line.read()
    await running
    return heard[1:], line


async def rest():
    await asyncio.sleep(0.05)


def hear(*moves):
    """Give what a session hears of moves whose first answer is not read meanwhile."""

    async def act(line, _heard):
        for inputs in moves:
            line.move(**inputs)
        await rest()
        line.read()
        await rest()

    heard, _ = run(asyncio.wait_for(talk(act), 5))
    return heard


def test_while_an_answer_waits_nothing_is_worked_out_for_its_reader():
    async def act(line, heard):
        line.move(a=2)
        await rest()
        assert len(heard) == 1
        line.read()
        await rest()
        assert len(heard) == 2

    run(asyncio.wait_for(talk(act), 5))


def test_of_a_control_that_moves_on_the_newest_place_counts():
    assert hear(*({"a": value} for value in range(2, 13))) == [{"a": 12}]


@pytest.mark.parametrize(
    "moves",
    [
        pytest.param([{"c:shiny.action": 1}, {"c:shiny.action": 2}], id="a button"),
        pytest.param([{"edit": 1}, {"edit": 2}], id="what just happens"),
        pytest.param([{"a": 2}, {"b": 2}, {"a": 3}], id="another control"),
        pytest.param([{"a": 2}, {"a": 3, "b": 3}], id="more controls"),
    ],
)
def test_everything_else_is_heard_in_its_order(moves):
    assert hear(*moves) == moves


def test_what_a_reader_said_before_they_went_is_not_worked_out():
    async def act(line, _heard):
        for value in range(2, 7):
            line.move(edit=value)
        await rest()
        line.abort()

    heard, line = run(asyncio.wait_for(talk(act), 5))
    assert heard == []
    assert line.sent == []
