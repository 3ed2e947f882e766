"""What was found: matrices with their numbers, and what was left out."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from htmltools import Tag
from shiny import ui

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.matrices import MATRICES
from attnviz.example.own import Found, OwnData, OwnMatrix, choose_own
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief

_LONGEST_LIST = 12
_LONGEST_NAME = 60
# So many rows and columns of a matrix are shown before it is used.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """Matrices that are only waiting to be used."""

    found: Found
    own: OwnData

    @classmethod
    def of(cls, found: Found) -> Self:
        """Choose what can be shown.

        Raises
        ------
        SettingError
            As `choose_own`.
        """
        return cls(found, choose_own(found))


def listed(reading: Reading, tr: Translate) -> ui.TagList:
    """List what will be shown, number by number, and what will not."""
    found, own = reading.found, reading.own
    names = {matrix.name for matrix in own.matrices}
    others = [name for name in found.arrays if name not in names]
    labels = {"query": own.labels, "key": own.key_labels}
    unfit = [
        " ".join(words)
        for axis, words in found.labels.items()
        if words not in (labels[axis], own.labels)
    ]
    notes = [tr(f"own.note.{note.reason}", **note.values) for note in found.notes]
    told = [
        *notes,
        _line("own.labels", own.labels, tr),
        _line("own.key_labels", own.key_labels, tr),
        _line("own.others", [*others, *found.others], tr),
        _line("own.left_out", [*found.left_out, *unfit], tr),
    ]
    return ui.TagList(
        *(_preview(matrix, tr) for matrix in own.matrices),
        *(ui.p(text, class_="hint") for text in told if text),
    )


def asked(readings: list[Reading], buttons: list[Tag], tr: Translate) -> ui.TagList:
    """Show two readings of one text, each with the button that takes it."""
    shown = [
        ui.div(
            ui.p(tr(f"own.comma.{comma}"), class_="own-found"),
            listed(reading, tr),
            button,
            {"data-reading": comma},
            class_="own-reading",
        )
        for reading, button, comma in zip(
            readings, buttons, readings[0].found.commas, strict=True
        )
    ]
    return ui.TagList(ui.p(tr("own.two_readings"), class_="problem"), *shown)


def _line(key: str, words: list[str] | tuple[str, ...], tr: Translate) -> str:
    if not words:
        return ""
    shown = [_shortened(word) for word in words[:_LONGEST_LIST]]
    more = ["…"] if len(words) > _LONGEST_LIST else []
    return tr(key, names=", ".join([*shown, *more]))


def _preview(matrix: OwnMatrix, tr: Translate) -> Tag:
    """Show the first numbers of a matrix under its symbol and shape."""
    table = np.atleast_2d(matrix.values.reshape(-1, *matrix.shape[-2:])[0])
    rows, columns = table.shape
    n_tables = matrix.values.size // table.size
    which = tr("own.first_of", count=n_tables) if n_tables > 1 else ""
    lines = [_cells(row, columns) for row in table[:_SHOWN]]
    if rows > _SHOWN:
        lines.append(["⋮"])
    return ui.tags.figure(
        ui.tags.figcaption(
            _symbol(matrix.name), f" {_shape(matrix.shape)} ", ui.span(which)
        ),
        ui.tags.table(
            *(ui.tags.tr(*(ui.tags.td(cell) for cell in line)) for line in lines)
        ),
        {"data-matrix": matrix.name, "data-shape": _shape(matrix.shape)},
        class_="own-preview",
    )


def _cells(row: FloatArray, columns: int) -> list[str]:
    cells = [brief(float(number)) for number in row[:_SHOWN]]
    return [*cells, "…"] if columns > _SHOWN else cells


def _symbol(name: str) -> Tag:
    matrix = MATRICES[name]
    sub = ui.tags.sub(matrix.sub) if matrix.sub else None
    return ui.span(ui.tags.i(matrix.base), sub, class_=f"role-{matrix.role}")


def _shape(shape: tuple[int, ...]) -> str:
    """Write a shape; a single head needs no axis of its own."""
    sizes = shape[1:] if len(shape) == 3 and shape[0] == 1 else shape
    return "×".join(map(str, sizes))


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
