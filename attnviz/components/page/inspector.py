"""Why this number? The derivation of the selected cell, in the actual numbers."""

from collections.abc import Callable
from typing import Any

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui
from shiny.module import resolve_id
from shiny.render.renderer import Jsonifiable, Renderer

from attnviz.components.page.view import live
from attnviz.core.derivation import Derivation
from attnviz.core.errors import ShapeError
from attnviz.example.matrices import MATRICES
from attnviz.export.derivation import (
    derivation_as_latex,
    derivation_as_numpy,
    derivation_as_text,
)
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell, Names, stage_of
from attnviz.text.derivation import derivation_words

Derive = Callable[[str, tuple[int, ...]], Derivation]
Note = Callable[[Derivation], str]


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
                    for form in _COPIES
                ],
                class_="inspector-copy",
                role="group",
                aria_label=tr("inspector.copy"),
            ),
            ui.tags.button(
                {"data-unfold-inspector": "", "aria-expanded": "false"},
                {"aria-label": tr("inspector.unfold"), "title": tr("inspector.unfold")},
                type="button",
                class_="inspector-fold button-quiet",
            ),
            class_="inspector-head",
        ),
        ui.div(
            ui.div(
                ui.div(class_="inspector-value"),
                ui.div(class_="inspector-work"),
                class_="inspector-told",
                role="status",
                aria_live="polite",
                aria_atomic="true",
            ),
            # A whole row is there to be read, and not to be said at every step.
            ui.div(
                class_="row-lens",
                role="group",
                aria_label=tr("inspector.lens"),
                tabindex="0",
                hidden="",
            ),
            class_="inspector-body",
        ),
        {"data-input": resolve_id("cell"), "data-form": resolve_id("copy")},
        {"data-part": "inspector"},
        id=resolve_id("derivation"),
        class_="inspector",
        aria_label=tr("inspector.title"),
    )


class render_derivation(Renderer[dict[str, Any]]):  # noqa: N801 - as Shiny's own
    """Send the derivation of the selected cell, apart from the figures."""

    async def transform(self, value: dict[str, Any]) -> Jsonifiable:
        """Leave it as it is: plain JSON."""
        return value


def follow_inspector(
    input: Inputs,
    session: Session,
    derivation_of: Callable[[Cell | None], Derivation | None],
    names: Callable[[], Names],
    note_of: Note = lambda derivation: "",
    head: Callable[[], int | None] = lambda: None,
    first_head: Callable[[], int] = lambda: 0,
) -> None:
    """Explain the selected cell, and write it down in the form that is asked for.

    Parameters
    ----------
    input, session
        Shiny's own, of the page; inputs `cell` and `copy`, output `derivation`.
    derivation_of : callable
        Derives a cell of the trace on screen; None stands for the first one.
    names : callable
        Reads the catalogue, as the example on screen has it.
    note_of : callable, optional
        Says what else there is to say of a number, or nothing.
    head : callable, optional
        Reads the head on screen, if there are heads.
    first_head : callable, optional
        Reads how many heads of a larger layer there are before the first of these.
    """

    @reactive.calc
    def explained() -> Derivation | None:
        return derivation_of(_asked_cell(_asked(input)))

    @render_derivation
    def derivation() -> dict[str, Any] | None:
        is_whole = _asked(input).get("whole") is True
        now = explained()
        return inspector_words(
            now,
            names(),
            note_of,
            head(),
            first_head=first_head(),
            is_whole=is_whole,
        )

    @reactive.effect
    @reactive.event(input.copy)
    async def copy() -> None:
        write, now = _COPIES.get(str(input.copy())), explained()
        if write is not None and now is not None:
            text = write(now, names())
            await session.send_custom_message("attnviz-copy", {"text": text})


def explain(cell: Cell, derive: Derive, names: Names = MATRICES) -> Derivation | None:
    """Derive a cell; None for one that the trace on screen does not have."""
    try:
        return derive(*stage_of(cell, names))
    except (ShapeError, ValueError):
        # A size shrank, or another page's cell was asked for: nothing to explain.
        return None


def inspector_words(
    derivation: Derivation | None,
    names: Names,
    note_of: Note = lambda derivation: "",
    head: int | None = None,
    *,
    first_head: int = 0,
    is_whole: bool = False,
) -> dict[str, Any] | None:
    """Write what the browser sets; the middle of many terms waits to be asked for."""
    if derivation is None:
        return None
    words = derivation_words(
        derivation, names=names, head=head, first_head=first_head, is_whole=is_whole
    )
    return {**words, "note": note_of(derivation)}


def _asked(input: Inputs) -> dict[str, Any]:
    """Read the question; it may be anything that a browser can send."""
    sent = input.cell() if "cell" in input else None
    return sent if isinstance(sent, dict) else {}


def _asked_cell(sent: dict[str, Any]) -> Cell | None:
    """Read the cell of a question; None for something that is no cell."""
    name, row, column = sent.get("name"), _place(sent.get("i")), _place(sent.get("j"))
    if not isinstance(name, str) or row is None or column is None:
        return None
    return Cell(name, row, column, _place(sent.get("head")))


def _as_text(derivation: Derivation, names: Names) -> str:
    return derivation_as_text(derivation, names=names)


def _as_latex(derivation: Derivation, names: Names) -> str:
    return derivation_as_latex(derivation, names=names)


def _as_numpy(derivation: Derivation, names: Names) -> str:
    return derivation_as_numpy(derivation)


_COPIES = {"text": _as_text, "latex": _as_latex, "numpy": _as_numpy}


def _place(value: object) -> int | None:
    """Take a whole number from 0 on, and nothing else."""
    is_place = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_place else None  # type: ignore[return-value]
