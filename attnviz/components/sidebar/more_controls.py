"""The controls that most examples do without: keys, scoring, positions."""

from typing import Any

from htmltools import Tag
from shiny import Inputs, Session, ui

from attnviz.components.inputs.controls import control, move_control, read_control
from attnviz.core.errors import SettingError
from attnviz.example.settings import SETTINGS, Example, is_decided
from attnviz.text.catalog import Translate

SAME, BY_WORDS, BY_LENGTH = "same", "words", "length"
# Where the slider of keys stands while there are none of their own.
USUAL_KEYS = 4


def more_controls(example: Example, tr: Translate) -> Tag:
    """Lay out the controls, folded unless the example uses one of them.

    Returns
    -------
    controls : Tag
        A native disclosure element; inputs `keys`, `key_text`, `key_length`,
        `scoring`, `is_tied`, `position_kind` and `starts_at_one`.
    """

    def made(name: str, *, value: object = None, least: float | None = None) -> Tag:
        return control(
            name,
            SETTINGS[name],
            getattr(example, name) if value is None else value,
            tr,
            least=least,
            is_locked=is_decided(example, name),
        )

    return ui.tags.details(
        ui.tags.summary(tr("controls.more")),
        ui.input_radio_buttons(
            "keys",
            tr("controls.keys"),
            {kind: tr(f"controls.keys_{kind}") for kind in (SAME, BY_LENGTH, BY_WORDS)},
            selected=_keys(example),
            inline=True,
        ),
        ui.div(made("key_text"), class_="for-keys-words"),
        ui.div(
            made("key_length", value=example.key_length or USUAL_KEYS, least=1),
            class_="for-keys-length",
        ),
        made("scoring"),
        ui.div(tr("scoring.undivided"), class_="hint for-undivided"),
        made("is_tied"),
        made("positions"),
        made("starts_at_one").add_class("for-counted"),
        {"data-part": "more"},
        class_="fold more-controls",
        open="" if uses_more(example) else None,
    )


def uses_more(example: Example) -> bool:
    """Tell whether an example uses any of these controls."""
    plain = (SAME, "dot", False, "none")
    used = _keys(example), example.scoring, example.is_tied, example.positions
    return used != plain


def read_more(input: Inputs) -> dict[str, Any]:
    """Read the controls, whatever a browser may have sent.

    Parameters
    ----------
    input : Inputs
        Inputs of the sidebar.

    Raises
    ------
    SettingError
        If a sentence is asked for and none is there.
    """
    settings: dict[str, Any] = {
        name: read_control(input, name, SETTINGS[name])
        for name in ("scoring", "is_tied", "positions", "starts_at_one")
    }
    settings |= {"key_text": "", "key_length": 0}
    if input.keys() == BY_LENGTH:
        settings["key_length"] = input.key_length()
    elif input.keys() == BY_WORDS:
        settings["key_text"] = str(input.key_text())
        if not settings["key_text"].strip():
            raise SettingError("no_tokens")
    return settings


def set_more(session: Session, example: Example) -> None:
    """Move the controls to where an example has them."""
    ui.update_radio_buttons("keys", selected=_keys(example), session=session)
    values = {
        "key_text": example.key_text,
        "key_length": example.key_length or USUAL_KEYS,
        "scoring": example.scoring,
        "is_tied": example.is_tied,
        "positions": example.positions,
        "starts_at_one": example.starts_at_one,
    }
    for name, value in values.items():
        is_locked = is_decided(example, name)
        move_control(session, name, SETTINGS[name], value, is_locked=is_locked)


def _keys(example: Example) -> str:
    if example.key_text:
        return BY_WORDS
    return BY_LENGTH if example.key_length else SAME
