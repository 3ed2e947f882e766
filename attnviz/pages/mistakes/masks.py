"""The section on masks: one mask in seven conventions, and what masks do."""

from collections.abc import Callable, Mapping

import numpy as np
from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import figure, figure_row, live
from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.drawn_masks import (
    CONVENTION_LINES,
    damage,
    draw_conventions,
    drawn_mask,
)
from attnviz.example.mistakes.laid import Laid
from attnviz.example.mistakes.mask_effects import N_WORDS, add_up, pad, renormalize
from attnviz.example.mistakes.programs import ATTENTION, PROGRAMS
from attnviz.example.mistakes.settings import DRAWN_KINDS, MistakeSettings
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.figures.matrix import FigureSpec, matrix_figure
from attnviz.figures.panels import panel
from attnviz.pages.mistakes.controls import chooser, slider
from attnviz.pages.mistakes.figures import line_up
from attnviz.pages.mistakes.masks_told import conventions_told
from attnviz.pages.mistakes.shown import Code, Shown, explanation
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.numbers import brief

FIGURES = ("drawn", "conventions", "read", "padded", "ways", "sums")
_WRITTEN = ("seen", "blocked", "kept", "far_below", "ignored")


def masks_ui(tr: Translate, start: MistakeSettings) -> list[Tag]:
    """Lay out the section."""
    kinds: dict[str, str] = {
        str(one): tr(f"mistakes.kind.{one}") for one in DRAWN_KINDS
    }
    return [
        ui.div(
            chooser("mask_view", tr, start),
            ui.div(
                ui.input_select("kind", tr("setting.kind"), kinds, selected=start.kind),
                class_="for-conventions",
            ),
            slider("n_queries", tr, start).add_class("for-conventions"),
            slider("n_keys", tr, start).add_class("for-conventions"),
            slider("n_pads", tr, start).add_class("for-padding"),
            {"data-live": "masks.view", "data-part": "mistakes"},
            class_="toolbar mistake-controls",
        ),
        ui.p(live("masks.found"), class_="finding", role="status"),
        figure_row(*[figure(name, tr(f"mistakes.figure.{name}")) for name in FIGURES]),
    ]


def show_masks(settings: MistakeSettings, example: Example) -> Shown:
    """Make what is chosen of the section."""
    make: Mapping[str, Callable[[], Shown]] = {
        "conventions": lambda: _conventions(settings),
        "padding": lambda: _padding(settings.n_pads),
        "ways": _ways,
        "sums": lambda: _sums(example),
    }
    return make[settings.mask_view]()


def _conventions(settings: MistakeSettings) -> Shown:
    laid, visible = draw_conventions(settings), drawn_mask(settings)
    screen = laid.screen()
    wrong = f"{FAULTY}weights"
    written = [
        panel(
            screen,
            name,
            track=track,
            is_whole=True,
            texts=_texts(screen.table(name), name),
        )
        for track, name in enumerate(_WRITTEN)
    ]
    read = [
        panel(screen, "weights", shows_rows=True, hidden=~visible, glyph="0"),
        panel(screen, wrong, track=1, hidden=visible, glyph="0"),
    ]
    mask = panel(
        screen,
        "mask",
        shows_rows=True,
        shows_columns=True,
        glyph="−∞",
        is_whole=True,
    )

    def say(tr: Translate, language: str) -> dict[str, str]:
        return {"masks.found": _count(visible, tr)}

    results = {name: screen.table(name) for name in _WRITTEN[1:]}
    return Shown(
        section="masks",
        trace=laid,
        screen=screen,
        figures={
            "drawn": matrix_figure([mask]),
            "conventions": matrix_figure(written),
            "read": matrix_figure(read),
        },
        start=Cell("mask", 0, 0, 0),
        say=say,
        told=conventions_told,
        code=Code(
            {"visible": visible},
            (("mistakes.section.masks", CONVENTION_LINES, results),),
        ),
        file_name="masks",
        tables=("mask", *_WRITTEN, "weights", wrong),
        head=0,
        states={"masks.view": "conventions"},
        editable=("mask",),
        edited=tuple(Cell("mask", *place) for place in settings.flips),
    )


def _texts(table: FloatArray, name: str) -> tuple[str, ...]:
    """Write truth values as such, and −10⁹ in few characters."""
    signs = {"far_below": ("0", "−10⁹"), "kept": ("0", "1")}.get(name, ("F", "T"))
    return tuple(signs[int(value != 0)] for value in table.ravel())


