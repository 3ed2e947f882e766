"""The control of a setting, made, read and moved as its record says."""

from typing import Any

from htmltools import Tag
from shiny import Inputs, Session, ui

from attnviz.components.inputs.ranges import range_input, update_range
from attnviz.components.inputs.typed import typed_number
from attnviz.example.setting import Setting
from attnviz.text.catalog import Translate
from attnviz.text.symbols import symbol


def control(
    name: str,
    setting: Setting,
    value: Any,  # noqa: ANN401 - each setting has its own type
    tr: Translate,
    *,
    words: str = "",
    least: float | None = None,
    is_locked: bool = False,
) -> Tag:
    """Make the control of a setting.

    Parameters
    ----------
    name : str
        Its name.
    setting : Setting
        Its limits or choices, and its part of a teacher's link.
    words : str, default=""
        Prefix of the keys that word its choices, if that is not its name.
    least : float, optional
        Where a slider begins, if not at the least value there can be.
    is_locked : bool, default=False
        Whether it cannot be moved.

    Returns
    -------
    control : Tag
        A slider or a field for a number, a switch, a select for choices, else a line of
        text.
    """
    id = setting.control or name
    label = tr(f"setting.{name}")
    made: Tag
    # Where there is no symbol, the name is written out.
    named = (
        ui.TagList(symbol(setting.symbol), _unseen(label)) if setting.symbol else label
    )
    if setting.look == "field":
        made = typed_number(id, named, label, value, setting.limits, tr)
    elif setting.look == "stops":
        made = range_input(
            id,
            named,
            least=0,
            most=len(setting.choices) - 1,
            value=setting.choices.index(value),
            stops=[float(str(stop)) for stop in setting.choices],
        )
    elif setting.limits is not None:
        made = range_input(
            id,
            named,
            least=setting.limits[0] if least is None else least,
            most=setting.limits[1],
            value=value,
            step=setting.step,
            disabled=is_locked,
        )
    elif isinstance(value, bool):
        # The symbol is seen; its letters are heard.
        letters = (symbol(setting.symbol), _unseen(setting.symbol))
        title = ui.TagList(label, " ", *letters) if setting.symbol else label
        made = ui.input_switch(id, title, value)
    elif setting.choices:
        choices = {str(one): tr(f"{words or name}.{one}") for one in setting.choices}
        made = ui.input_select(id, label, choices, selected=value)
    else:
        made = ui.input_text(
            id,
            _unseen(label),
            value,
            placeholder=tr("controls.text_hint"),
            spellcheck="false",
        )
    return in_part(setting.part, made)


def in_part(part: str, tag: Tag) -> Tag:
    """Let a teacher's link hide or lock an element with its part."""
    tag.attrs["data-part"] = part
    return tag


def move_control(
    session: Session,
    name: str,
    setting: Setting,
    value: Any,  # noqa: ANN401 - each setting has its own type
    *,
    is_locked: bool = False,
) -> None:
    """Move the control of a setting from the server."""
    id = setting.control or name
    if setting.look == "field":
        ui.update_numeric(id, value=value, session=session)
    elif setting.look == "stops":
        update_range(session, id, value=setting.choices.index(value))
    elif setting.limits is not None:
        update_range(session, id, value=value, disabled=is_locked)
    elif isinstance(value, bool):
        ui.update_switch(id, value=value, session=session)
    elif setting.choices:
        ui.update_select(id, selected=value, session=session)
    else:
        ui.update_text(id, value=value, session=session)


def read_control(input: Inputs, name: str, setting: Setting) -> Any:  # noqa: ANN401
    """Read a control; what a browser may not send is refused by who takes it."""
    value = input[setting.control or name]()
    if setting.look == "stops":
        is_place = isinstance(value, int) and 0 <= value < len(setting.choices)
        return setting.choices[value] if is_place else None
    if setting.choices == (False, True):
        return bool(value)
    return value if setting.limits is not None or setting.choices else str(value)


def _unseen(text: str) -> Tag:
    return ui.span(text, class_="visually-hidden")
