"""Right results typed off a screen are right, whatever printing did to them."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.checks._result import result_of
from attnviz.core.checks._rounding import printed_decimals
from attnviz.core.checks.case import attention_case
from attnviz.core.diagnosis import diagnose_attention, diagnose_layer_norm
from attnviz.core.diagnosis._measuring import weigh
from attnviz.core.diagnosis._reading import read_attention
from attnviz.core.faults import FAULTS
from attnviz.core.layers.norms import layer_norm


def rounded(array, decimals):
    return np.round(array, decimals)


def cut_off(array, decimals):
    return np.trunc(np.asarray(array) * 10.0**decimals) / 10.0**decimals


PRINTS = (rounded, cut_off)


def inputs(rng, *leading):
    """Draw a question of any small size, and whether it is causal."""
    length, d_k, d_v = rng.integers(1, 8, 3)
    q, k, v = (
        rng.standard_normal((*leading, length, width)) for width in (d_k, d_k, d_v)
    )
    return (q, k, v), causal_mask(length) if rng.random() < 0.5 else None


def printed_attention(rng, *leading):
    """Attend, and print inputs and results; weights, context or both are given."""
    arrays, visible = inputs(rng, *leading)
    trace = attend(*arrays, visible=visible)
    way = PRINTS[rng.integers(2)]
    of_inputs, of_result = rng.integers(2, 7, 2)
    q, k, v = (way(part, of_inputs) for part in arrays)
    given = {"weights": trace.weights, "context": trace.context}
    left_out = rng.choice(["weights", "context", None])
    result = {n: way(part, of_result) for n, part in given.items() if n != left_out}
    return {"q": q, "k": k, "v": v, "visible": visible, **result}


def figures(array, count):
    """Write each number with so many significant digits, as %g does."""
    written = [float(f"{number:.{count}g}") for number in array.flat]
    return np.reshape(written, array.shape)


def test_results_written_with_significant_digits_are_right():
    rng = np.random.default_rng(97)
    for _ in range(60):
        (q, k, v), visible = inputs(rng, 7, 2)
        trace = attend(q, k, v, visible=visible)
        of_inputs, of_result = (int(count) for count in rng.integers(3, 8, 2))
        found = diagnose_attention(
            *(figures(part, of_inputs) for part in (q, k, v)),
            visible=visible,
            weights=figures(trace.weights, of_result),
            context=figures(trace.context, of_result),
        )
        assert (found.verdict, found.candidates) == ("right", ())


def test_one_significant_digit_that_is_wrong_is_seen():
    q, k, v = np.random.default_rng(101).standard_normal((3, 7, 5))
    weights = figures(attend(3 * q, 3 * k, v).weights, 5)
    given = [figures(part, 9) for part in (3 * q, 3 * k, v)]
    assert diagnose_attention(*given, weights=weights).verdict == "right"
    # The smallest of all: seven decimals would not show it.
    place = np.unravel_index(weights.argmin(), weights.shape)
    weights[place] = figures(1.01 * weights, 5)[place]
    assert weights[place] < 1e-7
    assert diagnose_attention(*given, weights=weights).verdict == "wrong"


def test_none_of_two_thousand_printed_results_is_called_wrong():
    rng = np.random.default_rng(89)
    # 49 samples at once are 49 results; alone they have fewer digits to tell how they
    # were printed.
    questions = [printed_attention(rng) for _ in range(40)]
    questions += [printed_attention(rng, 49, 2) for _ in range(40)]
    for question in questions:
        assert diagnose_attention(**question).verdict == "right"


def test_no_printed_norm_is_called_wrong():
    rng = np.random.default_rng(97)
    for leading in [()] * 40 + [(29,)] * 12:
        length, width = rng.integers(2, 9, 2)
        size, mean = rng.choice([0.1, 1.0, 5.0]), rng.choice([0.0, 3.0])
        x = mean + size * rng.standard_normal((*leading, length, width))
        gamma, beta = rng.standard_normal((2, width))
        way = PRINTS[rng.integers(2)]
        of_inputs, of_output = rng.integers(2, 7, 2)
        output = way(layer_norm(x, gamma=gamma, beta=beta).output, of_output)
        found = diagnose_layer_norm(
            way(x, of_inputs),
            output,
            gamma=way(gamma, of_inputs),
            beta=way(beta, of_inputs),
        )
        assert found.verdict == "right"


def test_mistakes_beyond_the_bound_are_wrong_and_named_in_print_too():
    rng = np.random.default_rng(101)
    variants = [
        (fault.id, variant)
        for fault in FAULTS
        for variant in fault.variants
        if variant.subject == "attention"
        and not variant.convention
        and variant.solve is None
    ]
    tried = 0
    for fault, variant in variants:
        arrays = [rng.standard_normal((2, 2, 6, width)) for width in (5, 5, 3)]
        case = attention_case(*arrays, visible=causal_mask(6))
        with np.errstate(all="ignore"):
            made = variant.run(case)
        right = case.answer
        if made is None or _as_good(made, right):
            continue
        tried += 1
        q, k, v = (part.round(4) for part in arrays)
        found = diagnose_attention(
            q,
            k,
            v,
            visible=causal_mask(6),
            weights=made.weights.round(4),
            context=made.context.round(4),
        )
        assert found.verdict == "wrong", variant.name
        named = {(c.fault.id, c.variant) for c in found.candidates if c.fits}
        assert (fault, variant.name) in named
    assert tried > 25


def _as_good(made, right):
    """Tell whether a mistake changes nothing that printing would show."""
    if made.weights.shape != right.weights.shape:
        return False
    return all(
        np.allclose(mine, theirs, rtol=0, atol=1e-3)
        for mine, theirs in (
            (made.weights, right.weights),
            (made.context, right.context),
        )
    )


def test_one_decimal_is_enough_where_it_can_be_told():
    rng = np.random.default_rng(103)
    q, k, v = rng.standard_normal((3, 5, 4))
    weights = attend(q, k, v).weights
    exact = diagnose_attention(q, k, v, weights=weights.round(1))
    assert exact.verdict == "right"
    typed = (part.round(1) for part in (q, k, v))
    assert diagnose_attention(*typed, weights=weights.round(1)).verdict == "right"
    swapped = diagnose_attention(q, k, v, weights=attend(k, q, v).weights.round(1))
    assert swapped.verdict == "wrong"


def test_inputs_of_one_decimal_are_exact_where_the_result_has_more():
    rng = np.random.default_rng(107)
    q, k, v = rng.standard_normal((3, 5, 4)).round(1)
    weights = attend(q, k, v).weights
    off = weights * (1 + 0.02 * rng.standard_normal(weights.shape))
    assert diagnose_attention(q, k, v, weights=weights.round(4)).verdict == "right"
    assert diagnose_attention(q, k, v, weights=off.round(4)).verdict == "wrong"


@pytest.mark.parametrize(
    ("numbers", "decimals"),
    [
        ([0.25, 3.0, 0.5], None),
        ([1.5, 0.3], 1),
        ([0.31, 2.0], 2),
        ([1 / 3], None),
        (np.float32([0.333, 0.5]), 3),
        ([np.nan, np.inf, 1.2], 1),
    ],
)
def test_inputs_tell_how_they_were_printed(numbers, decimals):
    assert printed_decimals(np.asarray(numbers)) == decimals


# torch 2.13.0: q, k, v ~ N(0, 1) in a narrow type; (q @ k.T / 2).softmax(-1), and that
# times v, as print shows them.
BRAIN = {
    "q": [
        [-0.0767, 0.3594, -0.7812, 0.0713],
        [0.6641, -0.2871, 1.6172, -1.5938],
        [-0.0518, -0.3066, 0.2480, -0.2227],
        [0.9141, 0.2041, 0.5742, 0.4160],
    ],
    "k": [
        [-0.9414, 1.2656, -0.1836, 0.1504],
        [0.1074, -0.2773, -2.6094, 0.6250],
        [-0.8672, -0.2051, 0.3984, 0.6719],
        [-0.0537, 0.0466, -1.7656, -2.1250],
    ],
    "v": [
        [-0.4863, -0.6055, -0.5586],
        [0.6680, -0.1973, 1.9453],
        [-1.3984, -0.7617, 0.6328],
        [-0.8984, -0.5586, 0.6914],
    ],
    "weights": [
        [0.2061, 0.3926, 0.1279, 0.2734],
        [0.1914, 0.0325, 0.2559, 0.5195],
        [0.2285, 0.1973, 0.2891, 0.2852],
        [0.2891, 0.2197, 0.3398, 0.1514],
    ],
    "context": [
        [-0.2617, -0.4531, 0.9180],
        [-0.8945, -0.6055, 0.4766],
        [-0.6406, -0.5586, 0.6367],
        [-0.6055, -0.5625, 0.5859],
    ],
}
HALF = {
    "q": [
        [-0.0767, 0.3599, -0.7822, 0.0715],
        [0.6650, -0.2869, 1.6201, -1.5967],
        [-0.0517, -0.3059, 0.2485, -0.2225],
        [0.9131, 0.2043, 0.5742, 0.4163],
    ],
    "k": [
        [-0.9414, 1.2637, -0.1837, 0.1505],
        [0.1075, -0.2781, -2.6016, 0.6245],
        [-0.8682, -0.2051, 0.3975, 0.6699],
        [-0.0537, 0.0467, -1.7676, -2.1211],
    ],
    "v": [
        [-0.4868, -0.6040, -0.5581],
        [0.6675, -0.1974, 1.9424],
        [-1.4014, -0.7627, 0.6313],
        [-0.8989, -0.5576, 0.6909],
    ],
    "weights": [
        [0.2058, 0.3923, 0.1279, 0.2739],
        [0.1913, 0.0327, 0.2559, 0.5200],
        [0.2284, 0.1976, 0.2896, 0.2844],
        [0.2893, 0.2200, 0.3391, 0.1516],
    ],
    "context": [
        [-0.2639, -0.4521, 0.9170],
        [-0.8975, -0.6069, 0.4775],
        [-0.6406, -0.5566, 0.6357],
        [-0.6055, -0.5615, 0.5845],
    ],
}


@pytest.mark.parametrize("printed", [BRAIN, HALF], ids=["bfloat16", "float16"])
@pytest.mark.parametrize("left_out", ["weights", "context", None])
def test_narrow_types_are_right_as_they_print(printed, left_out):
    given = {name: part for name, part in printed.items() if name != left_out}
    assert diagnose_attention(**given).verdict == "right"


def test_a_narrow_type_does_not_excuse_a_missing_scale():
    scores = np.array(BRAIN["q"]) @ np.array(BRAIN["k"]).T
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    arrays = {name: BRAIN[name] for name in "qkv"}
    found = diagnose_attention(**arrays, weights=weights.round(4))
    assert (found.verdict, found.candidates[0].variant) == ("wrong", "unscaled")


@pytest.mark.parametrize("shifted", [True, False])
@pytest.mark.parametrize("guard", [1e-9, 1e-8, 1e-6])
@pytest.mark.parametrize("given", ["weights", "context"])
def test_a_guard_against_division_by_zero_is_right(shifted, guard, given):
    q, k, v = np.random.default_rng(109).standard_normal((3, 5, 4))
    scores = q @ k.T / 2
    parts = np.exp(scores - shifted * scores.max(axis=-1, keepdims=True))
    weights = parts / (parts.sum(axis=-1, keepdims=True) + guard)
    result = {"weights": weights, "context": weights @ v}
    found = diagnose_attention(q, k, v, **{given: result[given]})
    assert (found.verdict, found.candidates) == ("right", ())


def test_a_guard_does_not_excuse_what_is_off_otherwise():
    q, k, v = np.random.default_rng(109).standard_normal((3, 5, 4))
    weights = attend(q, k, v).weights * (1 - 1e-6 * np.linspace(0, 1, 5))
    assert diagnose_attention(q, k, v, weights=weights).verdict == "wrong"


def test_row_sums_allow_for_hidden_weights_that_are_not_zero():
    q, k, v = np.random.default_rng(113).standard_normal((3, 29, 4))
    weights = attend(q, k, v).weights.round(2)
    visible = np.broadcast_to(np.arange(29) < 2, (29, 29))
    case = attention_case(q, k, v, visible=visible)
    given = read_attention(case, result_of(case, weights), weights, None)
    found = {check.id: check.verdict for check in weigh(case, given.result).checks}
    assert np.abs(weights.sum(axis=-1) - 1).max() > 2 * 0.005
    assert (found["row_sums"], found["hidden_weights"]) == ("pass", "fail")
