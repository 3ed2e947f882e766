"""Settings, as sentences name them."""

from collections.abc import Iterable

from attnviz.example.choices.masks import MASK_KINDS, MaskKind
from attnviz.example.settings import SETTINGS, Example
from attnviz.text.catalog import Translate


def setting_names(names: Iterable[str], tr: Translate) -> str:
    """List settings by their words; a switch is named with what it switches.

    Examples
    --------
    >>> from attnviz.text.catalog import translator
    >>> setting_names(["mask", "is_scaled"], translator("en"))
    'mask, divide by √dₖ'
    """
    return tr("compare.and").join(_named(name, tr) for name in names)


def mask_labels(example: Example, tr: Translate) -> dict[str, str]:
    """Name every kind of mask, with the cells by hand that stay beside it.

    Examples
    --------
    >>> from attnviz.example.edits import Edit
    >>> from attnviz.text.catalog import translator
    >>> drawn = Example(edits=(Edit("mask", (1, 2), 0.0),))
    >>> mask_labels(drawn, translator("en"))["none"]
    'None + 1 cell by hand'
    """
    return {kind: _mask_label(kind, example, tr) for kind in MASK_KINDS}


def _mask_label(kind: MaskKind, example: Example, tr: Translate) -> str:
    label, count = tr(f"mask.{kind}"), example.drawn_cells(kind)
    if not count:
        return label
    key = "mask.drawn_one" if count == 1 else "mask.drawn"
    return tr(key, kind=label, count=count)


def _named(name: str, tr: Translate) -> str:
    setting = SETTINGS.get(name)
    if setting is None or setting.choices != (False, True):
        return tr(f"setting.{name}")
    return f"{tr(f'setting.{name}')} {setting.symbol.replace('_k', 'ₖ')}"
