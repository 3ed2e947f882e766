"""The example in the query of an address, and back."""

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs

from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES, LIMITS, WHOLE, Example
from attnviz.example.edits import Edit
from attnviz.example.matrices import EDITABLE
from attnviz.example.own import OwnData
from attnviz.example.own.example import own_example

# Short keys of the settings; what equals the preset is left out.
KEYS = MappingProxyType(
    {
        "text": "t",
        "length": "n",
        "key_text": "kt",
        "key_length": "kn",
        "d_model": "d",
        "d_k": "dk",
        "d_v": "dv",
        "n_heads": "h",
        "mask": "m",
        "n_padding": "pad",
        "window_left": "wl",
        "window_right": "wr",
        "scoring": "sc",
        "positions": "pos",
        "is_scaled": "s",
        "temperature": "tau",
        "seed": "seed",
        "edits": "e",
    }
)
# Names of matrices in edits: "wq.0.2.3:1.5;m.2.4:0".
_MATRICES = MappingProxyType(
    {name: "m" if name == "mask" else name.replace("_", "") for name in EDITABLE}
)
_NAMES = MappingProxyType({short: name for name, short in _MATRICES.items()})
PRESET_KEY = "p"
# Distance between two stops of its control.
TEMPERATURE_STEP = 0.1
DEFAULT_PRESET = "five"
# Matrices that the reader brought are too long for an address: only their fingerprint
# stands there.
OWN_KEY = "own"


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
    if example.own is not None:
        query[OWN_KEY] = example.own.fingerprint
    return query


def read_example(
    query: Mapping[str, str], brought: Mapping[str, OwnData] = MappingProxyType({})
) -> tuple[str, Example, list[str]]:
    """Read an example; what cannot be falls back, setting by setting.

    Parameters
    ----------
    query : mapping of str to str
        The query of an address, from anyone.
    brought : mapping of str to OwnData, optional
        Matrices that the reader has brought, by their fingerprint.

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
    start = EXAMPLES[preset]
    if query.get(OWN_KEY) in brought:
        # What is not written is as in the preset, also where the matrices of a score
        # would decide for another.
        own = own_example(brought[query[OWN_KEY]])
        start = replace(own, scoring=start.scoring)
    elif OWN_KEY in query:
        dropped.append(OWN_KEY)
    settings: dict[str, Any] = {}
    for name, key in KEYS.items():
        if key not in query:
            continue
        try:
            settings[name] = _read(name, query[key])
        except (SettingError, ValueError):
            dropped.append(key)
    example, refused = _combine(start, settings)
    return preset, example, dropped + refused


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
    parts = parse_qs(search.lstrip("?"), keep_blank_values=True)
    return {key: values[0] for key, values in parts.items()}


def shortest(value: float) -> str:
    """Write a number in as few digits as give the same number back.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    text : str
        For ``float``.

    Examples
    --------
    >>> shortest(2.0), shortest(0.1 + 0.2)
    ('2', '0.30000000000000004')
    """
    return repr(float(value)).removesuffix(".0")


def _combine(start: Example, settings: dict[str, Any]) -> tuple[Example, list[str]]:
    """Change all settings at once if they fit together, else one by one."""
    try:
        return replace(start, **settings), []
    except SettingError:
        pass
    refused = []
    for name, value in settings.items():
        try:
            start = replace(start, **{name: value})
        except SettingError:
            refused.append(KEYS[name])
    return start, refused


def _write(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return shortest(value)
    if isinstance(value, tuple):
        return ";".join(_write_edit(edit) for edit in value)
    return str(value)


def _read(name: str, text: str) -> Any:  # noqa: ANN401 - the type follows the setting
    if name in WHOLE:
        return int(text)
    if name == "temperature":
        return _on_step(float(text))
    if name == "is_scaled":
        return bool(("0", "1").index(text))
    if name == "edits":
        return tuple(_read_edit(part) for part in text.split(";"))
    return text


def _on_step(temperature: float) -> float:
    """Refuse what the control would move to its nearest stop."""
    if abs(temperature) <= LIMITS["temperature"][1]:
        steps = temperature / TEMPERATURE_STEP
        if math.isclose(steps, round(steps), rel_tol=1e-9):
            return temperature
    raise ValueError


def _write_edit(edit: Edit) -> str:
    place = ".".join(map(str, (_MATRICES[edit.name], *edit.index)))
    return f"{place}:{shortest(edit.value)}"


def _read_edit(text: str) -> Edit:
    place, _, number = text.partition(":")
    name, *index = place.split(".")
    return Edit(_NAMES.get(name, name), tuple(map(int, index)), float(number))
