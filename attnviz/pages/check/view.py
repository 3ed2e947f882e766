"""What the page Check mine shows of a result, and says of each of its numbers."""

from functools import partial

import numpy as np

from attnviz.components.page.checks import checks_live
from attnviz.components.page.head_picker import heads_live
from attnviz.components.page.inspector import explain
from attnviz.components.page.view import Live, View, sentences
from attnviz.components.sidebar.controls import Chosen
from attnviz.core.derivation import Derivation, derive
from attnviz.example.check.trace import GIVEN, CheckTrace
from attnviz.pages.check.figures import check_figures
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.numbers import brief
from attnviz.text.presets import origin_line

NORM_PREFIX = "norm_"
CHECKS = (
    "row_sums",
    "hidden_weights",
    "constant_values",
    "visible_keys",
    "divisor",
    "max_subtracted",
    "score_table",
    "loop",
    "norm_mean",
    "norm_mean_square",
    "norm_own_position",
    "norm_loop",
)


def start_cell(trace: CheckTrace, head: int) -> Cell:
    """Explain what differs most, or the first number that should come out."""
    placed = trace.placed
    if placed is None:
        return Cell(trace.wanted.rule.inputs[0], 0, 0, head)
    if placed.values is None:
        return Cell(GIVEN, 0, 0)
    gaps = placed.gaps[head]
    row, column = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    return Cell(GIVEN, int(row), int(column), head)


def check_view(trace: CheckTrace, head: int, chosen: Chosen, tr: Translate) -> View:
    """Gather all that the figures and the strip of checks show."""
    origin = origin_line(chosen.preset, chosen.example, tr)
    return View(
        figures=check_figures(trace, head, tr),
        live={
            **_checks(trace, tr),
            **sentences({"export.of": origin}),
            **heads_live(trace.n_heads),
        },
        head=head,
        start=start_cell(trace, head),
    )


def _checks(trace: CheckTrace, tr: Translate) -> dict[str, Live]:
    """Word the checks of a result; those of another kind of result are not there."""
    keys = ("check.summary", *(f"check.{name}" for name in CHECKS))
    absent = {key: Live(state="absent") for key in keys}
    if trace.judgement is None:
        return absent
    prefix = NORM_PREFIX if trace.wanted.kind == "norm_output" else ""
    checks = [
        check for check in trace.judgement.checks if f"{prefix}{check.id}" in CHECKS
    ]
    told = checks_live(checks, tr, prefix=prefix, first_head=trace.first)
    return {**absent, **told}


def explain_cell(trace: CheckTrace, head: int, cell: Cell | None) -> Derivation | None:
    """Explain a cell; one to begin with until a reader chooses."""
    shown = cell or start_cell(trace, head)
    return explain(shown, partial(derive, trace), trace.screen().names)


def check_note(trace: CheckTrace, derivation: Derivation, tr: Translate) -> str:
    """Say where a number was read, and how far it is from what it should be."""
    if derivation.stage != GIVEN:
        return ""
    *head, row, column = derivation.index
    place = {"row": row + 1, "column": column + 1}
    if trace.difference is None:
        return tr("mine.note.read", **place)
    due = float(trace.expected[(*head, row, column)])
    off = brief(abs(derivation.value - due))
    return tr("mine.note.given", **place, due=brief(due), off=off)
