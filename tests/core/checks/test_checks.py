"""Checks of attention and Layer Normalization: right results pass, wrong ones fail."""

import math

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.attention.weights import SoftmaxTrace
from attnviz.core.checks import Check, check_attention, check_layer_norm
from attnviz.core.checks._measures import differences, worst
from attnviz.core.checks._rounding import type_precision
from attnviz.core.errors import MaskError, ShapeError
from attnviz.core.layers.norms import layer_norm

IDS = (
    "row_sums",
    "hidden_weights",
    "constant_values",
    "visible_keys",
    "divisor",
    "max_subtracted",
    "score_table",
    "loop",
)


def primes(dtype="float64"):
    """Draw samples, heads, queries, keys, d_k and d_v of sizes no other axis has."""
    rng = np.random.default_rng(3)
    shapes = {"q": (2, 3, 5, 11), "k": (2, 3, 7, 11), "v": (2, 3, 7, 13)}
    return {
        name: rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items()
    }


def named(checks):
    return {check.id: check for check in checks}


def verdicts(checks):
    return {check.id: check.verdict for check in checks}


def test_checks_come_in_the_order_of_the_chapter():
    assert tuple(check.id for check in check_attention(**primes())) == IDS


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_core_passes_its_own_checks(dtype):
    checks = check_attention(**primes(dtype), visible=causal_mask(5, 7))
    assert set(verdicts(checks).values()) == {"pass"}


def test_any_leading_axes_are_checked():
    parts = {name: part[0, 0] for name, part in primes().items()}
    assert named(check_attention(**parts))["score_table"].measured == 35
    deep = {name: part[None] for name, part in primes().items()}
    assert named(check_attention(**deep))["score_table"].measured == 210


def test_measured_numbers_of_a_right_result():
    valid = np.array([True, True, True, False, True, True, True])
    visible = causal_mask(5, 7) & padding_mask(valid)
    found = named(check_attention(**primes(), visible=visible))
    assert found["visible_keys"].measured == 3
    assert found["divisor"].measured == pytest.approx(math.sqrt(11))
    assert found["score_table"].measured == 2 * 3 * 5 * 7
    assert found["hidden_weights"] == Check("hidden_weights", "pass", 0.0, 0.0, None)
    assert found["row_sums"].tolerance == 1e-12


def test_row_sums_name_the_row_that_is_off():
    weights = attend(**primes()).weights.copy()
    weights[1, 2, 3, 4] += 0.25
    check = named(check_attention(**primes(), weights=weights))["row_sums"]
    assert (check.verdict, check.where) == ("fail", (1, 2, 3))
    assert check.measured == pytest.approx(0.25)


def test_hidden_weights_must_be_exactly_zero():
    visible = causal_mask(5, 7)
    weights = attend(**primes(), visible=visible).weights.copy()
    weights[1, 2, 0, 6] = 1e-300
    found = named(check_attention(**primes(), weights=weights, visible=visible))
    check = found["hidden_weights"]
    assert (check.verdict, check.measured) == ("fail", 1e-300)
    assert check.where == (1, 2, 0, 6)


def test_a_bias_of_minus_infinity_hides_too():
    bias = np.zeros((5, 7))
    bias[2, 4] = -np.inf
    weights = attend(**primes()).weights
    check = named(check_attention(**primes(), weights=weights, bias=bias))
    assert check["hidden_weights"].where[-2:] == (2, 4)


def test_constant_values_must_come_out_again():
    weights = 1.5 * attend(**primes()).weights
    check = named(check_attention(**primes(), weights=weights))["constant_values"]
    assert check.verdict == "fail"
    assert check.measured == pytest.approx(0.5)


def test_an_empty_valid_row_is_a_failure_not_an_exception():
    visible = causal_mask(5, 7).copy()
    visible[3] = False
    found = named(check_attention(**primes(), visible=visible))
    assert found["visible_keys"] == Check("visible_keys", "fail", 0, None, (0, 0, 3))
    assert found["row_sums"].verdict == "pass"


def test_a_padding_query_needs_no_key():
    visible = causal_mask(5, 7).copy()
    visible[3] = False
    valid = np.array([True, True, True, False, True])
    checks = check_attention(**primes(), visible=visible, query_valid=valid)
    assert set(verdicts(checks).values()) == {"pass"}


