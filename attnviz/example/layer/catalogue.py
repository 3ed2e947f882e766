"""The matrices of the Layer page: what each is called, how coloured, along which axes.

They are those of the catalogue with one axis before all others, the layer, and what
layers have besides.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from attnviz.example.layer.settings import MAX_LAYERS, SUBLAYERS
from attnviz.example.matrices import CROSS, GRADIENT, MATRICES, Matrix

N_STREAMS = 1 + MAX_LAYERS * len(SUBLAYERS["decoder"])
# What every attention has: the names are those of the Attention page.
ATTENTION = (
    *("w_q", "w_k", "w_v", "q", "k", "v", "q_turned", "k_turned", "raw_scores", "bias"),
    *("scores", "mask", "masked_scores", "row_max", "exp_scores", "row_sum"),
    *("weights", "context", "joined", "w_o", "output"),
)
_NORM = ("norm_mean", "norm_variance", "norm_normalized", "norm_output")
# Of the example: the same for all layers.
_SHARED = ("x", "positions", "cos", "sin", "bucket_values")
_STATE = ("query", "d")
_COLUMN = ("query", "statistic")


@cache
def layer_names() -> Mapping[str, Matrix]:
    """Give all matrices of the Layer page.

    Returns
    -------
    names : mapping of str to Matrix
        By name; a gradient has the name of what it belongs to behind ``grad_``.
    """
    settings = {name: each for name, each in MATRICES.items() if not each.axes}
    drawn = {**_attention(), **_norms(), **_network(), **_streams(), **_ends()}
    gradients = {
        f"{GRADIENT}{name}": replace(
            each, base=f"∂{each.base}", entry="", kind="signed"
        )
        for name, each in drawn.items()
    }
    shared = {name: MATRICES[name] for name in _SHARED}
    # Of the gradient, and no gradients themselves.
    gradients |= {f"{GRADIENT}{name}": drawn[name] for name in ("way_mean", "way_norm")}
    gradients |= _between()
    return MappingProxyType({**shared, **drawn, **gradients, **settings})


def _layered(each: Matrix, *axes: str) -> Matrix:
    """Put the axis of layers, or axes that begin with it, before all others."""
    own = tuple(axis for axis in each.axes if axis != "head")
    heads = ("head",) if each.is_per_head else ()
    return replace(each, axes=("layer", *axes, *heads, *own), edits=())


def _attention() -> dict[str, Matrix]:
    """Name both attentions; the second one asks the memory."""
    own = {name: _layered(MATRICES[name]) for name in ATTENTION}
    cross = {}
    for name, each in own.items():
        axes = tuple("source" if axis == "key" else axis for axis in each.axes)
        cross[f"{CROSS}{name}"] = replace(each, axes=axes, sup="×")
    return {**own, **cross}


def _norms() -> dict[str, Matrix]:
    """Name the stages of the norms of a layer, and of the one behind the last."""
    names = {name: MATRICES[name] for name in _NORM}
    stages = {
        name: replace(
            _layered(each, "norm"),
            axes=("layer", "norm", "query", "statistic" if each.is_column else "d"),
        )
        for name, each in names.items()
    }
    learned = {
        name: replace(
            MATRICES[name], axes=("layer", "norm", "statistic", "d"), edits=()
        )
        for name in ("gamma", "beta")
    }
    final = {
        name.replace("norm_", "final_"): replace(
            each, axes=_COLUMN if each.is_column else _STATE, sub="f"
        )
        for name, each in names.items()
    }
    last = {
        f"final_{name}": replace(MATRICES[name], axes=("statistic", "d"), sub="f")
        for name in ("gamma", "beta")
    }
    return {**stages, **learned, **final, **last}


def _network() -> dict[str, Matrix]:
    inner = ("layer", "query", "d_ff")
    return {
        "w_1": Matrix("W", ("layer", "d", "d_ff"), "x", "1"),
        "b_1": Matrix("b", ("layer", "statistic", "d_ff"), "x", "1"),
        "ffn_hidden": Matrix("G", inner, "k", entry="g"),
        "ffn_active": Matrix("φ(G)", inner, "k", entry="φ(g)"),
        "w_2": Matrix("W", ("layer", "d_ff", "d"), "x", "2"),
        "b_2": Matrix("b", ("layer", "statistic", "d"), "x", "2"),
        "ffn_output": Matrix("F", ("layer", "query", "d"), "k", entry="f"),
    }


def _between() -> dict[str, Matrix]:
    """Name what gradients are worked out with, and those of what sublayers take."""
    state, column = ("layer", *_STATE), ("layer", "norm", *_COLUMN)
    rows = Matrix("Σa∂a", ("layer", "head", *_COLUMN), "s")
    return {
        "grad_attention_input": Matrix("∂X", state, sub="A"),
        "grad_cross_input": Matrix("∂X", state, sub="×"),
        "grad_ffn_input": Matrix("∂X", state, sub="F"),
        "grad_row": rows,
        "grad_cross_row": rows,
        "grad_norm_input": Matrix("∂x", ("layer", "norm", *_STATE), "n"),
        "grad_norm_shift": Matrix("−mean ∂x̂", column, "n"),
        "grad_norm_along": Matrix("−mean x̂∂x̂", column, "n"),
        "grad_final_shift": Matrix("−mean ∂x̂", _COLUMN, "n", "f"),
        "grad_final_along": Matrix("−mean x̂∂x̂", _COLUMN, "n", "f"),
        "ffn_slope": Matrix("φ′(G)", ("layer", "query", "d_ff"), "k"),
        "next_word": Matrix("next", ("query", "word"), "v"),
        "minus_d": Matrix("−d"),
        "n_next": Matrix("T−1"),
    }


def _streams() -> dict[str, Matrix]:
    """Name the stream before the first step and after each, and sums under norms."""
    streams = {
        f"stream_{place}": Matrix("X", _STATE, "x", str(place), entry="x")
        for place in range(N_STREAMS)
    }
    residuals = {
        f"residual_{step}": Matrix("R", ("layer", *_STATE), "x", str(step), entry="r")
        for step in range(1, 4)
    }
    return {
        **streams,
        **residuals,
        "memory": Matrix("X", ("source", "d"), "x", "K", entry="x"),
    }


def _ends() -> dict[str, Matrix]:
    """Name what follows the layers, and what is read off them for one token."""
    words = ("query", "word")
    return {
        "w_vocab": Matrix("W", ("word", "d"), "v", "𝒱"),
        "b_vocab": Matrix("b", ("statistic", "word"), "v", "𝒱"),
        "logits": Matrix("Z", words, "v", entry="z"),
        "logit_max": Matrix("max", _COLUMN, "v"),
        "logit_exp": Matrix("e", words, "v"),
        "logit_sum": Matrix("Σe", _COLUMN, "v"),
        "probabilities": Matrix("p", words, "v", kind="weights"),
        "way": Matrix("x", ("stage", "d"), entry="x"),
        "way_mean": Matrix("μ", ("stage", "statistic")),
        "way_norm": Matrix("‖·‖", ("stage", "statistic")),
    }
