"""Judge what somebody computed, and say what it looks like."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from attnviz.core.errors import ShapeError
from attnviz.example.check.arranging import arrange, left_out, misfit
from attnviz.example.check.brought import Brought
from attnviz.example.check.expecting import expect_all
from attnviz.example.check.judgement import Judgement
from attnviz.example.check.judging_attention import judge_attention
from attnviz.example.check.judging_others import (
    judge_gradients,
    judge_layer,
    judge_norm,
    judge_rotation,
    judge_sinusoids,
)
from attnviz.example.check.settings import CheckSettings
from attnviz.example.own.example import own_example
from attnviz.example.settings import SETTINGS, Example

# What judges the results of a family together.
_JUDGES: Mapping[str, Callable[..., Judgement]] = MappingProxyType(
    {
        "attention": judge_attention,
        "layer": judge_layer,
        "norm": judge_norm,
        "sinusoids": judge_sinusoids,
        "rotation": judge_rotation,
        "gradients": judge_gradients,
    }
)


def inputs_of(example: Example, brought: Brought) -> Example:
    """Give the example that is asked about: inputs that came along take its place."""
    if brought.own is None:
        return example
    kept = {name: getattr(example, name) for name in SETTINGS}
    return own_example(brought.own, kept)


def judge(example: Example, settings: CheckSettings, brought: Brought) -> Judgement:
    """Compare results with what should come out, and with what mistakes give.

    Parameters
    ----------
    example : Example
        The inputs, the mask, the scale.
    settings : CheckSettings
        Which result it is, and how a normalization was meant.
    brought : Brought
        The results.

    Returns
    -------
    judgement : Judgement
        On what was computed with the same inputs. Where nobody says which result it
        is, it is taken for the nearest that explains it.

    Raises
    ------
    SettingError
        If a result has a shape that nothing gives.
    """
    inputs = inputs_of(example, brought)
    expected = expect_all(
        inputs, settings, brought.rows, brought.results, brought.d_context
    )
    best: Judgement | None = None
    for placed in arrange(expected, brought):
        try:
            first = placed[0].expected
            found = _JUDGES[first.rule.family](placed, first.source)
        except ShapeError:
            continue
        if found.placed.values is None and not found.diagnosis.candidates:
            continue
        if found.is_settled:
            best = found
            break
        best = best or found
    if best is None:
        raise misfit(expected, brought)
    return replace(best, left_out=left_out(brought, best.results))
