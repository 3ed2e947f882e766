"""Settings, as sentences name them."""

from collections.abc import Iterable

from attnviz.example.settings import SETTINGS
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


def _named(name: str, tr: Translate) -> str:
    setting = SETTINGS.get(name)
    if setting is None or setting.choices != (False, True):
        return tr(f"setting.{name}")
    return f"{tr(f'setting.{name}')} {setting.symbol.replace('_k', 'ₖ')}"
