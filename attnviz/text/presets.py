"""Words about presets, with the numbers that belong into them."""

from attnviz.example.own.data import MEAN
from attnviz.example.presets import PRESETS, SOURCES, Counted
from attnviz.example.settings import Example
from attnviz.example.sources.fixed import GivenWeights
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief, grouped
from attnviz.text.settings import setting_names

_MEBI = 2**20


def preset_choices(tr: Translate) -> dict[str, dict[str, str]]:
    """Name all presets, grouped by where they come from.

    Returns
    -------
    choices : dict of str to dict
        Titles by name of the preset, by title of the group.
    """
    return {
        tr(f"preset.group.{source}"): {
            name: tr(f"preset.{name}")
            for name, preset in PRESETS.items()
            if preset.source == source
        }
        for source in SOURCES
    }


def preset_point(name: str, example: Example, tr: Translate) -> str:
    """Say in a sentence what an example is there to show.

    Parameters
    ----------
    name : str
        The preset that it started from.
    example : Example
        As it is now.

    Returns
    -------
    point : str
        With the counts of a layer that is too large to draw; where settings that the
        point depends on are others now, which they are.
    """
    if example.own is not None:
        return tr(_own_point(example))
    preset = PRESETS[name]
    if changed := preset.changed(example):
        return tr("preset.changed", names=setting_names(changed, tr))
    values = {} if preset.counted is None else _counts(preset.counted)
    return tr(f"preset.{name}.point", **values)


def _own_point(example: Example) -> str:
    if isinstance(example.fixed, GivenWeights):
        return "own.point_mean" if example.head_group == MEAN else "own.weights"
    return "own.point" if example.brought_weights is None else "own.compared"


def preset_origin(name: str, example: Example, tr: Translate) -> str:
    """Say where an example comes from, and whether anything learned its weights.

    Returns
    -------
    origin : str
        Source, and the label of what was constructed by hand; empty for own data.
    """
    if example.own is not None:
        return ""
    source = tr(f"preset.{name}.source")
    if not PRESETS[name].is_constructed:
        return source
    return tr("preset.constructed", source=source)


def origin_line(
    name: str, example: Example, tr: Translate, *, head: int | None = None
) -> str:
    """Say of a picture what its numbers come from.

    Parameters
    ----------
    name : str
        The preset that the example started from.
    head : int, optional
        The head that is shown, counted from 0, if heads matter.

    Returns
    -------
    line : str
        The preset or that it is own data, layer and head, and the seed of what is
        random.
    """
    parts = [tr("export.of.own" if example.own is not None else f"preset.{name}")]
    if head is not None:
        parts += _of_head(example, head, tr)
    is_drawn = example.scoring != "dot" or example.positions == "learned"
    if example.fixed is None or is_drawn:
        parts.append(tr("export.of.seed", seed=example.seed))
    return " · ".join(parts)


def _of_head(example: Example, head: int, tr: Translate) -> list[str]:
    """Say which head is shown and, of several layers, of which of them."""
    own, heads = example.own, example.n_heads
    parts = []
    if own is not None and isinstance(example.fixed, GivenWeights):
        heads = own.n_heads
        if own.n_layers > 1:
            layer, sample = divmod(example.layer, own.n_samples)
            layers = own.n_layers // own.n_samples
            parts.append(tr("export.of.layer", layer=layer + 1, layers=layers))
            if own.n_samples > 1:
                parts.append(tr("own.sample", sample=sample + 1, samples=own.n_samples))
    if example.head_group == MEAN:
        return [*parts, tr("own.mean", heads=heads)]
    number = example.first_head + head + 1
    return [*parts, tr("export.of.head", head=number, heads=heads)]


def _counts(counted: Counted) -> dict[str, str]:
    """Write all counts that a sentence may ask for."""
    sizes = counted.sizes
    return {
        "m": brief(counted.batch),
        "T": brief(counted.length),
        "d": brief(sizes.d_model),
        "H": brief(sizes.n_heads),
        "d_k": brief(sizes.d_k),
        "divisor": brief(counted.divisor),
        "elements": grouped(counted.score_elements),
        "mebibytes": brief(counted.score_bytes / _MEBI),
        "parameters": grouped(counted.parameters),
        "with_biases": grouped(counted.parameters_with_biases),
    }
