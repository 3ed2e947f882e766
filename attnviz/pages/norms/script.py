"""The script of the Layer norm page."""

import numpy as np

from attnviz.example.norms import NormExampleTrace
from attnviz.export.dialect import (
    Dialect,
    Words,
    assemble,
    magnitude,
    section,
    shown,
)

_STAGES = """\
mean = x.mean(ALONG)
variance = ((x - mean) ** 2).mean(ALONG)
normalized = (x - mean) / LIB.sqrt(variance + eps)
output = gamma * normalized + beta
"""
_FUSED = """\
fused = F.layer_norm(x, gamma.shape, weight=gamma, bias=beta, eps=eps)
same("F.layer_norm", fused, output.tolist())
"""


def norm_script(trace: NormExampleTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that normalizes what is on screen."""
    norm = trace.norm
    fused = section(words("export.script.fused"), _FUSED) if dialect.is_torch else ""
    # Rounding of the mean grows in proportion when the spread is small.
    spread = float(np.sqrt(norm.variance + norm.eps).min())
    gain = max(1.0, magnitude(norm.gamma))
    return assemble(
        dialect,
        words,
        words("export.script.norms"),
        gain * magnitude(norm.x) / spread,
        [
            section(
                words("export.script.rows"),
                dialect.assign("x", norm.x),
                dialect.assign("gamma", norm.gamma),
                dialect.assign("beta", norm.beta),
                f"eps = {norm.eps!r}",
            ),
            section(words("export.script.norm"), dialect.speak(_STAGES)),
            fused,
            shown(
                dialect,
                words("export.script.shown"),
                {
                    "mean": norm.mean[:, None],
                    "variance": norm.variance[:, None],
                    "normalized": norm.normalized,
                    "output": norm.output,
                },
            ),
        ],
    )
