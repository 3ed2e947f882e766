"""Change the selected number: type it, nudge it, let it swing, take it back."""

from htmltools import Tag
from shiny import ui
from shiny.module import resolve_id

from attnviz.text.catalog import Translate


def edit_bar(tr: Translate) -> Tag:
    """Make the controls of the selected cell; the browser shows them where they apply.

    Returns
    -------
    bar : Tag
        A number field with buttons, what the number was, and what is wrong with it.
    """
    return ui.div(
        ui.span(tr("edit.title"), class_="edit-title"),
        _button("less", "−", tr("edit.less")),
        ui.tags.input(
            type="text",
            inputmode="decimal",
            aria_label=tr("edit.value"),
            autocomplete="off",
            spellcheck="false",
            class_="form-control",
            aria_describedby=resolve_id("edit_problem"),
        ),
        _button("more", "+", tr("edit.more")),
        _button("toggle", tr("edit.toggle"), tr("edit.toggle_hint")),
        _button("swing", "∿", tr("edit.swing")),
        ui.span(class_="edit-before"),
        ui.span(
            id=resolve_id("edit_problem"), class_="problem edit-problem", role="alert"
        ),
        {"data-part": "edits"},
        class_="edit-bar",
        role="group",
        aria_label=tr("edit.title"),
        hidden="",
    )


def history_bar(tr: Translate) -> Tag:
    """Make the buttons that take changes back."""
    return ui.div(
        _button("undo", "↶", tr("edit.undo")),
        _button("redo", "↷", tr("edit.redo")),
        _button("clear", "⌫", tr("edit.clear_hint")),
        {"data-part": "history"},
        class_="history-bar",
        role="group",
        aria_label=tr("edit.history"),
    )


def _button(action: str, text: str, hint: str) -> Tag:
    # What is written is the name; a sign needs one.
    name = hint if len(text) == 1 else None
    return ui.tags.button(
        text,
        {"data-edit-action": action, "aria-label": name, "title": hint},
        type="button",
        class_="button-quiet",
    )
