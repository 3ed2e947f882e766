"""What the core is timed against: PyTorch, and NumPy code as an article writes it."""

import math
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from attnviz.core.fast.fused import FusedParameters

Call = Callable[[], object]
HAS_TORCH = find_spec("torch") is not None


def torch_layer(x: np.ndarray, parameters: FusedParameters, *, causal: bool) -> Call:
    """Project, attend and project with PyTorch's fused attention, in float32."""
    import torch
    from torch.nn import functional as F  # noqa: N812 - PyTorch's own name for it

    torch.set_num_threads(1)
    n_samples, length, width = x.shape
    heads = (n_samples, length, 3, parameters.n_heads, parameters.d_k)
    rows = torch.from_numpy(x)
    w_qkv, w_o = (
        torch.from_numpy(np.ascontiguousarray(w.T))
        for w in (parameters.w_qkv, parameters.w_o)
    )

    @torch.inference_mode()
    def call() -> object:
        q, k, v = F.linear(rows, w_qkv).view(heads).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        joined = context.transpose(1, 2).reshape(n_samples, length, width)
        return F.linear(joined, w_o)

    return call


def torch_attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    *,
    causal: bool = False,
    visible: np.ndarray | None = None,
) -> Call:
    """Attend with PyTorch's fused attention, in float32."""
    import torch
    from torch.nn import functional as F  # noqa: N812 - PyTorch's own name for it

    torch.set_num_threads(1)
    queries, keys, values = (torch.from_numpy(array)[None] for array in (q, k, v))
    mask = None if visible is None else torch.from_numpy(visible)

    @torch.inference_mode()
    def call() -> object:
        return F.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask, is_causal=causal
        )

    return call


def plain_layer(x: np.ndarray, parameters: FusedParameters, *, causal: bool) -> Call:
    """Write the layer down line by line in float64, all samples and heads at once."""
    n_samples, length, width = x.shape
    heads = (n_samples, length, 3, parameters.n_heads, parameters.d_k)
    rows, w_qkv, w_o = (
        array.astype(np.float64) for array in (x, parameters.w_qkv, parameters.w_o)
    )

    def call() -> object:
        q, k, v = (rows @ w_qkv).reshape(heads).transpose(2, 0, 3, 1, 4)
        context = _plain(q, k, v, causal=causal)
        joined = context.transpose(0, 2, 1, 3).reshape(n_samples, length, width)
        return joined @ w_o

    return call


def plain_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, *, causal: bool = False
) -> Call:
    """Write attention down line by line in float64, one head after the other."""
    arrays = [array.astype(np.float64) for array in (q, k, v)]

    def call() -> object:
        heads = zip(*arrays, strict=True)
        return np.stack([_plain(*head, causal=causal) for head in heads])

    return call


def torch_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> Call:
    """Normalize with PyTorch, in float32."""
    import torch
    from torch.nn import functional as F  # noqa: N812 - PyTorch's own name for it

    torch.set_num_threads(1)
    rows, scale, shift = map(torch.from_numpy, (x, gamma, beta))

    @torch.inference_mode()
    def call() -> object:
        return F.layer_norm(rows, scale.shape, scale, shift)

    return call


def plain_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> Call:
    """Write layer normalization down in six lines, in the type of the input."""

    def call() -> object:
        mean = x.mean(axis=-1, keepdims=True)
        deviations = x - mean
        variance = np.square(deviations).mean(axis=-1, keepdims=True)
        root = np.sqrt(variance + np.float32(1e-5))
        normalized = deviations / root
        return gamma * normalized + beta

    return call


def _plain(q: np.ndarray, k: np.ndarray, v: np.ndarray, *, causal: bool) -> np.ndarray:
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:])) == 1, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v