def _count(visible: BoolArray, tr: Translate) -> str:
    """Count what is seen, and what reading it the other way round would do."""
    len_q, len_k = visible.shape
    leaked, lost = damage(visible)
    said = [
        tr(
            "mistakes.masks.count",
            seen=int(visible.sum()),
            all=visible.size,
            stairs=len_q * (len_q + 1) // 2,
            t=len_q,
        ),
        tr("mistakes.masks.read", leaked=leaked, lost=lost),
    ]
    if len_q != len_k:
        said.append(tr("mistakes.masks.corners"))
    empty = int((~visible.any(axis=-1)).sum())
    if empty:
        said.append(tr("mistakes.masks.empty", count=empty))
    return " ".join(said)


def _padding(n_pads: int) -> Shown:
    laid, moved, unhidden = pad(n_pads)
    screen = laid.screen()

    def say(tr: Translate, language: str) -> dict[str, str]:
        found = tr(
            "mistakes.masks.padded",
            pads=n_pads,
            words=N_WORDS,
            moved=brief(moved),
            unhidden=brief(unhidden),
        )
        return {"masks.found": found}

    matrices = screen.matrices
    given = {name: matrices[name] for name in "qkv"}
    given |= {"visible": matrices["mask"] == 0, "d_k": matrices["q"].shape[-1]}
    results = {"a": matrices["weights"], "c": matrices["context"]}
    names = ("weights", "weight_sum", "context")
    return _plain(
        "padding",
        laid,
        {"padded": line_up(screen, names)},
        Cell("weights", 1, 2, 0),
        say,
        Code(given, (("mistakes.right", ATTENTION, results),)),
        names,
    )


def _ways() -> Shown:
    laid, gap = renormalize()
    screen = laid.screen()
    late, late_sum = f"{FAULTY}weights", f"{FAULTY}weight_sum"
    names = ("weights", late, late_sum, "renormalized", "renormalized_gap")
    program, matrices = PROGRAMS["P03"], screen.matrices
    again = program.faulty + "again = a / a.sum(-1, keepdims=True)\n"
    given = {name: matrices[name] for name in "qkv"}
    given |= {"visible": matrices["mask"] == 0, "d_k": matrices["q"].shape[-1]}
    results = {"a": matrices[late], "again": matrices["renormalized"]}

    def say(tr: Translate, language: str) -> dict[str, str]:
        return {"masks.found": tr("mistakes.masks.ways", gap=brief(gap))}

    return _plain(
        "ways",
        laid,
        {"ways": line_up(screen, names)},
        Cell("renormalized", 1, 0, 0),
        say,
        Code(
            given,
            (
                ("mistakes.right", program.right, {"a": matrices["weights"]}),
                ("mistakes.faulty", again, results),
            ),
        ),
        names,
    )


def _kind_of(sums: FloatArray) -> str:
    """Tell whether rows are shares: all of them, all but empty ones, or not."""
    is_one, is_empty = np.isclose(sums, 1), sums == 0
    if is_one.all():
        return "all"
    return "padding" if (is_one | is_empty).all() else "none"


def _sums(example: Example) -> Shown:
    laid = add_up(compute_shown(example))
    screen = laid.screen()
    totals = screen.table("column_total")
    names = ("weights", "weight_sum", "column_total")
    drawn = [
        panel(screen, "weights", shows_rows=True, shows_columns=True),
        panel(screen, "weight_sum", track=1, is_narrow=True),
        panel(screen, "column_total", band=1),
    ]

    def say(tr: Translate, language: str) -> dict[str, str]:
        found = tr(
            f"mistakes.masks.sums.{_kind_of(screen.table('weight_sum'))}",
            least=brief(float(totals.min())),
            most=brief(float(totals.max())),
            total=brief(float(np.round(totals.sum(), 9))),
        )
        return {"masks.found": found}

    lines = "rows = a.sum(-1, keepdims=True)\ncolumns = a.sum(-2, keepdims=True)\n"
    results = {name: screen.matrices[name] for name in names[1:]}
    return _plain(
        "sums",
        laid,
        {"sums": matrix_figure(drawn)},
        Cell("column_total", 0, 0, 0),
        say,
        Code(
            {"a": screen.matrices["weights"]},
            (
                (
                    "mistakes.section.masks",
                    lines,
                    {"rows": results["weight_sum"], "columns": results["column_total"]},
                ),
            ),
        ),
        names,
    )


def _plain(
    view: str,
    laid: Laid,
    figures: Mapping[str, FigureSpec],
    start: Cell,
    say: Callable[[Translate, str], Mapping[str, str]],
    code: Code,
    tables: tuple[str, ...],
) -> Shown:
    return Shown(
        section="masks",
        trace=laid,
        screen=laid.screen(),
        figures=figures,
        start=start,
        say=say,
        told=explanation(f"mistakes.masks.{view}.why"),
        code=code,
        file_name=f"masks-{view}",
        tables=tables,
        head=0,
        states={"masks.view": view},
    )
