"""What cannot be gets a sentence in the reader's language; the picture stays."""

import pytest

from attnviz.text.catalog import translator

LANGUAGES = ("en", "zh")
PARAGRAPH = "Attention weights say where a query looks. " * 60
NONSENSE = [
    None,
    "",
    "abc",
    "x" * 100_000,
    "9" * 5000,
    "٣",
    [],
    [1],
    {},
    {"a": 1},
    -1,
    0,
    10**9,
    2.5,
    3.0,
    float("nan"),
    float("inf"),
    True,
]
CONTROLS = {
    "attention": [
        "attention-head",
        "attention-decimals",
        "attention-export-picture",
        "example-preset",
        "example-positions",
        "example-text",
        "example-length",
        "example-d_model",
        "example-d_k",
        "example-d_v",
        "example-n_heads",
        "example-mask",
        "example-n_padding",
        "example-window_left",
        "example-window_right",
        "example-is_scaled",
        "example-temperature",
        "example-seed",
        "example-keys",
        "example-key_text",
        "example-key_length",
        "example-scoring",
        "example-position_kind",
        "example-starts_at_one",
        "example-is_tied",
        "example-layer",
        "example-head_group",
        "example-own_text",
    ],
    "norms": [
        "norms-decimals",
        "norms-export-picture",
        "norms-controls-source",
        "norms-controls-gamma",
        "norms-controls-beta",
        "norms-controls-eps",
        "norms-controls-rows",
        "norms-controls-n_samples",
        "norms-controls-disturbance",
    ],
    "positions": [
        "positions-head",
        "positions-order",
        "positions-try",
        "positions-table",
        "positions-features",
        "positions-base",
        "positions-n_positions",
        "positions-trained_length",
        "positions-scales_inputs",
        "positions-turning",
        "positions-pair",
        "positions-place_m",
        "positions-place_n",
        "positions-bias_kind",
        "positions-last_queries",
    ],
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "reason", "values"),
    [
        ("", "no_tokens", {}),
        (" \t ", "no_tokens", {}),
        ("\u200b", "no_tokens", {}),
        ("word " * 33, "many_tokens", {"got": 33, "most": 32}),
        ("word " * 400, "many_tokens", {"got": 400, "most": 32}),
        ("很" * 500, "many_tokens", {"got": 500, "most": 32}),
        (PARAGRAPH, "long_text", {"got": 2580, "most": 2000}),
    ],
    ids=["empty", "spaces", "invisible", "33", "400", "500-characters", "paragraph"],
)
def test_a_sentence_that_cannot_be_shown_is_answered_and_the_picture_stays(
    converse, language, text, reason, values
):
    conversation = converse(f"?lang={language}&t=a+b+c")
    answer = conversation.send({"example-text": text})
    sentence = translator(language)(f"problem.{reason}", **values)
    assert answer == {"example-problem_text": sentence}
    answer = conversation.send({"example-text": "d e"})
    assert answer["example-problem_text"] == ""
    assert "attention-view" in answer


@pytest.mark.parametrize(
    "text", ["🙂", "👩‍👩‍👧 ok", "<script>alert(1)</script>", "\x00a"]
)
def test_strange_but_possible_sentences_are_shown(converse, text):
    conversation = converse("?t=a+b+c")
    answer = conversation.send({"example-text": text})
    assert "attention-view" in answer
    assert conversation.values["example-problem_text"] == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("control", "text", "reason", "values"),
    [
        ("gamma", "", "no_numbers", {}),
        ("gamma", "one", "not_numbers", {"got": "one", "row": 1, "column": 1}),
        ("beta", "1, x", "not_numbers", {"got": "x", "row": 1, "column": 2}),
        ("gamma", "1 2 3", "parameter_count", {"got": 3, "wanted": 8}),
        ("beta", "nan", "large_number", {"got": "nan", "row": 1, "column": 1}),
        ("gamma", "1e9", "large_number", {"got": "1e9", "row": 1, "column": 1}),
        ("beta", "1 " * 65, "many_columns", {"got": 65, "most": 64}),
        ("rows", "\n \n", "no_numbers", {}),
        ("rows", "1 2\n3", "ragged_rows", {"row": 2, "got": 1, "wanted": 2}),
        ("rows", "1 2\n3 y", "not_numbers", {"got": "y", "row": 2, "column": 2}),
        ("rows", "1\n" * 33, "many_rows", {"got": 33, "most": 32}),
        ("rows", "<b>", "not_numbers", {"got": "<b>", "row": 1, "column": 1}),
    ],
)
def test_typed_numbers_that_cannot_be_are_answered_and_the_picture_stays(
    converse, language, control, text, reason, values
):
    conversation = converse(f"?lang={language}", page="norms")
    answer = conversation.send({f"norms-controls-{control}": text})
    tr = translator(language)
    name = tr(f"setting.{control}")
    most = {"most": 1000000, **values}
    assert answer == {
        "norms-controls-problem": tr(f"problem.{reason}", name=name, **most)
    }
    answer = conversation.send({f"norms-controls-{control}": "2"})
    assert answer["norms-controls-problem"] == ""
    assert "norms-view" in answer


def test_a_parameter_that_fits_no_longer_is_answered_and_the_session_lives(converse):
    conversation = converse(page="norms")
    conversation.send({"norms-controls-gamma": "1 2 3 4 5 6 7 8"})
    answer = conversation.send({"example-d_model": 3})
    sentence = translator("en")("problem.parameter_count", name="γ", got=8, wanted=3)
    assert answer["norms-controls-problem"] == sentence
    assert "norms-view" not in answer
    assert "norms-view" in conversation.send({"example-d_model": 8})


@pytest.mark.parametrize(
    ("page", "control"),
    [(page, control) for page, controls in CONTROLS.items() for control in controls],
)
def test_no_value_of_a_control_ends_the_session(converse, page, control):
    conversation = converse(page=page)
    conversation.send({f"{page}-settled": 1, "norms-controls-source": "rows"})
    good = conversation.inputs.get(control)
    for value in NONSENSE:
        conversation.send({"example-positions": "words", control: value})
    conversation.send({control: good})
    last = {"example-positions": "words", "example-text": "a b"}
    answer = conversation.send({**last, "norms-controls-rows": "1 2"})
    assert f"{page}-view" in answer


def test_every_control_has_been_tried(converse):
    tried = {"page", *CONTROLS["attention"], *CONTROLS["norms"]}
    assert {name for name in converse().inputs if ":" not in name} - tried == set()


def test_an_input_nobody_asked_for_is_ignored(converse):
    conversation = converse()
    conversation.send({"example-matrices": "identity", "nothing": 1})
    assert "attention-view" in conversation.send({"example-length": 3})
