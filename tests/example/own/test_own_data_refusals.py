"""What cannot be read or shown is refused with what is wrong and where."""

import json
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.core.errors import SettingError
from attnviz.example.own import MAX_BYTES, choose_own, join_found, read_own
from tests.example.own.own_files import (
    QKV,
    WIDE,
    K,
    Q,
    V,
    archive,
    headed,
    named_lists,
    npy,
    npz,
)

EYE = npy(np.eye(3))
OBJECTS = np.array([[None, 1]], dtype=object)
FLOATS = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"


def refusal(content, **options):
    with pytest.raises(SettingError) as caught:
        choose_own(read_own(content, **options))
    return caught.value.reason, caught.value.values


@pytest.mark.parametrize(
    ("content", "reason", "values"),
    [
        ("", "own_nothing", {}),
        (" \n\t\n", "own_nothing", {}),
        ("hello", "own_nothing", {}),
        ("<script>alert(1)</script>", "own_nothing", {}),
        ("{}", "own_nothing", {}),
        ("[]", "own_nothing", {}),
        (npz(something=Q, other=K), "own_nothing", {}),
        ("Q\n1 2\n\nK\n3 4", "own_missing", {"found": "Q, K", "missing": "V"}),
        (
            npz(x=WIDE["x"], w_q=WIDE["w_q"]),
            "own_missing",
            {"found": "X, W_Q", "missing": "W_K, W_V"},
        ),
        ("A\n1 2\n3", "own_ragged", {"matrix": "A", "place": "2", "got": 1}),
        ("Q\n1 2\n3 x", "own_number", {"matrix": "Q", "got": "x", "place": "2, 2"}),
        ("Q\n1 <b>", "own_number", {"matrix": "Q", "got": "<b>", "place": "1, 2"}),
        ("1,2\n3,", "own_ragged", {"place": "2", "got": 1, "wanted": 2}),
        ("1,,2\n3,4,5", "own_number", {"got": "", "place": "1, 2"}),
        ("1 nan", "own_value", {"got": "nan", "place": "1, 2", "most": "1000000"}),
        ("1 2\n-1e7 3", "own_value", {"got": "-1e+07", "place": "2, 1"}),
        ('{"q": [[1, "cat"]]}', "own_number", {"got": "cat", "place": "1, 2"}),
        ('{"q": [[1]], "q": [[2]]}', "own_twice", {"matrix": "q"}),
        ('{"q": [[1, null]]}', "own_number", {"got": "None"}),
        ('{"q": [[1, [2]]]}', "own_number", {"got": "[2]"}),
        ('{"q": [[1], 2]}', "own_ragged", {"place": "2", "got": 0}),
        ('{"q": [[1e999]]}', "own_value", {"got": "inf"}),
        ('{"q": [[1' + "0" * 400 + "]]}", "own_value", {"got": "inf"}),
        ('{"q": [[1' + "0" * 5000 + "]]}", "own_json", {}),
        ('{"q": [[NaN]]}', "own_value", {"got": "nan"}),
        ('{"q": [[1, 2],\n [3', "own_json", {"row": 2, "column": 4}),
        ('{"q": ' + "[" * 100_000, "own_json", {}),
        ("[[1, 2], [3", "own_brackets", {"row": 1}),
        ("[[1, 2]\n]]", "own_brackets", {"row": 2}),
        ("[" * 7 + "1", "own_brackets", {"row": 1}),
        ("1 " * 64, "own_size", {"got": "1×64", "axis": "T_k", "most": 32}),
        ("1 " * 2000, "own_columns", {"row": 1}),
        ("1\n" * 33, "own_size", {"axis": "T_q", "most": 32}),
        ("1\n" * 20_001, "own_lines", {"got": 20_001}),
        ("[" + "1 " * 600_000 + "]", "own_pieces", {}),
        ("1 2\n\n" * 33, "own_size", {"axis": "H", "most": 32}),
        (npz(q=[Q] * 9), "own_size", {"axis": "H", "most": 8}),
        (npy(np.ones((65, 2, 3, 3))), "own_size", {"axis": "L", "most": 64}),
        (npy(np.ones((3, 2, 2, 2, 3, 3))), "own_axes", {"got": "3×2×2×2×3×3"}),
        (npy(np.ones((13, 5, 2, 3, 3))), "own_size", {"axis": "L·m", "most": 64}),
        ('{"x": [[[1], [2]], 3]}', "own_axes", {"wanted": "T_q×d"}),
        ('{"q": [[[[1]], [[2]]], 3]}', "own_axes", {"got": "2×2×1×1"}),
        ('{"q": []}', "own_axes", {"got": "0"}),
        ('{"q": [[]]}', "own_size", {"axis": "d_k"}),
        ("x" * (MAX_BYTES + 1), "own_large", {"most": MAX_BYTES}),
        (b"\0" * (MAX_BYTES + 1), "own_large", {}),
        (b"\xff\xfe1\x002", "own_encoding", {"place": 5}),
        ("1 2 的".encode("gbk"), "own_encoding", {"place": 5}),
        (pickle.dumps([1, 2]), "own_objects", {}),
        (npy(OBJECTS), "own_objects", {}),
        (npz(q=OBJECTS), "own_objects", {}),
        (npy(np.eye(3) * 1j), "own_kind", {"got": "complex128"}),
        (npy(np.array([["1"]])), "own_kind", {"got": "<U1"}),
        (npy(np.zeros(3, "f8,i4")), "own_npy", {}),
        (EYE[:-1], "own_cut", {"matrix": "A", "wanted": 72, "got": 71}),
        (EYE[:60], "own_npy", {}),
        (b"\x93NUMPY", "own_npy", {}),
        (headed(FLOATS % "(2, 3)"), "own_cut", {"wanted": 48, "got": 0}),
        (headed(FLOATS % "(1000000000, 9)"), "own_size", {"got": "10⁹…×9"}),
        (headed(FLOATS % ("(" + "9" * 5000 + ",)")), "own_npy", {}),
        (headed(FLOATS % "(-1, 3)"), "own_npy", {}),
        (headed(FLOATS.replace("f8", "f7") % "(1, 1)", b"\0" * 9), "own_npy", {}),
        (headed("__import__('os')"), "own_npy", {}),
        (npz(**QKV)[:-9], "own_archive", {}),
        (npz(**QKV)[:40] + npz(**QKV)[50:], "own_archive", {}),
        (b"PK\x03\x04" + b"\0" * 40, "own_archive", {}),
        (archive({"q.npy": EYE}, compression=zipfile.ZIP_BZIP2), "own_archive", {}),
        (archive({"q.npy": EYE}, compression=zipfile.ZIP_LZMA), "own_archive", {}),
        (archive({f"{i}": b"" for i in range(65)}), "own_entries", {"got": 65}),
        (archive({"q.npy": b"\0" * 10**8}), "own_unpacked", {"got": 10**8}),
        (archive({"q.npy": EYE, "Q.npy": EYE}), "own_twice", {"matrix": "Q"}),
        (
            npz(q=Q, k=K[:, :2], v=V),
            "own_disagree",
            {"matrix": "K", "other": "Q", "axis": "d_k", "got": 2, "wanted": 3},
        ),
        (npz(q=Q, k=K, v=V[:4]), "own_disagree", {"axis": "T_k", "got": 4}),
        (npz(q=[Q, Q], k=K, v=V), "own_disagree", {"axis": "H", "got": 1}),
        (
            npz(**{**WIDE, "w_o": WIDE["w_o"][:20]}),
            "own_disagree",
            {"matrix": "W_O", "other": "W_V", "axis": "H·d_v", "wanted": 22},
        ),
    ],
)
def test_the_sentence_is_about_what_is_wrong(content, reason, values):
    found, told = refusal(content)
    assert found == reason
    assert told.items() >= values.items()


