"""The matrices of a multi-head layer: sizes, types, copies."""

import dataclasses

import numpy as np
import pytest

from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.errors import ShapeError
from tests.core.attention.multi_head_arrays import ARRAYS, LAYER


def test_parameters_do_not_follow_later_changes():
    given = {name: array.copy() for name, array in ARRAYS.items()}
    layer = MultiHeadParameters(**given)
    given["w_q"][...] = 0
    np.testing.assert_array_equal(layer.w_q, ARRAYS["w_q"])


def test_parameters_may_be_lists_of_whole_numbers():
    one = [[[1]]]
    layer = MultiHeadParameters(one, one, one, [[2]])
    assert multi_head_attend([[3]], parameters=layer).output.tolist() == [[6]]


def test_parameters_get_one_floating_type():
    layer = dataclasses.replace(LAYER, w_o=ARRAYS["w_o"].astype("float32"))
    assert layer.w_o.dtype == np.float64


def test_parameters_count_their_heads():
    assert (LAYER.n_heads, LAYER.n_kv_heads) == (6, 3)


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("w_q", (7, 5), r"`w_q` needs shape \(H, d, d_k or d_v\)"),
        ("w_q", (0, 7, 5), r"`w_q` needs .*, each at least 1; got \(0, 7, 5\)"),
        ("w_k", (0, 7, 5), r"`w_k` needs .*, each at least 1; got \(0, 7, 5\)"),
        ("w_k", (3, 13, 5), r"`w_k` needs shape .* with d=7 \(from `w_q`\)"),
        ("w_k", (3, 7, 13), r"`w_k` needs shape .* with d_k=5 \(from `w_q`\)"),
        ("w_v", (3, 13, 11), r"`w_v` needs shape .* with d=7 \(from `w_q`\)"),
        ("w_k", (4, 7, 5), r"one number of heads that divides H=6; got 4 and 3"),
        ("w_v", (2, 7, 11), r"one number of heads that divides H=6; got 3 and 2"),
        ("w_o", (66, 13), r"`w_o` needs shape \(66, 7\) for H=6, d=7, d_k=5, d_v=11"),
        ("w_o", (33, 7), r"`w_o` needs shape \(66, 7\)"),
        ("w_o", (), r"`w_o` needs shape \(66, 7\)"),
        ("b_q", (3, 5), r"`b_q` needs shape \(6, 5\)"),
        ("b_k", (6, 5), r"`b_k` needs shape \(3, 5\)"),
        ("b_v", (3, 5), r"`b_v` needs shape \(3, 11\)"),
        ("b_o", (1, 7), r"`b_o` needs shape \(7,\)"),
    ],
)
def test_parameters_that_disagree_are_refused(name, shape, message):
    with pytest.raises(ShapeError, match=f"MultiHeadParameters: .*{message}"):
        MultiHeadParameters(**(ARRAYS | {name: np.ones(shape)}))
