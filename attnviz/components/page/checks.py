"""The strip of checks: each claim measured on the numbers on screen."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from htmltools import Tag
from shiny import ui

from attnviz.components.page.prose import markdown
from attnviz.components.page.view import Live, live
from attnviz.core.checks import Check
from attnviz.text.catalog import Translate
from attnviz.text.checks import Note, check_words

_SUMMARY = "check.summary"


def checks_strip(ids: Iterable[str], tr: Translate, language: str) -> Tag:
    """Make one chip of all checks; it unfolds to one a check, with what each proves.

    Parameters
    ----------
    ids : iterable of str
        Checks in reading order.

    Returns
    -------
    strip : Tag
        Chips that `checks_live` fills.
    """
    chips = [
        ui.tags.details(
            ui.tags.summary(
                ui.span(class_="check-icon", aria_hidden="true"),
                ui.span({"data-live-verdict": ""}, class_="visually-hidden"),
                ui.span(tr(f"check.{name}"), class_="check-name"),
                ui.span({"data-live-text": ""}, class_="check-measured"),
            ),
            ui.div(
                markdown(language, f"checks/{name}"),
                live(f"check.{name}.detail", class_="check-detail"),
                class_="check-body",
            ),
            {"data-live": f"check.{name}"},
            class_="check",
        )
        for name in ids
    ]
    return ui.tags.details(
        ui.tags.summary(
            ui.span(class_="check-icon", aria_hidden="true"),
            ui.span({"data-live-verdict": ""}, class_="visually-hidden"),
            ui.span({"data-live-text": ""}),
        ),
        ui.div(*chips, class_="checks-list"),
        {"data-part": "checks", "data-live": _SUMMARY},
        class_="checks",
        aria_label=tr("checks.title"),
    )


def checks_live(
    checks: Iterable[Check],
    tr: Translate,
    *,
    prefix: str = "",
    notes: Mapping[str, Note] = MappingProxyType({}),
    first_head: int = 0,
) -> dict[str, Live]:
    """Word the results of checks.

    Parameters
    ----------
    checks : iterable of Check
        Measured on the trace on screen.
    prefix : str, default=""
        What the page puts before the names of the checks.
    notes : mapping of str to Note, optional
        What the page knows of a check besides, by its id.
    first_head : int, default=0
        How many heads of a larger layer there are before the first of these.

    Returns
    -------
    live : dict of str to Live
        Verdict of each chip with its number or, where it does not simply pass, what
        should be and what is; a sentence with the tolerance; and what the chip of all
        says.
    """
    texts: dict[str, Live] = {}
    told = []
    for check in checks:
        note = notes.get(check.id)
        words = check_words(check, tr, prefix=prefix, note=note, first_head=first_head)
        key = f"check.{prefix}{check.id}"
        state = check.verdict.replace(" ", "-")
        texts[key] = Live(text=words.brief, state=state)
        texts[f"{key}.detail"] = Live(text=words.whole)
        told.append((key, words.brief, state))
    return {_SUMMARY: _summary(told, tr), **texts}


def _summary(told: Sequence[tuple[str, str, str]], tr: Translate) -> Live:
    """Say which check fails or, if none does, how many there are and one number."""
    for key, brief, state in told:
        if state == "fail":
            return Live(text=f"{tr(key)}: {brief}", state=state)
    passed = [f"{tr(key)} {brief}" for key, brief, state in told if state == "pass"]
    if not passed:
        return Live(text=tr("check.none"), state="not-applicable")
    count = len(told)
    text = passed[0] if count == 1 else tr("check.all", count=count, first=passed[0])
    return Live(text=text, state="pass")
