"""What a mistake is shown on: numbers of its own, or those of the example."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.core.arrays.randomness import stream
from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.attention.heads import merge_heads
from attnviz.core.attention.masks import causal_mask
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.layers.norms import NormTrace, layer_norm
from attnviz.core.positions import rotate
from attnviz.example.compute import ExampleTrace

RATE = 0.5
# Fractions: scaled scores are ln N, so the weights are N over the sums of its rows.
N = np.array([[1, 2, 3, 4], [2, 1, 1, 4], [5, 1, 3, 1], [1, 1, 2, 6]], dtype=float)
_Q, _K = 2 * np.eye(4)[None], np.log(N).T[None]
_V = np.array([[[1, 0], [0, 1], [1, 1], [2, -1.0]]])
_GAMMA, _BETA = (1, 0.5, 2, 1), (0, 1, -1, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """What a mistake is shown on.

    Attributes
    ----------
    given : mapping of str to Any
        Variables that its lines find.
    case : AttentionCase or None
        What attention was asked, with one leading axis.
    asked : AttentionCase or None
        The same with all leading axes, where the mistake is about them.
    norm : NormTrace or None
        The normalization, of a mistake in one.
    tokens, key_tokens : tuple of str
        Words along queries and keys; empty for numbers.
    """

    given: Mapping[str, Any]
    case: AttentionCase | None = None
    asked: AttentionCase | None = None
    norm: NormTrace | None = None
    tokens: tuple[str, ...] = ()
    key_tokens: tuple[str, ...] = ()


def own_numbers(id: str) -> Numbers:
    """Give the numbers of its own that show a mistake best.

    Parameters
    ----------
    id : str
        The mistake, as in PROGRAMS.
    """
    return _own(id)


@cache
def _own(id: str) -> Numbers:
    return (_OWN.get(id) or _OWN.get(id.partition(".")[0]) or _fractions)()


def example_numbers(id: str, trace: ExampleTrace) -> Numbers | None:
    """Take queries, keys, values and mask of the example, or its inputs for a norm.

    Parameters
    ----------
    id : str
        The mistake, as in PROGRAMS.
    trace : ExampleTrace
        The example.

    Returns
    -------
    numbers : Numbers or None
        None for a mistake that this example cannot show.
    """
    fault = id.partition(".")[0]
    if fault in ("P26", "P27", "P28", "P38"):
        if trace.x is None:
            return None
        width = trace.x.shape[-1]
        return _normed(trace.x, _cycle(_GAMMA, width), _cycle(_BETA, width))
    if not {id, fault}.isdisjoint(_ALONE):
        return None
    attention = trace.attention
    seen = np.broadcast_to(attention.visible, attention.raw_scores.shape)
    case = attention_case(
        attention.q,
        attention.k,
        attention.v,
        visible=seen,
        query_valid=np.asarray(seen.any(axis=-1)),
    )
    if fault in ("P11", "P12") and not (seen == _stairs(case)).all():
        return None
    return _attention(case, tokens=trace.tokens, key_tokens=trace.key_tokens)


# What takes more than one example has: a batch, shared heads, a cache, half precision.
_ALONE = (
    *("P06", "P14.reshape", "P15.reshape", "P16", "P17", "P18", "P21", "P22", "P23"),
    *("P24", "P25", "P30", "P43"),
)


def _attention(
    case: AttentionCase,
    asked: AttentionCase | None = None,
    tokens: tuple[str, ...] = (),
    key_tokens: tuple[str, ...] = (),
    **more: Any,  # noqa: ANN401 - whatever the lines of a mistake ask for
) -> Numbers:
    """Name everything that lines about attention may ask for."""
    n_heads, len_q, len_k = case.visible.shape
    given: dict[str, Any] = {
        "q": case.q,
        "k": case.k,
        "v": case.v,
        "visible": case.visible,
        "real": case.visible.any(axis=(0, 1)),
        "d_k": case.q.shape[-1],
        "d_v": case.v.shape[-1],
        "n_heads": n_heads,
        "len_q": len_q,
        "len_k": len_k,
        "wide_q": merge_heads(case.q),
        "wide_k": merge_heads(case.k),
        "wide_v": merge_heads(case.v),
        "keep": stream(0, "dropout").random(case.visible.shape) >= RATE,
        "rate": RATE,
        "distance": abs(np.arange(len_k - len_q, len_k)[:, None] - np.arange(len_k)),
    }
    return Numbers(given | more, case, asked, None, tokens, key_tokens)


def _stairs(case: AttentionCase) -> BoolArray:
    return causal_mask(*case.visible.shape[-2:])


def _cycle(numbers: tuple[float, ...], width: int) -> FloatArray:
    return np.resize(np.array(numbers, dtype=float), width)


def _normed(x: FloatArray, gamma: FloatArray, beta: FloatArray) -> Numbers:
    norm = layer_norm(x, gamma=gamma, beta=beta)
    given = {
        "x": norm.x,
        "gamma": norm.gamma,
        "beta": norm.beta,
        "eps": norm.eps,
        "d": x.shape[-1],
    }
    return Numbers(given, norm=norm)


def _fractions(visible: BoolArray | None = None, n_heads: int = 1) -> Numbers:
    q, k, v = (np.repeat(part, n_heads, axis=0) for part in (_Q, _K, _V))
    return _seen(q, k, v, visible)


def _seen(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    visible: BoolArray | None = None,
    **more: Any,  # noqa: ANN401 - as `_attention`
) -> Numbers:
    seen = None if visible is None else np.atleast_2d(visible)
    case = attention_case(q, k, v, visible=seen)
    return _attention(case, **more)


def _causal() -> Numbers:
    return _fractions(causal_mask(4))


def _row(scores: FloatArray, visible: BoolArray | None = None) -> Numbers:
    """Ask one query whose scaled scores are given, with the identity for values."""
    keys = np.asarray(scores)[None, :, None]
    query = np.ones((1, 1, 1), dtype=keys.dtype)
    values = np.eye(keys.shape[1], dtype=keys.dtype)[None]
    mask = None if visible is None else visible[None]
    # A width of the same type keeps all lines in the precision of the scores.
    return _seen(query, keys, values, mask, d_k=keys.dtype.type(1))


def _no_key() -> Numbers:
    keys = np.log(np.array([[[1.0], [2], [3]]]))
    visible = np.array([[True, True, False], [False, False, False]])
    values = np.array([[[3.0], [6], [9]]])
    return _seen(np.ones((1, 2, 1)), keys, values, visible)


def _no_key_alone() -> Numbers:
    return _row(np.array([2.0, 1, 0]), np.zeros(3, dtype=bool))


def _half() -> Numbers:
    visible = np.array([True, True, False])
    return _row(np.array([1, 2, 3], dtype=np.float16), visible)


def _two_queries() -> Numbers:
    return _seen(_Q[:, :2], _K, _V, causal_mask(2, 4))


def _padded() -> Numbers:
    return _fractions(np.broadcast_to([True, True, True, False], (4, 4)))


def _digits(n_heads: int) -> Numbers:
    """Write numbers whose tens say the token and whose units say the feature."""
    whole = 10.0 * np.arange(3)[:, None] + np.arange(4)
    return Numbers({"whole": whole, "length": 3, "n_heads": n_heads, "d_k": 2})


def _tagged() -> Numbers:
    """Write numbers whose hundreds say the head, tens the token, units the feature."""
    heads, tokens, features = np.ogrid[:2, :3, :2]
    parts = 100.0 * heads + 10 * tokens + features
    return Numbers({"parts": parts, "length": 3, "n_heads": 2, "d_v": 2})


def _split_whole() -> Numbers:
    wide = np.array([[0, 1, 2, 3], [4, 3, 2, 1], [1, 3, 0, 2.0]]) / 2
    heads = wide.reshape(3, 2, 2).swapaxes(0, 1)
    return _seen(heads, heads[:, ::-1], heads + 1, causal_mask(3))


def _batch() -> Numbers:
    """Two samples of two heads each, all scores equal; one sample is padded."""
    flat = np.zeros((4, 3, 1))
    values = np.tile(np.array([[1.0], [2], [3]]), (4, 1, 1))
    samples = np.array([[[True, True, False]] * 3, [[True] * 3] * 3])
    seen = np.repeat(samples, 2, axis=0)
    case = attention_case(flat, flat, values, visible=seen)
    whole = attention_case(
        *(part.reshape(2, 2, 3, 1) for part in (flat, flat, values)),
        visible=seen.reshape(2, 2, 3, 3),
    )
    return _attention(case, whole, visible=samples, n_heads=2)


def _shared() -> Numbers:
    few_k, few_v = np.zeros((2, 1, 1)), np.array([[[10.0]], [[20.0]]])
    keys, values = (np.repeat(part, 2, axis=0) for part in (few_k, few_v))
    case = attention_case(np.zeros((4, 1, 1)), keys, values)
    return _attention(case, few_k=few_k, few_v=few_v, n_shared=2)


def _samples() -> Numbers:
    values = np.array([[[1.0], [2], [3]], [[10], [20], [30]]])
    flat = np.zeros_like(values)
    case = attention_case(flat, flat, values)
    return _attention(case, visible=True)


def _two_heads() -> Numbers:
    keys = np.log(np.array([[[8.0], [1], [1]], [[1], [1], [8.0]]]))
    values = np.array([[[1.0], [2], [3]], [[10], [20], [30]]])
    return _seen(np.ones((2, 1, 1)), keys, values)


def _dropped() -> Numbers:
    numbers = _row(np.log(N[0]))
    keep = np.array([[[True, False, True, True]]])
    return Numbers({**numbers.given, "keep": keep}, numbers.case)


def _positions(n_positions: int = 5, width: int = 4) -> Numbers:
    return Numbers({"position": np.arange(n_positions), "d": width})


def _rotated() -> Numbers:
    rows = np.array([[1.0, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]])
    across = np.stack([-rows[:, 1::2], rows[:, ::2]], axis=-1).reshape(rows.shape)
    given = {"position": np.arange(3), "d": 4, "rows": rows, "across": across}
    return Numbers(given)


def _decoding() -> Numbers:
    keys = np.tile([1.0, 0.0], (1, 4, 1))
    values = np.arange(4.0)[None, :, None]
    turned = rotate(keys, np.arange(4))
    case = attention_case(turned[:, 3:], turned, values)
    across = np.array([[[0.0, 1.0]]])
    return _attention(case, still=keys, rows=keys[:, :1], across=across, past=3)


def _one_position() -> Numbers:
    return _normed(np.array([[1.0, 2, 3, 6], [2, -2, 0, 4]]), np.ones(4), np.zeros(4))


def _two_positions() -> Numbers:
    return _normed(np.array([[1.0, 2, 3], [4, 6, 11]]), np.ones(3), np.zeros(3))


def _scaled_rows() -> Numbers:
    x = np.array([[1.0, 2, 3, 6], [2, -2, 0, 4]])
    return _normed(x, np.array(_GAMMA, dtype=float), np.array(_BETA, dtype=float))


def _overflow() -> Numbers:
    return _row(np.array([100, 99, 98], dtype=np.float32))


def _lost_value() -> Numbers:
    visible = np.broadcast_to([True, True, True, False], (4, 4))
    values = _V.copy()
    values[0, 3] = math.nan
    return _seen(_Q, _K, values, visible)


_OWN: Mapping[str, Callable[[], Numbers]] = MappingProxyType(
    {
        "P02.model_width": lambda: _fractions(n_heads=2),
        **dict.fromkeys(
            ("P03", "P04", "P05", "P09", "P10", "P11", "P31", "P32", "P44"), _causal
        ),
        "P06": _half,
        "P07": _no_key,
        "P08": _no_key_alone,
        "P12": _two_queries,
        "P13": _padded,
        "P14": _split_whole,
        "P14.reshape": lambda: _digits(2),
        "P15": _split_whole,
        "P15.reshape": _tagged,
        "P16": _batch,
        "P17": _shared,
        "P18": _samples,
        "P19": _two_heads,
        "P20": _dropped,
        "P21": _positions,
        "P22": _positions,
        "P23": _rotated,
        "P24": _decoding,
        "P25": lambda: Numbers({"n_heads": 6}),
        "P26": _one_position,
        "P27": _two_positions,
        "P28": _scaled_rows,
        "P29": _overflow,
        "P30": lambda: Numbers({"d_model": 8, "n_heads": 2}),
        "P33.reshaped": lambda: _seen(_Q[:, :3], _K[:, :3], _V[:, :3]),
        "P38": _scaled_rows,
        "P43": _lost_value,
    }
)