NUMPY_ALL = "np.set_printoptions(threshold=np.inf)"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[[0.1 0.2 ... 0.3]\n ...\n [0.1 0.2 ... 0.3]]", NUMPY_ALL),
        ("[[0.1 0.2 0.3]\n ...\n [0.1 0.2 0.3]]", NUMPY_ALL),
        ("tensor([[0.1,  ..., 0.2]])", 'torch.set_printoptions(profile="full")'),
        ("tf.Tensor([[0.1 ... 0.2]], shape=(1, 9))", "tf.print(A, summarize=-1)"),
        ("Array([[0.1, ..., 0.2]], dtype=float32)", NUMPY_ALL),
        (
            '     [,1]\n[1,]  0.7\n [ reached getOption("max.print") ]',
            "options(max.print = 1e6)",
        ),
        (
            "      0  ...   99\n0   0.1  ...  0.4\n\n[1 rows x 100 columns]",
            'pd.set_option("display.max_rows", None, "display.max_columns", None)',
        ),
        (r"\begin{bmatrix} 0.7 & \cdots & 0.3 \end{bmatrix}", NUMPY_ALL),
    ],
)
def test_numbers_left_out_by_a_program_are_asked_for(text, line):
    assert refusal(text) == ("own_truncated", {"line": line})


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (archive({"archive/data.pkl": pickle.dumps([1])}), "PyTorch (.pt)"),
        (b"\x80\x02\x8a\x0alFc\x9c torch", "PyTorch (.pt)"),
        ((99).to_bytes(8, "little") + b'{"w_q":{"dtype":"F32"}}', "safetensors"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "MATLAB (.mat)"),
        (b"\x89HDF\r\n\x1a\n" + bytes(9), "HDF5 (.h5, .mat 7.3)"),
        (archive({"xl/workbook.xml": b"<workbook/>"}), "Excel (.xlsx)"),
        (b"PAR1" + bytes(9), "Parquet"),
    ],
)
def test_files_of_other_programs_are_named_with_the_line_that_converts_them(
    content, kind
):
    reason, values = refusal(content)
    assert (reason, values["kind"]) == ("own_foreign", kind)
    assert "FILE" in values["line"]


