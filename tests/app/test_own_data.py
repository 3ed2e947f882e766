"""Own data comes in over the socket, is shown, and leaves nothing behind."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest

from attnviz.components.sidebar.uploads import MAX_FILES
from attnviz.example.reading.numpy_files import MAX_UNPACKED
from attnviz.example.reading.reading import MAX_CHARACTERS
from attnviz.text.catalog import translator
from tests.app.test_export import answer_of
from tests.app.test_session import shown
from tests.example.own.own_files import (
    QKV,
    WIDE,
    K,
    Q,
    V,
    archive,
    named_lists,
    npy,
    npz,
)

LANGUAGES = ("en", "zh")
FILE, TEXT, USE = "example-own_file", "example-own_text", "example-own_use"
FOUND, PROBLEM = "example-own_found", "example-own_problem"


def uploads():
    """List the files that uploads have left."""
    folders = Path(tempfile.gettempdir()).glob("fileupload-*")
    return {path for folder in folders for path in folder.rglob("*") if path.is_file()}


def text_of(values, name):
    return values[name]["html"]


def sent_figures(conversation):
    return set(conversation.values["attention-view"]["figures"])


def bring(conversation, act):
    """Bring something; what is said to it may come later than the answer."""
    answer = act()
    if not answer.keys() & {FOUND, PROBLEM}:
        answer |= conversation.listen(FOUND, PROBLEM)
    return answer


def paste(conversation, text, **others):
    return bring(conversation, lambda: conversation.send({TEXT: text, **others}))


def upload(conversation, files):
    return bring(conversation, lambda: conversation.upload(FILE, files))


def claim(conversation, sent):
    """Say that files were uploaded."""
    return bring(conversation, lambda: conversation.send({FILE: sent}))


def use(conversation):
    """Press the button, and move the controls as a browser does then."""
    conversation.press(USE)
    address = conversation.address
    conversation.echo()
    assert conversation.values["example-problem_text"] == ""
    return address


def test_what_is_found_is_listed_before_it_is_used(converse):
    conversation = converse()
    before = shown(conversation)
    answer = upload(conversation, {"any.npz": npz(**QKV, extra=V)})
    assert set(answer) == {FOUND, PROBLEM}
    for shape in ("2×3", "5×3", "5×2", "extra"):
        assert shape in text_of(answer, FOUND)
    np.testing.assert_equal(shown(conversation), before)


@pytest.mark.parametrize(
    "files",
    [
        {"data.npz": npz(**QKV)},
        {"data.json": named_lists(QKV)},
        {"../../etc/q.npy": npy(Q), "K.npy": npy(K), "v.npy": npy(V)},
    ],
    ids=["npz", "json", "npy"],
)
def test_uploads_are_shown_and_deleted(converse, files):
    before = uploads()
    conversation = converse()
    upload(conversation, files)
    assert uploads() == before
    use(conversation)
    numbers = shown(conversation)
    np.testing.assert_array_equal(numbers["q"], Q.astype("f4"))
    np.testing.assert_array_equal(numbers["k"], K.T.astype("f4"))
    np.testing.assert_array_equal(numbers["v"], V.astype("f4"))


def test_a_pasted_text_is_shown(converse):
    conversation = converse()
    paste(conversation, named_lists(WIDE))
    use(conversation)
    np.testing.assert_array_equal(shown(conversation)["x"], WIDE["x"].astype("f4"))


def test_weights_alone_bring_their_figure(converse):
    conversation = converse()
    paste(conversation, "0.5 0.5\n0.25 0.75")
    use(conversation)
    assert sent_figures(conversation) == {"chain"}
    assert 'data-own="weights"' in text_of(conversation.values, FOUND)
    live = conversation.values["attention-view"]["live"]
    assert live["check.row_sums"]["state"] == "pass"
    assert live["check.loop"]["state"] == "not-applicable"


def test_controls_stay_where_they_are_and_work_on_own_data(converse):
    conversation = converse()
    paste(conversation, named_lists({**QKV, "q": K}), **{"example-mask": "causal"})
    use(conversation)
    weights = shown(conversation)["weights"]
    assert (np.triu(weights, 1) == 0).all()
    conversation.send({"example-mask": "none"})
    assert (shown(conversation)["weights"] > 0).all()


def test_a_cell_of_own_data_can_be_edited_and_asked_about(converse):
    conversation = converse()
    paste(conversation, named_lists(QKV))
    use(conversation)
    cell = {"name": "q", "i": 1, "j": 2, "head": 0}
    conversation.send(
        {"attention-edit": {**cell, "value": 9}, "attention-cell": {**cell}}
    )
    assert shown(conversation)["q"][1, 2] == 9
    derivation = conversation.values["attention-derivation"]
    assert (derivation["operation"], derivation["value"]) == ("given", "9.0000")
    scores = {"name": "scores", "i": 1, "j": 0, "head": 0}
    conversation.send({"attention-cell": scores})
    terms = conversation.values["attention-derivation"]["terms"]
    assert terms[2]["operands"][0]["value"] == "9.0000"


def test_the_address_names_own_data_and_the_session_goes_back_to_it(converse):
    conversation = converse()
    paste(conversation, named_lists(QKV))
    first = use(conversation)
    paste(conversation, named_lists({**QKV, "v": -V}))
    second = use(conversation)
    assert len({first["own"], second["own"]}) == 2
    query = "&".join(f"{key}={value}" for key, value in first.items())
    conversation.send({"address": f"?{query}"})
    np.testing.assert_array_equal(shown(conversation)["v"], V.astype("f4"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_with_own_data_says_that_it_cannot_carry_them(client, language):
    page = client.get(f"/?lang={language}&own=12345678&n=7&m=causal").text
    tr = translator(language)
    assert tr("own.lost") in page
    assert tr("browser.address.dropped", keys="own") not in page


def test_the_settings_of_a_link_with_own_data_are_kept(converse):
    numbers = shown(converse("?own=12345678&n=7&m=causal"))
    assert numbers["weights"].shape == (7, 7)
    assert (np.triu(numbers["weights"], 1) == 0).all()


def test_reset_keeps_own_data_and_takes_back_all_else(converse):
    conversation = converse()
    paste(conversation, named_lists(QKV))
    address = use(conversation)
    before = shown(conversation)
    conversation.send({"example-mask": "causal", "example-temperature": 2})
    conversation.press("example-reset")
    np.testing.assert_equal(shown(conversation), before)
    assert conversation.address == address


def test_leaving_own_data_brings_the_first_example_back(converse):
    conversation = converse()
    before = shown(conversation)
    paste(conversation, named_lists(QKV))
    use(conversation)
    conversation.press("example-own_leave")
    np.testing.assert_equal(shown(conversation), before)
    assert "own" not in conversation.address


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("content", "reason", "values"),
    [
        (b"\xff\xfe1", "own_encoding", {"place": 3}),
        (npy(np.array([[None]], object)), "own_objects", {}),
        (
            archive({"q.npy": bytes(10**8)}),
            "own_unpacked",
            {"got": 10**8, "most": MAX_UNPACKED},
        ),
        (b"Q\n1 x", "own_number", {"matrix": "Q", "got": "x", "place": "1, 2"}),
        (b"1," * 1500, "own_columns", {"row": 1, "most": 1000}),
        (npz(q=Q, k=K), "own_missing", {"found": "Q, K", "missing": "V"}),
        (b"1" * 3 * 10**6, "own_large", {"most": MAX_CHARACTERS}),
    ],
    ids=["encoding", "objects", "bomb", "number", "columns", "missing", "large"],
)
def test_a_file_that_cannot_be_used_gets_a_sentence(
    converse, language, content, reason, values
):
    left = uploads()
    conversation = converse(f"?lang={language}")
    before = shown(conversation)
    answer = upload(conversation, {"any.bin": content})
    assert answer[PROBLEM] == translator(language)(f"problem.{reason}", **values)
    conversation.press(USE)
    np.testing.assert_equal(shown(conversation), before)
    assert uploads() == left


def test_a_button_pressed_too_early_gets_a_sentence(converse):
    answer = converse().press(USE)
    assert answer[PROBLEM] == translator("en")("problem.own_nothing")


@pytest.mark.parametrize("count", [MAX_FILES, MAX_FILES + 1])
def test_only_so_many_files_are_read_at_once(converse, count):
    left = uploads()
    files = {f"{place}.csv": "1 2" for place in range(count)}
    answer = upload(converse(), files)
    reason = "own_twice" if count == MAX_FILES else "own_files"
    values = {"matrix": "A", "got": count, "most": MAX_FILES}
    assert answer[PROBLEM] == translator("en")(f"problem.{reason}", **values)
    assert uploads() == left


@pytest.mark.parametrize(
    "sent",
    [
        1,
        "x",
        [],
        [None],
        [{}],
        [{"datapath": None}],
        [{"datapath": ""}],
        [{"datapath": "\0"}],
        [{"datapath": "x" * 10_000}],
        {"datapath": "/etc/passwd"},
    ],
)
def test_a_file_value_that_no_server_wrote_is_refused(converse, sent):
    conversation = converse()
    claim(conversation, sent)
    assert "attention-view" in conversation.send({"example-length": 3})


@pytest.fixture
def beside_uploads():
    """Make a folder just where those of uploads are."""
    with tempfile.TemporaryDirectory(prefix="other-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("place", ["secret.csv", "a/secret.csv", "a/b/secret.csv"])
def test_no_other_file_of_the_server_is_read_or_deleted(
    converse, beside_uploads, place
):
    secret = beside_uploads / place
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text("Q\n1 2")
    upload = {"name": "q", "datapath": str(secret)}
    answer = claim(converse(), [upload])
    assert answer[PROBLEM] == translator("en")("problem.own_upload")
    assert secret.read_text() == "Q\n1 2"


def test_markup_in_names_is_shown_as_text(converse):
    conversation = converse()
    document = {**json.loads(named_lists(QKV)), "<img src=x>": [[1]]}
    answer = paste(conversation, json.dumps(document))
    assert "<img" not in text_of(answer, FOUND)
    assert "&lt;img src=x&gt;" in text_of(answer, FOUND)


def settle(conversation, wanted):
    """Wait until a matrix on screen is the wanted one."""
    for _ in range(50):
        if np.array_equal(shown(conversation)["weights"], np.asarray(wanted, "f4")):
            return
        conversation.listen("attention-view")
    raise AssertionError(shown(conversation)["weights"])


# Lines that take their time to be read, and say nothing.
SLOW = "# nothing\n" * 19_000
FORMER, PASTED = [[0.5, 0.5], [0.25, 0.75]], [[0.125, 0.875], [1, 0]]


@pytest.mark.parametrize("apart", [False, True], ids=["one message", "two messages"])
def test_a_press_takes_what_was_pasted_never_what_was_pasted_before(converse, apart):
    conversation = converse()
    paste(conversation, json.dumps(FORMER))
    use(conversation)
    settle(conversation, FORMER)
    text = {TEXT: SLOW + json.dumps(PASTED)}
    press = {f"{USE}:shiny.action": conversation.inputs[f"{USE}:shiny.action"] + 1}
    if apart:
        conversation.send(text)
        conversation.send(press)
    else:
        conversation.send(text | press)
    settle(conversation, PASTED)


def test_files_on_their_way_are_waited_for(converse):
    conversation = converse()
    paste(conversation, json.dumps(FORMER))
    conversation.send({"example-own_coming": 1})
    before = shown(conversation)
    conversation.press(USE)
    np.testing.assert_equal(shown(conversation), before)
    upload(conversation, {"a.json": json.dumps({"attn": PASTED})})
    settle(conversation, PASTED)


def test_files_that_do_not_arrive_are_no_longer_waited_for(converse):
    conversation = converse()
    conversation.send({"example-own_coming": 1})
    conversation.press(USE)
    answer = conversation.send({"example-own_failed": ""})
    assert "did not arrive" in answer[PROBLEM]
    paste(conversation, json.dumps(PASTED))
    conversation.press(USE)
    settle(conversation, PASTED)


def test_a_failed_read_leaves_nothing_on_offer(converse):
    conversation = converse()
    paste(conversation, json.dumps(FORMER))
    before = shown(conversation)
    answer = paste(conversation, "A\n1 x")
    assert "own-preview" not in text_of(answer, FOUND)
    conversation.press(USE)
    np.testing.assert_equal(shown(conversation), before)
    assert conversation.values[PROBLEM] == answer[PROBLEM] != ""


def test_two_readings_of_commas_are_shown_and_one_is_taken(converse):
    conversation = converse()
    before = shown(conversation)
    answer = paste(conversation, "0,125, 0,875\n1,0, 0,0")
    assert 'data-shape="2×2"' in text_of(answer, FOUND)
    assert 'data-shape="2×4"' in text_of(answer, FOUND)
    conversation.press(USE)
    np.testing.assert_equal(shown(conversation), before)
    assert conversation.values[PROBLEM] == translator("en")("own.two_readings")
    conversation.send({"example-own_first:shiny.action": 1})
    settle(conversation, PASTED)


MODEL = np.random.default_rng(3).dirichlet(np.ones(5), (12, 1, 12, 5))


def test_a_whole_model_is_seen_layer_by_layer(converse):
    conversation = converse()
    upload(conversation, {"attentions.npy": npy(MODEL)})
    address = use(conversation)
    assert "ly" not in address
    settle(conversation, MODEL[0, 0, 0])
    conversation.send({"example-layer": "11"})
    conversation.send({"example-head_group": "2"})
    settle(conversation, MODEL[11, 0, 8])
    address = conversation.address
    assert (address["ly"], address["hg"], address["h"]) == ("12", "2", "4")
    conversation.send({"example-head_group": "mean"})
    settle(conversation, MODEL[11, 0].mean(axis=0))
    assert conversation.values["example-point"] == translator("en")("own.point_mean")
    query = "&".join(f"{key}={value}" for key, value in address.items())
    conversation.send({"address": f"?{query}"})
    settle(conversation, MODEL[11, 0, 8])


@pytest.mark.parametrize("sent", ["12", "-1", "x", "", None, [], {}])
def test_a_layer_that_is_not_there_changes_nothing(converse, sent):
    conversation = converse()
    upload(conversation, {"attentions.npy": npy(MODEL)})
    use(conversation)
    conversation.send({"example-layer": sent, "example-head_group": sent})
    settle(conversation, MODEL[0, 0, 0])


@pytest.mark.parametrize(
    "form", ["csv", "npz", "json", "numpy", "torch", "worksheet", "key"]
)
def test_everything_can_be_taken_along_whatever_stands_in_the_labels(
    client, converse, form
):
    conversation = converse()
    labels = {"query": ["a\0\ud800", "\u202eb c"]}
    odd = json.dumps({"labels": labels, **json.loads(named_lists(QKV))})
    upload(conversation, {"own.json": odd.encode()})
    use(conversation)
    answer = answer_of(client, conversation, f"attention-export-{form}")
    assert answer.status_code == 200
    assert form == "npz" or not {"\0", "\u202e"} & set(answer.text)
