"""The Scaling lab's numbers come out as the chapter has them."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import softmax, softmax_jacobian_norm
from attnviz.core.errors import SettingError
from attnviz.example.scaling.compute import compute_scaling
from attnviz.example.scaling.draws import draw_scores, drawn, sequences
from attnviz.example.scaling.settings import SIZES, Scaling

SMALL = Scaling(d_k=4, keys=7, n_drawn=250)
# Course chapter, R36: T_k = 16, 2000 rows, d_k = 1, 4, 16, 64, 256, 1024.
LARGEST = [
    [0.211, 0.429, 0.689, 0.845, 0.918, 0.961],
    [0.211, 0.236, 0.244, 0.246, 0.249, 0.247],
]
NORM = [
    [0.284, 0.322, 0.276, 0.176, 0.105, 0.053],
    [0.284, 0.297, 0.303, 0.305, 0.306, 0.306],
]


@pytest.mark.parametrize(("field", "known"), [("largest", LARGEST), ("norm", NORM)])
def test_the_table_of_the_chapter_lies_within_two_standard_errors(field, known):
    measured = getattr(draw_scores(drawn(Scaling())), field)
    gaps = np.abs(measured.mean[:2, ::2] - known)
    # The chapter's numbers are rounded to three decimals.
    assert (gaps <= 2 * measured.error[:2, ::2] + 0.0005).all()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"correlation": 0.5},
        {"mean": 1.0},
        {"correlation": 0.25, "mean": 0.5},
        {"law": "inverse", "width": 64},
        {"law": "unit", "width": 64},
    ],
)
def test_scores_spread_as_theory_says(changes):
    trace = compute_scaling(replace(Scaling(), **changes))
    deviation, theory = float(trace.deviation.mean), trace.theory.variance**0.5
    assert deviation == pytest.approx(theory, rel=0.06)


def test_a_larger_key_more_rows_and_more_keys_keep_what_is_there():
    of = drawn(SMALL)
    (q,), (k,) = sequences(of, [3])
    (longer,), _ = sequences(of._replace(keys=11), [3])
    np.testing.assert_array_equal(longer[:7], q)
    raw = draw_scores(of).raw
    np.testing.assert_allclose(raw[2, 3], q[:, :4] @ k[:, :4].T, rtol=1e-5, atol=1e-6)
    more = draw_scores(of._replace(rows=500)).raw
    np.testing.assert_array_equal(more[:, : raw.shape[1]], raw)


def test_the_row_shown_is_one_of_those_drawn():
    trace = compute_scaling(replace(SMALL, row=19))
    assert trace.row == 18
    raw = trace.raw[18 // 7, 18 % 7]
    np.testing.assert_allclose(trace.matrices["row_raw"][0], raw, rtol=1e-5, atol=1e-6)


def test_statistics_are_those_of_the_weights_of_all_rows():
    trace = compute_scaling(SMALL)
    weights = softmax(trace.raw.astype(float) / 2)
    norm = np.linalg.norm
    jacobians = [np.diag(a) - np.outer(a, a) for a in weights.reshape(-1, 7)]
    entropy = -(weights * np.log(weights)).sum(-1).mean()
    assert trace.means.largest[1] == pytest.approx(weights.max(-1).mean(), rel=1e-5)
    assert trace.means.entropy[1] == pytest.approx(entropy, rel=1e-5)
    assert trace.means.norm[1] == pytest.approx(np.mean([norm(j) for j in jacobians]))
    assert trace.own.norm[1] == softmax_jacobian_norm(trace.matrices["shares"][1])


def test_one_setting_changes_one_thing():
    trace, other = compute_scaling(SMALL), compute_scaling(replace(SMALL, loss="mean"))
    np.testing.assert_array_equal(other.raw, trace.raw)
    np.testing.assert_array_equal(other.scaled.attention.q, trace.scaled.attention.q)
    assert (trace.scaled.d_context != other.scaled.d_context).any()


def test_both_sides_of_the_gradient_differ_by_the_scale_alone():
    trace = compute_scaling(replace(SMALL, gradient_size=9))
    scaled, unscaled = trace.scaled, trace.unscaled
    assert (scaled.attention.scale, unscaled.attention.scale) == (1 / 3, 1)
    np.testing.assert_array_equal(scaled.attention.v, unscaled.attention.v)
    np.testing.assert_array_equal(scaled.d_context, unscaled.d_context)


def test_the_wrong_divisor_is_that_of_the_whole_model():
    assert Scaling(d_k=2, width=8).divisors == (1, 2**0.5, 2, 8**0.5)
    assert Scaling(d_k=16, other="power", power=0.25).divisors[3] == 2


@pytest.mark.parametrize(
    "wrong", [{"d_k": 3}, {"keys": 1}, {"correlation": 0.95}, {"law": "other"}]
)
def test_what_cannot_be_shown_is_refused(wrong):
    with pytest.raises(SettingError):
        Scaling(**wrong)


def test_sizes_are_those_of_the_curves():
    assert (SIZES[0], SIZES[-1], len(SIZES)) == (1, 1024, 11)
