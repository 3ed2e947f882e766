"""The table of the Cost lab: a row for each line of a layer."""

import json

from htmltools import HTML, Tag
from shiny import ui

from attnviz.components.page.view import live
from attnviz.core.cost import LINES
from attnviz.example.matrices import MATRICES
from attnviz.text.catalog import Translate
from attnviz.text.symbols import symbol

# What a line computes, in symbols.
_COMPUTES = {
    "x": "X",
    "q": "Q = X W_Q",
    "k": "K = X W_K",
    "v": "V = X W_V",
    "scores": "S = Q K ᵀ/√ d_k",
    "weights": "A = softmax( S )",
    "context": "C = A V",
    "output": "O = [ C_1 … C_H ] W_O",
    "ffn_hidden": "F = φ( O W_1 )",
    "ffn_output": "Y = F W_2",
}
_LETTERS = "XQKVSACOFYWd"
_SQUARE = ("scores", "weights", "context")


def lines_table(tr: Translate) -> Tag:
    """Reserve the cells, which live sentences fill."""
    head = ui.tags.thead(
        ui.tags.tr(
            *[
                ui.tags.th(tr(f"cost.column.{name}"), scope="col")
                for name in (
                    "line",
                    "shape",
                    "formula",
                    "elements",
                    "bytes",
                    "work_formula",
                    "work",
                    "share",
                )
            ]
        )
    )
    rows = [
        ui.tags.tr(
            ui.tags.th(_computes(line.name), scope="row"),
            ui.tags.td(live(f"cost.shape.{line.name}")),
            ui.tags.td(_product(line.shape), class_="cost-formula"),
            ui.tags.td(_number("elements", at, line.name)),
            ui.tags.td(live(f"cost.bytes.{line.name}")),
            ui.tags.td(_product(line.work), class_="cost-formula"),
            ui.tags.td(_number("work", at, line.name)),
            ui.tags.td(live(f"cost.share.{line.name}")),
            class_="is-square" if line.name in _SQUARE else None,
        )
        for at, line in enumerate(LINES)
    ]
    foot = ui.tags.tr(
        ui.tags.th(tr("cost.all"), scope="row", colspan="3"),
        ui.tags.td(_asking("cost_totals", 0, live("cost.elements.all"))),
        ui.tags.td(live("cost.bytes.all")),
        ui.tags.td(),
        ui.tags.td(_asking("cost_totals", 1, live("cost.work.all"))),
        ui.tags.td(),
    )
    return ui.div(
        ui.tags.table(
            ui.tags.caption(tr("cost.caption"), class_="visually-hidden"),
            head,
            ui.tags.tbody(*rows),
            ui.tags.tfoot(foot),
            class_="cost-lines",
        ),
        class_="cost-scroll",
    )


def _number(column: str, at: int, name: str) -> Tag:
    return _asking(f"cost_{column}", at, live(f"cost.{column}.{name}"))


def _asking(matrix: str, at: int, number: Tag) -> Tag:
    """Let a number be asked where it comes from."""
    cell = {"name": matrix, "i": at, "j": 0, "head": None}
    return ui.tags.button(
        number,
        {"data-cell": json.dumps(cell)},
        type="button",
        class_="operand",
    )


def _computes(name: str) -> ui.TagList:
    """Set a line: letters as symbols, all else as it is."""
    parts = _COMPUTES[name].split(" ")
    return ui.TagList(
        *[
            symbol(part) if part[0] in _LETTERS else part if part != "=" else " = "
            for part in parts
        ]
    )


def _product(factors: tuple[str, ...]) -> HTML:
    """Set the sizes of a product, with a size that stands twice as a square."""
    found: list[str] = []
    for factor in factors:
        matrix = MATRICES[f"size_{factor}"]
        written = str(symbol("_".join(filter(None, (matrix.base, matrix.sub)))))
        if found and found[-1] == written:
            found[-1] = f"{written}²"
        else:
            found.append(written)
    return HTML("·".join(found))
