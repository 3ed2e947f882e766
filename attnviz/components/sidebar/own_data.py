"""Bring matrices of one's own: upload or paste, see what was found, use it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from htmltools import Tag
from shiny import Inputs, Outputs, Session, reactive, render, ui
from shiny.module import resolve_id

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.sentences import heard
from attnviz.components.sidebar.uploads import read_uploads
from attnviz.core.errors import SettingError
from attnviz.example.matrices import MATRICES
from attnviz.example.own import (
    Found,
    OwnData,
    choose_own,
    pack_own,
    read_own,
    unpack_own,
)
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH
from attnviz.text.catalog import Translate

FORMS = (".csv", ".tsv", ".txt", ".json", ".npz", ".npy")
# So many earlier matrices a session can go back to.
MAX_BROUGHT = 8
_LONGEST_LIST = 12
_LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class OwnPanel:
    """What the panel of own data works with.

    Attributes
    ----------
    example : callable
        Reads the example on screen.
    show : callable
        Takes an example and shows it.
    tr : Translate
        Words of the reader's language.
    """

    example: Callable[[], Example]
    show: Callable[[Example], None]
    tr: Translate


@dataclass(frozen=True, slots=True)
class _Ready:
    """Matrices that are only waiting to be used."""

    found: Found
    own: OwnData


def own_data_controls(tr: Translate) -> Tag:
    """Lay out the panel, folded.

    Returns
    -------
    panel : Tag
        A native disclosure element; inputs `own_file`, `own_text`, `own_use`,
        `own_leave` and, from what the browser has kept, `own_back`.
    """
    return ui.tags.details(
        ui.tags.summary(tr("own.title")),
        ui.p(
            tr("own.what", length=MAX_LENGTH, width=MAX_WIDTH, heads=MAX_HEADS),
            class_="hint",
        ),
        ui.input_file(
            "own_file",
            tr("own.file"),
            multiple=True,
            accept=list(FORMS),
            button_label=tr("own.browse"),
            placeholder=tr("own.no_file"),
        ),
        ui.input_text_area(
            "own_text",
            tr("own.text"),
            placeholder="Q\n1 0\n0 1\n\nK\n…",
            rows=5,
            spellcheck="false",
        ),
        ui.output_ui("own_found"),
        ui.div(
            ui.output_text("own_problem"),
            class_="problem",
            role="status",
            aria_live="polite",
        ),
        ui.div(
            ui.input_action_button("own_use", tr("own.apply"), class_="button"),
            ui.input_action_button("own_leave", tr("own.leave"), class_="button"),
            class_="buttons",
        ),
        ui.p(tr("own.fleeting"), class_="hint kept"),
        ui.p(tr("own.unkept"), class_="hint unkept"),
        {"data-back": resolve_id("own_back")},
        {"data-part": "own"},
        class_="fold own-data",
    )


def follow_own_data(
    input: Inputs, output: Outputs, session: Session, panel: OwnPanel
) -> Callable[[], dict[str, OwnData]]:
    """Read what the reader brings, say what it is, and show it when asked.

    Parameters
    ----------
    input, output, session
        Shiny's own, of the sidebar.
    panel : OwnPanel
        Where the example comes from and goes to.

    Returns
    -------
    brought : callable
        Reads the matrices that were used in this session, by their fingerprint.
    """
    outcome: reactive.Value[_Ready | SettingError | None] = reactive.value(
        None, name="outcome"
    )
    brought: dict[str, OwnData] = {}
    _take(input, outcome)
    _use(input, session, outcome, brought, panel)
    _say(output, outcome, panel)
    return lambda: brought


def _take(input: Inputs, outcome: reactive.Value[_Ready | SettingError | None]) -> None:
    """Read what is uploaded or pasted."""
    reading: set[asyncio.Task[None]] = set()

    # Two megabytes take a tenth of a second, in which nobody else should wait.
    async def read_aside(read: Callable[[], Found]) -> None:
        found = await asyncio.to_thread(_outcome, read)
        async with reactive.lock():
            outcome.set(found)
            await reactive.flush()

    def begin(read: Callable[[], Found]) -> None:
        task = asyncio.create_task(read_aside(read))
        # Nobody else holds on to it while it runs.
        reading.add(task)
        task.add_done_callback(reading.discard)

    @reactive.effect
    @reactive.event(input.own_file)
    def take_files() -> None:
        begin(partial(read_uploads, input.own_file()))

    @reactive.effect
    @reactive.event(input.own_text, ignore_init=True)
    def take_text() -> None:
        text = str(input.own_text())
        if text.strip():
            begin(partial(read_own, text))
        else:
            outcome.set(None)


def _use(
    input: Inputs,
    session: Session,
    outcome: reactive.Value[_Ready | SettingError | None],
    brought: dict[str, OwnData],
    panel: OwnPanel,
) -> None:
    """Show what was read, leave it, and take back what the browser has kept."""

    @reactive.effect
    @reactive.event(input.own_use)
    async def use() -> None:
        now = outcome()
        if now is None:
            outcome.set(SettingError("own_nothing"))
        elif isinstance(now, _Ready):
            settings = now.found.settings or _settings(panel.example())
            _bring(brought, now.own)
            panel.show(own_example(now.own, settings))
            await session.send_custom_message("attnviz-own", _kept(now.own))

    @reactive.effect
    @reactive.event(input.own_back)
    def take_back() -> None:
        # What cannot be read is as good as lost, and said to be.
        with suppress(SettingError):
            _bring(brought, unpack_own(str(input.own_back())))

    @reactive.effect
    @reactive.event(input.own_leave)
    def leave() -> None:
        panel.show(Example())


def _bring(brought: dict[str, OwnData], own: OwnData) -> None:
    """Remember matrices; those that are used again are the newest again."""
    brought.pop(own.fingerprint, None)
    brought[own.fingerprint] = own
    for oldest in list(brought)[:-MAX_BROUGHT]:
        del brought[oldest]


def _kept(own: OwnData) -> dict[str, object]:
    """Say what the browser should keep."""
    return {"fingerprint": own.fingerprint, "packed": pack_own(own)}


def _say(
    output: Outputs,
    outcome: reactive.Value[_Ready | SettingError | None],
    panel: OwnPanel,
) -> None:
    @heard
    def kind() -> str:
        return _kind(panel.example().own)

    # A closed panel would not be told; it must know when it is opened.
    @output(suspend_when_hidden=False)
    @render.ui
    def own_found() -> ui.TagChild:
        now = outcome()
        return ui.div(
            _listed(now, panel.tr) if isinstance(now, _Ready) else None,
            {"data-own": kind()},
        )

    @output(suspend_when_hidden=False)
    @render.text
    def own_problem() -> str:
        now = outcome()
        return problem_sentence(
            now if isinstance(now, SettingError) else None, panel.tr
        )


def _listed(ready: _Ready, tr: Translate) -> ui.TagList:
    """List what will be shown, with its shape, and what will not."""
    used = [
        ui.tags.li(_symbol(matrix.name), f" {_shape(matrix.shape)}")
        for matrix in ready.own.matrices
    ]
    names = {matrix.name for matrix in ready.own.matrices}
    others = [name for name in ready.found.arrays if name not in names]
    others += ready.found.others
    shown = [_shortened(name) for name in others[:_LONGEST_LIST]]
    if len(others) > _LONGEST_LIST:
        shown.append("…")
    note = tr("own.others", names=", ".join(shown)) if others else ""
    return ui.TagList(
        ui.p(tr("own.found"), class_="own-found"),
        ui.tags.ul(*used),
        ui.p(note, class_="hint") if note else None,
    )


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


def _kind(own: OwnData | None) -> str:
    """Name what is in use, for the style: "none", "weights" or "matrices"."""
    if own is None:
        return "none"
    return "weights" if own.matrices[0].name == "weights" else "matrices"


def _outcome(read: Callable[[], Found]) -> _Ready | SettingError:
    try:
        found = read()
        return _Ready(found, choose_own(found))
    except SettingError as error:
        return error


def _settings(example: Example) -> dict[str, Any]:
    """Let the controls stay where they are, as far as they fit other matrices."""
    return {field.name: getattr(example, field.name) for field in fields(example)}
