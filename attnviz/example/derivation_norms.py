"""How the cells of the Layer norm page come about, and what a disturbance does."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation._norms import mean_of, variance_of
from attnviz.core.derivation.arithmetic import carry, collect, given, then
from attnviz.core.derivation.pieces import Derivation, Rule
from attnviz.core.layers.norms import NormTrace

if TYPE_CHECKING:
    from attnviz.example.norms import NormExampleTrace


def lay_out_norm(trace: "NormExampleTrace") -> Sheet:
    """Collect the matrices of the Layer norm page.

    Parameters
    ----------
    trace : NormExampleTrace
        What was computed.

    Returns
    -------
    sheet : Sheet
        All stages, and what a disturbance does to them; behind X + MHA(X), also all
        matrices of the example.
    """
    sheet, source = trace.norm.sheet(), trace.source
    names = (
        "output_mean",
        "output_variance",
        "batch",
        "disturbed",
        "layer_change",
        "batch_change",
    )
    found = {name: getattr(trace, name) for name in names}
    found |= {
        **_first("layer_after", trace.layer_after),
        **_first("batch_before", trace.batch_before, statistics="batch"),
        **_first("batch_after", trace.batch_after),
        "count": np.array(float(trace.batch[..., 0].size)),
    }
    if source is None:
        return Sheet({**sheet.matrices, **found}, sheet.synonyms, NORM_EXAMPLE_RULES)
    behind = source.sheet()
    return Sheet(
        {**behind.matrices, **sheet.matrices, **found},
        behind.synonyms,
        {**behind.rules, **NORM_EXAMPLE_RULES, "norm_input": _residual},
    )


def _first(
    name: str, norm: NormTrace, *, statistics: str = ""
) -> dict[str, FloatArray]:
    """Name what a norm makes of the first sample, with the statistics it uses."""
    per_position = norm.per == "position"
    mean, variance = (
        values[0] if per_position else values for values in (norm.mean, norm.variance)
    )
    prefix = statistics or name
    return {
        f"{prefix}_mean": mean,
        f"{prefix}_variance": variance,
        name: norm.normalized[0],
    }


def _residual(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("x", index))
    return then(work, "add", sheet.operand("output", index))


def _output_mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return mean_of(sheet, stage, index, "norm_output")


def _output_variance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return variance_of(sheet, stage, index, "norm_output", "output_mean")


def is_left_out(sheet: Sheet, index: Index) -> bool:
    """Tell whether a position was itself disturbed, so that its change is left out."""
    before, after = sheet.matrix("batch"), sheet.matrix("disturbed")
    return bool((before[0, index[0]] != after[0, index[0]]).any())


def _change(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Compare a normalized number with what it was before the disturbance."""
    if is_left_out(sheet, index):
        return given(sheet, stage, index)
    kind = stage.removesuffix("_change")
    before = "norm_normalized" if kind == "layer" else "batch_before"
    work = carry(stage, index, sheet.operand(f"{kind}_after", index))
    return then(work, "subtract", sheet.operand(before, index))


def _normalized(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Normalize a number of the first sample."""
    kind, when = stage.split("_")
    source = "batch" if when == "before" else "disturbed"
    statistics = "batch" if stage == "batch_before" else stage
    place = index[:1] if kind == "layer" else index[1:]
    work = carry(stage, index, sheet.operand(source, (0, *index)))
    work = then(work, "subtract", sheet.operand(f"{statistics}_mean", place))
    variance = sheet.operand(f"{statistics}_variance", place)
    return then(work, "divide_by_root", variance, sheet.operand("eps"))


def _mean(sheet: Sheet, stage: str, index: Index) -> Derivation:
    entries, number = _entries(sheet, stage, index)
    work = collect(stage, index, "sum", [(entry,) for entry in entries])
    return then(work, "divide", sheet.operand(number))


def _variance(sheet: Sheet, stage: str, index: Index) -> Derivation:
    entries, number = _entries(sheet, stage, index)
    mean = sheet.operand(stage.replace("variance", "mean"), index)
    squares = [(entry, mean) for entry in entries]
    work = collect(stage, index, "sum_of_squares", squares)
    return then(work, "divide", sheet.operand(number))


def _entries(sheet: Sheet, stage: str, index: Index) -> tuple[list[Operand], str]:
    """Read what a statistic goes over, and name its number.

    LayerNorm: the features of a position of the first sample. BatchNorm: a feature, at
    all positions of all samples.
    """
    source = "batch" if stage in ("batch_mean", "batch_variance") else "disturbed"
    samples, length, width = sheet.shape(source)
    if stage.startswith("layer"):
        places, number = [(0, *index, feature) for feature in range(width)], "d"
    else:
        places = [(*place, *index) for place in np.ndindex(samples, length)]
        number = "count"
    return [sheet.operand(source, place) for place in places], number


NORM_EXAMPLE_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "output_mean": _output_mean,
        "output_variance": _output_variance,
        "layer_change": _change,
        "batch_change": _change,
        "layer_after": _normalized,
        "batch_before": _normalized,
        "batch_after": _normalized,
        "layer_after_mean": _mean,
        "layer_after_variance": _variance,
        "batch_mean": _mean,
        "batch_variance": _variance,
        "batch_after_mean": _mean,
        "batch_after_variance": _variance,
    }
)
