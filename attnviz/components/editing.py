"""Take the numbers that a reader changes by hand."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shiny import Inputs, reactive

from attnviz.components.example_controls import Controls
from attnviz.components.problems import problem_sentence
from attnviz.core.edits import EDITABLE, Edit
from attnviz.core.errors import SettingError
from attnviz.core.example import Example
from attnviz.core.weights_alone import Shown, WeightsTrace
from attnviz.text.catalog import Translate


def editable_names(trace: Shown) -> tuple[str, ...]:
    """Name the matrices whose cells can be changed: those that nothing leads to.

    Parameters
    ----------
    trace : ExampleTrace or WeightsTrace
        The example on screen.

    Returns
    -------
    names : tuple of str
        Given matrices, and the mask; none where weights alone are given.
    """
    if isinstance(trace, WeightsTrace):
        return ()
    if trace.x is None:
        return ("q", "k", "v", "mask")
    keys = () if trace.x_k is trace.x else ("x_k",)
    output = () if trace.heads is None else ("w_o",)
    return ("x", *keys, "w_q", "w_k", "w_v", *output, "mask")


def follow_edits(input: Inputs, controls: Controls, tr: Translate) -> Callable[[], str]:
    """Turn what the browser sends into edits of the example.

    Parameters
    ----------
    input : Inputs
        The page's inputs `edit`, `clear` and `swing`.
    controls : Controls
        The sidebar, which holds the example.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    problem : callable
        Reads why the last edit could not be, or an empty sentence.
    """
    problem = reactive.value("", name="problem")
    still: Example | None = None  # how it was when a swing began

    @reactive.effect
    @reactive.event(input.edit)
    def take_edit() -> None:
        now = controls.chosen()
        try:
            edits = (*now.example.edits, _read_edit(input.edit()))
            example = replace(now.example, edits=edits)
        except SettingError as error:
            problem.set(problem_sentence(error, tr))
            return
        problem.set("")
        controls.propose(replace(now, example=example))

    @reactive.effect
    @reactive.event(input.swing)
    def swing() -> None:
        nonlocal still
        now = controls.chosen()
        if input.swing() == "on":
            still = now.example
        elif still is not None and replace(now.example, edits=still.edits) == still:
            controls.propose(replace(now, example=still))

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

    return problem


def _read_edit(sent: Any) -> Edit:  # noqa: ANN401 - whatever a browser sent
    """Read one changed cell; Edit itself refuses what no matrix could hold."""
    if not isinstance(sent, dict):
        raise SettingError("edit_place", name="edits")
    name = str(sent.get("name"))
    places = [sent.get("i"), sent.get("j")]
    if EDITABLE.get(name) == len(places) + 1:
        places.insert(0, sent.get("head"))
    value = sent.get("value")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Edit(name, tuple(places), float(value) if is_number else math.nan)  # type: ignore[arg-type]
