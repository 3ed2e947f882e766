"""Put the script of the Scaling lab together."""

import numpy as np

from attnviz.example.scaling.compute import ScalingTrace
from attnviz.export.dialect import Dialect, Words, assemble, magnitude, section, shown

_ROW = """\
divided = (q @ k.T) / divisors
exps = LIB.exp(divided - divided.LARGEST(ALONG))
shares = exps / exps.sum(ALONG)
jacobian = LIB.diag(shares[1]) - LIB.outer(shares[1], shares[1])
norms = LIB.sqrt(
    (shares**2).sum(LAST) - 2 * (shares**3).sum(LAST) + (shares**2).sum(LAST) ** 2
)
"""
_BACK = """\
scale = gradient_q.shape[-1] ** -0.5
scores = gradient_q @ gradient_k.T * scale
exps = LIB.exp(scores - scores.LARGEST(ALONG))
weights = exps / exps.sum(ALONG)
d_v = weights.T @ d_context
d_weights = d_context @ gradient_v.T
d_scores = weights * (d_weights - (weights * d_weights).sum(ALONG))
d_q = d_scores @ gradient_k * scale
d_k = d_scores.T @ gradient_q * scale
"""
_AUTOGRAD = """\
for each in (gradient_q, gradient_k, gradient_v):
    each.requires_grad_()
context = F.scaled_dot_product_attention(gradient_q, gradient_k, gradient_v)
context.backward(d_context)
same("autograd d_q", gradient_q.grad, d_q.tolist())
same("autograd d_k", gradient_k.grad, d_k.tolist())
same("autograd d_v", gradient_v.grad, d_v.tolist())
"""


def scaling_script(trace: ScalingTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that computes the row and the gradients on screen."""
    row, back = trace.matrices, trace.scaled
    forth, gradients = back.attention, back.gradients
    assert gradients.q is not None
    assert gradients.k is not None
    auto = section(words("export.script.autograd"), _AUTOGRAD)
    return assemble(
        dialect,
        words,
        words("export.script.scaling"),
        magnitude(row["row_raw"]),
        [
            section(
                words("export.script.scaling_row", row=trace.row + 1),
                dialect.assign("q", row["row_q"]),
                dialect.assign("k", row["row_k"]),
                dialect.assign("divisors", np.array(trace.settings.divisors)[:, None]),
                dialect.speak(_ROW),
            ),
            section(
                words("export.script.gradient"),
                dialect.assign("gradient_q", forth.q[0]),
                dialect.assign("gradient_k", forth.k[0]),
                dialect.assign("gradient_v", forth.v[0]),
                dialect.assign("d_context", back.d_context),
                dialect.speak(_BACK),
            ),
            shown(
                dialect,
                words("export.script.shown"),
                {
                    "divided": row["divided"],
                    "shares": row["shares"],
                    "jacobian": row["jacobian"],
                    "norms": trace.own.norm,
                    "d_v": gradients.v[0],
                    "d_weights": gradients.weights[0],
                    "d_scores": gradients.masked_scores[0],
                    "d_q": gradients.q[0],
                    "d_k": gradients.k[0],
                },
            ),
            auto if dialect.is_torch else "",
        ],
    )
