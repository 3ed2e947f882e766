"""Choose the head whose stages are shown."""

from collections.abc import Callable

from htmltools import Tag
from shiny import Inputs, reactive, ui

from attnviz.components.inputs.steering import Steering, steered
from attnviz.components.page.view import Live
from attnviz.example.sources.drawn import MAX_HEADS
from attnviz.text.catalog import Translate


def head_picker(tr: Translate, selected: int = 0, before: int = 0) -> Tag:
    """Make one button a head; style hides those the example does not have.

    Parameters
    ----------
    selected : int, default=0
        The head chosen at first, counted from 0.
    before : int, default=0
        How many heads of a larger layer there are before the first of these.

    Returns
    -------
    picker : Tag
        A radio group, input `head`.
    """
    return ui.div(
        ui.input_radio_buttons(
            "head",
            tr("heads.title"),
            _choices(before),
            selected=str(selected),
            inline=True,
        ),
        {"data-live": "heads"},
        class_="head-picker",
    )


def follow_head(
    input: Inputs,
    n_heads: Callable[[], int],
    restored: Callable[[], int | None],
    before: Callable[[], int],
    steering: Steering,
) -> Callable[[], int]:
    """Read the chosen head; one that is gone gives way to the last."""
    chosen, steer = steered(input.head, steering)
    told = 0

    @reactive.effect
    def number() -> None:
        nonlocal told
        now = before()
        if now != told:
            told = now
            with reactive.isolate():
                selected = chosen()
            steer(selected)
            ui.update_radio_buttons(
                "head", choices=_choices(now), selected=selected, inline=True
            )

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        head = restored()
        if head is not None:
            steer(str(head))
            ui.update_radio_buttons("head", selected=str(head))

    @reactive.calc
    def head() -> int:
        choice = chosen()
        wanted = int(choice) if choice in _choices(0) else 0
        return min(wanted, n_heads() - 1)

    return head


def heads_live(n_heads: int) -> dict[str, Live]:
    """Tell the picker how many heads there are."""
    return {"heads": Live(state=str(n_heads))}


def _choices(before: int) -> dict[str, str]:
    return {str(head): str(before + head + 1) for head in range(MAX_HEADS)}