def test_padding_queries_alone_see_nothing_to_count():
    checks = check_attention(**primes(), query_valid=np.zeros(5, dtype=bool))
    assert named(checks)["visible_keys"].verdict == "not applicable"


def test_numbers_in_a_padding_query_are_a_convention():
    weights = attend(**primes()).weights
    valid = np.array([True, True, True, False, True])
    found = verdicts(check_attention(**primes(), weights=weights, query_valid=valid))
    assert found["loop"] == "convention"
    assert "fail" not in found.values()


@pytest.mark.parametrize("factor", [1.0, 0.25, 4.0])
def test_a_divisor_that_was_asked_for_is_a_convention(factor):
    weights = attend(**primes(), scale=factor).weights
    check = named(check_attention(**primes(), weights=weights, scale=factor))
    assert check["divisor"].verdict == "convention"
    assert check["divisor"].measured == pytest.approx(1 / factor)


def test_a_divisor_nobody_asked_for_fails():
    weights = attend(**primes(), scale=1.0).weights
    check = named(check_attention(**primes(), weights=weights))["divisor"]
    assert check.verdict == "fail"
    assert check.measured == pytest.approx(1.0)


def test_the_usual_divisor_fails_where_another_was_asked_for():
    weights = attend(**primes()).weights
    check = named(check_attention(**primes(), weights=weights, scale=1.0))["divisor"]
    assert check.verdict == "fail"
    assert check.measured == pytest.approx(math.sqrt(11))


def test_the_usual_scale_spelled_out_passes():
    check = named(check_attention(**primes(), scale=11**-0.5))["divisor"]
    assert check.verdict == "pass"


def test_a_bias_does_not_disturb_the_divisor():
    bias = np.linspace(-1, 1, 35).reshape(5, 7)
    assert named(check_attention(**primes(), bias=bias))["divisor"].verdict == "pass"


def test_a_nan_beside_does_not_hide_the_divisor():
    arrays, visible = primes(), np.ones((5, 7), dtype=bool)
    visible[:4, 2] = False
    weights = attend(**arrays, visible=visible, scale=1.0).weights
    arrays["k"][..., 2, 0] = np.nan
    found = named(check_attention(**arrays, weights=weights, visible=visible))
    check = found["divisor"]
    assert (check.verdict, check.measured) == ("fail", pytest.approx(1.0))
    assert math.isfinite(check.tolerance)


def test_weights_that_ignore_the_scores_have_no_finite_divisor():
    weights = np.full((2, 3, 5, 7), 1 / 7)
    check = named(check_attention(**primes(), weights=weights))["divisor"]
    assert (check.verdict, check.measured) == ("fail", math.inf)


def test_a_scale_of_zero_asks_for_just_that():
    check = named(check_attention(**primes(), scale=0.0))["divisor"]
    assert (check.verdict, check.measured) == ("convention", math.inf)


@pytest.mark.parametrize(
    "options",
    [
        {"visible": np.eye(5, 7, dtype=bool)},
        {"q": np.zeros((2, 3, 5, 11))},
        {"q": np.full((2, 3, 5, 11), 1e-13)},
        {"softcap": 2.0},
    ],
)
def test_the_divisor_needs_scores_that_differ(options):
    checks = check_attention(**(primes() | options))
    assert named(checks)["divisor"].verdict == "not applicable"


def test_what_is_no_softmax_of_scores_has_no_divisor():
    rng = np.random.default_rng(5)
    weights = rng.dirichlet(np.ones(7), size=(2, 3, 5))
    found = verdicts(check_attention(**primes(), weights=weights))
    assert found["divisor"] == "not applicable"
    assert found["loop"] == "fail"


def test_rounded_weights_have_no_exact_divisor():
    weights = attend(**primes()).weights.round(9)
    check = named(check_attention(**primes(), weights=weights))["divisor"]
    assert check.verdict == "not applicable"


def test_a_core_that_forgot_the_maximum_would_fail(monkeypatch):
    def forgetful(masked):
        parts = np.exp(masked)
        total = parts.sum(axis=-1, keepdims=True)
        return SoftmaxTrace(masked, np.zeros_like(total), parts, total, parts / total)

    monkeypatch.setattr(
        "attnviz.core.attention.scaled_dot_product.softmax_stages", forgetful
    )
    found = verdicts(check_attention(**primes()))
    assert found["max_subtracted"] == "fail"
    assert found["row_sums"] == found["loop"] == "pass"


