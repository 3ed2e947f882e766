"""Matrices come in by any usual file or text, number for number."""

import json

import numpy as np
import pytest

from attnviz.example.own import choose_own, join_found, read_own
from attnviz.example.own.example import own_example
from attnviz.example.weights_alone import compute_shown
from tests.example.own.own_files import QKV, WIDE, K, Q, V, named_lists, npy, npz

WEIGHTS = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]
PLAIN = """Q
0 0.125 0.25
0.375 0.5 0.625

K
0.25 0 -0.25
-0.5 -0.75 -1
-1.25 -1.5 -1.75
-2 -2.25 -2.5
-2.75 -3 −3.25

V
0 1
2 3
4 5
6 7
8 9
"""
PYTHON = """import numpy as np
Q = np.array([[0, 0.125, 0.25], [0.375, 0.5, 0.625]])
K = np.array([[0.25, 0, -0.25], [-0.5, -0.75, -1], [-1.25, -1.5, -1.75],
              [-2, -2.25, -2.5], [-2.75, -3, -3.25]])
V = torch.tensor([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]], dtype=torch.float64)
"""


def weights_of(content):
    return read_own(content).arrays["weights"].tolist()


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace(" ", ","),
        PLAIN.replace(" ", ", "),
        PLAIN.replace(" ", "\t"),
        PLAIN.replace(" ", ";"),
        PLAIN.replace(" ", "，"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n\n", "\n"),
        PLAIN.replace("\n\n", "\n").replace("K\n", "K:\n").replace(" ", ","),
        PLAIN.replace("Q\n", "# Q\n")
        .replace("K\n", "key:\n")
        .replace("V\n", "V 5x2\n"),
        PLAIN.replace(" ", ",").replace("\n\n", "\n,,\n").replace("Q\n", "Q,2×3,\n"),
        PLAIN.encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PYTHON,
        PYTHON.replace("Q = np.array(", "Q=("),
        f"Q\n{Q}\n\nK\n{K}\n\nV\n{V}",
        named_lists(QKV),
        named_lists(QKV).replace('"q"', '"Query"').replace("], [", "],\n["),
        named_lists(QKV).encode(),
        npz(**QKV),
        npz(Q=Q, Key=K, V=V, other=V),
    ],
)
def test_queries_keys_and_values_come_in_by_any_form(content):
    arrays = read_own(content).arrays
    assert arrays.keys() == {"q", "k", "v"}
    np.testing.assert_array_equal(arrays["q"], Q[None])
    np.testing.assert_array_equal(arrays["k"], K[None])
    np.testing.assert_array_equal(arrays["v"], V[None])


@pytest.mark.parametrize("read", [named_lists, lambda arrays: npz(**arrays)])
def test_inputs_and_projections_of_several_heads_come_in(read):
    arrays = read_own(read(WIDE)).arrays
    assert arrays.keys() == WIDE.keys()
    np.testing.assert_array_equal(arrays["w_v"], WIDE["w_v"])
    np.testing.assert_array_equal(arrays["x"], WIDE["x"])


@pytest.mark.parametrize(
    "content",
    [
        "0.5 0.25 0.25\n0.125 0.75 0.125",
        b"\xef\xbb\xbf0.5 0.25 0.25\n0.125 0.75 0.125",
        "A\n0.5 0.25 0.25\n0.125 0.75 0.125",
        "the,cat,sat\n0.5,0.25,0.25\n0.125,0.75,0.125",
        ",the,cat,sat\nthe,0.5,0.25,0.25\ncat,0.125,0.75,0.125",
        ",0,1,2\n0,0.5,0.25,0.25\n1,0.125,0.75,0.125",
        '"[CLS]",0.5,0.25,0.25\n"a, b",0.125,0.75,0.125',
        "[[0.5 0.25 0.25]\n [0.125 0.75 0.125]]",
        "[[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]",
        "array([[0.5  , 0.25 , 0.25 ],\n       [0.125, 0.75 , 0.125]])",
        '{"attention": [[[[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]]]}',
        npy(np.array(WEIGHTS)),
        npy(np.array(WEIGHTS, "f4")[None, None]),
        npy(np.array(WEIGHTS, "f2")),
        npy(np.array(WEIGHTS, ">f8")),
        npy(np.asfortranarray(WEIGHTS)),
        npz(a=WEIGHTS),
    ],
)
def test_weights_alone_come_in_with_or_without_a_name(content):
    assert weights_of(content) == [WEIGHTS]


