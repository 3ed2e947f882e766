"""Gradients of attention: right ones are right, and each mistake is named."""

import numpy as np
import pytest

from attnviz.core import (
    ShapeError,
    attend,
    attend_backward,
    causal_mask,
    diagnose_gradients,
)
from attnviz.core.faults import FAULTS
from attnviz.core.faults.backwards import GradientCase

RNG = np.random.default_rng(47)
Q, K = RNG.standard_normal((2, 5, 4))
V, D_CONTEXT = RNG.standard_normal((2, 5, 3))
CAUSAL = causal_mask(5)
TRACE = attend(Q, K, V, visible=CAUSAL)
RIGHT = attend_backward(D_CONTEXT, trace=TRACE)
NAMES = ("q", "k", "v", "scores", "weights")
VARIANTS = {
    (fault.id, v.name): v
    for fault in FAULTS
    for v in fault.variants
    if v.subject == "gradients"
}


def explained(diagnosis):
    return [(c.fault.id, c.variant) for c in diagnosis.candidates if c.fits]


def diagnosed(**given):
    return diagnose_gradients(Q, K, V, D_CONTEXT, visible=CAUSAL, **given)


@pytest.mark.parametrize("decimals", [16, 4])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_mistake_is_called_by_its_name(name, decimals):
    made = VARIANTS[name].run(GradientCase(TRACE, D_CONTEXT))
    found = diagnosed(
        **{f"gradient_{part}": array.round(decimals) for part, array in made.items()}
    )
    verdict = "convention" if VARIANTS[name].convention else "wrong"
    assert (found.verdict, explained(found)) == (verdict, [name])


# What people write, in a line each.
A, D_A = TRACE.weights, RIGHT.weights
D_S = RIGHT.scores
WRITTEN = {
    ("P52", "diagonal"): {"gradient_scores": A * (1 - A) * D_A},
    ("P52", "without_sum"): {"gradient_scores": A * D_A},
    ("P53", "left_out"): {"gradient_q": D_S @ K, "gradient_k": D_S.T @ Q},
    ("P54", "values"): {"gradient_v": A @ D_CONTEXT},
    ("P54", "keys"): {"gradient_k": D_S @ Q / 2},
    ("P54", "queries"): {"gradient_q": D_S.T @ K / 2},
    ("P55", "all"): {"gradient_v": A.T @ D_CONTEXT / 15},
    ("P56", "raw_scores"): {"gradient_scores": D_S / 2},
    ("P56", "hidden"): {"gradient_weights": D_CONTEXT @ V.T},
}


@pytest.mark.parametrize(("name", "given"), WRITTEN.items())
def test_what_people_write_is_recognized(name, given):
    assert explained(diagnosed(**given)) == [name]


def test_central_differences_are_right():
    step, found = 1e-6, np.empty_like(Q)
    for place in np.ndindex(Q.shape):
        moved = np.zeros_like(Q)
        moved[place] = step
        up, down = (
            (attend(Q + side * moved, K, V, visible=CAUSAL).context * D_CONTEXT).sum()
            for side in (1, -1)
        )
        found[place] = (up - down) / (2 * step)
    diagnosis = diagnosed(gradient_q=found.round(6))
    assert (diagnosis.verdict, [c.id for c in diagnosis.checks]) == (
        "right",
        ["gradient_q"],
    )


@pytest.mark.parametrize("cut", [np.round, np.trunc])
@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_right_gradients_read_off_a_screen_are_right(decimals, cut):
    steps = 10.0**decimals
    inputs = (part.round(decimals) for part in (Q, K, V, D_CONTEXT))
    given = {
        f"gradient_{name}": cut(getattr(RIGHT, name) * steps) / steps for name in NAMES
    }
    found = diagnose_gradients(*inputs, visible=CAUSAL, **given)
    assert (found.verdict, found.candidates) == ("right", ())


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_right_gradients_in_narrow_types_are_right(dtype):
    q, k, v, up = (part.astype(dtype) for part in (Q, K, V, D_CONTEXT))
    right = attend_backward(up, trace=attend(q, k, v))
    given = {f"gradient_{name}": getattr(right, name) for name in NAMES}
    assert diagnose_gradients(q, k, v, up, **given).verdict == "right"


def test_a_single_wrong_number_is_found_where_it_is():
    wrong = RIGHT.k.copy()
    wrong[3, 1] += 0.25
    found = diagnosed(gradient_q=RIGHT.q, gradient_k=wrong)
    assert [(c.id, c.verdict, c.where) for c in found.checks] == [
        ("gradient_q", "pass", None),
        ("gradient_k", "fail", (3, 1)),
    ]
    assert (found.verdict, found.distance) == ("wrong", pytest.approx(0.25))


def test_what_cannot_be_judged_is_refused_in_words():
    with pytest.raises(ValueError, match="give a gradient, such as `gradient_q`"):
        diagnosed()
    with pytest.raises(ShapeError, match="`d_context` needs the shape of the context"):
        diagnose_gradients(Q, K, V, D_CONTEXT[:, :2], gradient_v=V)
    with pytest.raises(ShapeError, match=r"known mistake gives it; got \(3, 5\)"):
        diagnosed(gradient_v=V.T)
