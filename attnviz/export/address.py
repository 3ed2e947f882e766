"""The example in the query of an address, and back."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs

from attnviz.core.errors import SettingError
from attnviz.core.example import EXAMPLES, WHOLE, Example

# Short keys of the settings; what equals the preset is left out.
KEYS = MappingProxyType(
    {
        "text": "t",
        "length": "n",
        "d_model": "d",
        "d_k": "dk",
        "d_v": "dv",
        "n_heads": "h",
        "mask": "m",
        "n_padding": "pad",
        "window_left": "wl",
        "window_right": "wr",
        "is_scaled": "s",
        "temperature": "tau",
        "seed": "seed",
    }
)
PRESET_KEY = "p"
DEFAULT_PRESET = "five"


def write_example(example: Example, preset: str) -> dict[str, str]:
    """Write what differs from a preset.

    Parameters
    ----------
    example : Example
        The settings on screen.
    preset : str
        Name of the preset they started from.

    Returns
    -------
    query : dict of str to str
        Short keys and their values.
    """
    query = {} if preset == DEFAULT_PRESET else {PRESET_KEY: preset}
    start = EXAMPLES[preset]
    for name, key in KEYS.items():
        value = getattr(example, name)
        if value != getattr(start, name):
            query[key] = _write(value)
    return query


def read_example(query: Mapping[str, str]) -> tuple[str, Example, list[str]]:
    """Read an example; what cannot be falls back, setting by setting.

    Parameters
    ----------
    query : mapping of str to str
        The query of an address, from anyone.

    Returns
    -------
    preset : str
        Name of the preset it starts from.
    example : Example
        A valid example.
    dropped : list of str
        Keys whose values could not be used.
    """
    preset = query.get(PRESET_KEY, DEFAULT_PRESET)
    dropped = []
    if preset not in EXAMPLES:
        preset = DEFAULT_PRESET
        dropped.append(PRESET_KEY)
    example = EXAMPLES[preset]
    for name, key in KEYS.items():
        if key not in query:
            continue
        try:
            example = replace(example, **{name: _read(name, query[key])})
        except (SettingError, ValueError):
            dropped.append(key)
    return preset, example, dropped


def parse_query(search: str) -> dict[str, str]:
    """Split the query of an address; the first of equal keys counts.

    Parameters
    ----------
    search : str
        Query with or without its question mark.

    Returns
    -------
    query : dict of str to str
        Keys and values.

    Examples
    --------
    >>> parse_query("?t=a+b&n=7")
    {'t': 'a b', 'n': '7'}
    """
    parts = parse_qs(search.lstrip("?"), max_num_fields=100)
    return {key: values[0] for key, values in parts.items()}


def _write(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _read(name: str, text: str) -> Any:  # noqa: ANN401 - the type follows the setting
    if name in WHOLE:
        return int(text)
    if name == "temperature":
        return float(text)
    if name == "is_scaled":
        return {"0": False, "1": True}.get(text, text)
    return text
