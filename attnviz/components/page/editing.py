"""Take the numbers that a reader changes by hand."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shiny import Inputs, reactive

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.core.errors import SettingError
from attnviz.example.edits import Edit
from attnviz.example.matrices import EDITABLE
from attnviz.example.screen import Screen
from attnviz.example.settings import Example
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell


def editable_names(screen: Screen, example: Example) -> tuple[str, ...]:
    """Name the matrices whose cells can be changed: those that nothing leads to.

    Parameters
    ----------
    example : Example
        Its settings; a projection of keys that is that of queries changes with it.

    Returns
    -------
    names : tuple of str
        Given matrices, and the mask; none where weights alone are given.
    """
    led_to = ["q", "k", "v"] if "x" in screen else []
    led_to += ["w_k"] if example.is_tied else []
    return tuple(name for name in EDITABLE if name in screen and name not in led_to)


def edited_cells(example: Example, head: int) -> tuple[Cell, ...]:
    """Find the cells that were changed by hand, as far as one head shows them."""
    return tuple(
        Cell(edit.name, *edit.index[-2:])
        for edit in example.edits
        if len(edit.index) == 2 or edit.index[0] == head
    )


@dataclass(frozen=True, slots=True)
class Editing:
    """What others have to know of the edits.

    Attributes
    ----------
    problem : callable
        Reads why the last edit could not be, or an empty sentence.
    is_swinging : callable
        Reads whether a number moves by itself.
    """

    problem: Callable[[], str]
    is_swinging: Callable[[], bool]


def follow_edits(
    input: Inputs,
    controls: Controls,
    restored: Callable[[], object],
    tr: Translate,
) -> Editing:
    """Turn what the browser sends into edits of the example.

    Parameters
    ----------
    input : Inputs
        The page's inputs `edit`, `clear` and `swing`.
    controls : Controls
        The sidebar, which holds the example.
    restored : callable
        Reads what back or forward brought, if anything.
    """
    problem = reactive.value("", name="problem")
    # How it was when a swing began.
    still: reactive.Value[Chosen | None] = reactive.value(None, name="still")

    @reactive.effect
    @reactive.event(input.edit)
    def take_edit() -> None:
        now = controls.chosen()
        try:
            example = now.example.change(_read_edit(input.edit()))
        except SettingError as error:
            problem.set(problem_sentence(error, tr))
            return
        problem.set("")
        controls.propose(replace(now, example=example))

    @reactive.effect
    @reactive.event(input.swing)
    def swing() -> None:
        now, before = controls.chosen(), still()
        still.set(now if input.swing() == "on" else None)
        if before is None:
            return
        # What else was changed meanwhile stays; another preset had no edits.
        edits = before.example.edits if now.preset == before.preset else ()
        controls.propose(replace(now, example=replace(now.example, edits=edits)))

    @reactive.effect
    @reactive.event(restored)
    def end_swing() -> None:
        still.set(None)

    @reactive.effect
    @reactive.event(input.clear)
    def take_back() -> None:
        now = controls.chosen()
        problem.set("")
        controls.propose(replace(now, example=replace(now.example, edits=())))

    @reactive.effect
    def forget_problem() -> None:
        controls.chosen()
        problem.set("")

    return Editing(problem, lambda: still() is not None)


def _read_edit(sent: Any) -> Edit:  # noqa: ANN401 - whatever a browser sent
    """Read one changed cell; Edit itself refuses what no matrix could hold."""
    if not isinstance(sent, dict):
        raise SettingError("edit_place", name="edits")
    name = str(sent.get("name"))
    places = [sent.get("i"), sent.get("j")]
    if len(EDITABLE.get(name, ())) == len(places) + 1:
        places.insert(0, sent.get("head"))
    value = sent.get("value")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Edit(name, tuple(places), float(value) if is_number else math.nan)  # type: ignore[arg-type]
