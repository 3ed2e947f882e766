"""A slider that sends while it moves."""

from collections.abc import Sequence

from htmltools import Tag
from shiny import Session, ui
from shiny.module import resolve_id

from attnviz.example.setting import shortest


def range_input(
    id: str,
    label: ui.TagChild,
    *,
    least: float,
    most: float,
    value: float,
    step: float = 1,
    disabled: bool = False,
    stops: Sequence[float] = (),
) -> Tag:
    """Make a labelled slider with its value beside it.

    Parameters
    ----------
    label : TagChild
        What the slider sets.
    least, most : float
        Its limits.
    step : float, default=1
        Distance between two stops.
    disabled : bool, default=False
        Whether it is locked.
    stops : sequence of float, optional
        What its places stand for, where they count unequal steps.

    Returns
    -------
    slider : Tag
        One row: label, slider, value.
    """
    name = resolve_id(id)
    return ui.div(
        ui.tags.label(label, for_=name),
        ui.tags.input(
            id=name,
            type="range",
            class_="range",
            min=least,
            max=most,
            step=step,
            value=value,
            disabled="" if disabled else None,
            autocomplete="off",
            data_stops=" ".join(map(shortest, stops)) or None,
        ),
        ui.tags.output(shortest(stops[int(value)]) if stops else str(value), for_=name),
        class_="field",
    )


def update_range(
    session: Session,
    id: str,
    *,
    value: float | None = None,
    disabled: bool | None = None,
) -> None:
    """Move or lock a slider from the server.

    Parameters
    ----------
    value : float, optional
        Where it should stand.
    disabled : bool, optional
        Whether it should be locked.
    """
    message: dict[str, object] = {}
    if value is not None:
        message["value"] = value
    if disabled is not None:
        message["disabled"] = disabled
    session.send_input_message(id, message)
