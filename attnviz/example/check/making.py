"""Results that the page computes itself: right ones, and those of a known mistake."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.checks import attention_case
from attnviz.core.errors import SettingError
from attnviz.core.faults import FAULTS
from attnviz.example.check.expecting import expect_all
from attnviz.example.check.kinds import Kind
from attnviz.example.check.settings import ANY, RIGHT, CheckSettings
from attnviz.example.checks import asked_of
from attnviz.example.compute import compute
from attnviz.example.norms import compute_norm
from attnviz.example.settings import Example

DECIMALS = 4


def make_result(example: Example, settings: CheckSettings) -> tuple[Kind, FloatArray]:
    """Compute a result as `settings.made` says, and round it.

    Returns
    -------
    kind, values : Kind, FloatArray
        Which result it is, and its numbers.

    Raises
    ------
    SettingError
        If the mistake cannot be made with this example.
    """
    if settings.made == RIGHT:
        expected = expect_all(example, settings)[0]
        return expected.kind, expected.values.round(DECIMALS)
    number, _, name = settings.made.partition(".")
    fault = next(each for each in FAULTS if each.id == number)
    variant = next(each for each in fault.variants if each.name == name)
    with np.errstate(all="ignore"):
        if variant.subject == "layer_norm":
            made = variant.run(compute_norm(example, settings.norm()).norm)
        else:
            made = variant.run(attention_case(**asked_of(compute(example))))
    if made is None:
        raise SettingError("check_not_made", mistake=number)
    if variant.subject == "layer_norm":
        return "norm_output", made.round(DECIMALS)
    right = compute(example).attention
    kind: Kind = "context" if settings.kind == "context" else "weights"
    if settings.kind == ANY and np.array_equal(made.weights, right.weights):
        kind = "context"  # the weights do not show it
    return kind, getattr(made, kind).round(DECIMALS)


def printed(values: FloatArray, name: str) -> str:
    """Print a result as NumPy does, under its name."""
    tables = values[0] if values.ndim > 2 and len(values) == 1 else values
    text = np.array2string(
        tables, max_line_width=10**6, threshold=10**9, suppress_small=True
    )
    return f"{name} =\n{text}"
