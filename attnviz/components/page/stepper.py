"""Walk through the stages one at a time, and cover results until asked."""

from dataclasses import dataclass

from htmltools import Tag
from shiny import ui

from attnviz.text.catalog import Translate


@dataclass(frozen=True, slots=True)
class Step:
    """One stage of a walk; an example that has none of its results leaves it out.

    Attributes
    ----------
    results : tuple of str
        Matrices that the stage yields; the first is the one that it is about.
    operands : tuple of str
        Matrices that it takes.
    tells : tuple of str
        Further matrices that would give its results away.
    lights : str
        Part of the page's formula that lights with it; empty for none.
    """

    results: tuple[str, ...]
    operands: tuple[str, ...]
    tells: tuple[str, ...] = ()
    lights: str = ""


def stepper(tr: Translate) -> Tag:
    """Make the buttons of the walk; the browser does the walking."""

    def button(action: str, text: str, hint: str, **attributes: str) -> Tag:
        # What is written is the name; a sign needs one.
        name = hint if len(text) == 1 else None
        return ui.tags.button(
            text,
            {f"data-{action}": "", "aria-label": name, "title": hint, **attributes},
            type="button",
            class_="button-quiet",
        )

    return ui.div(
        button("step-back", "‹", tr("stepper.back"), disabled=""),
        ui.span(tr("browser.stepper.overview"), class_="stepper-place", role="status"),
        button("step-on", "›", tr("stepper.on")),
        button("step-all", tr("stepper.all"), tr("stepper.all"), hidden=""),
        button(
            "cover",
            tr("stepper.cover"),
            tr("stepper.cover_hint"),
            **{"aria-pressed": "false"},
        ),
        {"data-part": "stepper"},
        class_="stepper",
        role="group",
        aria_label=tr("stepper.title"),
    )
