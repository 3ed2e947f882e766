"""Examples that between them use everything a script has to write."""

from dataclasses import asdict

import numpy as np

from attnviz.example.compute import EXAMPLES
from attnviz.example.edits import Edit
from attnviz.example.norms import NormExample, NormExampleTrace
from attnviz.example.own import Found, choose_own
from attnviz.example.own.example import own_example
from attnviz.example.scaling.compute import ScalingTrace
from attnviz.example.scaling.settings import Scaling
from attnviz.example.settings import Example
from attnviz.export.data import page_data, plain_settings
from attnviz.pages.attention.script import attention_script
from attnviz.pages.norms.script import norm_script
from attnviz.pages.scaling.script.whole import scaling_script

EDITS = (Edit("x", (1, 2), -7.5), Edit("w_k", (1, 6, 2), 1e3), Edit("mask", (0, 4), 1))
# Distinct sizes, so that no axis can stand in for another.
SIZES = {"length": 5, "d_model": 7, "d_k": 2, "d_v": 3, "n_heads": 3}
SETTINGS = {
    "no mask": {},
    "causal": {"mask": "causal"},
    "padding": {"mask": "padding", "n_padding": 2},
    "causal and padding": {"mask": "causal_padding", "n_padding": 2},
    "left padding": {"mask": "causal_left_padding", "n_padding": 2},
    "window": {"mask": "window", "window_left": 2, "window_right": 0},
    "not scaled": {"is_scaled": False},
    "temperature": {"temperature": 0.3},
    "keys from elsewhere": {"key_length": 11},
    "cross and causal": {"key_length": 11, "mask": "causal"},
    "cross and added": {"key_length": 11, "positions": "sinusoidal"},
    "bilinear": {"scoring": "bilinear"},
    "additive": {"scoring": "additive", "mask": "causal", "temperature": 2.0},
    "sinusoidal": {"positions": "sinusoidal"},
    "sinusoidal from 1": {"positions": "sinusoidal", "starts_at_one": True},
    "learned": {"positions": "learned", "key_length": 3},
    "rotary": {"positions": "rotary"},
    "rotary and bilinear": {"positions": "rotary", "scoring": "bilinear"},
    "rotary from 1": {"positions": "rotary", "starts_at_one": True},
    "alibi": {"positions": "alibi", "mask": "causal", "temperature": 0.7},
    "alibi across": {"positions": "alibi", "key_length": 11, "is_scaled": False},
    "edits": {"d_k": 3, "edits": EDITS, "mask": "causal"},
}
RNG = np.random.default_rng(0)
HEADS = RNG.normal(size=(2, 5, 3))
PROJECTIONS = {name: RNG.normal(size=(2, 7, 3)) for name in ("w_q", "w_k", "w_v")}
# Matrices that a reader brought, and that presets do not have.
OWN = {
    "own Q, K, V of two heads": {"q": HEADS, "k": HEADS[:, ::-1], "v": HEADS[::-1]},
    "own X without W_O": {"x": RNG.normal(size=(5, 7)), **PROJECTIONS},
}
WEIGHTS_ALONE = own_example(
    choose_own(
        Found({"weights": np.full((2, 3, 4), 0.25)}, labels={"query": ("a", "b", "c")})
    )
)
ATTENTION = {
    **EXAMPLES,
    **{name: own_example(choose_own(Found(own))) for name, own in OWN.items()},
    **{name: Example(**(SIZES | changes)) for name, changes in SETTINGS.items()},
}
NORMS = {
    "inputs": NormExample(),
    "residual": NormExample(source="residual", gamma=(2.0,), beta=(-1.0,), eps=1e-3),
    "rows": NormExample(source="rows", gamma=(1, 0.5, 2, 1), beta=(0, 1, -1, 0.5)),
    "large rows": NormExample(
        source="rows", rows=((99999.3, 99999.3, 99999.3), (1e6, -1e6, 2.5))
    ),
    "one feature": NormExample(source="rows", rows=((3.0,), (-2.0,))),
}
SCALING = {
    "scaling": Scaling(d_k=4, keys=7, n_drawn=250, gradient_size=3),
    "scaling, mean": Scaling(d_k=64, keys=5, n_drawn=250, law="unit", loss="mean"),
}


def write_script(trace, dialect, words):
    """Write the script of the page on which a trace stands."""
    if isinstance(trace, ScalingTrace):
        return scaling_script(trace, dialect, words)
    is_norm = isinstance(trace, NormExampleTrace)
    return (norm_script if is_norm else attention_script)(trace, dialect, words)


def attention_data(trace):
    """Collect what the Attention page exports."""
    return page_data("attention", trace.screen(), plain_settings(trace.example))


def norm_data(trace, example, settings):
    """Collect what the Layer norm page exports."""
    depends = {**asdict(settings), "example": plain_settings(example)}
    return page_data("norms", trace.screen(), depends)