def test_the_maximum_is_tried_on_weights_of_the_core_only():
    weights = attend(**primes()).weights
    own = named(check_attention(**primes(), weights=weights))
    almost = named(check_attention(**primes(), weights=weights * (1 + 1e-15)))
    assert own["max_subtracted"].verdict == "pass"
    assert almost["max_subtracted"].verdict == "not applicable"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_overflowed_fail(bad):
    weights = attend(**primes()).weights.copy()
    weights[1, 0, 2, 3] = bad
    check = named(check_attention(**primes(), weights=weights))["max_subtracted"]
    assert (check.verdict, check.where) == ("fail", (1, 0, 2, 3))


def test_weights_of_another_shape_fail_where_the_table_is_counted():
    weights = attend(**primes()).weights.mean(axis=1)
    found = verdicts(check_attention(**primes(), weights=weights))
    assert found["score_table"] == "fail"
    assert found["row_sums"] == found["divisor"] == "not applicable"
    assert found["loop"] == "pass"


def test_the_loop_looks_at_weights_and_context():
    trace = attend(**primes())
    weights, context = trace.weights.copy(), trace.context.copy()
    weights[0, 1, 2, 3] += 1e-6
    context[1, 2, 4, 5] += 1e-6
    by_weights = named(check_attention(**primes(), weights=weights))["loop"]
    by_context = named(check_attention(**primes(), context=context))["loop"]
    assert (by_weights.verdict, by_weights.where) == ("fail", (0, 1, 2))
    assert (by_context.verdict, by_context.where) == ("fail", (1, 2, 4))


def test_the_loop_agrees_with_every_option_at_once():
    rng = np.random.default_rng(7)
    checks = check_attention(
        **primes(),
        visible=causal_mask(5, 7),
        query_valid=np.array([True, False, True, True, True]),
        scale=0.7,
        bias=rng.standard_normal((3, 5, 7)),
        softcap=1.3,
    )
    assert named(checks)["loop"].verdict == "pass"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scale", [1e4, 1e-4])
def test_scores_of_any_size_pass(scale, dtype):
    checks = check_attention(**primes(dtype), scale=scale)
    assert "fail" not in verdicts(checks).values()


def test_digits_lost_to_large_scores_are_no_mistake():
    q = np.array([[1000.1]], dtype=np.float32)
    k = np.array([[1000.3], [1000.3001]], dtype=np.float32)
    check = named(check_attention(q, k, np.ones_like(k)))["loop"]
    assert check.verdict == "pass"
    assert check.measured > 1e-5


def test_large_scores_do_not_excuse_a_wrong_scale():
    parts = primes("float32")
    weights = attend(**parts, scale=50.0).weights
    check = named(check_attention(**parts, weights=weights, scale=100.0))["loop"]
    assert check.verdict == "fail"


def test_values_of_any_size_pass():
    parts = primes("float32")
    parts["v"] = parts["v"] * np.float32(1e6)
    assert "fail" not in verdicts(check_attention(**parts)).values()


def test_a_hidden_nan_hurts_nobody():
    parts = primes()
    parts["k"][0, 0, 6], parts["v"][0, 0, 6] = np.nan, np.inf
    visible = padding_mask(np.arange(7) < 6)
    assert "fail" not in verdicts(check_attention(**parts, visible=visible)).values()


def test_a_context_of_another_shape_is_named():
    message = r"`context` needs shape .* = \(2, 3, 5, 13\); got \(2, 3, 5, 7\)"
    with pytest.raises(ShapeError, match=message):
        check_attention(**primes(), context=np.zeros((2, 3, 5, 7)))


def test_arguments_that_disagree_are_named():
    with pytest.raises(ShapeError, match="`v` needs shape"):
        check_attention(**(primes() | {"v": np.zeros((2, 3, 6, 13))}))


def test_a_mask_that_leaves_an_axis_to_be_guessed_is_refused():
    with pytest.raises(MaskError, match="`visible` needs shape"):
        check_attention(**primes(), visible=np.ones((2, 5, 7), dtype=bool))


def test_results_that_are_no_numbers_are_refused():
    with pytest.raises(ShapeError, match="`weights` needs real numbers"):
        check_attention(**primes(), weights=[["a"]])


# Layer Normalization

