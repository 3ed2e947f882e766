"""Right code is never wrong in any precision, and wrong code is found at any size."""

import itertools

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.checks import check_attention, check_layer_norm
from attnviz.core.checks._rounding import digits_precision, lost_in_print
from attnviz.core.checks.case import attention_case
from attnviz.core.diagnosis import diagnose_attention, diagnose_layer_norm
from attnviz.core.faults import FAULTS
from attnviz.core.layers.norms import layer_norm

SIZES = (1e-6, 1e-3, 1.0, 1e3)
DECIMALS = (None, 2, 3, 4, 6)


def brain(x):
    """Round to bfloat16, the upper half of a single, ties to even."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    even = (bits >> 16) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + even) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32)


ROUND = {
    "float16": lambda x: np.asarray(x, dtype=np.float16),
    "bfloat16": brain,
    "float32": lambda x: np.asarray(x, dtype=np.float32),
    "float64": lambda x: np.asarray(x, dtype=np.float64),
}
UNIT = {"float16": 2**-11, "bfloat16": 2**-8, "float32": 2**-24, "float64": 2**-53}


def plain(q, k, v, rounded, *, visible, bias=None, softcap=None):
    """Attend in few steps, each rounded."""
    scores = rounded(rounded(q @ np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1]))
    if softcap is not None:
        scores = rounded(softcap * rounded(np.tanh(rounded(scores / softcap))))
    if bias is not None:
        scores = rounded(scores + rounded(bias))
    scores = rounded(np.where(visible, scores, -np.inf))
    parts = rounded(np.exp(rounded(scores - scores.max(axis=-1, keepdims=True))))
    weights = rounded(parts / rounded(parts.sum(axis=-1, keepdims=True)))
    return weights, rounded(weights @ v)


def plain_norm(x, gamma, beta, rounded):
    """Normalize in few steps, each rounded."""
    centred = rounded(x - rounded(x.mean(axis=-1, keepdims=True)))
    variance = rounded(np.square(centred.astype(np.float64)).mean(-1, keepdims=True))
    root = rounded(np.sqrt(rounded(variance + rounded(1e-5))))
    return rounded(rounded(gamma * rounded(centred / root)) + beta)


def printed(array, decimals):
    return array if decimals is None else array.astype(np.float64).round(decimals)


def options(rng, large):
    """Give masks and biases of the usual kinds."""
    distance = np.abs(np.subtract.outer(np.arange(5), np.arange(6)))
    hiding = np.where(rng.random((5, 6)) < 0.3, -large, 0.0)
    hiding[:, 0] = 0
    yield {}
    yield {"bias": hiding}
    yield {"bias": -1.0 * distance, "softcap": 30.0}
    yield {"softcap": 2.0}


@pytest.mark.parametrize("name", ROUND)
def test_right_attention_is_right_in_any_precision_size_and_print(name):
    rng, rounded = np.random.default_rng(41), ROUND[name]
    visible = causal_mask(5, 6)
    large = 1e4 if name == "float16" else 1e9
    for size, scores, option in itertools.product(
        SIZES, (1e-3, 1.0, 30.0), options(rng, large)
    ):
        q, k, v = (
            rounded(factor * rng.standard_normal((2, length, 8)))
            for factor, length in ((scores, 5), (1, 6), (size, 6))
        )
        arguments = {"q": q, "k": k, "v": v, "visible": visible, **option}
        results = plain(q, k, v, rounded, visible=visible, **option)
        for decimals in DECIMALS:
            weights, context = (printed(part, decimals) for part in results)
            given = {"weights": weights, "context": context if context.any() else None}
            found = diagnose_attention(**arguments, **given)
            assert found.verdict == "right", (size, scores, option, decimals)


@pytest.mark.parametrize("name", ROUND)
def test_a_right_norm_is_right_in_any_precision_size_and_print(name):
    rng, rounded = np.random.default_rng(43), ROUND[name]
    for size, shift, decimals in itertools.product(SIZES, (0, 3, 100), DECIMALS):
        x = rounded(shift + rng.standard_normal((3, 8)))
        gamma, beta = (rounded(size * rng.standard_normal(8)) for _ in range(2))
        output = printed(plain_norm(x, gamma, beta, rounded), decimals)
        if output.any():
            found = diagnose_layer_norm(x, output, gamma=gamma, beta=beta)
            assert found.verdict == "right", (size, shift, decimals)


CASES = [
    ((2, 3), {"visible": causal_mask(5)}),
    ((3,), {"visible": np.broadcast_to(np.arange(5) < 4, (5, 5)), "scale": 1.0}),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_mistake_beyond_rounding_is_found_at_any_size_of_the_values(dtype, size):
    rng = np.random.default_rng(47)
    # Half precision has few numbers below 2⁻¹⁴ left.
    steps = 2.0**-24 / size if dtype == "float16" else 0
    for leading, option in CASES:
        q, k, v = (
            (factor * rng.standard_normal((*leading, 5, 8))).astype(dtype)
            for factor in (1, 1, size)
        )
        case = attention_case(q, k, v, **option)
        for fault, variant in attention_variants():
            with np.errstate(all="ignore"):
                made = variant.run(case)
            if made is None:
                continue
            context = np.asarray(made.context, dtype=dtype)
            gap = np.abs(context - case.answer.context.astype(np.float64)).max()
            if gap / np.abs(v).max() > 100 * UNIT[dtype] + 4 * steps:
                found = diagnose_attention(q, k, v, **option, context=context)
                assert found.verdict != "right", (fault.id, variant.name)
                assert variant.convention or found.verdict == "wrong"


def attention_variants():
    for fault in FAULTS:
        for variant in fault.variants:
            if variant.subject == "attention":
                yield fault, variant


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_mistake_of_a_norm_is_found_at_any_size_of_its_parameters(dtype, size):
    rng = np.random.default_rng(53)
    x = (1 + rng.standard_normal((2, 5, 7))).astype(dtype)
    gamma, beta = (size * rng.standard_normal(7).astype(dtype) for _ in range(2))
    trace = layer_norm(x, gamma=gamma, beta=beta)
    for variant in (v for f in FAULTS for v in f.variants if v.subject == "layer_norm"):
        made = np.asarray(variant.run(trace), dtype=dtype)
        if np.abs(made - trace.output).max() > 1000 * UNIT[dtype] * size:
            found = diagnose_layer_norm(x, made, gamma=gamma, beta=beta)
            assert found.verdict == ("convention" if variant.convention else "wrong")


# Large products that cancel


def test_products_that_cancel_lose_digits_and_nothing_else():
    q = np.float32([[1000, 0.3, -1000], [1000, -0.2, -1000]])
    k = np.float32([[1000, 0.7, 1000], [1000, 1.1, 1000], [1000, -0.9, 1000]])
    v = np.float32([[1], [2], [3]])
    trace = attend(q, k, v)
    assert "fail" not in {check.verdict for check in check_attention(q, k, v)}
    found = diagnose_attention(q, k, v, weights=trace.weights, context=trace.context)
    assert (found.verdict, found.candidates) == ("right", ())


def test_a_bias_that_cancels_large_scores_is_no_mistake():
    rng = np.random.default_rng(59)
    q, k, v = (40 * rng.standard_normal((3, 5, 8))).astype(np.float32)
    noise = rng.standard_normal((5, 5))
    bias = (noise - q @ k.T / np.sqrt(8)).astype(np.float32)
    checks = check_attention(q, k, v, bias=bias)
    assert "fail" not in {check.verdict for check in checks}


def test_a_row_of_large_scores_does_not_excuse_another():
    rng = np.random.default_rng(61)
    q, k, v = rng.standard_normal((3, 5, 8)).astype(np.float32)
    q[0] *= 1e4
    weights = attend(q, k, v).weights.copy()
    weights[3] = weights[3][::-1]
    assert diagnose_attention(q, k, v, weights=weights).verdict == "wrong"


def test_a_hidden_value_does_not_hide_a_wrong_context():
    rng = np.random.default_rng(67)
    q, k, v = rng.standard_normal((3, 5, 8))
    v[4] = 1e30
    visible = np.broadcast_to(np.arange(5) < 4, (5, 5))
    context = attend(q, k, v, visible=visible).context * (1 + 1e-6)
    found = diagnose_attention(q, k, v, visible=visible, context=context)
    assert found.verdict == "wrong"


def test_scores_too_large_to_be_enlarged_are_not_tried():
    q = np.full((2, 1), 5e17, dtype=np.float32)
    found = {check.id: check for check in check_attention(q, q, q)}
    assert found["max_subtracted"].verdict == "not applicable"
    assert "fail" not in {check.verdict for check in found.values()}


# Results that say nothing, or too little


def test_zeros_are_not_digits_that_were_rounded_away():
    rng = np.random.default_rng(71)
    q, k, v = rng.standard_normal((3, 5, 4))
    nothing = diagnose_attention(q, k, 3e-3 * v, context=np.zeros((5, 4)))
    assert nothing.verdict == "wrong"
    many = np.zeros((300, 4))
    weights = diagnose_attention(q, many, many, weights=np.zeros((5, 300)))
    assert weights.verdict == "wrong"
    assert diagnose_layer_norm(v, np.zeros_like(v), eps=1e10).verdict == "wrong"


def test_noise_is_wrong_however_small():
    rng = np.random.default_rng(73)
    q, k, v, noise = rng.standard_normal((4, 5, 4))
    tiny = diagnose_attention(q, k, 1e-6 * v, context=1e-6 * noise)
    assert tiny.verdict == "wrong"
    half = [np.float16(part) for part in (q, k, 1e-3 * v, 1e-3 * noise)]
    checks = check_attention(*half[:3], context=half[3])
    assert [check.id for check in checks if check.verdict == "fail"] == ["loop"]
    gamma = np.full(4, 1e-6)
    assert diagnose_layer_norm(v, 1e-6 * noise, gamma=gamma).verdict == "wrong"


def test_a_constant_position_has_no_spread_to_show():
    output = [[0.01, -0.01, 0.01, -0.01]]
    assert diagnose_layer_norm(np.full((1, 4), 5.0), output).verdict == "wrong"


def test_a_large_mean_does_not_excuse_one_per_cent():
    rng = np.random.default_rng(79)
    x = 1e4 + rng.standard_normal((3, 8))
    output = layer_norm(x).output
    assert diagnose_layer_norm(x, output).verdict == "right"
    noisy = output * (1 + 0.01 * rng.standard_normal(output.shape))
    assert diagnose_layer_norm(x, noisy).verdict == "wrong"


def test_a_norm_too_large_for_its_type_is_right_where_it_says_infinity():
    x, gamma = np.float16([[1, 2, 3, 6]]), np.full(4, 1e5)
    output = layer_norm(x, gamma=gamma).output
    checks = check_layer_norm(x, output, gamma=gamma)
    assert "fail" not in {check.verdict for check in checks}


def test_nan_in_a_position_is_no_mistake_of_the_norm():
    x = np.random.default_rng(83).standard_normal((3, 4))
    x[1, 2] = np.nan
    checks = check_layer_norm(x, layer_norm(x).output)
    assert {check.verdict for check in checks} == {"pass"}


@pytest.mark.parametrize(
    ("numbers", "tolerance", "digit"),
    [
        ([1 / 3, 2 / 3], 1e-12, 0),
        (np.float32([1 / 3, 2 / 3]).astype(np.float64), 1e-5, 0),
        (np.float16([1 / 3, 2 / 3]).astype(np.float64), 4e-3, 0),
        (brain([1 / 3, 2 / 3]), 3.2e-2, 0),
        ([0.33, 0.67], 1e-5, 5e-3),
        (np.float32([0.33, 0.67]), 1e-5, 5e-3),
        ([0.0, 0.0], 1e-12, 0),
    ],
)
def test_numbers_tell_how_precise_they_are(numbers, tolerance, digit):
    found = digits_precision(np.asarray(numbers))
    assert (found.tolerance, found.digit) == (tolerance, digit)


@pytest.mark.parametrize(
    ("numbers", "printed"),
    [
        ([0.4567, 1.234e-5], (4, 5e-5)),
        ([123.0, 4.56, 7.89e-4], (3, 0.5)),
        ([0.6652, 0.2447, 0.09], (4, 5e-5)),
        ([1.0, 1.0, 1.0, 1.0, 0.18265, 0.81735], (5, 5e-6)),
        ([0.5, 0.25], None),
        ([np.pi, 1e-5], None),
    ],
)
def test_the_last_digit_of_inputs_is_a_decimal_or_a_significant_one(numbers, printed):
    found = lost_in_print(np.array(numbers))
    assert found == (printed if printed is None else pytest.approx(printed))


@pytest.mark.parametrize("numbers", [[1.0, 0.0], [3.0, -2.0], [0.375, 0.125]])
def test_numbers_of_a_few_binary_digits_come_from_no_narrow_type(numbers):
    # All of them are in bfloat16, which would allow three hundredths.
    assert digits_precision(np.array(numbers)).tolerance <= 1e-5
