"""Read and judge beside everything else: nobody waits for somebody's result."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shiny import reactive

from attnviz.core.errors import SettingError
from attnviz.example.check.brought import Brought, read_brought
from attnviz.example.check.judging import judge
from attnviz.example.check.settings import CheckSettings
from attnviz.example.check.trace import CheckTrace, judged_trace
from attnviz.example.reading.result import Comma
from attnviz.example.settings import Example

Contents = Sequence[tuple[bytes | str, str]]


@dataclass(slots=True, eq=False)
class Sent:
    """What a reader wants to have checked.

    Attributes
    ----------
    take : callable
        Gives what is in each file or text, and its name.
    comma : Comma or None
        What its commas are; found out if it is not said.
    brought : Brought or None
        What is in it, once it has been read: files are gone by then.
    """

    take: Callable[[], Contents]
    comma: Comma | None = None
    brought: Brought | None = None

    def read(self) -> Brought:
        """Read it, the first time."""
        if self.brought is None:
            contents = self.take()
            self.brought = read_brought(contents, comma=self.comma)
            if self.brought.commas:
                # A reader may mean them otherwise, and files are deleted by now.
                self.take = lambda: contents
        return self.brought


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is judged, and by what."""

    example: Example
    settings: CheckSettings
    sent: Sent


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What is said of the last result.

    Attributes
    ----------
    asked : Asked or None
        What it answers.
    brought : Brought or None
        What was read, if it could be.
    trace : CheckTrace or None
        The judgement, if there is one; of an earlier result where this one cannot be
        judged.
    problem : SettingError or None
        Why it cannot.
    """

    asked: Asked | None = None
    brought: Brought | None = None
    trace: CheckTrace | None = None
    problem: SettingError | None = None


def answer(asked: Asked) -> Said:
    """Read a result and judge it."""
    try:
        brought = asked.sent.read()
    except SettingError as error:
        return Said(asked, problem=error)
    try:
        judgement = judge(asked.example, asked.settings, brought)
    except SettingError as error:
        return Said(asked, brought, problem=error)
    return Said(asked, brought, judged_trace(judgement))


def follow_work(asked: Callable[[], Asked | None]) -> reactive.Value[Said]:
    """Judge whatever is asked, in a thread; the newest question is answered.

    Parameters
    ----------
    asked : callable
        Reads the question; None while there is none.
    """
    said: reactive.Value[Said] = reactive.value(Said(), name="said")
    working: set[asyncio.Task[None]] = set()
    turn = 0

    async def work_aside(question: Asked, mine: int) -> None:
        found = await asyncio.to_thread(answer, question)
        async with reactive.lock():
            if mine != turn:
                return
            with reactive.isolate():
                said.set(_kept(found, said()))
            await reactive.flush()

    @reactive.effect
    def follow() -> None:
        nonlocal turn
        turn += 1
        question = asked()
        if question is None:
            said.set(Said())
            return
        task = asyncio.create_task(work_aside(question, turn))
        # Nobody else holds on to it while it runs.
        working.add(task)
        task.add_done_callback(working.discard)

    return said


def _kept(now: Said, before: Said) -> Said:
    """Keep the last judgement on the same question, if there is no new one."""
    if now.trace is not None or now.asked is None or before.asked is None:
        return now
    is_same = (now.asked.example, now.asked.settings) == (
        before.asked.example,
        before.asked.settings,
    )
    return replace(now, trace=before.trace) if is_same else now