X = np.random.default_rng(11).standard_normal((2, 5, 7)) + 3
GAMMA, BETA = np.linspace(-1, 2, 7) + 0.1, np.linspace(3, -1, 7)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_right_layer_norm_passes(dtype):
    output = layer_norm(X.astype(dtype), gamma=GAMMA, beta=BETA).output
    checks = check_layer_norm(X.astype(dtype), output, gamma=GAMMA, beta=BETA)
    assert verdicts(checks) == dict.fromkeys(
        ("mean", "mean_square", "own_position", "loop"), "pass"
    )


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.1, 10.0])
def test_the_mean_square_is_expected_below_one(eps):
    output = layer_norm(X, eps=eps).output
    checks = check_layer_norm(X, output, eps=eps)
    assert set(verdicts(checks).values()) == {"pass"}


def test_another_mean_is_measured():
    checks = named(check_layer_norm(X, layer_norm(X).output + 0.25))
    assert checks["mean"].verdict == "fail"
    assert checks["mean"].measured == pytest.approx(0.25)
    assert checks["own_position"].verdict == "pass"


def test_another_spread_is_measured():
    checks = named(check_layer_norm(X, 2 * layer_norm(X, eps=1e-9).output, eps=1e-9))
    assert checks["mean_square"].measured == pytest.approx(3)
    assert checks["mean"].verdict == checks["own_position"].verdict == "pass"


def test_what_comes_from_another_position_is_found():
    output = layer_norm(X).output.copy()
    output[1, 3] = output[1, 2]
    check = named(check_layer_norm(X, output))["own_position"]
    assert (check.verdict, check.where[:2]) == ("fail", (1, 3))


def test_a_gamma_of_zero_cannot_be_undone():
    gamma = GAMMA.copy()
    gamma[2] = 0
    output = layer_norm(X, gamma=gamma).output
    found = verdicts(check_layer_norm(X, output, gamma=gamma))
    assert found == {
        "mean": "not applicable",
        "mean_square": "not applicable",
        "own_position": "not applicable",
        "loop": "pass",
    }


def test_a_constant_position_gives_beta():
    checks = check_layer_norm(
        np.full((3, 4), 2.0), np.tile(BETA[:4], (3, 1)), beta=BETA[:4]
    )
    assert set(verdicts(checks).values()) == {"pass"}


def test_a_mean_large_against_the_spread_is_no_mistake():
    x = X.astype(np.float32) + 1e4
    checks = check_layer_norm(x, layer_norm(x).output)
    assert set(verdicts(checks).values()) == {"pass"}


@pytest.mark.parametrize(("gamma", "beta"), [(1e-4, 3.0), (1e5, 0.0), (1.0, 1e5)])
def test_gamma_and_beta_of_any_size_pass(gamma, beta):
    x = X.astype(np.float32)
    parameters = {"gamma": np.full(7, gamma), "beta": np.full(7, beta)}
    output = layer_norm(x, **parameters).output
    checks = check_layer_norm(x, output, **parameters)
    assert set(verdicts(checks).values()) == {"pass"}


def test_nan_in_the_output_fails():
    output = layer_norm(X).output.copy()
    output[0, 4, 6] = np.nan
    checks = named(check_layer_norm(X, output))
    assert checks["loop"] == Check(
        "loop", "fail", math.inf, checks["loop"].tolerance, (0, 4, 6)
    )


def test_an_output_of_another_shape_is_named():
    with pytest.raises(ShapeError, match=r"`output` needs the shape of `x`, \(2, 5, 7"):
        check_layer_norm(X, X[0])


# Parts


def test_the_worst_deviation_is_the_one_that_exceeds_its_tolerance_most():
    check = worst("demo", np.array([0.5, -0.4]), [1.0, 0.1])
    assert check == Check("demo", "fail", 0.4, 0.1, (1,))


def test_nothing_to_judge_passes():
    assert worst("demo", np.zeros((0, 3)), 0).verdict == "pass"


def test_equal_infinities_and_nans_are_no_difference():
    left = np.array([np.nan, np.inf, np.inf, 1.0, np.nan])
    right = np.array([np.nan, np.inf, -np.inf, 3.0, 0.0])
    np.testing.assert_array_equal(differences(left, right), [0, 0, np.inf, 2, np.inf])


def test_the_least_precise_array_sets_the_tolerance():
    half, single, double = (np.zeros(1, f"float{bits}") for bits in (16, 32, 64))
    assert type_precision(double).tolerance == 1e-12
    assert type_precision(double, single, None).tolerance == 1e-5
    assert type_precision(half, double).tolerance == 4e-3
