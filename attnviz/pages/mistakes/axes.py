"""The sections on axes: heads split and merged, and the samples of a batch."""

from collections.abc import Callable, Mapping

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import figure, figure_row, live
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.laid import Laid
from attnviz.example.mistakes.layouts import (
    SPLIT,
    SPLIT_WRONG,
    add_heads,
    merge_digits,
    split_digits,
    stack_batch,
)
from attnviz.example.mistakes.numbers import own_numbers
from attnviz.example.mistakes.programs import ATTENTION, PROGRAMS
from attnviz.example.mistakes.settings import MistakeSettings
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.figures.matrix import Axis, FigureSpec, matrix_figure
from attnviz.figures.panels import panel
from attnviz.pages.mistakes.code import code_pair
from attnviz.pages.mistakes.controls import chooser, controls_row
from attnviz.pages.mistakes.figures import line_up
from attnviz.pages.mistakes.shown import Code, Shown, Told, explanation
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell

SPLIT_FIGURES = ("whole", "step_1", "step_2", "without", "added_heads")
# Along both sides of a table that should have none.
_SAMPLES = Axis("sample", ("b1", "b2"))
BATCH_FIGURES = ("batch_first", "sequence_first", "in_batch", "across")


def split_ui(tr: Translate, start: MistakeSettings) -> list[Tag]:
    """Lay out the section on splitting and merging."""
    return _section("split", SPLIT_FIGURES, tr, chooser("split_view", tr, start))


def batch_ui(tr: Translate, start: MistakeSettings) -> list[Tag]:
    """Lay out the section on the batch."""
    return _section("batch", BATCH_FIGURES, tr)


def _section(
    name: str, figures: tuple[str, ...], tr: Translate, *controls: Tag
) -> list[Tag]:
    return [
        controls_row(*controls),
        ui.p(live(f"{name}.found"), class_="finding", role="status"),
        figure_row(*[figure(one, tr(f"mistakes.figure.{one}")) for one in figures]),
    ]


def show_split(settings: MistakeSettings, example: Example) -> Shown:
    """Make what is chosen of splitting and merging."""
    make: Mapping[str, Callable[[], Shown]] = {
        "split": _split,
        "merge": _merge,
        "output": lambda: _output(example),
    }
    return make[settings.split_view]()


def _split() -> Shown:
    laid = split_digits()
    screen = laid.screen()
    given = own_numbers("P14.reshape").given
    right = {"heads": screen.matrices["split"]}
    wrong = {"heads": screen.matrices[f"{FAULTY}split"]}

    def told(tr: Translate, language: str) -> ui.TagChild:
        return ui.div(
            code_pair(SPLIT, SPLIT_WRONG, tr),
            ui.p(tr("mistakes.split.einsum")),
            class_="mistake-model",
        )

    heads = [f"split_{head}" for head in (1, 2)]
    tokens = [f"by_token_{token}" for token in (1, 2, 3)]
    return _shown(
        "split",
        laid,
        {
            "whole": line_up(screen, ["whole"]),
            "step_1": line_up(screen, tokens),
            "step_2": line_up(screen, heads),
            "without": line_up(screen, [f"{FAULTY}{head}" for head in heads]),
        },
        Cell(f"{FAULTY}split_1", 1, 0),
        Code(
            given,
            (
                ("mistakes.right", SPLIT, right),
                ("mistakes.faulty", SPLIT_WRONG, wrong),
            ),
        ),
        ("whole", *tokens, *heads, *(f"{FAULTY}{head}" for head in heads)),
        told,
    )


def _merge() -> Shown:
    laid = merge_digits()
    screen = laid.screen()
    program = PROGRAMS["P15.reshape"]
    given = own_numbers("P15.reshape").given
    wrong = f"{FAULTY}merged"

    def told(tr: Translate, language: str) -> ui.TagChild:
        return ui.div(
            code_pair(program.right, program.faulty, tr),
            ui.p(tr("mistakes.merge.round")),
            class_="mistake-model",
        )

    parts = ("parts_1", "parts_2")
    return _shown(
        "merge",
        laid,
        {
            "whole": line_up(screen, parts),
            "step_1": line_up(screen, ["merged"]),
            "without": line_up(screen, [wrong]),
        },
        Cell(wrong, 1, 0),
        Code(
            given,
            (
                ("mistakes.right", program.right, {"joined": screen.table("merged")}),
                ("mistakes.faulty", program.faulty, {"joined": screen.table(wrong)}),
            ),
        ),
        (*parts, "merged", wrong),
        told,
    )


def _output(example: Example) -> Shown:
    laid = add_heads(compute_shown(example)) or add_heads(compute_shown(Example()))
    assert laid is not None
    screen = laid.screen()
    n_heads = len(screen.matrices["head_product"])
    products = [f"head_product_{head}" for head in range(1, n_heads + 1)]
    lines = "products = c @ w_o.reshape(len(c), c.shape[-1], -1)\no = products.sum(0)\n"
    matrices = screen.matrices
    return _shown(
        "output",
        laid,
        {"added_heads": line_up(screen, [*products, "output"])},
        Cell("output", 0, 0),
        Code(
            {"c": matrices["context"], "w_o": matrices["w_o"]},
            (
                (
                    "mistakes.section.split",
                    lines,
                    {"products": matrices["head_product"], "o": matrices["output"]},
                ),
            ),
        ),
        (*products, "output"),
    )


def show_batch() -> Shown:
    """Make the section on the batch."""
    laid = stack_batch()
    screen = laid.screen()
    samples = [f"samples_{sample}" for sample in (1, 2)]
    steps = [f"steps_{step}" for step in (1, 2, 3)]
    numbers, program = own_numbers("P18"), PROGRAMS["P18"]
    matrices = screen.matrices

    def told(tr: Translate, language: str) -> ui.TagChild:
        return ui.div(
            code_pair(program.right, program.faulty, tr),
            ui.p(tr("mistakes.batch.axes")),
            class_="mistake-model",
        )

    return _shown(
        "batch",
        laid,
        {
            "batch_first": line_up(screen, samples),
            "sequence_first": line_up(screen, steps),
            "in_batch": line_up(screen, ["weights", "context", "alone", "alone_gap"]),
            "across": matrix_figure(
                [
                    panel(screen, f"{FAULTY}weights", columns=_SAMPLES, rows=_SAMPLES),
                    panel(screen, f"{FAULTY}context", track=1),
                    panel(screen, "faulty_alone_gap", track=2),
                ]
            ),
        },
        Cell(f"{FAULTY}context", 0, 0, 0),
        Code(
            numbers.given,
            (
                (
                    "mistakes.right",
                    ATTENTION,
                    {"a": matrices["weights"], "c": matrices["context"]},
                ),
                (
                    "mistakes.faulty",
                    program.faulty,
                    {
                        "a": matrices[f"{FAULTY}weights"],
                        "c": matrices[f"{FAULTY}context"],
                    },
                ),
            ),
        ),
        (*samples, *steps, "context", f"{FAULTY}context"),
        told,
        section="batch",
    )


def _shown(
    view: str,
    laid: Laid,
    figures: Mapping[str, FigureSpec],
    start: Cell,
    code: Code,
    tables: tuple[str, ...],
    told: Told | None = None,
    section: str = "split",
) -> Shown:
    return Shown(
        section=section,
        trace=laid,
        screen=laid.screen(),
        figures=figures,
        start=start,
        say=lambda tr, language: {f"{section}.found": tr(f"mistakes.{view}.found")},
        told=told or explanation(f"mistakes.{view}.why"),
        code=code,
        file_name=f"{section}-{view}",
        tables=tables,
        head=0,
    )
