"""The node tests of ONNX, loaded once, and the core called the way they ask.

The cases come with the package `onnx` (Apache-2.0): a seeded script draws the inputs
and ONNX's own reference implementation computes the outputs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.case import node as onnx_node

from attnviz.core.attention.heads import merge_heads, share_heads, split_heads
from attnviz.core.attention.masks import combine_masks, padding_mask, window_mask
from attnviz.core.attention.scaled_dot_product import AttentionTrace, attend
from attnviz.core.attention.weights import softmax
from attnviz.core.layers.norms import layer_norm
from attnviz.core.layers.rms import rms_norm
from attnviz.core.positions.rotary import rotate_by

Arrays = tuple[np.ndarray, ...]

_MODULES = {
    "Attention": "attention",
    "LayerNormalization": "layernormalization",
    "RMSNormalization": "rmsnormalization",
    "RotaryEmbedding": "rotaryembedding",
    "Softmax": "softmax",
}


@dataclass(frozen=True)
class Case:
    """One node test: what goes in by name, and what must come out by name."""

    name: str
    operator: str
    settings: dict[str, Any]
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]

    @property
    def dtype(self) -> str:
        """Name of the floating-point type of the case."""
        return str(next(iter(self.inputs.values())).dtype)


@cache
def cases(operator: str) -> tuple[Case, ...]:
    """Collect the node tests of one operator, without their expanded twins."""
    import_module(f"onnx.backend.test.case.node.{_MODULES[operator]}")
    return tuple(
        _read(case)
        for case in onnx_node._NodeTestCases
        if case.model.graph.node[0].op_type == operator and "_expanded" not in case.name
    )


def _read(case: Any) -> Case:
    # An input left out has an empty name and no array.
    node = case.model.graph.node[0]
    (inputs, outputs) = case.data_sets[0]
    return Case(
        name=case.name,
        operator=node.op_type,
        settings={a.name: onnx.helper.get_attribute_value(a) for a in node.attribute},
        inputs=dict(zip(filter(None, node.input), inputs, strict=True)),
        outputs=dict(zip(filter(None, node.output), outputs, strict=True)),
    )


def run(case: Case) -> dict[str, np.ndarray]:
    """Call the core with the inputs of a case, and name what it gives like ONNX."""
    return _RUN[case.operator](case)


def _attention(case: Case) -> dict[str, np.ndarray]:
    settings, given = case.settings, case.inputs
    q, k, v = _heads(case)
    if "past_key" in given:
        k = np.concatenate([given["past_key"], k], axis=-2)
        v = np.concatenate([given["past_value"], v], axis=-2)
    keys, values = (share_heads(x, q.shape[-3]) for x in (k, v))
    visible, bias = _masks(case, (*q.shape[:-1], k.shape[-2]))
    options = {"scale": settings.get("scale"), "softcap": settings.get("softcap")}
    trace = attend(
        q,
        keys,
        values,
        visible=visible,
        # ONNX gives 0 where a query sees no key; the core calls such a query padding.
        query_valid=visible.any(axis=-1),
        bias=bias,
        **options,
    )
    whole = given["Q"].ndim == 4
    return {
        "Y": trace.context if whole else merge_heads(trace.context),
        "present_key": k,
        "present_value": v,
        "qk_matmul_output": _scores(case, trace, attend(q, keys, values, **options)),
    }


def _heads(case: Case) -> Arrays:
    """Give every input its head axis."""
    heads = {
        "Q": case.settings.get("q_num_heads"),
        "K": case.settings.get("kv_num_heads"),
        "V": case.settings.get("kv_num_heads"),
    }
    return tuple(
        case.inputs[name] if count is None else split_heads(case.inputs[name], count)
        for name, count in heads.items()
    )


def _masks(case: Case, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray | None]:
    """Translate ONNX's four ways to hide a key into `visible`, and its bias."""
    bands = np.stack([_band(case, shape, offset) for offset in _offsets(case, shape)])
    visible = np.broadcast_to(bands[:, None], shape)
    if "nonpad_kv_seqlen" in case.inputs:
        valid = np.arange(shape[-1]) < case.inputs["nonpad_kv_seqlen"][:, None]
        visible = combine_masks(visible, padding_mask(valid[:, None]))
    mask = case.inputs.get("attn_mask")
    if mask is None:
        return visible, None
    # Keys beyond the end of a mask are hidden.
    missing = [(0, 0)] * (mask.ndim - 1) + [(0, shape[-1] - mask.shape[-1])]
    if mask.dtype == np.bool_:
        allowed = np.pad(mask, missing, constant_values=False)
        return combine_masks(visible, allowed), None
    bias = np.broadcast_to(np.pad(mask, missing, constant_values=-np.inf), shape)
    return combine_masks(visible, ~np.isneginf(bias)), bias


