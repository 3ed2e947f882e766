"""What the example on screen says of its checks besides their outcome."""

import math

from attnviz.core.checks import Check
from attnviz.example.compute import ExampleTrace
from attnviz.example.presets import PRESETS
from attnviz.example.settings import Example
from attnviz.example.weights_alone import Shown, WeightsTrace
from attnviz.text.catalog import Translate
from attnviz.text.checks import Note
from attnviz.text.numbers import brief, grouped

# What weights that were brought along are asked.
_OF_WEIGHTS = (
    "row_sums",
    "hidden_weights",
    "constant_values",
    "max_subtracted",
    "loop",
)


def check_notes(
    trace: Shown, preset: str, checks: tuple[Check, ...], tr: Translate
) -> dict[str, Note]:
    """Say why the divisor is what it is, and which sizes make the number of scores.

    Parameters
    ----------
    preset : str
        The preset that the example started from.
    checks : tuple of Check
        Measured on the trace.

    Returns
    -------
    notes : dict of str to Note
        By the id of a check.
    """
    if isinstance(trace, WeightsTrace):
        return {}
    example = trace.example
    notes = {}
    if example.brought_weights is not None:
        brought = Note(tr("check.why.brought"))
        notes = {
            check.id: brought
            for check in checks
            if check.id in _OF_WEIGHTS and check.measured is not None
        }
    measured = next(check.measured for check in checks if check.id == "divisor")
    if measured is not None:
        notes["divisor"] = Note(_divisor(example, measured, tr))
    notes["score_table"] = _score_table(trace, preset, tr)
    return notes


def _divisor(example: Example, measured: float, tr: Translate) -> str:
    """Name the setting that gives a divisor other than √d_k."""
    is_set = math.isclose(measured, example.divisor, rel_tol=1e-3)
    if example.brought_weights is not None and not is_set:
        return tr("check.why.brought")
    if example.scoring != "dot":
        tempered = "" if example.temperature == 1 else "_temperature"
        return tr(f"check.why.learned{tempered}")
    if not example.is_scaled:
        return tr("check.why.unscaled")
    if example.temperature == 1:
        return ""
    root, temperature = brief(math.sqrt(example.d_k)), brief(example.temperature)
    return tr("check.why.temperature", root=root, temperature=temperature)


def _score_table(trace: ExampleTrace, preset: str, tr: Translate) -> Note:
    """Count the scores of the layer that the sentence of the preset speaks of."""
    n_heads, len_q, len_k = trace.attention.weights.shape
    product = f"1·{n_heads}·{len_q}·{len_k}"
    example, of_preset = trace.example, PRESETS[preset]
    counted = of_preset.counted
    # A layer without a length has no table of scores.
    is_told = counted is not None and counted.length > 1 and example.own is None
    if counted is None or not is_told or of_preset.changed(example):
        return Note(tr("check.why.size", product=product))
    told = {
        "elements": grouped(counted.score_elements),
        "drawn": grouped(trace.attention.weights.size),
    }
    length = counted.length
    layer = f"{counted.batch}·{counted.sizes.n_heads}·{length}·{length}"
    return Note(
        tr("check.why.counted", counted=layer, product=product, **told),
        tr("check.why.counted_brief", **told),
    )
