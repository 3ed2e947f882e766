"""Every matrix of a page as a table, behind a toggle and made when looked at."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from htmltools import Tag
from shiny import ui
from shiny.module import resolve_id

from attnviz.text.catalog import Translate
from attnviz.text.numbers import fixed

if TYPE_CHECKING:
    # Loading pandas costs a third of a second and 30 MB: only an open table needs it.
    import pandas as pd

DECIMALS = (4, 6)


def tables_fold(tr: Translate) -> Tag:
    """Make the fold that holds the tables of a page.

    Returns
    -------
    fold : Tag
        A native disclosure element; inputs `settled` and `decimals`, output `tables`.
    """
    return ui.tags.details(
        ui.tags.summary(tr("tables.title")),
        ui.div(
            ui.input_radio_buttons(
                "decimals",
                tr("tables.decimals"),
                {str(decimals): str(decimals) for decimals in DECIMALS},
                selected=str(DECIMALS[0]),
                inline=True,
            ),
            class_="tables-head",
        ),
        ui.output_ui("tables"),
        {"data-settled": resolve_id("settled")},
        {"data-part": "tables"},
        class_="fold tables",
    )


def tables_content(
    frames: dict[str, pd.DataFrame], choice: object, tr: Translate
) -> ui.TagChild:
    """Set frames as tables with a button that copies each.

    Parameters
    ----------
    frames : dict of str to DataFrame
        Numbers with labelled rows and columns, by matrix name.
    choice : object
        Input `decimals`: digits behind the point.
    """
    decimals = next((n for n in DECIMALS if str(n) == choice), DECIMALS[0])
    return ui.div(
        *[
            _block(name, frame, decimals, tr, resolve_id(f"table_{name}"))
            for name, frame in frames.items()
        ],
        class_="tables-grid",
    )


def _block(
    name: str, frame: pd.DataFrame, decimals: int, tr: Translate, place: str
) -> Tag:
    rows, columns = frame.shape
    title = f"{tr(f'browser.matrix.{name}')} · {rows}×{columns}"
    return ui.div(
        ui.div(
            ui.h3(title),
            ui.tags.button(
                tr("browser.tables.copy"),
                {"data-copy": place},
                type="button",
                class_="button-quiet",
            ),
            class_="table-head",
        ),
        ui.div(
            ui.tags.table(
                ui.tags.caption(title, class_="visually-hidden"),
                *_rows(frame, decimals),
                id=place,
                class_="numbers",
            ),
            # A table wider than the page is scrolled by keys, too.
            {"tabindex": "0"},
            class_="table-scroll",
            role="region",
            aria_label=title,
        ),
        class_="table-block",
    )


def _rows(frame: pd.DataFrame, decimals: int) -> tuple[Tag, Tag]:
    """Write head and body; a tag a cell would take a second for a large example."""
    heads = "".join(f'<th scope="col">{escape(str(one))}</th>' for one in frame.columns)
    corner = "" if frame.index.name is None else escape(str(frame.index.name))
    rows = [
        f'<tr><th scope="row">{escape(str(label))}</th>'
        + "".join(f"<td>{fixed(value, decimals)}</td>" for value in values)
        + "</tr>"
        for label, values in zip(frame.index, frame.to_numpy().tolist(), strict=True)
    ]
    return (
        ui.tags.thead(ui.HTML(f"<tr><td>{corner}</td>{heads}</tr>")),
        ui.tags.tbody(ui.HTML("\n".join(rows))),
    )
