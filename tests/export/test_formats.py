"""The numbers of a page leave it whole, in every form of file."""

import csv
import io
import json
import platform
import re

import numpy as np
import pytest

import attnviz
from attnviz.example.compute import compute
from attnviz.example.edits import Edit
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example
from attnviz.export.formats import as_csv, as_json, as_npz
from tests.pages.cases import attention_data, norm_data

CAUSAL = Example(text="猫 =1+1 cat", d_model=5, d_k=2, d_v=7, n_heads=2, mask="causal")
# What a spreadsheet computes; a negative number is none.
FORMULA = re.compile(r"[=@+\t\r]|-(?!\d)")
NORM = NormExample(source="rows", n_samples=2, disturbance="samples")


def read_npz(data):
    with np.load(io.BytesIO(as_npz(data)), allow_pickle=False) as archive:
        return dict(archive)


def read_json(data):
    return json.loads(as_json(data))


def read_csv(data):
    return list(csv.reader(io.StringIO(as_csv(data).decode("utf-8-sig"), newline="")))


def block(rows, name):
    """Find the lines of one matrix, from its name to the empty line."""
    start = next(i for i, row in enumerate(rows) if row[:1] == [name])
    return rows[start : rows.index([], start)]


@pytest.fixture
def causal():
    return compute(CAUSAL)


@pytest.fixture
def normalized():
    return norm_data(compute_norm(Example(), NORM), Example(), NORM)


# ---- NPZ -----------------------------------------------------------------------------


def test_npz_holds_the_very_numbers_of_all_heads(causal):
    archive = read_npz(attention_data(causal))
    np.testing.assert_array_equal(archive["x"], causal.x)
    np.testing.assert_array_equal(archive["weights"], causal.attention.weights)
    np.testing.assert_array_equal(archive["output"], causal.heads.output)
    assert archive["weights"].shape == (2, 3, 3)
    assert archive["weights"].dtype == np.float64


def test_npz_keeps_masks_boolean_and_infinity_infinite(causal):
    archive = read_npz(attention_data(causal))
    assert archive["visible"].dtype == np.bool_
    np.testing.assert_array_equal(archive["visible"], causal.attention.visible)
    np.testing.assert_array_equal(
        np.isneginf(archive["masked_scores"]), ~archive["visible"]
    )


def test_npz_names_tokens_and_says_what_it_is(causal):
    archive = read_npz(attention_data(causal))
    assert archive["labels_query"].tolist() == ["猫", "=1+1", "cat"]
    about = json.loads(archive["about"].item())
    assert about["settings"]["mask"] == "causal"
    assert about["versions"]["numpy"] == np.__version__


# ---- JSON ----------------------------------------------------------------------------


def test_json_holds_the_very_numbers(causal):
    matrices = read_json(attention_data(causal))["matrices"]
    np.testing.assert_array_equal(
        matrices["weights"]["values"], causal.attention.weights
    )
    assert matrices["weights"]["shape"] == [2, 3, 3]
    assert matrices["weights"]["axes"] == ["head", "query", "key"]
    assert matrices["visible"]["values"][0][0] == [True, False, False]


def test_json_writes_minus_infinity_as_a_word(causal):
    first = read_json(attention_data(causal))["matrices"]["masked_scores"]["values"][0]
    assert first[0][1:] == ["-Infinity", "-Infinity"]


def test_json_says_what_the_numbers_depend_on(causal):
    document = read_json(attention_data(causal))
    assert document["page"] == "attention"
    assert document["settings"]["text"] == "猫 =1+1 cat"
    assert document["labels"]["key"] == ["猫", "=1+1", "cat"]
    versions = document["versions"]
    assert versions.keys() == {"attnviz", "numpy", "shiny", "plotly", "python"}
    assert versions["attnviz"] == attnviz.__version__
    assert versions["python"] == platform.python_version()


def test_json_lists_edits():
    edited = Example(edits=(Edit("x", (1, 2), 3.0),))
    settings = read_json(attention_data(compute(edited)))["settings"]
    assert settings["edits"] == [{"name": "x", "index": [1, 2], "value": 3.0}]


def test_half_a_surrogate_pair_in_a_sentence_breaks_no_file():
    data = attention_data(compute(Example(text="a \ud800b")))
    assert read_json(data)["settings"]["text"] == "a \ud800b"
    assert read_npz(data)["labels_query"].tolist() == ["a", "b"]
    assert block(read_csv(data), "x")[3][0] == "2 b"


# ---- CSV -----------------------------------------------------------------------------


def test_csv_opens_in_a_spreadsheet_with_its_characters(causal):
    text = as_csv(attention_data(causal))
    assert text.startswith(b"\xef\xbb\xbf")
    assert "1 猫".encode() in text


def test_csv_has_a_block_a_matrix_and_head(causal):
    rows = read_csv(attention_data(causal))
    name, labels, *lines = block(rows, "weights_2")
    assert name == ["weights_2", "3×3"]
    assert labels == ["", "1 猫", "2 =1+1", "3 cat"]
    numbers = [[float(cell) for cell in line[1:]] for line in lines]
    np.testing.assert_array_equal(numbers, causal.attention.weights[1])


def test_csv_writes_masks_as_0_and_1_and_infinity_as_a_sign(causal):
    rows = read_csv(attention_data(causal))
    assert block(rows, "visible_1")[2] == ["1 猫", "1", "0", "0"]
    assert block(rows, "masked_scores_1")[2][2:] == ["−∞", "−∞"]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1 -1 @SUM(1)", '"a,b" \t=2', "=cmd|'/c'!A1"]
)
def test_no_cell_of_a_csv_reads_as_a_formula(text):
    rows = read_csv(attention_data(compute(Example(text=text))))
    cells = [cell for row in rows for cell in row]
    assert [cell for cell in cells if FORMULA.match(cell)] == []


@pytest.mark.parametrize("cell", ["=1+1", "@SUM(1)", "+a", "-Infinity", "\t=2"])
def test_the_probe_sees_a_formula(cell):
    assert FORMULA.match(cell)


# ---- Layer norm ----------------------------------------------------------------------


def test_layer_norm_brings_every_stage_and_the_batch(normalized):
    archive = read_npz(normalized)
    np.testing.assert_array_equal(archive["norm_input"][0], [1, 2, 3, 4])
    np.testing.assert_array_equal(archive["norm_mean"], [2.5, 2, 1])
    np.testing.assert_array_equal(archive["norm_variance"], [1.25, 0, 5.5])
    assert archive["batch"].shape == (2, 3, 4)
    np.testing.assert_array_equal(archive["layer_change"], np.zeros((3, 4)))
    assert np.abs(archive["batch_change"]).max() > 0


def test_layer_norm_says_what_it_depends_on(normalized):
    settings = read_json(normalized)["settings"]
    assert settings["source"] == "rows"
    assert settings["disturbance"] == "samples"
    assert settings["example"]["seed"] == 0


def test_layer_norm_as_csv_labels_positions_and_features(normalized):
    rows = read_csv(normalized)
    assert block(rows, "norm_mean") == [
        ["norm_mean", "3"],
        ["", "1 x₁", "2 x₂", "3 x₃"],
        ["norm_mean", "2.5", "2.0", "1.0"],
    ]
    assert block(rows, "norm_input")[1:3] == [
        ["", "d 1", "d 2", "d 3", "d 4"],
        ["1 x₁", "1.0", "2.0", "3.0", "4.0"],
    ]
