"""Whatever a browser sends, its session lives and no other session notices."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attnviz.example.settings import SETTINGS
from attnviz.serving.reception import MAX_KEPT, MAX_MESSAGE, Reception
from tests.app.wire import Conversation

KEYS = [setting.key for setting in SETTINGS.values()]
ROOT = Path(__file__).parents[2]
LIVELY = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class Long(str):
    """A text too long to be repeated in a report."""

    __slots__ = ()

    def __repr__(self):
        return f"{len(self)} characters"


ODD_TEXTS = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\u202eabc\u202c \u2066x\u2069",
        "a\u200b\u200d\ufeffb",
        "a\0b",
        "e\u0301" * 40,
        "😀" * 7,
        "NaN",
        "1e308",
        "٣ ３",
        Long("x" * 1_000_000),
        Long("x " * 500_000),
        "__proto__",
        "{0.__class__}",
    ]
)
NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from([10**400, -(10**30), 1e308, -1e308, 5e-324, True, 0.1 + 0.2]),
)
VALUES = st.recursive(
    st.one_of(st.none(), NUMBERS, ODD_TEXTS, st.text(max_size=30)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner)
    ),
    max_leaves=7,
)
CALLS = (
    "address",
    "attention-cell",
    "attention-clear",
    "attention-edit",
    "attention-frozen",
    "attention-settled",
    "attention-swing",
    "example-own_back",
)
TYPES = (
    "",
    ":shiny.action",
    ":shiny.date",
    ":shiny.file",
    ":no.such.type",
    ":a:b",
    ":",
)


def figures_of(values):
    return values["attention-view"]["figures"]


class Start:
    """What a session held before anything hostile came."""

    def __init__(self, reader):
        self.inputs = dict(reader.inputs)
        self.figures = figures_of(reader.values)


def written(message):
    return Long(json.dumps(message))


@pytest.fixture(scope="module")
def reader(client):
    """Hold one session that takes everything."""
    reader = Conversation(client)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def neighbour(client):
    """Hold another session that does nothing."""
    neighbour = Conversation(client)
    yield neighbour
    neighbour.close()


@pytest.fixture(scope="module")
def start(reader):
    """Keep the inputs and the picture before anything hostile came."""
    return Start(reader)


def recover(reader, start):
    """Put every control back; give the picture that the session then sends."""
    for button in ("attention-release", "example-own_leave", "example-reset"):
        # What was sent last may have been no count at all.
        if not isinstance(reader.inputs[f"{button}:shiny.action"], int):
            reader.inputs[f"{button}:shiny.action"] = 0
        reader.press(button)
    return reader.send({**start.inputs, "example-preset": "five"})


# ---- what is sent over the socket -------------------------------------------------


@LIVELY
@given(data=st.data(), value=VALUES)
def test_any_value_of_any_input_leaves_the_session_alive(reader, start, data, value):
    names = [name.partition(":")[0] for name in start.inputs]
    name = data.draw(st.sampled_from([*names, *CALLS]))
    kind = data.draw(st.sampled_from(TYPES))
    reader.send({f"{name}{kind}": value})
    assert figures_of(recover(reader, start))


@LIVELY
@given(text=st.one_of(ODD_TEXTS, st.text()))
def test_any_text_gives_a_picture_or_a_sentence(reader, start, text):
    recover(reader, start)
    values = reader.send({"example-positions": "words", "example-text": text})
    assert "attention-view" in values or values["example-problem_text"]
    assert figures_of(recover(reader, start)) == start.figures


@LIVELY
@given(
    message=st.one_of(
        st.text(),
        VALUES.map(written),
        VALUES.map(lambda value: written({"method": "update", "data": value})),
        VALUES.map(lambda value: written({"method": value, "args": [], "tag": 1})),
        VALUES.map(lambda value: written({"method": "init", "data": {"a": value}})),
    )
)
@example(message='{"method": "update"}')
@example(message=Long("[" * 100_000))
@example(
    message=Long('{"method": "update", "data": {"a": ' + "[" * 500 + "]" * 500 + "}}")
)
def test_any_message_leaves_the_session_alive(reader, start, message):
    reader._socket.send_text(message)
    reader._socket.send_bytes(message.encode("utf-8", "replace"))
    assert figures_of(recover(reader, start)) == start.figures


def test_the_neighbour_hears_nothing_of_it(reader, neighbour, start):
    before = dict(neighbour.values)
    reader.send({"example-temperature": 3, "example-length": 13})
    recover(reader, start)
    neighbour._socket.send_text('{"method": "anyone", "tag": 7, "args": []}')
    heard = neighbour._read()
    while "response" not in heard:
        assert not any(heard.get(key) for key in ("values", "errors", "inputMessages"))
        heard = neighbour._read()
    assert heard["response"]["tag"] == 7
    assert neighbour.values == before


def test_a_session_that_never_begins_harms_nobody(client, neighbour):
    with client.websocket_connect("/websocket/") as socket:
        socket.send_text('{"method": "update", "data": {"a": 1}}')
        socket.send_text('{"method": "uploadInit", "tag": 1, "args": []}')
    assert figures_of(neighbour.send({"example-temperature": 2}))


# ---- how much is kept -------------------------------------------------------------


def test_a_message_beyond_the_limit_is_left_out():
    begin = json.dumps({"method": "init", "data": {"a": "x" * MAX_MESSAGE}})
    assert Reception().admit(begin) is None


def test_a_session_keeps_no_more_than_its_share():
    reception = Reception()
    reception.admit('{"method": "init", "data": {}}')
    part = "x" * (MAX_KEPT // 4)
    kept = [
        reception.admit(json.dumps({"method": "update", "data": {name: part}}))
        for name in "abcdefg"
    ]
    assert [text is not None for text in kept] == [True] * 3 + [False] * 4


def test_many_small_inputs_do_not_hide_a_large_one():
    reception = Reception()
    small = {f"i{at}": 0 for at in range(2000)}
    reception.admit(json.dumps({"method": "init", "data": small}))
    large = "x" * (MAX_KEPT // 4)
    kept = [
        reception.admit(json.dumps({"method": "update", "data": {**small, at: large}}))
        for at in "abcdefg"
    ]
    assert [text is not None for text in kept] == [True] * 2 + [False] * 5


def test_newer_values_take_the_place_of_older_ones():
    reception = Reception()
    reception.admit('{"method": "init", "data": {}}')
    update = json.dumps({"method": "update", "data": {"a": "x" * (MAX_KEPT // 3)}})
    assert [reception.admit(update) for _ in range(11)] == [update] * 11


# ---- what stands in an address ----------------------------------------------------


@settings(LIVELY, max_examples=20)
@given(
    query=st.dictionaries(
        st.sampled_from(
            [
                *[setting.key for setting in SETTINGS.values()],
                "p",
                "lang",
                "page",
                "_inputs_",
                "e",
            ]
        ),
        st.one_of(NUMBERS.map(str), ODD_TEXTS.filter(lambda text: len(text) < 300)),
        max_size=5,
    )
)
def test_any_address_opens_a_page_with_figures(client, query):
    search = str(client.build_request("GET", "/", params=query).url.query, "ascii")
    reader = Conversation(client, f"?{search}")
    reader.close()
    assert figures_of(reader.values)


# ---- what leaves the process ------------------------------------------------------


def run_audited(*words):
    return subprocess.run(
        [sys.executable, "-B", "-m", "tests.app.audited_session", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_session_writes_no_file_and_opens_no_connection():
    outcome = run_audited()
    assert outcome.stdout == "done\n"
    assert [line for line in outcome.stderr.splitlines() if ": " in line] == []


def test_the_audit_reports_a_file_and_a_connection():
    outcome = run_audited("misbehave")
    assert outcome.stderr.splitlines() == [
        "written: /dev/null",
        "network: socket.connect",
    ]