@pytest.mark.parametrize(
    "content",
    [
        "1 0\n0 1\n\n0 1\n1 0",
        "A\n1 0\n0 1\n\n0 1\n1 0\n",
        "A_1,2×2\n1,0\n0,1\n\nA_2,2×2\n0,1\n1,0\n",
        "[[[1. 0.]\n  [0. 1.]]\n\n [[0. 1.]\n  [1. 0.]]]",
        npy(np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])),
    ],
)
def test_tables_in_a_row_are_heads(content):
    assert weights_of(content) == [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]


@pytest.mark.parametrize("kind", ["i1", "u2", "i8", "f2", "<f4", ">f4"])
def test_every_kind_of_real_numbers_becomes_float64(kind):
    matrix = read_own(npy(np.array([[3, 5]], kind))).arrays["weights"]
    assert matrix.dtype == np.float64
    assert matrix.tolist() == [[[3, 5]]]


def test_single_precision_keeps_every_bit():
    values = np.sin(np.arange(12, dtype="f4")).reshape(3, 4)
    matrix = read_own(npz(q=values)).arrays["q"]
    np.testing.assert_array_equal(matrix.astype("f4"), values[None])


def test_the_name_of_a_file_names_its_only_matrix():
    parts = [read_own(npy(array), name=f"{name}") for name, array in QKV.items()]
    found = join_found(parts)
    assert found.arrays.keys() == QKV.keys()
    np.testing.assert_array_equal(found.arrays["v"], V[None])


def test_what_is_not_needed_is_named():
    assert read_own(npz(q=Q, bias=V)).others == ("bias",)
    assert read_own("Q\n1\n\nbias\n2\n").others == ("bias",)
    assert read_own('{"q": [[1]], "bias": [[2]], "note": "x"}').others == ("bias",)


def test_matrices_are_values_that_compare():
    one, other = (choose_own(read_own(form)) for form in (PLAIN, npz(**QKV)))
    assert one == other
    assert hash(one) == hash(other)
    assert one.fingerprint == other.fingerprint
    changed = choose_own(read_own(PLAIN.replace("8 9", "8 9.5")))
    assert changed != one
    assert changed.fingerprint != one.fingerprint


def test_nobody_can_write_into_own_matrices():
    own = choose_own(read_own(PLAIN))
    with pytest.raises(ValueError, match="read-only"):
        own.matrices[0].values[0, 0, 0] = 9


@pytest.mark.parametrize(
    ("arrays", "names"),
    [
        (QKV, ["q", "k", "v"]),
        (WIDE, ["x", "w_q", "w_k", "w_v", "w_o"]),
        ({**WIDE, **QKV}, ["x", "w_q", "w_k", "w_v", "w_o"]),
        ({**QKV, "a": WEIGHTS, "x": WIDE["x"]}, ["q", "k", "v", "weights"]),
        ({"q": Q, "a": WEIGHTS}, ["weights"]),
    ],
)
def test_the_first_complete_set_is_shown(arrays, names):
    own = choose_own(read_own(npz(**arrays)))
    assert [matrix.name for matrix in own.matrices] == names


@pytest.mark.parametrize(
    ("keys", "is_cross", "key_labels"),
    [
        (["a", "b"], False, ()),
        (["c", "d"], True, ("c", "d")),
        (["c"], False, ()),
        (["c", 4], False, ()),
        ("cd", False, ()),
    ],
)
def test_words_of_their_own_make_keys_other_positions(keys, is_cross, key_labels):
    labels = {"query": ["a", "b"], "key": keys}
    own = choose_own(read_own(json.dumps({"a": [[1, 0], [0, 1]], "labels": labels})))
    assert (own.is_cross, own.labels) == (is_cross, ("a", "b"))
    assert own.key_labels == key_labels


