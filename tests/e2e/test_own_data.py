"""A reader brings matrices of their own, by paste and by upload."""

import json

import numpy as np
import pytest

from attnviz.core.attention import attend
from attnviz.text.catalog import translator
from tests.core.own_files import QKV, WIDE, K, Q, V, archive, named_lists, npy, npz

FILE, TEXT = "#example-own_file", "#example-own_text"
FOUND, PROBLEM = "#example-own_found", "#example-own_problem"
HEADS = {name: np.stack([matrix, -2 * matrix]) for name, matrix in QKV.items()}


def unfold(one):
    one.page.locator(".own-data > summary").click()
    return one


def paste(one, text):
    one.change("example-own_text", lambda: one.page.locator(TEXT).fill(text))


def upload(one, *files):
    """Choose files, and wait until the server has said what it makes of them."""
    before = one.page.evaluate("watched.told = 0")
    one.page.evaluate(
        "$(document).one('shiny:value', '#example-own_problem', () => watched.told++)"
    )
    one.page.locator(FILE).set_input_files(
        [
            {"name": name, "mimeType": "application/octet-stream", "buffer": content}
            for name, content in files
        ]
    )
    one.page.wait_for_function("before => watched.told > before", arg=before)


def use(one):
    one.press("example-own_use")
    one.rest()


def as_sent(matrix):
    """Write a matrix as a browser holds it, in single precision."""
    return np.asarray(matrix, "f4").tolist()


def select(one, name, row, column):
    """Move to a cell of a matrix by its keys."""
    place = one.matrix(name)
    place.focus()
    place.press("Home")
    for key, times in (("ArrowDown", row), ("ArrowRight", column)):
        for _ in range(times):
            place.press(key)
    one.catch_up()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pasted_matrices_are_listed_then_shown_to_the_bit(visit, language):
    one = unfold(visit(language=language))
    before = one.numbers()
    paste(one, named_lists(QKV))
    listed = one.page.locator(FOUND).inner_text()
    assert [shape in listed for shape in ("2×3", "5×3", "5×2")] == [True] * 3
    assert one.numbers() == before
    use(one)
    numbers, expected = one.numbers(), attend(Q, K, V)
    assert numbers["q"] == as_sent(Q)
    assert numbers["k"] == as_sent(K.T)
    assert numbers["v"] == as_sent(V)
    assert numbers["weights"] == as_sent(expected.weights)
    assert numbers["context"] == as_sent(expected.context)
    assert one.page.get_by_text(translator(language)("own.point")).is_visible()


@pytest.mark.parametrize(
    "files",
    [
        [("heads.npz", npz(**HEADS))],
        [("heads.json", named_lists(HEADS).encode())],
        [(f"{name}.npy", npy(matrix)) for name, matrix in HEADS.items()],
    ],
    ids=["npz", "json", "npy"],
)
def test_uploaded_heads_are_shown_to_the_bit(visit, files):
    one = unfold(visit())
    upload(one, *files)
    use(one)
    assert one.numbers()["q"] == as_sent(Q)
    one.pick("attention-head", "1")
    one.rest()
    assert one.numbers()["q"] == as_sent(-2 * Q)
    assert one.numbers()["v"] == as_sent(-2 * V)


def test_inputs_with_projections_lead_to_an_output(visit):
    one = unfold(visit())
    upload(one, ("layer.npz", npz(**WIDE)))
    use(one)
    numbers = one.numbers()
    assert numbers["x"] == as_sent(WIDE["x"])
    assert numbers["w_q"] == as_sent(WIDE["w_q"][0])
    assert numbers["w_o"] == as_sent(WIDE["w_o"])
    assert len(numbers["output"][0]) == 7


def test_the_inspector_derives_a_score_of_own_data(visit):
    one = unfold(visit())
    paste(one, named_lists(QKV))
    use(one)
    select(one, "scores", 1, 2)
    text = one.page.locator(".inspector").inner_text()
    score = Q[1] @ K[2] / np.sqrt(3)
    assert f"{score:.4f}".replace("-", "−") in text
    for factor in (*Q[1], *K[2]):
        assert f"{factor:.4f}".replace("-", "−") in text
    assert "÷ √3" in text.replace("\n", " ")


