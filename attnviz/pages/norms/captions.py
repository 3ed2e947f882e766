"""Sentences of the Layer norm page that follow the numbers."""

from attnviz.example.norms import NormExample, NormExampleTrace
from attnviz.example.settings import Example
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief
from attnviz.text.presets import origin_line


def norm_sentences(
    trace: NormExampleTrace, settings: NormExample, tr: Translate
) -> dict[str, str]:
    """Say what the page shows of these numbers.

    Parameters
    ----------
    settings : NormExample
        Its settings.

    Returns
    -------
    texts : dict of str to str
        By key: shapes, and what a disturbance changed.
    """
    length, width = trace.norm.x.shape
    shape = f"{length}×{width}"
    is_alone = settings.disturbance == "positions" and length == 1
    found = "alone" if is_alone else settings.disturbance
    return {
        "shape.norm": f"{shape} → {shape}",
        "norms.disturbed": tr(
            f"norms.found.{found}",
            layer=brief(trace.largest_layer_change),
            batch=brief(trace.largest_batch_change),
            m=settings.n_samples,
        ),
    }


def norm_origin(
    preset: str, example: Example, settings: NormExample, tr: Translate
) -> str:
    """Say of a picture which tensor it normalizes, and where that comes from."""
    tensor = tr(f"norms.source.{settings.source}")
    if settings.source == "rows":
        return tensor
    return f"{origin_line(preset, example, tr)} · {tensor}"
