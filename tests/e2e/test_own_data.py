"""A reader brings matrices of their own, by paste and by upload."""

import json
from urllib.parse import urlsplit

import numpy as np
import pytest

from attnviz.core.attention.scaled_dot_product import attend
from attnviz.example.reading.numpy_files import MAX_UNPACKED
from attnviz.text.catalog import translator
from tests.e2e.derivation import examine, read_derivation
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

FILE, TEXT = "#example-own_file", "#example-own_text"
FOUND, PROBLEM = "#example-own_found", "#example-own_problem"
# Longer than changes of the address count as one.
HEADS = {name: np.stack([matrix, -2 * matrix]) for name, matrix in QKV.items()}


def unfold(one):
    one.page.locator(".own-data > summary").click()
    return one


def bring(one, act):
    """Wait until the server has said what it makes of what is brought."""
    before = one.page.evaluate("watched.told = 0")
    one.page.evaluate(
        "$(document).one('shiny:value', '#example-own_problem', () => watched.told++)"
    )
    act()
    one.page.wait_for_function("before => watched.told > before", arg=before)
    one.catch_up()


def paste(one, text):
    bring(one, lambda: one.page.locator(TEXT).fill(text))


def upload(one, *files):
    chosen = [
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        for name, content in files
    ]
    bring(one, lambda: one.page.locator(FILE).set_input_files(chosen))


def use(one):
    one.press("example-own_use")
    one.rest()


def leave(one):
    one.press("example-own_leave")
    one.rest()


def as_sent(matrix):
    """Write a matrix as a browser holds it, in single precision."""
    return np.asarray(matrix, "f4").tolist()


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
    assert numbers["k"] == as_sent(K)
    assert numbers["v"] == as_sent(V)
    assert numbers["weights"] == as_sent(expected.weights)
    assert numbers["context"] == as_sent(expected.context)
    assert one.page.get_by_text(translator(language)("own.point")).is_visible()


def test_uploaded_heads_are_shown_to_the_bit(visit):
    one = unfold(visit())
    for files in (
        [("heads.npz", npz(**HEADS))],
        [("heads.json", named_lists(HEADS).encode())],
        [(f"{name}.npy", npy(matrix)) for name, matrix in HEADS.items()],
    ):
        upload(one, *files)
        use(one)
        assert one.numbers()["q"] == as_sent(Q), files
        one.pick("attention-head", "1")
        one.rest()
        assert one.numbers()["q"] == as_sent(-2 * Q), files
        assert one.numbers()["v"] == as_sent(-2 * V), files
        one.pick("attention-head", "0")
        leave(one)


def test_inputs_with_projections_lead_to_an_output(visit):
    one = unfold(visit())
    upload(one, ("layer.npz", npz(**WIDE)))
    use(one)
    numbers = one.numbers()
    assert numbers["x"] == as_sent(WIDE["x"])
    assert numbers["w_q"] == as_sent(WIDE["w_q"][0])
    assert numbers["w_o"] == as_sent(WIDE["w_o"])
    assert len(numbers["output"][0]) == 7


def test_the_inspector_derives_own_data_from_what_was_brought(visit):
    one = unfold(visit())
    paste(one, named_lists(QKV))
    use(one)
    cells = {"scores.2.3": "S2,3", "context.1.2": "C1,2", "weights.2.5": "A2,5"}
    assert examine(one, cells) == {
        "scores.2.3": (3, ["÷"], []),
        "context.1.2": (5, [], []),
        "weights.2.5": (1, ["÷"], []),
    }
    one.click_cell("scores", 2, 3)
    reading = read_derivation(one, "S2,3")
    expected = [[q, k] for q, k in zip(Q[1], K[2], strict=True)]
    np.testing.assert_allclose(reading.terms, expected, atol=5.1e-5)
    one.click_cell("q", 2, 3)
    one.page.wait_for_selector("#attention-view .inspector[data-operation='given']")


