"""Read matrices from JSON: an export of this app, or nested lists by name."""

import json
from typing import Any

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.reading.found import Found, keep, read_labels
from attnviz.example.reading.matrix import from_lists
from attnviz.example.reading.names import known_name


def read_json(text: str) -> Found:
    """Read a JSON object.

    Parameters
    ----------
    text : str
        An object of nested lists by name, or an export, whose "matrices" are objects
        with "values"; from anyone.

    Returns
    -------
    found : Found
        Matrices, labels and settings.

    Raises
    ------
    SettingError
        If the text is no JSON, or a matrix cannot be shown.
    """
    document = _parse(text)
    matrices = document.get("matrices")
    if not isinstance(matrices, dict):
        matrices = document
    arrays: dict[str, FloatArray] = {}
    others = []
    for key, value in matrices.items():
        values = value.get("values") if isinstance(value, dict) else value
        if not isinstance(values, list):
            continue
        name = known_name(key)
        if name is None:
            others.append(key)
        else:
            keep(arrays, name, from_lists(name, values))
    settings = document.get("settings")
    return Found(
        arrays,
        tuple(others),
        read_labels(document.get("labels")),
        settings if isinstance(settings, dict) else {},
    )


def _parse(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise SettingError("own_json", row=error.lineno, column=error.colno) from error
    except (RecursionError, ValueError) as error:
        # Too many brackets within each other, or thousands of digits in a number.
        raise SettingError("own_json", row=1, column=1) from error
    return document if isinstance(document, dict) else {}
