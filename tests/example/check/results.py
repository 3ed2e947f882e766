"""An example to be checked, and results as people bring them."""

from dataclasses import replace

import numpy as np

from attnviz.core import attend
from attnviz.example.check.brought import read_brought
from attnviz.example.check.judging import judge
from attnviz.example.check.settings import CheckSettings
from attnviz.example.compute import compute
from attnviz.example.settings import Example

# Distinct sizes, so that no axis can stand in for another.
CAUSAL = Example(length=5, d_model=7, d_k=3, d_v=2, n_heads=2, mask="causal", seed=11)
TRACE = compute(CAUSAL)
# Rotary positions turn pairs of features, and sinusoids come in pairs.
EVEN = replace(CAUSAL, d_model=8, d_k=4)
TURNED = compute(EVEN)
Q, K, V = (getattr(TRACE, name) for name in "qkv")
VISIBLE = TRACE.visible


def attended(visible=VISIBLE, **changes):
    return attend(Q, K, V, visible=visible, **changes)


def written(array, decimals=4, name=""):
    """Write numbers as NumPy prints them."""
    text = np.array2string(
        np.asarray(array).round(decimals), threshold=10**9, max_line_width=10**6
    )
    return f"{name} =\n{text}" if name else text


def judged(text, example=CAUSAL, **settings):
    return judge(example, CheckSettings(**settings), read_brought([(text, "")]))


def said(judgement):
    """Give verdict, what was judged, and the mistakes that fit."""
    diagnosis = judgement.diagnosis
    fitting = [one.fault.id for one in diagnosis.candidates if one.fits]
    kinds = [one.expected.kind for one in judgement.results]
    return diagnosis.verdict, kinds, list(dict.fromkeys(fitting))
