"""The strip of checks: each claim measured on the numbers on screen."""

from collections.abc import Iterable, Sequence

from htmltools import Tag
from shiny import ui

from attnviz.components.page.prose import markdown
from attnviz.components.page.view import Live, live
from attnviz.core.checks import Check
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief

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
        aria_label=tr("check.title"),
    )


def checks_live(
    checks: Iterable[Check], tr: Translate, *, prefix: str = ""
) -> dict[str, Live]:
    """Word the results of checks.

    Parameters
    ----------
    checks : iterable of Check
        Measured on the trace on screen.
    prefix : str, default=""
        What the page puts before the names of the checks.

    Returns
    -------
    live : dict of str to Live
        Number and verdict of each chip, a sentence with the tolerance, and what the
        chip of all says: the one that fails, or how many hold.
    """
    checks = tuple(checks)
    live_texts = {_SUMMARY: _summary(checks, tr, prefix)}
    for check in checks:
        measured = "" if check.measured is None else brief(check.measured)
        name = f"{prefix}{check.id}"
        shown = _shown(check, tr, name)
        tolerance = "" if check.tolerance is None else brief(check.tolerance)
        state = check.verdict.replace(" ", "-")
        key = f"check.{name}"
        live_texts[key] = Live(text=shown, state=state)
        if check.tolerance is None:
            detail = tr("check.measured", measured=measured or "–")
        else:
            detail = tr("check.tolerated", measured=measured, tolerance=tolerance)
        live_texts[f"{key}.detail"] = Live(text=detail)
    return live_texts


def _shown(check: Check, tr: Translate, name: str) -> str:
    if check.measured is None:
        return ""
    return tr(f"check.{name}.shown", value=brief(check.measured))


def _summary(checks: Sequence[Check], tr: Translate, prefix: str) -> Live:
    """Say which check fails, or that all hold and what the first has measured."""
    failing = [check for check in checks if check.verdict == "fail"]
    one = (failing or checks)[0]
    name = f"{prefix}{one.id}"
    words = tr(f"check.{name}") if failing else tr(f"check.{name}.short")
    told = f"{words} {_shown(one, tr, name)}".strip()
    if failing:
        return Live(text=told, state="fail")
    return Live(text=tr("check.all", count=len(checks), first=told), state="pass")
