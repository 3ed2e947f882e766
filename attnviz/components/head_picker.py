"""Choose the head whose stages are shown."""

from htmltools import Tag
from shiny import Inputs, ui

from attnviz.components.figures import Live
from attnviz.core.matrices import MAX_HEADS
from attnviz.text.catalog import Translate


def head_picker(tr: Translate, selected: int = 0) -> Tag:
    """Make one button a head; style hides those the example does not have.

    Parameters
    ----------
    tr : Translate
        Words of the reader's language.
    selected : int, default=0
        The head chosen at first, counted from 0.

    Returns
    -------
    picker : Tag
        A radio group, input `head`.
    """
    return ui.div(
        ui.input_radio_buttons(
            "head",
            tr("heads.title"),
            {str(head): str(head + 1) for head in range(MAX_HEADS)},
            selected=str(selected),
            inline=True,
        ),
        {"data-live": "heads"},
        class_="head-picker",
    )


def picked_head(input: Inputs, n_heads: int) -> int:
    """Read the chosen head; one that is gone gives way to the last.

    Parameters
    ----------
    input : Inputs
        The page's inputs.
    n_heads : int
        Heads the example has.

    Returns
    -------
    head : int
        Counted from 0.
    """
    choices = [str(head) for head in range(MAX_HEADS)]
    choice = str(input.head())
    head = choices.index(choice) if choice in choices else 0
    return min(head, n_heads - 1)


def heads_live(n_heads: int) -> dict[str, Live]:
    """Tell the picker how many heads there are.

    Parameters
    ----------
    n_heads : int
        Heads the example has.

    Returns
    -------
    live : dict of str to Live
        The state that style reads.
    """
    return {"heads": Live(state=str(n_heads))}
