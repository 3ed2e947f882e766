"""Why this number? The derivation of the selected cell, in the actual numbers."""

from collections.abc import Callable, Mapping
from typing import Any

from htmltools import Tag
from shiny import Inputs, ui
from shiny.module import resolve_id
from shiny.render.renderer import Jsonifiable, Renderer

from attnviz.components.page.view import live
from attnviz.core.derivation import Derivation
from attnviz.core.errors import ShapeError
from attnviz.example.matrices import Matrix
from attnviz.export.derivation import (
    derivation_as_latex,
    derivation_as_numpy,
    derivation_as_text,
)
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell, stage_of
from attnviz.text.derivation import derivation_words

Derive = Callable[[str, tuple[int, ...]], Derivation]


def inspector(tr: Translate, *tools: ui.TagChild) -> Tag:
    """Reserve the place of the derivation; the browser sets it.

    Parameters
    ----------
    *tools : TagChild
        What else can be done with the selected cell.

    Returns
    -------
    place : Tag
        A region at the foot of the page, input `cell`.
    """
    return ui.tags.section(
        ui.div(
            ui.tags.nav(class_="trail", aria_label=tr("inspector.trail")),
            live("edit.problem", class_="problem"),
            *tools,
            ui.div(
                *[
                    ui.tags.button(
                        tr(f"inspector.copy.{form}"),
                        {"data-copy-derivation": form},
                        type="button",
                        class_="button-quiet",
                    )
                    for form in ("text", "latex", "numpy")
                ],
                class_="inspector-copy",
                role="group",
                aria_label=tr("inspector.copy"),
            ),
            class_="inspector-head",
        ),
        ui.div(
            ui.div(class_="inspector-value", role="status", aria_live="polite"),
            ui.div(class_="inspector-work"),
            class_="inspector-body",
        ),
        {"data-input": resolve_id("cell")},
        {"data-part": "inspector"},
        id=resolve_id("derivation"),
        class_="inspector",
        aria_label=tr("inspector.title"),
    )


class render_derivation(Renderer[dict[str, Any]]):  # noqa: N801 - as Shiny's own
    """Send the selected cell's derivation, apart from the figures: see `inspect`."""

    async def transform(self, value: dict[str, Any]) -> Jsonifiable:
        """Leave it as it is: plain JSON."""
        return value


def inspected(input: Inputs) -> Cell | None:
    """Read which cell the reader asks about, whatever a browser may have sent.

    Returns
    -------
    cell : Cell or None
        None before the first question, or for something that is no cell.
    """
    asked = input.cell() if "cell" in input else None
    if not isinstance(asked, dict) or not isinstance(asked.get("name"), str):
        return None
    row, column = _place(asked.get("i")), _place(asked.get("j"))
    if row is None or column is None:
        return None
    return Cell(asked["name"], row, column, _place(asked.get("head")))


def inspect(
    cell: Cell | None, derive: Derive, names: Mapping[str, Matrix]
) -> dict[str, Any] | None:
    """Derive a cell and write it in every form the page offers.

    Parameters
    ----------
    derive : callable
        Takes a stage and an index of the trace on screen.

    Returns
    -------
    words : dict or None
        What the browser sets; None for a cell that the trace does not have.
    """
    if cell is None:
        return None
    try:
        derivation = derive(*stage_of(cell))
    except (ShapeError, ValueError):
        # A size shrank, or another page's cell was asked for: nothing to explain.
        return None
    return {
        **derivation_words(derivation, names=names),
        "copies": {
            "text": derivation_as_text(derivation, names=names),
            "latex": derivation_as_latex(derivation, names=names),
            "numpy": derivation_as_numpy(derivation),
        },
    }


def _place(value: object) -> int | None:
    """Take a whole number from 0 on, and nothing else."""
    is_place = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_place else None  # type: ignore[return-value]
