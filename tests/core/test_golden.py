"""The course's reference numbers, and its exercises 1, 6 and 7.

golden.json was made from explicit sine and linspace arrays, by implementations that
share no code with the core: JAX 0.10.2 in float64 for exercise 6, PyTorch-made numbers
of E. Bendersky's article for the multi-head form.
"""

import math

import numpy as np
import pytest

from attnviz.core.attention.by_list import multi_head_attend_by_list
from attnviz.core.attention.masks import causal_mask, combine_masks, padding_mask
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    multi_head_attend,
)
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.layers.norms import layer_norm
from tests.core.golden import GOLDEN

TIGHT = {"rtol": 1e-12, "atol": 1e-14}

Q, K, V = (np.array(GOLDEN["inputs"][name]) for name in "QKV")
PADDING = padding_mask(np.array(GOLDEN["inputs"]["key_valid"])[:, None])
CAUSAL = causal_mask(3)
SETTINGS = {
    "none": (Q, None),
    "padding": (Q, PADDING),
    "causal": (Q, CAUSAL),
    "padding+causal": (Q, combine_masks(PADDING, CAUSAL)),
    "huge": (1e4 * Q, combine_masks(PADDING, CAUSAL)),
}


def hidden(rows: list[list[float | None]]) -> np.ndarray:
    """Read null, JSON's only way to write it, as −∞."""
    return np.nan_to_num(np.array(rows, dtype=np.float64), nan=-np.inf)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("stage", "key"), [("scores", "scaled"), ("weights", "A"), ("context", "C")]
)
def test_masked_attention_of_exercise_6(setting, stage, key):
    q, visible = SETTINGS[setting]
    trace = attend(q, K, V, visible=visible)
    np.testing.assert_allclose(
        getattr(trace, stage), GOLDEN[setting][key], rtol=1e-12, atol=1e-14
    )


def test_the_numbers_printed_for_exercise_6():
    # Sample 2, head 1, padding and causal.
    trace = attend(Q, K, V, visible=SETTINGS["padding+causal"][1])
    np.testing.assert_allclose(
        trace.weights[1, 0],
        [[1, 0, 0], [0.08883580, 0.91116420, 0], [0.81058002, 0.18941998, 0]],
        atol=5e-9,
    )
    np.testing.assert_allclose(
        trace.context[1, 0],
        [
            [-0.31111935, 0.63161099],
            [0.87773166, 0.45895556],
            [-0.06397166, 0.59571802],
        ],
        atol=5e-9,
    )


EXERCISE_1 = {
    "none": {},
    "causal": {"visible": causal_mask(2)},
    "unscaled": {"scale": 1.0},
}


@pytest.mark.parametrize("setting", EXERCISE_1)
@pytest.mark.parametrize(
    ("stage", "key"),
    [
        ("raw_scores", "raw"),
        ("scores", "scaled"),
        ("masked_scores", "masked"),
        ("weights", "A"),
        ("context", "C"),
    ],
)
def test_every_stage_of_exercise_1(setting, stage, key):
    trace = attend(
        np.eye(2), np.eye(2), [[2.0, 0.0], [0.0, 4.0]], **EXERCISE_1[setting]
    )
    np.testing.assert_allclose(
        getattr(trace, stage), hidden(GOLDEN["ex1"][setting][key]), **TIGHT
    )


def test_the_numbers_printed_for_exercise_1():
    trace = attend(np.eye(2), np.eye(2), [[2.0, 0.0], [0.0, 4.0]])
    assert trace.weights.round(4).tolist() == [[0.6698, 0.3302], [0.3302, 0.6698]]
    assert trace.context.round(4).tolist() == [[1.3395, 1.321], [0.6605, 2.679]]


CROSS = {"none": None, "key_pad_last": np.array([[True, True, True, False]])}


