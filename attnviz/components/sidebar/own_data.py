"""Bring matrices of one's own: upload or paste, see what was found, use it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from htmltools import Tag
from shiny import Inputs, Outputs, Session, reactive, render, ui
from shiny.module import resolve_id

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.sentences import heard
from attnviz.components.sidebar.own_layers import picks
from attnviz.components.sidebar.own_listing import Reading, asked, listed
from attnviz.components.sidebar.uploads import read_uploads
from attnviz.core.errors import SettingError
from attnviz.example.own import (
    Found,
    OwnData,
    pack_own,
    read_all,
    unpack_own,
)
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH
from attnviz.text.catalog import Translate

FORMS = (".csv", ".tsv", ".txt", ".json", ".npz", ".npy")
# So many earlier matrices a session can go back to.
MAX_BROUGHT = 8
MAX_KEPT = 8_000_000
# The buttons that take one of two readings.
TAKE = ("own_first", "own_second")
# All that reading understands, as the panel lists it.
READ = ("files", "tables", "python", "r", "matlab", "algebra", "documents", "commas")


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
            {"data-reading": tr("own.reading")},
            class_="problem",
            role="status",
            aria_live="polite",
        ),
        ui.div(
            ui.input_action_button("own_use", tr("own.apply"), class_="button"),
            ui.input_action_button("own_leave", tr("own.leave"), class_="button"),
            class_="buttons",
        ),
        ui.tags.details(
            ui.tags.summary(tr("own.understood")),
            ui.tags.ul(*(ui.tags.li(tr(f"own.form.{form}")) for form in READ)),
            class_="own-forms",
        ),
        ui.p(tr("own.fleeting"), class_="hint kept"),
        ui.p(tr("own.unkept"), class_="hint unkept"),
        {
            "data-back": resolve_id("own_back"),
            "data-coming": resolve_id("own_coming"),
            "data-failed": resolve_id("own_failed"),
        },
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
    work = _Work(reactive.value(_Said(), name="said"), session, panel)
    _expect(input, work)
    _take(input, work)
    _use(input, work)
    for place in range(len(TAKE)):
        _take_one(input, work, place)
    _say(output, work)
    return lambda: work.brought


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """What is said of what was brought last, each time anew."""

    found: tuple[Reading, ...] = ()
    problem: str = ""


@dataclass(slots=True)
class _Work:
    """What one session reads, and what it has used.

    Attributes
    ----------
    said : reactive.Value
        What the panel shows.
    brought : dict of str to OwnData
        The matrices that were used, by their fingerprint.
    turn : int
        Counts what was brought: only the newest is waited for.
    is_reading : bool
        Whether it is still being read, or on its way: what was found before is no
        longer on offer.
    is_wanted : bool
        Whether it shall be used as soon as it is read.
    """

    said: reactive.Value[_Said]
    session: Session
    panel: OwnPanel
    brought: dict[str, OwnData] = field(default_factory=dict)
    turn: int = 0
    is_reading: bool = False
    is_wanted: bool = False

    def begin(self) -> int:
        """Forget what was found before."""
        self.turn += 1
        self.is_reading, self.is_wanted = True, False
        return self.turn

    def clear(self) -> None:
        """Say that there is nothing."""
        self.begin()
        self.is_reading = False
        self.said.set(_Said())

    async def finish(self, found: tuple[Reading, ...] | SettingError) -> None:
        """Say what was read, and use it if that was asked for meanwhile."""
        self.is_reading = False
        if isinstance(found, SettingError):
            self.refuse(found)
            return
        self.said.set(_Said(found))
        if self.is_wanted:
            await self.use(found)

    async def use(self, found: tuple[Reading, ...]) -> None:
        """Show matrices, if they can be read in one way only."""
        self.is_wanted = False
        if len(found) > 1:
            self.said.set(_Said(found, self.panel.tr("own.two_readings")))
            return
        (reading,) = found
        settings = reading.found.settings or _settings(self.panel.example())
        _bring(self.brought, reading.own)
        self.panel.show(own_example(reading.own, settings))
        await self.session.send_custom_message("attnviz-own", _kept(reading.own))

    def refuse(self, error: SettingError) -> None:
        """Say what is wrong."""
        self.said.set(_Said(problem=problem_sentence(error, self.panel.tr)))


def _take(input: Inputs, work: _Work) -> None:
    """Read what is uploaded or pasted."""
    reading: set[asyncio.Task[None]] = set()

    # Two megabytes take a tenth of a second, in which nobody else should wait.
    async def read_aside(read: Callable[[], tuple[Found, ...]], turn: int) -> None:
        found = await asyncio.to_thread(_outcome, read)
        async with reactive.lock():
            if turn != work.turn:
                return
            with reactive.isolate():
                await work.finish(found)
            await reactive.flush()

    def begin(read: Callable[[], tuple[Found, ...]]) -> None:
        task = asyncio.create_task(read_aside(read, work.begin()))
        # Nobody else holds on to it while it runs.
        reading.add(task)
        task.add_done_callback(reading.discard)

    @reactive.effect
    @reactive.event(input.own_file)
    def take_files() -> None:
        is_wanted = work.is_reading and work.is_wanted
        begin(partial(read_uploads, input.own_file()))
        work.is_wanted = is_wanted

    @reactive.effect
    @reactive.event(input.own_text, ignore_init=True)
    def take_text() -> None:
        text = str(input.own_text())
        if text.strip():
            begin(partial(read_all, [(text, "")]))
        else:
            work.clear()


def _expect(input: Inputs, work: _Work) -> None:
    """Wait for files that are on their way, until the browser says that they failed."""

    @reactive.effect
    @reactive.event(input.own_coming)
    def expect_files() -> None:
        work.begin()

    @reactive.effect
    @reactive.event(input.own_failed)
    def miss_files() -> None:
        work.clear()
        work.refuse(SettingError("own_upload"))


def _use(input: Inputs, work: _Work) -> None:
    """Show what was read, leave it, and take back what the browser has kept."""

    # What came with the press is taken first.
    @reactive.effect(priority=-1)
    @reactive.event(input.own_use)
    async def use() -> None:
        said = work.said()
        if work.is_reading:
            work.is_wanted = True
        elif said.found:
            await work.use(said.found)
        elif not said.problem:
            work.refuse(SettingError("own_nothing"))

    @reactive.effect
    @reactive.event(input.own_leave)
    def leave() -> None:
        work.panel.show(Example())

    @reactive.effect
    @reactive.event(input.own_back)
    def take_back() -> None:
        # What cannot be read is as good as lost, and said to be.
        with suppress(SettingError):
            _bring(work.brought, unpack_own(str(input.own_back())))


def _take_one(input: Inputs, work: _Work, place: int) -> None:
    """Use one of two readings."""

    @reactive.effect
    @reactive.event(input[TAKE[place]])
    async def use_one() -> None:
        found = work.said().found
        if place < len(found) and not work.is_reading:
            work.said.set(_Said((found[place],)))
            await work.use((found[place],))


def _bring(brought: dict[str, OwnData], own: OwnData) -> None:
    """Remember matrices; those that are used again are the newest again."""
    brought.pop(own.fingerprint, None)
    brought[own.fingerprint] = own
    while len(brought) > MAX_BROUGHT or (
        len(brought) > 1 and sum(each.n_bytes for each in brought.values()) > MAX_KEPT
    ):
        del brought[next(iter(brought))]


def _kept(own: OwnData) -> dict[str, object]:
    """Say what the browser should keep."""
    return {"fingerprint": own.fingerprint, "packed": pack_own(own)}


def _say(output: Outputs, work: _Work) -> None:
    tr = work.panel.tr

    @heard
    def kind() -> str:
        return _kind(work.panel.example().own)

    @heard
    def choices() -> str:
        return picks(work.panel.example().own)

    # A closed panel would not be told; it must know when it is opened.
    @output(suspend_when_hidden=False)
    @render.ui
    def own_found() -> ui.TagChild:
        found = work.said().found
        shown: ui.TagChild = None
        if len(found) == 1:
            shown = ui.TagList(
                ui.p(tr("own.found"), class_="own-found"), listed(found[0], tr)
            )
        elif found:
            buttons = [
                ui.input_action_button(name, tr("own.take"), class_="button")
                for name in TAKE
            ]
            shown = asked(list(found), buttons, tr)
        return ui.div(shown, {"data-own": kind(), "data-picks": choices()})

    @output(suspend_when_hidden=False)
    @render.text
    def own_problem() -> str:
        return work.said().problem


def _kind(own: OwnData | None) -> str:
    """Name what is in use, for the style: "none", "weights" or "matrices"."""
    if own is None:
        return "none"
    return "weights" if own.matrices[0].name == "weights" else "matrices"


def _outcome(
    read: Callable[[], tuple[Found, ...]],
) -> tuple[Reading, ...] | SettingError:
    """Read in each way that is possible; two that come to the same are one."""
    readings: list[Reading] = []
    refused: SettingError | None = None
    try:
        for found in read():
            try:
                readings.append(Reading.of(found))
            except SettingError as error:
                refused = refused or error
    except SettingError as error:
        return error
    if not readings and refused is not None:
        return refused
    return tuple(readings)


def _settings(example: Example) -> dict[str, Any]:
    """Let the controls stay where they are, as far as they fit other matrices."""
    return {one.name: getattr(example, one.name) for one in fields(example)}