def test_other_numbers_of_queries_and_keys_are_cross_attention():
    assert choose_own(read_own(npz(**QKV))).is_cross
    assert not choose_own(read_own(npz(q=K, k=K, v=V))).is_cross
    assert not choose_own(read_own(npz(**WIDE))).is_cross
    keys = {"x_k": WIDE["x"][:2]}
    assert choose_own(read_own(npz(**WIDE, **keys))).is_cross


@pytest.mark.parametrize(
    "content",
    [
        npz(arr_0=WEIGHTS),
        npz(whatever=WEIGHTS),
        npz(attn_probs=WEIGHTS, other=Q),
        json.dumps({"attentions": [[[WEIGHTS]]]}),
        json.dumps({"model": {"layer": {"attn": WEIGHTS}}, "note": "of 2024"}),
        "My matrix\n0.5 0.25 0.25\n0.125 0.75 0.125",
    ],
)
def test_a_single_matrix_of_any_name_is_the_weights(content):
    assert weights_of(content) == [WEIGHTS]


def test_what_an_odd_name_was_taken_for_is_said():
    (note,) = read_own(npz(whatever=WEIGHTS)).notes
    assert (note.reason, note.values) == (
        "named",
        {"title": "whatever", "matrix": "A"},
    )


@pytest.mark.parametrize(
    "content",
    [json.dumps({"attention": [0.5, 0.5]}), npz(attn=[0.5, 0.5]), "[0.5 0.5]"],
)
def test_a_single_axis_is_one_row(content):
    assert weights_of(content) == [[[0.5, 0.5]]]


def test_numbers_that_are_true_or_false_are_one_and_zero():
    assert weights_of(npy(np.eye(2) > 0)) == [[[1, 0], [0, 1]]]
    assert weights_of('{"attn": [[true, false]]}') == [[[1, 0]]]


@pytest.mark.parametrize(
    ("shape", "n_layers", "groups"),
    [
        ((12, 1, 12, 5, 5), 12, ("1", "2", "mean")),
        ((3, 2, 5, 7, 7), 6, ("1", "mean")),
        ((1, 12, 5, 5), 1, ("1", "2", "mean")),
        ((64, 32, 2, 3), 64, ("1", "2", "3", "4", "mean")),
        ((3, 1, 1, 5, 5), 3, ("1",)),
        ((2, 5, 3), 1, ("1", "mean")),
        ((5, 3), 1, ("1",)),
    ],
)
def test_weights_may_be_those_of_a_whole_model(shape, n_layers, groups):
    weights = np.random.default_rng(5).random(shape)
    own = choose_own(read_own(npy(weights)))
    assert (own.n_layers, own.groups) == (n_layers, groups)
    layers = weights.reshape(n_layers, -1, *shape[-2:])
    last = own_example(own, layer=n_layers - 1, group=groups[0])
    np.testing.assert_array_equal(last.fixed.weights, layers[-1][:8])
    if "2" in groups:
        further = own_example(own, group="2").fixed
        np.testing.assert_array_equal(further.weights, layers[0][8:16])
    if "mean" in groups:
        mean = own_example(own, group="mean").fixed.weights
        np.testing.assert_array_equal(mean, layers[0].mean(axis=0)[None])


def test_each_sample_of_a_layer_can_be_picked():
    own = choose_own(read_own(npy(np.random.default_rng(7).random((3, 2, 5, 7, 7)))))
    assert own.n_samples == 2
    single = choose_own(read_own(npy(np.ones((1, 2, 5, 7, 7)))))
    assert (single.n_layers, single.n_samples) == (2, 2)


def test_a_further_head_keeps_its_number():
    own = choose_own(read_own(npy(np.full((12, 2, 2), 0.5))))
    screen = compute_shown(own_example(own, group="2")).screen()
    assert screen.matrix("weights_1").plain == "A_9"
    mean = compute_shown(own_example(own, group="mean")).screen()
    assert mean.matrix("weights").plain == "Ā"


def test_single_precision_takes_half_the_room():
    single = choose_own(read_own(npy(np.full((2, 3), 0.1, "f4"))))
    double = choose_own(read_own(npy(np.full((2, 3), 0.1))))
    assert (single.n_bytes, double.n_bytes) == (24, 48)
    assert double.matrices[0].values[0, 0, 0] == 0.1