@pytest.mark.parametrize("setting", CROSS)
@pytest.mark.parametrize(
    ("stage", "key"),
    [
        ("raw_scores", "raw"),
        ("scores", "scaled"),
        ("masked_scores", "masked"),
        ("weights", "A"),
        ("context", "C"),
    ],
)
def test_every_stage_of_cross_attention(setting, stage, key):
    q, k, v = (GOLDEN["cross"][name] for name in "QKV")
    trace = attend(q, k, v, visible=CROSS[setting])
    np.testing.assert_allclose(
        getattr(trace, stage), hidden(GOLDEN["cross"][setting][key]), **TIGHT
    )


@pytest.mark.parametrize(("setting", "eps"), [("eps1e-5", 1e-5), ("eps0.1", 0.1)])
@pytest.mark.parametrize(
    ("stage", "key"),
    [("mean", "mu"), ("variance", "v"), ("normalized", "xhat"), ("output", "y")],
)
def test_every_stage_of_layer_norm(setting, eps, stage, key):
    given = GOLDEN["layernorm"]
    trace = layer_norm(given["x"], gamma=given["gamma"], beta=given["beta"], eps=eps)
    np.testing.assert_allclose(getattr(trace, stage), given[setting][key], **TIGHT)


def column(start: float, size: int = 12, rows: int = 2) -> np.ndarray:
    """Spread numbers over 0.7, row by row, and transpose."""
    return np.linspace(start, start + 0.7, size).reshape(rows, -1).T


ARTICLE = MultiHeadParameters(
    w_q=[column(3.1), column(4.1), column(5.1)],
    w_k=[column(0.1), column(1.1), column(2.1)],
    w_v=[column(6.1), column(7.1), column(8.1)],
    w_o=column(9.1, 36, 6),
)


@pytest.mark.parametrize("form", [multi_head_attend, multi_head_attend_by_list])
@pytest.mark.parametrize(
    ("visible", "key"), [(None, "unmasked"), (causal_mask(4), "causal")]
)
def test_both_forms_give_the_numbers_of_the_article(form, visible, key):
    # The article's numbers were made in float32, hence rtol 1e-3.
    x = np.linspace(0.1, 8.4, 72).reshape(3, 4, 6)
    output = form(x, parameters=ARTICLE, visible=visible).output
    np.testing.assert_allclose(output, GOLDEN["eli_linspace"][key], rtol=1e-3)


def loop(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> list[list[float]]:
    """Attend query by query, key by key, component by component."""
    context = []
    for query in q:
        scores = [
            sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query))
            for key in k
        ]
        shares = [math.exp(score - max(scores)) for score in scores]
        context.append(
            [
                sum(s * x for s, x in zip(shares, values, strict=True)) / sum(shares)
                for values in v.T
            ]
        )
    return context


@pytest.mark.parametrize("length", [8, 32, 64])
def test_the_matrix_form_agrees_with_the_loop_of_exercise_7(length):
    q, k, v = np.random.default_rng(0).standard_normal((3, length, 16))
    np.testing.assert_allclose(attend(q, k, v).context, loop(q, k, v), atol=1e-12)


def test_permuting_the_tokens_permutes_the_output_of_exercise_7():
    rng = np.random.default_rng(42)
    x = rng.standard_normal((6, 8))
    w = rng.standard_normal((3, 8, 4))
    order = [3, 0, 5, 1, 4, 2]
    plain, moved = attend(*(x @ w)), attend(*(x[order] @ w))
    np.testing.assert_allclose(moved.context, plain.context[order], atol=1e-12)
    np.testing.assert_allclose(
        moved.weights, plain.weights[order][:, order], atol=1e-12
    )


def test_a_causal_mask_breaks_the_symmetry_of_exercise_7():
    rng = np.random.default_rng(42)
    x = rng.standard_normal((6, 8))
    w = rng.standard_normal((3, 8, 4))
    order = [3, 0, 5, 1, 4, 2]
    plain = attend(*(x @ w), visible=causal_mask(6)).context
    moved = attend(*(x[order] @ w), visible=causal_mask(6)).context
    assert np.abs(moved - plain[order]).max() > 1e-3
