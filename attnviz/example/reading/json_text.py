"""Read matrices from JSON: an export of this app, or nested lists by name."""

import json
from collections.abc import Iterator
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.reading.labels import clean_labels, read_labels
from attnviz.example.reading.names import TOKENS, known_name
from attnviz.example.reading.nested import Nested
from attnviz.example.reading.result import Read, Table

_DEEPEST = 4


def read_json(text: str) -> Read:
    """Read a JSON object.

    Parameters
    ----------
    text : str
        An object of nested lists by name, or an export, whose "matrices" are objects
        with "values"; from anyone.

    Returns
    -------
    read : Read
        Tables, labels and settings.

    Raises
    ------
    SettingError
        If the text is no JSON.
    """
    document = _parse(text)
    settings = document.get("settings")
    labels = read_labels(document.get("labels"))
    left_out: list[str] = []
    tables = []
    for key, value in _entries(document, left_out):
        if isinstance(value, list) and value and _are_words(value):
            if "query" not in labels and known_name(key, TOKENS) is not None:
                labels["query"] = clean_labels(value)
            else:
                left_out.append(key)
        elif isinstance(value, list):
            tables.append(Table(key, Nested(value)))
        elif key not in ("page", "version", "about", "url"):
            left_out.append(key)
    return Read(
        tuple(tables),
        labels,
        settings if isinstance(settings, dict) else {},
        tuple(left_out),
    )


def _entries(
    document: dict[str, Any], left_out: list[str], prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, Any]]:
    """Give what stands under each name, also of objects within objects."""
    for key, value in document.items():
        if not depth and key in ("settings", "labels") and isinstance(value, dict):
            continue
        if not isinstance(value, dict):
            yield prefix + key, value
        elif isinstance(value.get("values"), list):
            yield prefix + key, value["values"]
        elif depth < _DEEPEST:
            inner = "" if key == "matrices" else f"{key}."
            yield from _entries(value, left_out, prefix + inner, depth + 1)
        else:
            left_out.append(prefix + key)


def _are_words(value: list[Any]) -> bool:
    return all(isinstance(one, str) for one in value)


def _parse(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise SettingError("own_json", row=error.lineno, column=error.colno) from error
    except (RecursionError, ValueError) as error:
        if isinstance(error, SettingError):
            raise
        # Too many brackets within each other, or thousands of digits in a number.
        raise SettingError("own_json", row=1, column=1) from error
    return document if isinstance(document, dict) else {}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of pairs, none of which takes the place of another."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise SettingError("own_twice", matrix=key[:40])
        made[key] = value
    return made
