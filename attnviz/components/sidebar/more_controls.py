"""The controls that most examples do without: keys, scoring, positions."""

from typing import Any

from htmltools import Tag
from shiny import Inputs, Session, ui

from attnviz.components.inputs.ranges import range_input, update_range
from attnviz.core.errors import SettingError
from attnviz.example.compute import LIMITS, POSITION_KINDS, SCORING_KINDS, Example
from attnviz.text.catalog import Translate
from attnviz.text.symbols import symbol

SAME, BY_WORDS, BY_LENGTH = "same", "words", "length"
# Where the slider of keys stands while there are none of their own.
USUAL_KEYS = 4


def more_controls(example: Example, tr: Translate) -> Tag:
    """Lay out the controls, folded unless the example uses one of them.

    Parameters
    ----------
    example : Example
        What the controls show at first.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    controls : Tag
        A native disclosure element; inputs `keys`, `key_text`, `key_length`,
        `scoring` and `position_kind`.
    """
    return ui.tags.details(
        ui.tags.summary(tr("controls.more")),
        ui.input_radio_buttons(
            "keys",
            tr("controls.keys"),
            {kind: tr(f"controls.keys_{kind}") for kind in (SAME, BY_LENGTH, BY_WORDS)},
            selected=_keys(example),
            inline=True,
        ),
        ui.div(
            ui.input_text(
                "key_text",
                ui.span(tr("setting.key_text"), class_="visually-hidden"),
                example.key_text,
                placeholder=tr("controls.text_hint"),
                spellcheck="false",
            ),
            class_="for-keys-words",
        ),
        ui.div(
            range_input(
                "key_length",
                ui.TagList(
                    symbol("key_length"),
                    ui.span(tr("setting.key_length"), class_="visually-hidden"),
                ),
                least=1,
                most=LIMITS["key_length"][1],
                value=example.key_length or USUAL_KEYS,
                disabled=example.fixed is not None,
            ),
            class_="for-keys-length",
        ),
        ui.input_select(
            "scoring",
            tr("setting.scoring"),
            {str(kind): tr(f"scoring.{kind}") for kind in SCORING_KINDS},
            selected=example.scoring,
        ),
        ui.div(tr("scoring.undivided"), class_="hint for-undivided"),
        ui.input_select(
            "position_kind",
            tr("setting.positions"),
            {str(kind): tr(f"positions.{kind}") for kind in POSITION_KINDS},
            selected=example.positions,
        ),
        class_="fold more-controls",
        open="" if uses_more(example) else None,
    )


def uses_more(example: Example) -> bool:
    """Tell whether an example uses any of these controls.

    Parameters
    ----------
    example : Example
        The settings.

    Returns
    -------
    uses : bool
        Whether the fold should stand open.
    """
    plain = (SAME, "dot", "none")
    return (_keys(example), example.scoring, example.positions) != plain


def read_more(input: Inputs) -> dict[str, Any]:
    """Read the controls, whatever a browser may have sent.

    Parameters
    ----------
    input : Inputs
        Inputs of the sidebar.

    Returns
    -------
    settings : dict of str to Any
        Settings of the example by name.

    Raises
    ------
    SettingError
        If a sentence is asked for and none is there.
    """
    settings: dict[str, Any] = {
        "scoring": input.scoring(),
        "positions": input.position_kind(),
        "key_text": "",
        "key_length": 0,
    }
    if input.keys() == BY_LENGTH:
        settings["key_length"] = input.key_length()
    elif input.keys() == BY_WORDS:
        settings["key_text"] = str(input.key_text())
        if not settings["key_text"].strip():
            raise SettingError("no_tokens")
    return settings


def set_more(session: Session, example: Example) -> None:
    """Move the controls to where an example has them.

    Parameters
    ----------
    session : Session
        The reader's session.
    example : Example
        The settings.
    """
    ui.update_radio_buttons("keys", selected=_keys(example), session=session)
    ui.update_text("key_text", value=example.key_text, session=session)
    update_range(
        session,
        "key_length",
        value=example.key_length or USUAL_KEYS,
        disabled=example.fixed is not None,
    )
    ui.update_select("scoring", selected=example.scoring, session=session)
    ui.update_select("position_kind", selected=example.positions, session=session)


def _keys(example: Example) -> str:
    if example.key_text:
        return BY_WORDS
    return BY_LENGTH if example.key_length else SAME
