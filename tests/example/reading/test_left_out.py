"""Every number of a text is used, shown as a label, or named as left out."""

import json
import random
import re
from contextlib import suppress

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.own import choose_own, read_own
from attnviz.example.reading.reading import read
from attnviz.example.reading.tables import TableReader

WORDS = ("the", "cat", "Q", "A", "[CLS]", "x:", "K =", "# note", "mean", "bias")
FORMS = ("0.{}", "-0.{}", "{}", "1.{}e-03", "{}.")
BETWEEN = (" ", "\t", ", ", ";", ",")


def some_text(seed):
    """Write tables, lists, titles and stray lines, no number of which comes twice."""
    dice = random.Random(seed)
    numbers = (dice.choice(FORMS).format(number) for number in range(101, 997))
    lines = []
    for _ in range(dice.randint(1, 5)):
        columns = dice.randint(1, 5)
        rows = [
            [next(numbers) for _ in range(columns)] for _ in range(dice.randint(1, 3))
        ]
        kind = dice.choice(("table", "labelled", "list", "printed", "title", "stray"))
        between = dice.choice(BETWEEN)
        if kind == "labelled":
            lines.append(between.join(["", *dice.choices(WORDS, k=columns)]))
            rows = [[dice.choice(WORDS), *row] for row in rows]
        if kind in ("table", "labelled"):
            lines += [between.join(row) for row in rows]
        elif kind == "list":
            lines.append("Q = [[" + "],\n [".join(map(", ".join, rows)) + "]]")
        elif kind == "printed":
            lines.append("[[" + "]\n [".join(map(" ".join, rows)) + "]]")
        elif kind == "stray":
            lines.append(" ".join(dice.choices((*WORDS, *rows[0]), k=3)))
        else:
            lines.append(dice.choice(WORDS))
        lines += [""] * dice.randint(0, 1)
    return "\n".join(lines)


def lost(text):
    """List the numbers that are neither used nor said."""
    found = read(text)
    used = {
        abs(number)
        for table in found.tables
        for number in table.source.numbers("A").flat
    }
    words = [word for table in found.tables for word in (*table.rows, *table.columns)]
    titles = [table.title for table in found.tables]
    said = " ".join([*found.left_out, *words, *titles])
    numbers = re.findall(r"\d[\d.]*(?:e-03)?", text)
    return [one for one in numbers if float(one) not in used and one not in said]


def test_no_number_is_dropped_in_silence():
    n_read = 0
    for seed in range(600):
        text = some_text(seed)
        with suppress(SettingError):
            assert lost(text) == [], text
            n_read += 1
    assert n_read > 200


def test_the_probe_sees_a_number_that_is_dropped(monkeypatch):
    monkeypatch.setattr(TableReader, "leave", lambda reader, text: None)
    assert lost("Epoch 7 of 9\n\n0.5 0.5") == ["7", "9"]


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("0,1,2\n0.5,0.25,0.25\n0.1,0.2,0.7\n0.3,0.3,0.4", ("0 1 2",)),
        ("1 0.5 0.5\n2 0.1 0.9\n3 0.7 0.3", ("1 2 3",)),
        (",0,1\n0,0.5,0.5\n1,0.25,0.75", ("0 1", "0 1")),
        ("0,1\n0.7,0.3\n0.1,0.9", ("0 1",)),
        ("1 0.7 0.3\n2 0.1 0.9", ("1 2",)),
        ("Epoch 7 of 9\n\nA\n0.5 0.5", ("Epoch 7 of 9",)),
        ("(1, 2)\n[[0.5 0.5]]", ("(1, 2)",)),
        ("Q\nf1 f2\n1 2", ("f1 f2",)),
    ],
)
def test_what_is_left_out_is_named(text, left_out):
    assert read_own(text).left_out == left_out


