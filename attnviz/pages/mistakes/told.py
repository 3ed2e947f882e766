"""What is said of a mistake: its code, who notices, who cannot, and what it does."""

import math

from htmltools import Tag
from shiny import ui

from attnviz.core.checks import Check
from attnviz.example.mistakes.experiments import double_hidden
from attnviz.example.mistakes.trace import MistakeTrace
from attnviz.pages.mistakes.code import code_pair
from attnviz.text.catalog import Translate
from attnviz.text.checks import check_words
from attnviz.text.numbers import brief
from attnviz.text.threads import MET, address_of

_FIRST = 2
# What these measure is no distance from anything.
_NAN, _ROUNDING = "NaN", 1e-12
_COUNTED = ("visible_keys", "divisor", "score_table")


def told(trace: MistakeTrace, tr: Translate) -> ui.TagChild:
    """Set all that stands below the figures of a mistake."""
    return ui.div(
        ui.div(
            code_pair(trace.program.right, trace.program.faulty, tr),
            _model(trace, tr),
            class_="mistake-lines",
        ),
        _checks(trace, tr),
        class_="mistake-told",
    )


def prefix_of(trace: MistakeTrace) -> str:
    """Give what the names of its checks begin with."""
    return "" if trace.numbers.norm is None else "norm_"


def _model(trace: MistakeTrace, tr: Translate) -> Tag:
    met = MET.get(trace.fault.id, ())
    paragraphs: list[ui.TagChild] = [
        _paragraph("mistakes.model", [tr(f"mistakes.effect.{trace.fault.id}")], tr)
    ]
    if met:
        links = [
            ui.tags.a(
                thread.partition("/")[2],
                href=address_of(thread),
                title=thread,
                target="_blank",
                rel="noopener noreferrer",
            )
            for thread in met
        ]
        shown = [part for link in links[:_FIRST] for part in (link, " ")]
        more = ui.tags.details(
            ui.tags.summary(tr("mistakes.more", count=len(met) - _FIRST)),
            *[part for link in links[_FIRST:] for part in (link, " ")],
        )
        rest = [more] if len(met) > _FIRST else []
        paragraphs.append(_paragraph("mistakes.met", [*shown, *rest], tr))
    return ui.div(*paragraphs, class_="mistake-model")


def _paragraph(key: str, content: list[ui.TagChild], tr: Translate) -> Tag:
    return ui.div(ui.tags.b(tr(key)), " ", *content, class_="mistake-paragraph")


def _checks(trace: MistakeTrace, tr: Translate) -> Tag:
    prefix = prefix_of(trace)
    failed = [check for check in trace.checks if check.verdict == "fail"]
    blind = [check for check in trace.checks if check.verdict in ("pass", "convention")]
    none = "unchecked" if not trace.checks else "notices.none"
    notices: list[ui.TagChild] = [check_row(check, prefix, tr) for check in failed]
    if not notices:
        notices = [ui.p(tr(f"mistakes.{none}"), class_="hint")]
    if [check.id for check in failed] == ["loop"]:
        notices.append(ui.p(tr("mistakes.notices.loop"), class_="hint"))
    edited = _hidden_edit(trace, tr)
    if edited is not None:
        notices.append(edited)
    return ui.div(
        ui.div(
            ui.h3(tr("mistakes.notices")),
            *notices,
            class_="mistake-notices",
        ),
        ui.div(
            ui.h3(tr("mistakes.cannot_see") if blind else tr("mistakes.experiment")),
            *[
                check_row(check, prefix, tr, tr(f"mistakes.blind.{prefix}{check.id}"))
                for check in blind
            ],
            _experiments(trace, tr, is_alone=not blind),
            class_="mistake-blind",
        ),
        class_="mistake-checks",
    )


def check_row(check: Check, prefix: str, tr: Translate, why: str = "") -> Tag:
    """Set one check with its number; what it should be stands in its title."""
    whole = check_words(check, tr, prefix=prefix).brief
    measured = whole
    if check.verdict == "fail":
        measured = _measured(check, tr)
    return ui.div(
        ui.span(class_="check-icon", aria_hidden="true"),
        ui.span(tr(f"check.{prefix}{check.id}"), class_="check-name"),
        ui.span(measured, class_="check-measured"),
        ui.span(why, class_="check-why") if why else None,
        {"data-check": check.id, "data-state": check.verdict},
        class_="check-row",
        title=whole,
    )


def _hidden_edit(trace: MistakeTrace, tr: Translate) -> Tag | None:
    """Say what doubling a hidden key does to those who may not see it."""
    edit = double_hidden(trace)
    if edit is None:
        return None
    moves = edit.moved > _ROUNDING
    moved = brief(edit.moved) if math.isfinite(edit.moved) else _NAN
    return ui.div(
        ui.span(class_="check-icon", aria_hidden="true"),
        ui.span(tr("mistakes.doubled", key=edit.key + 1), class_="check-name"),
        ui.span(tr("mistakes.moved", moved=moved), class_="check-measured"),
        {"data-check": "hidden_edit", "data-state": "fail" if moves else "pass"},
        class_="check-row is-experiment",
    )


def _measured(check: Check, tr: Translate) -> str:
    if check.measured is None or not math.isfinite(check.measured):
        return _NAN
    way = "is" if check.id in _COUNTED else "off"
    return tr(f"mistakes.{way}", measured=brief(check.measured))


def _experiments(trace: MistakeTrace, tr: Translate, *, is_alone: bool) -> Tag | None:
    """Name what takes a second run."""
    ids = {check.id for check in trace.checks} | {"row_sums", "hidden_weights"}
    ids |= {"constant_values", "visible_keys", "divisor", "max_subtracted"}
    ids |= {"score_table", "loop", "mean", "mean_square", "own_position"}
    others = [one for one in trace.fault.revealed_by if one not in ids]
    if not others:
        return None
    sentences = [ui.tags.li(tr(f"mistakes.by.{one}")) for one in others]
    title = None if is_alone else ui.h3(tr("mistakes.experiment"))
    return ui.div(title, ui.tags.ul(*sentences), class_="mistake-experiments")