def test_own_data_is_edited_and_taken_back(visit):
    one = unfold(visit())
    paste(one, named_lists(QKV))
    use(one)
    before = one.numbers()
    select(one, "v", 3, 1)
    value = one.page.locator(".edit-bar input")
    one.change("attention-edit", lambda: (value.fill("-40"), value.press("Enter")))
    one.rest()
    assert one.numbers()["v"][3] == [6, -40]
    assert one.numbers()["weights"] == before["weights"]
    one.change("address", one.page.locator("[data-edit-action='undo']").click)
    one.rest()
    assert one.numbers() == before


def test_weights_alone_are_shown_with_their_sums(visit):
    one = unfold(visit())
    paste(one, "the,cat\n0.5,0.4\n0.25,0.75")
    use(one)
    numbers = one.numbers()
    assert numbers["weights"] == as_sent([[0.5, 0.4], [0.25, 0.75]])
    assert numbers["row_sum"] == as_sent([[0.9], [1]])
    graphs = one.page.locator("#attention-view [data-graph]:visible")
    assert graphs.evaluate_all("all => all.map((each) => each.dataset.graph)") == [
        "heads",
        "softmax",
    ]
    assert not one.page.locator("#example-mask").is_visible()
    select(one, "row_sum", 0, 0)
    assert "0.5000" in one.page.locator(".inspector").inner_text()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("content", "reason", "values"),
    [
        (b"\xff\xfeQ\x00", "own_encoding", {"place": 1}),
        (b"Q\n1 2\n3 x", "own_number", {"matrix": "Q", "got": "x", "place": "2, 2"}),
        (npy(np.eye(3))[:-1], "own_cut", {"matrix": "A", "wanted": 72, "got": 71}),
        (npy(np.array([[None]], object)), "own_objects", {}),
        (
            archive({"q.npy": bytes(10**8)}),
            "own_unpacked",
            {"got": 10**8, "most": 10**6},
        ),
        (b"1," * 10**6, "own_columns", {"row": 1, "most": 1000}),
    ],
    ids=["encoding", "number", "cut", "objects", "bomb", "columns"],
)
def test_a_wrong_file_gets_a_sentence_and_the_picture_stays(
    visit, language, content, reason, values
):
    one = unfold(visit(language=language))
    before = one.numbers()
    upload(one, ("wrong.bin", content))
    sentence = translator(language)(f"problem.{reason}", **values)
    assert one.page.locator(PROBLEM).inner_text() == sentence
    one.press("example-own_use")
    assert one.numbers() == before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reload_keeps_the_settings_and_says_what_it_lost(visit, language):
    one = unfold(visit(language=language))
    one.choose("example-mask", "causal")
    paste(one, json.dumps({name: K.tolist() for name in "qkv"}))
    use(one)
    one.page.reload()
    one.page.wait_for_function("window.watched?.isExact")
    one.catch_up()
    lost = one.page.get_by_text(translator(language)("own.lost"))
    assert lost.is_visible()
    numbers = one.numbers()
    assert (len(numbers["x"]), len(numbers["x"][0])) == (5, 3)
    assert one.page.locator("#example-mask").input_value() == "causal"


def test_leaving_own_data_brings_the_first_example_back(visit):
    one = unfold(visit())
    before = one.numbers()
    leave = one.page.locator("#example-own_leave")
    assert not leave.is_visible()
    paste(one, named_lists(QKV))
    use(one)
    one.change("example-own_leave", leave.click)
    one.rest()
    assert one.numbers() == before


def test_the_panel_works_by_keys_alone(visit):
    one = visit()
    one.page.locator(".own-data > summary").focus()
    one.page.keyboard.press("Enter")
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.id") == "example-own_file"
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.id") == "example-own_text"
    one.change("example-own_text", lambda: one.page.keyboard.insert_text("A\n1 0\n0 1"))
    one.page.keyboard.press("Tab")
    one.change("example-own_use", lambda: one.page.keyboard.press("Enter"))
    one.rest()
    assert one.numbers()["weights"] == [[1, 0], [0, 1]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scroll_for_the_panel(visit, theme):
    one = visit(theme=theme, size=(360, 740))
    one.page.locator(".collapse-toggle").click()
    unfold(one)
    paste(one, named_lists(WIDE))
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 360
