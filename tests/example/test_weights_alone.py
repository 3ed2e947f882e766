"""Weights alone: only what can be said of them is said."""

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.example.checks import check_example
from attnviz.example.comparison import compare
from attnviz.example.compute import compute
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.weights_alone import WeightsTrace, compute_shown
from attnviz.export.formats import as_csv, as_json, as_npz
from tests.example.own.own_files import npz
from tests.pages.cases import attention_data

WEIGHTS = np.array([[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]], [[1, 0, 0], [0, 0.5, 0.5]]])


def trace_of(weights):
    found = read_own(npz(a=weights))
    return compute_shown(own_example(choose_own(found), found.settings))


def sums(weights):
    return check_example(trace_of(weights))[0]


def test_weights_are_shown_as_they_are():
    trace = trace_of(WEIGHTS)
    np.testing.assert_array_equal(trace.weights, WEIGHTS)
    np.testing.assert_array_equal(trace.weight_sum, [[[1], [1]], [[1], [1]]])
    assert trace.tokens == ("x₁", "x₂")
    assert trace.key_tokens == ("y₁", "y₂", "y₃")
    assert trace.n_heads == 2


def test_nothing_else_can_be_computed_from_weights():
    with pytest.raises(SettingError, match="own_weights_alone"):
        compute(trace_of(WEIGHTS).example)


def test_an_example_with_scores_is_computed_as_ever():
    assert compute_shown(Example()) is compute(Example())


def test_only_what_weights_tell_of_themselves_is_checked():
    checks = check_example(trace_of(WEIGHTS))
    told = [check for check in checks if check.verdict != "not applicable"]
    assert [(one.id, one.verdict, one.measured) for one in told] == [
        ("row_sums", "pass", 0),
        ("visible_keys", "pass", 1),
    ]
    of_an_example = check_example(compute(Example()))
    assert [one.id for one in checks] == [one.id for one in of_an_example]


def test_a_query_without_any_weight_saw_no_key():
    check = {one.id: one for one in check_example(trace_of([[1, 0], [0, 0]]))}
    assert check["visible_keys"].verdict == "fail"
    assert check["visible_keys"].where == (0, 1)


@pytest.mark.parametrize(
    ("row", "verdict", "measured"),
    [
        ([0.5, 0.4], "fail", 0.1),
        ([0.3333, 0.3333, 0.3333], "pass", 0.0001),
        ([0.33, 0.33, 0.33], "fail", 0.01),
        ([2.0, -1.0], "fail", 1),
        ([1.25, -0.25], "fail", 0.25),
        ([0.5, 0.5 + 1e-9], "fail", 1e-9),
        (np.float16([1 / 3, 1 / 3, 1 / 3]), "pass", 0.000244140625),
        (np.float32([1 / 3, 1 / 3, 1 / 3]), "pass", 2.9802322387695312e-08),
    ],
)
def test_a_sum_may_miss_1_by_what_rounding_took(row, verdict, measured):
    check = sums([row])
    assert check.verdict == verdict
    assert check.measured == pytest.approx(measured, rel=1e-6)


def test_the_worst_row_is_named():
    check = sums([[0.5, 0.5], [0.9, 0.3], [1, 0.1]])
    assert (check.verdict, check.where) == ("fail", (0, 1))


def test_weights_are_given_and_their_sum_is_derived():
    trace = trace_of(WEIGHTS)
    assert derive(trace, "weights", (0, 1, 1)).operation == "given"
    work = derive(trace, "weight_sum", (0, 1, 0))
    assert [term.value for term in work.terms] == [0.1, 0.8, 0.1]
    assert replay(work) == trace.weight_sum[0, 1, 0]


def test_weights_are_compared_with_weights():
    pairs = compare(
        compute(Example(length=2, key_length=3)), trace_of(WEIGHTS), 1
    ).pairs
    assert pairs.keys() == {"weights"}
    np.testing.assert_array_equal(pairs["weights"].after, WEIGHTS[1])


@pytest.mark.parametrize("write", [as_json, as_npz, as_csv])
def test_an_export_of_weights_comes_back(write):
    trace = trace_of(WEIGHTS)
    found = read_own(write(attention_data(trace)))
    back = compute_shown(own_example(choose_own(found), found.settings))
    assert isinstance(back, WeightsTrace)
    np.testing.assert_array_equal(back.weights, WEIGHTS)
