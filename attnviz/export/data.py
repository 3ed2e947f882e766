"""The numbers of a page, named and labelled, ready to be written to a file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.example.compute import Example, ExampleTrace
from attnviz.example.norms import NormExample, NormExampleTrace
from attnviz.example.weights_alone import Shown, WeightsTrace

# The learned parts of the additive score.
ADDITIVE = ("w_q", "w_k", "v")

# What each axis of each matrix counts.
_ATTENTION_AXES = {
    "x": ("query", "d"),
    "x_k": ("key", "d"),
    "positions": ("query", "d"),
    "key_positions": ("key", "d"),
    "inputs": ("query", "d"),
    "key_inputs": ("key", "d"),
    "w_q": ("head", "d", "d_k"),
    "w_k": ("head", "d", "d_k"),
    "w_v": ("head", "d", "d_v"),
    "q": ("head", "query", "d_k"),
    "k": ("head", "key", "d_k"),
    "v": ("head", "key", "d_v"),
    "q_turned": ("head", "query", "d_k"),
    "k_turned": ("head", "key", "d_k"),
    "score_w": ("d_k", "d_k"),
    "score_w_q": ("unit", "d_k"),
    "score_w_k": ("unit", "d_k"),
    "score_v": ("unit",),
    "raw_scores": ("head", "query", "key"),
    "bias": ("head", "query", "key"),
    "scores": ("head", "query", "key"),
    "visible": ("head", "query", "key"),
    "masked_scores": ("head", "query", "key"),
    "row_max": ("head", "query", "max"),
    "exp_scores": ("head", "query", "key"),
    "row_sum": ("head", "query", "sum"),
    "weights": ("head", "query", "key"),
    "context": ("head", "query", "d_v"),
    "joined": ("query", "joined"),
    "w_o": ("joined", "d"),
    "output": ("query", "d"),
}
_NORM_AXES = {
    "norm_input": ("position", "d"),
    "norm_mean": ("position",),
    "norm_variance": ("position",),
    "norm_normalized": ("position", "d"),
    "gamma": ("d",),
    "beta": ("d",),
    "norm_output": ("position", "d"),
    "output_mean": ("position",),
    "output_variance": ("position",),
    "batch": ("sample", "position", "d"),
    "disturbed": ("sample", "position", "d"),
    "layer_change": ("position", "d"),
    "batch_change": ("position", "d"),
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """One array with the meaning of its axes.

    Attributes
    ----------
    values : ndarray
        Floats, or booleans for a mask.
    axes : tuple of str
        What each axis counts.
    """

    values: npt.NDArray[Any]
    axes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageData:
    """All numbers of a page.

    Attributes
    ----------
    page : str
        Name of the page.
    settings : mapping of str to Any
        All settings the numbers depend on, as plain values.
    labels : mapping of str to tuple of str
        Tokens along an axis, by what the axis counts.
    matrices : mapping of str to Matrix
        Arrays by the name they have on the page, in the order of the computation.
    """

    page: str
    settings: Mapping[str, Any]
    labels: Mapping[str, tuple[str, ...]]
    matrices: Mapping[str, Matrix]


def attention_data(trace: Shown) -> PageData:
    """Collect the numbers of the Attention page, of every head.

    Parameters
    ----------
    trace : ExampleTrace or WeightsTrace
        The example on screen.

    Returns
    -------
    data : PageData
        What the example does not have is left out.
    """
    arrays = _sums(trace) if isinstance(trace, WeightsTrace) else _stages(trace)
    return PageData(
        page="attention",
        settings=_settings(trace.example),
        labels={"query": trace.tokens, "key": trace.key_tokens},
        matrices=_matrices(arrays, _ATTENTION_AXES),
    )


def _sums(trace: WeightsTrace) -> dict[str, npt.NDArray[Any] | None]:
    return {"weights": trace.weights, "row_sum": trace.row_sum}


def _stages(trace: ExampleTrace) -> dict[str, npt.NDArray[Any] | None]:
    """Collect everything from the inputs to the output."""
    arrays = {
        **_inputs(trace),
        "q": trace.q,
        "k": trace.k,
        "v": trace.v,
        **_meeting(trace),
        **{
            name: getattr(trace.attention, name)
            for name in (
                "raw_scores",
                "bias",
                "scores",
                "visible",
                "masked_scores",
                "row_max",
                "exp_scores",
                "row_sum",
                "weights",
                "context",
            )
        },
    }
    if trace.heads is not None and trace.parameters is not None:
        arrays["joined"] = trace.heads.joined
        arrays["w_o"] = trace.parameters.w_o
        arrays["output"] = trace.heads.output
    return arrays


def _settings(example: Example) -> dict[str, Any]:
    """Write settings as plain values; the reader's matrices stand among the others."""
    settings = {
        field.name: getattr(example, field.name)
        for field in fields(example)
        if field.name != "own"
    }
    return settings | {"edits": [asdict(edit) for edit in example.edits]}


def norm_data(
    trace: NormExampleTrace, example: Example, settings: NormExample
) -> PageData:
    """Collect the numbers of the Layer norm page.

    Parameters
    ----------
    trace : NormExampleTrace
        The normalization on screen.
    example : Example
        The example that gives its inputs.
    settings : NormExample
        What is normalized, and how.

    Returns
    -------
    data : PageData
        With the batch before and after the disturbance.
    """
    norm = trace.norm
    arrays = {
        "norm_input": norm.x,
        "norm_mean": norm.mean,
        "norm_variance": norm.variance,
        "norm_normalized": norm.normalized,
        "gamma": norm.gamma,
        "beta": norm.beta,
        "norm_output": norm.output,
        **{
            name: getattr(trace, name)
            for name in (
                "output_mean",
                "output_variance",
                "batch",
                "disturbed",
                "layer_change",
                "batch_change",
            )
        },
    }
    return PageData(
        page="norms",
        settings={**asdict(settings), "example": _settings(example)},
        labels={"position": trace.tokens},
        matrices=_matrices(arrays, _NORM_AXES),
    )


def _inputs(trace: ExampleTrace) -> dict[str, npt.NDArray[Any] | None]:
    """Collect what queries, keys and values come from."""
    p = trace.parameters
    if p is None:
        return {}
    sides = [("x", "positions", "inputs")]
    if trace.example.is_cross:
        sides.append(("x_k", "key_positions", "key_inputs"))
    is_added = trace.positions is not None
    names = [name for side in sides for name in (side if is_added else side[:1])]
    arrays = {name: getattr(trace, name) for name in names}
    return {**arrays, "w_q": p.w_q, "w_k": p.w_k, "w_v": p.w_v}


def _meeting(trace: ExampleTrace) -> dict[str, npt.NDArray[Any] | None]:
    """Collect what stands between queries, keys and their scores."""
    arrays: dict[str, npt.NDArray[Any] | None] = {}
    if trace.example.positions == "rotary":
        arrays |= {"q_turned": trace.attention.q, "k_turned": trace.attention.k}
    learned, kind = trace.scoring, trace.example.scoring
    if learned is not None and kind == "bilinear":
        arrays["score_w"] = learned.w
    if learned is not None and kind == "additive":
        arrays |= {f"score_{name}": getattr(learned, name) for name in ADDITIVE}
    return arrays


def _matrices(
    arrays: Mapping[str, npt.NDArray[Any] | None], axes: Mapping[str, tuple[str, ...]]
) -> dict[str, Matrix]:
    return {
        name: Matrix(np.asarray(array), axes[name])
        for name, array in arrays.items()
        if array is not None
    }