def _offsets(case: Case, shape: tuple[int, ...]) -> list[int]:
    """Position of each sample's first query, counted from the first key."""
    if "nonpad_kv_seqlen" in case.inputs:
        return [int(n) - shape[-2] for n in case.inputs["nonpad_kv_seqlen"]]
    past = case.inputs.get("past_key")
    return [0 if past is None else past.shape[-2]]


def _band(case: Case, shape: tuple[int, ...], offset: int) -> np.ndarray:
    left = case.settings.get("left_window_size", -1)
    right = case.settings.get("right_window_size", -1)
    if case.settings.get("is_causal"):
        right = 0
    return window_mask(
        *shape[-2:],
        left=None if left < 0 else left,
        right=None if right < 0 else right,
        offset=offset,
    )


def _scores(case: Case, trace: AttentionTrace, plain: AttentionTrace) -> np.ndarray:
    """Pick the stage that ONNX calls by a number."""
    stages = {
        0: plain.raw_scores * np.asarray(plain.scale, plain.raw_scores.dtype),
        1: plain.scores,
        2: trace.masked_scores,
        3: trace.weights,
    }
    return stages[case.settings.get("qk_matmul_output_mode", 0)]


def _layer_norm(case: Case) -> dict[str, np.ndarray]:
    eps = case.settings.get("epsilon", 1e-5)
    x, gamma, beta, kept = _last_axis(case)
    trace = layer_norm(x, gamma=gamma, beta=beta, eps=eps)
    return {
        "Y": trace.output.reshape(case.inputs["X"].shape),
        "Mean": trace.mean.reshape(kept),
        "InvStdDev": (1 / np.sqrt(trace.variance + x.dtype.type(eps))).reshape(kept),
    }


def _rms_norm(case: Case) -> dict[str, np.ndarray]:
    x, gamma, _, _ = _last_axis(case)
    trace = rms_norm(x, gamma=gamma, eps=case.settings.get("epsilon", 1e-5))
    return {"Y": trace.output.reshape(case.inputs["X"].shape)}


def _last_axis(case: Case) -> tuple[Any, ...]:
    """Make one last axis of all axes that ONNX normalizes together."""
    x = case.inputs["X"]
    axis = case.settings.get("axis", -1) % x.ndim
    flat = x.reshape(*x.shape[:axis], -1)
    kept = (*x.shape[:axis], *[1] * (x.ndim - axis))
    beta = case.inputs.get("B")
    return flat, case.inputs["W"].ravel(), None if beta is None else beta.ravel(), kept


def _rotary(case: Case) -> dict[str, np.ndarray]:
    x, heads = case.inputs["input"], case.settings.get("num_heads")
    split = x if heads is None else split_heads(x, heads)
    cos, sin = case.inputs["cos_cache"], case.inputs["sin_cache"]
    if "position_ids" in case.inputs:
        cos, sin = (cache[case.inputs["position_ids"]] for cache in (cos, sin))
    turned = rotate_by(
        split,
        cos[:, None],
        sin[:, None],
        pairing="interleaved" if case.settings.get("interleaved") else "half",
    )
    return {"output": turned if heads is None else merge_heads(turned)}


def _softmax(case: Case) -> dict[str, np.ndarray]:
    return {"y": softmax(case.inputs["x"], axis=case.settings.get("axis", -1))}


_RUN: dict[str, Callable[[Case], dict[str, np.ndarray]]] = {
    "Attention": _attention,
    "LayerNormalization": _layer_norm,
    "RMSNormalization": _rms_norm,
    "RotaryEmbedding": _rotary,
    "Softmax": _softmax,
}