@pytest.mark.parametrize(
    "content",
    [
        headed(FLOATS % ("(" + "1, " * 3002 + ")"), bytes(8)),
        b"about," + b'"' * 140_000,
        "\\begin{array}" * 2000,
        "{" * 3000 + "1",
        "((" * 3000 + "1",
    ],
    ids=["axes", "about", "latex", "braces", "brackets"],
)
def test_what_no_reader_foresaw_is_a_sentence_too(content):
    assert refusal(content)[0].startswith("own_")


def test_a_size_in_an_archive_is_not_believed():
    honest = archive({"q.npy": b"\0" * 10**7})
    claimed = (10**7).to_bytes(4, "little")
    assert honest.count(claimed) == 2
    assert refusal(honest.replace(claimed, (99).to_bytes(4, "little"))) == (
        "own_archive",
        {},
    )


def test_an_encrypted_archive_is_refused():
    content = bytearray(archive({"q.npy": EYE}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(content)) == ("own_archive", {})


def test_two_files_with_one_matrix_are_refused():
    with pytest.raises(SettingError, match="own_twice"):
        join_found([read_own("Q\n1 2"), read_own(npy(Q), name="q")])


def test_other_numbers_of_heads_are_refused_with_both():
    content = named_lists({**WIDE, "w_k": WIDE["w_k"][:1]})
    reason, values = refusal(content)
    assert (reason, values["matrix"], values["axis"]) == ("own_disagree", "W_K", "H")
    assert (values["got"], values["wanted"]) == (1, 2)


PRINTED = (
    "Q = tensor([[0.5, 1.5],\n        [2.5, 3.5]], grad_fn=<MulBackward0>)",
    "     [,1] [,2]\n[1,]  0.7  0.3\n[2,]  0.1  0.9",
    "A(:,:,1) =\n\n  1.0e-03 *\n\n   0.7  0.3\n\n  Column 3\n\n   0.1\n",
    r"W_Q = \begin{bmatrix} \frac{1}{2} & 0{,}5 \\ 1 & 2 \end{bmatrix}",
    "| | the |\n|---|---|\n| the | 0,7 |",
)
SEEDS = [
    npz(**QKV),
    EYE,
    named_lists(WIDE).encode(),
    b"Q\n1,2\n3,4\n\nK\n5,6\n",
    *(text.encode() for text in PRINTED),
]
CUTS = st.tuples(st.integers(0, 4000), st.integers(0, 40), st.binary(max_size=8))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(SEEDS), st.lists(CUTS, min_size=1, max_size=6))
@example(b"", [(0, 0, b"\xff")])
@example(b'A\n"' + b"x" * 131_073 + b'",1', [(0, 0, b"")])
def test_mangled_files_are_read_or_refused_and_nothing_else(seed, cuts):
    content = seed
    for start, length, put in cuts:
        content = content[:start] + put + content[start + length :]
    with suppress(SettingError):
        assert choose_own(read_own(content)).fixed.sizes.n_queries <= 32


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_text_and_any_bytes_are_read_or_refused(content):
    with suppress(SettingError):
        assert read_own(content) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["q", "k", "matrices", "values"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(["q", "a", "matrices", "labels"]), JSON))
def test_any_json_is_read_or_refused(document):
    with suppress(SettingError):
        assert read_own(json.dumps(document)) is not None