@pytest.mark.parametrize(
    "text",
    [
        "0 1 2\n1 0 0\n0 0 1",
        "1 2 3",
        "0 1\n0.5 0.5",
        "1 2\n0.5 3\n0.25 0.5",
        "[[0, 1, 2], [0.5, 0.2, 0.3]]",
    ],
)
def test_counts_that_may_be_numbers_are_numbers(text):
    found = read_own(text)
    assert found.left_out == ()
    assert found.arrays["weights"].size == len(re.findall(r"[\d.]+", text))


@pytest.mark.parametrize(
    ("text", "query", "key"),
    [
        ("the,cat\n0.5,0.5\n0.25,0.75", ("the", "cat"), ()),
        (",the,cat\na,0.5,0.5\nb,0.25,0.75", ("a", "b"), ("the", "cat")),
        ("the: 0.5 0.5\ncat: 0.25 0.75", ("the", "cat"), ()),
        ("in,2024\n0.5,0.5\n0.1,0.9", ("in", "2024"), ()),
        ("['[CLS]', '##s']\n[[0.5 0.5]\n [0.1 0.9]]", ("[CLS]", "##s"), ()),
        ('{"attention": [[1, 0], [0, 1]], "tokens": ["Ġa", "▁b"]}', ("␣a", "␣b"), ()),
        ('{"attn": [[1, 0], [0, 1]], "tokens": ["ä½łå¥½", "Ã©"]}', ("你好", "é"), ()),
    ],
)
def test_words_beside_numbers_become_labels(text, query, key):
    own = choose_own(read_own(text))
    assert (own.labels, own.key_labels) == (query, key)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\x00b", "ab"),
        ("\ud800", "∅"),
        ("\u202eabc", "abc"),
        ("e\u0301", "é"),
        ("\n", "↵"),
        (" ", "␣"),
        ("x" * 99, "x" * 40),
    ],
)
def test_labels_of_files_are_cleaned_like_typed_tokens(written, shown):
    document = {"a": [[1, 0], [0, 1]], "labels": {"query": [written, "y"]}}
    own = choose_own(read_own(json.dumps(document)))
    assert own.labels == (shown, "y")
    "".join(own.labels).encode()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        *((title, "weights") for title in ("attn", "att", "attn_probs", "probs")),
        *((title, "w_q") for title in ("W_query", "q_proj", "WQ", "W^Q", "W_{q}")),
        ("self_attn.k_proj", "w_k"),
        ("out_proj", "w_o"),
        ("查询", "q"),
    ],
)
def test_matrices_are_known_by_what_people_call_them(title, name):
    assert read_own(f"{title} =\n0.5 0.5").arrays.keys() == {name}


def test_the_weight_of_a_layer_is_turned_and_said_to_be():
    found = read_own('{"q_proj.weight": [[1, 2, 3], [4, 5, 6]]}')
    assert found.arrays["w_q"].tolist() == [[[1, 4], [2, 5], [3, 6]]]
    assert [note.reason for note in found.notes] == ["turned"]


def test_both_readings_of_commas_are_given():
    one, other = (
        read_own("0,7, 0,3\n0,1, 0,9", comma=comma).arrays["weights"][0]
        for comma in ("decimal", "between")
    )
    np.testing.assert_array_equal(one, [[0.7, 0.3], [0.1, 0.9]])
    np.testing.assert_array_equal(other, [[0, 7, 0, 3], [0, 1, 0, 9]])
    assert read_own("0,7, 0,3\n0,1, 0,9").commas == ("decimal", "between")
    assert read_own("0,7;0,3").commas == ()


@pytest.mark.parametrize("text", ["[[0.5, 0.5]]", "A = [[0.5 0.5]]", "0.5\t0.5"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_any_mark_of_an_encoding_is_understood(text, encoding):
    assert read_own(text.encode(encoding)).arrays["weights"].tolist() == [[[0.5, 0.5]]]


def test_code_and_what_it_prints_are_one_matrix():
    code = "A = np.array([[0.5, 0.5], [0.25, 0.75]])\n"
    assert read_own(code + code).arrays["weights"].shape == (1, 2, 2)
    with pytest.raises(SettingError, match="own_twice"):
        read_own(code + code.replace("0.25", "0.5"))
