"""The example in the query of an address, and back."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import parse_qs

from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES
from attnviz.example.edits import read_edits
from attnviz.example.own import OwnData
from attnviz.example.own.example import own_example
from attnviz.example.setting import Settings
from attnviz.example.settings import SETTINGS, Example

# Addresses of the first version counted the places of edits from 0.
VERSION_KEY, VERSION, FIRST_VERSION = "v", "2", "1"
PRESET_KEY = "p"
DEFAULT_PRESET = "five"
# Matrices that the reader brought are too long for an address: only their fingerprint
# stands there.
OWN_KEY = "own"
Owner = TypeVar("Owner", bound=Any)


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
    query |= write_settings(example, EXAMPLES[preset], SETTINGS)
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
    example, refused = read_settings(query, start, SETTINGS)
    return preset, example, dropped + refused


def write_settings(owner: object, start: object, settings: Settings) -> dict[str, str]:
    """Write the settings that differ from those somebody started from.

    Parameters
    ----------
    owner, start : object
        Two frozen dataclasses of one type, with a field for each setting.
    settings : mapping of str to Setting
        Their fields.

    Returns
    -------
    query : dict of str to str
        Short keys and their values.
    """
    return {
        setting.key: setting.form.write(getattr(owner, name))
        for name, setting in settings.items()
        if getattr(owner, name) != getattr(start, name)
    }


def read_settings(
    query: Mapping[str, str], start: Owner, settings: Settings
) -> tuple[Owner, list[str]]:
    """Read settings; what cannot be falls back, one by one.

    Parameters
    ----------
    query : mapping of str to str
        The query of an address, from anyone.
    start : dataclass
        What is not in the address is as it has it.
    settings : mapping of str to Setting
        Its fields.

    Returns
    -------
    owner : dataclass
        Of the type of `start`, valid.
    dropped : list of str
        Keys whose values could not be used.
    """
    values: dict[str, Any] = {}
    dropped = []
    for name, setting in settings.items():
        if setting.key not in query:
            continue
        try:
            values[name] = _read(name, query, settings)
        except (SettingError, ValueError):
            dropped.append(setting.key)
    try:
        return replace(start, **values), dropped
    except SettingError:
        pass
    # They do not fit together: take one after the other.
    for name, value in values.items():
        try:
            start = replace(start, **{name: value})
        except SettingError:
            dropped.append(settings[name].key)
    return start, dropped


def _read(name: str, query: Mapping[str, str], settings: Settings) -> Any:  # noqa: ANN401
    text = query[settings[name].key]
    if name == "edits" and query.get(VERSION_KEY) == FIRST_VERSION:
        return read_edits(text, first=0)
    return settings[name].read(text)


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