def test_own_data_is_edited_and_taken_back(visit):
    one = unfold(visit())
    paste(one, named_lists(QKV))
    use(one)
    before = one.numbers()
    one.click_cell("v", 4, 2)
    one.pause()
    value = one.page.locator("#attention-view .edit-bar input")
    one.change("attention-edit", lambda: (value.fill("-40"), value.press("Enter")))
    one.rest()
    assert one.numbers()["v"][3] == [6, -40]
    assert one.numbers()["weights"] == before["weights"]
    undo = one.page.locator("#attention-view [data-edit-action='undo']")
    one.change("address", undo.click)
    one.rest()
    assert one.numbers() == before


def test_weights_alone_are_shown_with_their_sums(visit):
    one = unfold(visit())
    paste(one, "the,cat\n0.5,0.4\n0.25,0.75")
    use(one)
    numbers = one.numbers()
    assert numbers["weights"] == as_sent([[0.5, 0.4], [0.25, 0.75]])
    assert numbers["weight_sum"] == as_sent([[0.9], [1]])
    graphs = one.page.locator("#attention-view [data-graph]:visible")
    assert graphs.evaluate_all("all => all.map((each) => each.dataset.graph)") == [
        "chain"
    ]
    assert not one.page.locator("#example-mask").is_visible()
    one.click_cell("weight_sum", 1, 1)
    assert read_derivation(one, "Σa1").terms == [[0.5], [0.4]]


