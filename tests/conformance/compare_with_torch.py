"""Compare the core with PyTorch, where it is installed, and print a table.

Usage: python -m tests.conformance.compare_with_torch

An error is relative to the largest number of the reference, which PyTorch computes in
float64, and is the median of a few draws. For float32 the error of PyTorch's own
float32 stands beside it: ours should not be worse than twice that.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import numpy as np

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.layers.norms import batch_norm, layer_norm
from attnviz.core.layers.rms import rms_norm

# A comparison computes with the core or, given torch as an argument, with PyTorch.
Compute = Callable[[Any, list[Any]], Any]
Comparison = tuple[str, list[np.ndarray], Compute, Compute]
DRAWS = 25


def main(out: TextIO = sys.stdout) -> int:
    """Print one line a comparison; return 1 if an error is too large."""
    import torch

    out.write(f"PyTorch {torch.__version__}, NumPy {np.__version__}\n")
    out.write(f"{'':34}{'float64':>10}{'float32':>10}{'torch f32':>12}\n")
    failures = 0
    for draws in zip(*(comparisons(seed) for seed in range(DRAWS)), strict=True):
        name = draws[0][0]
        errors = [_errors(torch, *rest) for _, *rest in draws]
        ours64, ours32, torch32 = np.median(errors, axis=0)
        passed = ours64 < 1e-12 and ours32 < max(2 * torch32, 1e-6)
        failures += not passed
        numbers = f"{ours64:10.1e}{ours32:10.1e}{torch32:12.1e}"
        out.write(f"{name:34}{numbers}{'' if passed else '  TOO LARGE'}\n")
    return int(failures > 0)


def comparisons(seed: int) -> Iterator[Comparison]:
    """Give name, inputs, our function and theirs."""
    rng = np.random.default_rng(seed)
    q, k, v = (
        rng.standard_normal(shape)
        for shape in ((2, 3, 7, 11), (2, 3, 13, 11), (2, 3, 13, 5))
    )
    seen = rng.random((7, 13)) < 0.6
    seen[:, 0] = True
    bias = rng.standard_normal((3, 7, 13))
    for size in (1, 30, 1000):
        yield (
            f"attention, scores x{size}",
            [size * q, k, v],
            lambda _, a: attend(*a).context,
            lambda t, a: t.nn.functional.scaled_dot_product_attention(*a),
        )
    yield (
        "attention, boolean mask",
        [q, k, v],
        lambda _, a: attend(*a, visible=seen).context,
        lambda t, a: t.nn.functional.scaled_dot_product_attention(
            *a, attn_mask=t.from_numpy(seen)
        ),
    )
    yield (
        "attention, is_causal, T_q < T_k",
        [q, k, v],
        lambda _, a: attend(*a, visible=causal_mask(7, 13, offset=0)).context,
        lambda t, a: t.nn.functional.scaled_dot_product_attention(*a, is_causal=True),
    )
    yield (
        "attention, float mask and scale",
        [q, k, v, bias],
        lambda _, a: attend(*a[:3], bias=a[3], scale=0.7).context,
        lambda t, a: t.nn.functional.scaled_dot_product_attention(
            *a[:3], attn_mask=a[3], scale=0.7
        ),
    )
    yield from _multi_head(rng)
    yield from _norms(rng)


def _multi_head(rng: np.random.Generator) -> Iterator[Comparison]:
    heads, d = 3, 12
    x_q, x_k = rng.standard_normal((2, 7, d)), rng.standard_normal((2, 5, d))
    layer = [rng.standard_normal(s) / 3 for s in ((3 * d, d), (3 * d,), (d, d), (d,))]

    def ours(self_attention: bool, pick: Callable[[Any], Any]) -> Compute:
        def compute(_: Any, a: list[Any]) -> Any:
            x, memory, w, b, w_o, b_o = a
            # PyTorch keeps (out, in), and all queries, then all keys, then all values.
            w_q, w_k, w_v = w.reshape(3, heads, d // heads, d).swapaxes(-1, -2)
            b_q, b_k, b_v = b.reshape(3, heads, d // heads)
            parameters = MultiHeadParameters(
                w_q, w_k, w_v, w_o.T, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o
            )
            visible = causal_mask(7) if self_attention else None
            source = None if self_attention else memory
            return pick(
                multi_head_attend(x, source, parameters=parameters, visible=visible)
            )

        return compute

    def theirs(self_attention: bool, which: int) -> Compute:
        def compute(t: Any, a: list[Any]) -> Any:
            x, memory, w, b, w_o, b_o = a
            hidden = t.from_numpy(~causal_mask(7)) if self_attention else None
            source = x if self_attention else memory
            return t.nn.functional.multi_head_attention_forward(
                *(s.transpose(0, 1) for s in (x, source, source)),
                d,
                heads,
                w,
                b,
                None,
                None,
                False,
                0.0,
                w_o,
                b_o,
                attn_mask=hidden,
                average_attn_weights=False,
            )[which]

        return compute

    for is_self, kind in ((True, "causal self-"), (False, "cross-")):
        yield (
            f"multi-head, {kind}attention",
            [x_q, x_k, *layer],
            ours(is_self, lambda trace: trace.output.swapaxes(0, 1)),
            theirs(is_self, 0),
        )
        yield (
            f"multi-head, {kind}weights",
            [x_q, x_k, *layer],
            ours(is_self, lambda trace: trace.attention.weights),
            theirs(is_self, 1),
        )


def _norms(rng: np.random.Generator) -> Iterator[Comparison]:
    x, gamma, beta = (rng.standard_normal(s) for s in ((2, 7, 11), 11, 11))
    for name, row in (("", x), (", mean 1000", x + 1000)):
        yield (
            f"layer norm{name}",
            [row, gamma, beta],
            lambda _, a: layer_norm(a[0], gamma=a[1], beta=a[2]).output,
            lambda t, a: t.nn.functional.layer_norm(a[0], (11,), a[1], a[2]),
        )
    yield (
        "rms norm",
        [x, gamma],
        lambda _, a: rms_norm(a[0], gamma=a[1]).output,
        lambda t, a: t.nn.functional.rms_norm(a[0], (11,), a[1], 1e-5),
    )
    yield (
        "batch norm, training",
        [x.reshape(14, 11), gamma, beta],
        lambda _, a: batch_norm(a[0], gamma=a[1], beta=a[2]).output,
        lambda t, a: t.nn.functional.batch_norm(
            a[0], None, None, a[1], a[2], training=True
        ),
    )


def _errors(
    torch: Any, inputs: list[np.ndarray], ours: Compute, theirs: Compute
) -> tuple[float, float, float]:
    """Errors of the core in float64 and float32, and of PyTorch in float32."""
    halves = [a.astype(np.float32) for a in inputs]
    exact = [torch.from_numpy(a.astype(np.float64)) for a in halves]
    reference = theirs(torch, exact).numpy()
    largest = np.abs(reference).max()
    results = (
        ours(None, [a.numpy() for a in exact]),
        ours(None, halves),
        theirs(torch, [torch.from_numpy(a) for a in halves]).numpy(),
    )
    first, second, third = (
        float(np.abs(result - reference).max() / largest) for result in results
    )
    return first, second, third


if __name__ == "__main__":
    sys.exit(main())
