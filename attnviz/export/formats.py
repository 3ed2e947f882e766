"""The numbers of a page as the bytes of a file: CSV, NPZ, JSON."""

import csv
import io
import json
import math
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from attnviz import __version__
from attnviz.export.data import Matrix, PageData

# A spreadsheet would take "-Infinity" for a formula.
_MINUS_INFINITY = "−∞"


def as_csv(data: PageData) -> bytes:
    """Write all matrices below each other, for a spreadsheet.

    Returns
    -------
    table : bytes
        UTF-8 with the mark by which spreadsheets recognize it. The first line has
        labels, settings and versions as JSON behind the word "about". Each block then
        starts with the name of a matrix, of a head or of a sample, counted from 1, and
        its shape; labels carry their place, so that none of them reads as a formula.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    about = {**_about(data), "labels": dict(data.labels)}
    writer.writerows([["about", json.dumps(about)], []])
    for name, matrix in _blocks(data.matrices):
        rows, columns = _two_axes(matrix)
        values = np.atleast_2d(matrix.values)
        shape = "×".join(map(str, matrix.values.shape))
        writer.writerow([name, shape])
        writer.writerow(["", *_labels(data, columns, values.shape[1])])
        row_labels = _labels(data, rows, values.shape[0]) if rows else [name]
        for label, row in zip(row_labels, values.tolist(), strict=True):
            writer.writerow([label, *map(_cell, row)])
        writer.writerow([])
    return text.getvalue().encode("utf-8-sig")


def as_npz(data: PageData) -> bytes:
    """Write all matrices as a NumPy archive, which needs no pickle.

    Returns
    -------
    archive : bytes
        For ``numpy.load``: arrays by name, float64 or boolean; tokens as
        "labels_query" and so on; "about" holds settings and versions as JSON.
    """
    labels = {f"labels_{axis}": np.array(words) for axis, words in data.labels.items()}
    arrays = {name: matrix.values for name, matrix in data.matrices.items()}
    buffer = io.BytesIO()
    about = np.array(json.dumps(_about(data)))
    np.savez_compressed(buffer, allow_pickle=False, about=about, **labels, **arrays)
    return buffer.getvalue()


def as_json(data: PageData) -> bytes:
    """Write all matrices with all that they depend on.

    Returns
    -------
    text : bytes
        UTF-8. Numbers have all their digits; what is no number is a string, such as
        "-Infinity".
    """
    matrices = {
        name: {
            "shape": matrix.values.shape,
            "axes": matrix.axes,
            "values": _plain(matrix.values.tolist()),
        }
        for name, matrix in data.matrices.items()
    }
    document = {**_about(data), "labels": dict(data.labels), "matrices": matrices}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    # Half of a surrogate pair, which somebody may have typed, is no UTF-8.
    return text.encode("utf-8", "backslashreplace")


def _about(data: PageData) -> dict[str, Any]:
    versions = {name: version(name) for name in ("numpy", "shiny", "plotly")}
    return {
        "page": data.page,
        "settings": dict(data.settings),
        "versions": {
            "attnviz": __version__,
            **versions,
            "python": platform.python_version(),
        },
    }


def _blocks(matrices: Mapping[str, Matrix]) -> Iterator[tuple[str, Matrix]]:
    """Take matrices of three axes apart."""
    for name, matrix in matrices.items():
        if matrix.values.ndim < 3:
            yield name, matrix
            continue
        for place, values in enumerate(matrix.values, start=1):
            yield f"{name}_{place}", Matrix(values, matrix.axes[1:])


def _two_axes(matrix: Matrix) -> tuple[str, str]:
    """Name the axes of rows and columns; a vector has columns only."""
    *rows, columns = matrix.axes
    return "".join(rows), columns


def _labels(data: PageData, axis: str, size: int) -> list[str]:
    words = data.labels.get(axis)
    if words is None and size == 1:
        return [axis]
    if words is None:
        return [f"{axis} {place + 1}" for place in range(size)]
    return [f"{place} {word}" for place, word in enumerate(words, start=1)]


def _cell(value: bool | float) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return _MINUS_INFINITY if value == -math.inf else repr(value)


def _plain(values: Any) -> Any:  # noqa: ANN401 - lists of lists of any depth
    """Replace what JSON has no word for."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    if math.isfinite(values):
        return values
    if math.isnan(values):
        return "NaN"
    return "Infinity" if values > 0 else "-Infinity"