BOTH = [[0.7, 0.3], [0.1, 0.9]]
KINDS = {
    "R": "> A\n     [,1] [,2]\n[1,]  0.7  0.3\n[2,]  0.1  0.9",
    "mark": "\ufeff0.7,0.3\n0.1,0.9",
    "commas": "0,7;0,3\n0,1;0,9",
    "header": "the,cat\n0.7,0.3\n0.1,0.9",
    "tensor": "tensor([[0.7, 0.3],\n        [0.1, 0.9]], grad_fn=<SoftmaxBackward0>)",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_people_have_is_read_by_paste_and_by_file(visit, kind):
    one = unfold(visit())
    for bring_it in (
        lambda: paste(one, KINDS[kind]),
        lambda: upload(one, ("own.txt", KINDS[kind].encode())),
    ):
        bring_it()
        preview = one.page.locator(f"{FOUND} [data-matrix='weights']")
        assert preview.locator("td").all_inner_texts() == ["0.7", "0.3", "0.1", "0.9"]
        use(one)
        assert one.numbers()["weights"] == as_sent(BOTH)
        leave(one)


@pytest.mark.parametrize("delay", [0, 20, 50])
def test_a_press_at_once_takes_what_was_pasted(visit, delay):
    one = unfold(visit())
    paste(one, "A\n1 0\n0 1")
    use(one)
    text = "# nothing\n" * 15_000 + json.dumps(BOTH)
    one.page.evaluate(
        """([text, delay]) => {
          const field = document.getElementById("example-own_text");
          field.value = text;
          field.dispatchEvent(new Event("input", { bubbles: true }));
          setTimeout(() => document.getElementById("example-own_use").click(), delay);
        }""",
        [text, delay],
    )
    one.page.wait_for_function(
        "() => document.querySelector('[data-figure=weights]').attnviz.z[0][0] < 1"
    )
    one.rest()
    assert one.numbers()["weights"] == as_sent(BOTH)


def test_layers_and_heads_of_a_model_are_chosen_and_survive_a_reload(visit):
    model = np.random.default_rng(3).dirichlet(np.ones(5), (12, 1, 12, 5))
    one = unfold(visit())
    assert not one.page.locator("#example-layer").is_visible()
    upload(one, ("attentions.npy", npy(model)))
    use(one)
    one.choose("example-layer", "11")
    one.choose("example-head_group", "2")
    one.rest()
    assert one.numbers()["weights"] == as_sent(model[11, 0, 8])
    heads = one.page.locator("#attention-view .head-picker label:visible")
    assert heads.all_inner_texts()[-4:] == ["9", "10", "11", "12"]
    one.page.reload()
    one.page.wait_for_function("window.watched?.isExact")
    one.page.wait_for_function(
        "(a) => document.querySelector('[data-figure=weights]')?.attnviz.z[0][0] === a",
        arg=as_sent(model[11, 0, 8])[0][0],
    )
    assert one.page.locator("#example-layer").input_value() == "11"
    one.choose("example-head_group", "mean")
    one.rest()
    assert one.numbers()["weights"] == as_sent(model[11, 0].mean(axis=0))
    assert one.page.get_by_text(translator("en")("own.point_mean")).is_visible()


WRONG = [
    (b"\xff\xfeQ", "own_encoding", {"place": 3}),
    (b"Q\n1 2\n3 x", "own_number", {"matrix": "Q", "got": "x", "place": "2, 2"}),
    (npy(np.eye(3))[:-1], "own_cut", {"matrix": "A", "wanted": 72, "got": 71}),
    (npy(np.array([[None]], object)), "own_objects", {}),
    (
        archive({"q.npy": bytes(10**8)}),
        "own_unpacked",
        {"got": 10**8, "most": MAX_UNPACKED},
    ),
    (b"1," * 1500, "own_columns", {"row": 1, "most": 1000}),
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_wrong_file_gets_a_sentence_and_the_picture_stays(visit, language):
    one = unfold(visit(language=language))
    before = one.numbers()
    for content, reason, values in WRONG:
        upload(one, ("wrong.bin", content))
        sentence = translator(language)(f"problem.{reason}", **values)
        assert one.page.locator(PROBLEM).inner_text() == sentence
        one.press("example-own_use")
        assert one.numbers() == before


def returned(one, wanted):
    """Wait until the page that was loaded again shows what it showed before."""
    one.page.wait_for_function("window.watched?.isExact")
    one.page.wait_for_function(
        "(q) => document.querySelector('[data-figure=q]')?.attnviz.z[0][0] === q",
        arg=wanted["q"][0][0],
    )
    one.catch_up()
    assert one.numbers() == wanted


def test_own_data_stay_in_their_tab(visit):
    one = unfold(visit())
    one.choose("example-mask", "causal")
    paste(one, named_lists({**QKV, "q": K}))
    use(one)
    one.click_cell("scores", 2, 1)
    before, address = one.numbers(), one.page.url
    one.page.reload()
    returned(one, before)
    assert one.page.url == address
    one.page.get_by_text(translator("en")("own.lost")).wait_for(state="hidden")
    one.page.locator("a[data-language='zh']").click()
    one.page.wait_for_url("**lang=zh**")
    returned(one, before)
    assert one.page.url.replace("&lang=zh", "") == address
    one.page.get_by_text(translator("zh")("own.lost")).wait_for(state="hidden")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_another_tab_keeps_the_settings_and_says_what_it_lacks(visit, language):
    one = unfold(visit(language=language))
    one.choose("example-mask", "causal")
    paste(one, json.dumps({name: K.tolist() for name in "qkv"}))
    use(one)
    other = visit(f"?{urlsplit(one.page.url).query}", language=language)
    lost = other.page.get_by_text(translator(language)("own.lost"))
    assert lost.is_visible()
    numbers = other.numbers()
    assert (len(numbers["x"]), len(numbers["x"][0])) == (5, 3)
    assert other.page.locator("#example-mask").input_value() == "causal"


def test_leaving_own_data_brings_the_first_example_back(visit):
    one = unfold(visit())
    before = one.numbers()
    assert not one.page.locator("#example-own_leave").is_visible()
    paste(one, named_lists(QKV))
    use(one)
    leave(one)
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


def test_a_phone_needs_no_sideways_scroll_for_the_panel(visit):
    one = visit(size=(360, 740))
    one.page.locator(".collapse-toggle").click()
    unfold(one)
    paste(one, named_lists(WIDE))
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_upload_that_fails_is_said_to_and_no_longer_waited_for(visit):
    one = unfold(visit())
    one.page.route("**/upload/**", lambda route: route.abort())
    upload(one, ("a.csv", b"1 0\n0 1"))
    one.complaints.clear()
    problem = one.page.locator(PROBLEM)
    assert problem.inner_text() == translator("en")("problem.own_upload")
    one.page.unroute_all()
    upload(one, ("a.csv", b"1 0\n0 1"))
    use(one)
    assert one.numbers()["weights"] == [[1, 0], [0, 1]]
