"""Words about presets, with the numbers that belong into them."""

from attnviz.example.presets import PRESETS, SOURCES, Counted
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief

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


def preset_point(name: str, tr: Translate) -> str:
    """Say in a sentence what a preset is there to show.

    Returns
    -------
    point : str
        With the counts of a layer that is too large to draw.
    """
    counted = PRESETS[name].counted
    values = {} if counted is None else _counts(counted)
    return tr(f"preset.{name}.point", **values)


def preset_origin(name: str, tr: Translate) -> str:
    """Say where a preset comes from, and whether anything learned its weights.

    Returns
    -------
    origin : str
        Source, and the label of what was constructed by hand.
    """
    source = tr(f"preset.{name}.source")
    if not PRESETS[name].is_constructed:
        return source
    return tr("preset.constructed", source=source)


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
        "elements": _grouped(counted.score_elements),
        "mebibytes": brief(counted.score_bytes / _MEBI),
        "parameters": _grouped(counted.parameters),
        "with_biases": _grouped(counted.parameters_with_biases),
    }


def _grouped(number: int) -> str:
    """Set digits in groups of three, with a narrow space between them."""
    return f"{number:,}".replace(",", "\u202f")
