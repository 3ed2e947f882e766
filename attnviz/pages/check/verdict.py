"""The verdict on the page: what it is, the mistakes that explain it, and what next."""

import math
from collections.abc import Sequence
from itertools import groupby
from urllib.parse import urlencode

from htmltools import Tag, TagAttrs
from shiny import ui

from attnviz.core.diagnosis import Candidate
from attnviz.example.check.judgement import Judgement
from attnviz.pages.check.words import (
    apart_sentence,
    distance_words,
    mistake_words,
    verdict_sentence,
)
from attnviz.text.catalog import Translate

VERDICTS = ("right", "wrong", "convention")
# The powers of ten between which distances are drawn.
_LEAST, _MOST = -8, 1


def verdict_panel(
    judgement: Judgement,
    tr: Translate,
    language: str,
    query: dict[str, str],
    *,
    is_stale: bool,
) -> Tag:
    """Say what a result is.

    Parameters
    ----------
    query : dict of str to str
        The example in the query of an address, for links to the lab.
    is_stale : bool
        Whether it was said of an earlier result.
    """
    verdict = judgement.diagnosis.verdict
    mark: TagAttrs = {} if is_stale else {"data-verdict": verdict}
    sentence = verdict_sentence(judgement, tr, language)
    return ui.div(
        ui.div(
            ui.div(
                *[
                    ui.span(
                        tr(f"mine.verdict.{one}"),
                        {"aria-hidden": None if one == verdict else "true"},
                        class_="is-it" if one == verdict else "",
                    )
                    for one in VERDICTS
                ],
                class_="verdict-lamp",
            ),
            ui.p(sentence, class_="verdict-sentence"),
            class_="verdict-head",
        ),
        _candidates(judgement, tr, language, query),
        _advice(judgement, tr),
        mark,
        {"data-last": verdict},
        class_="verdict is-stale" if is_stale else "verdict",
    )


def empty_panel(tr: Translate) -> Tag:
    """Say what to do while there is no result."""
    return ui.tags.ol(
        *[ui.tags.li(tr(f"mine.step.{place}")) for place in (1, 2, 3)],
        class_="verdict-empty",
    )


def _advice(judgement: Judgement, tr: Translate) -> Tag | None:
    """Say what would tell mistakes apart, or whether a convention is a mistake."""
    told = [apart_sentence(each, tr) for each in judgement.apart]
    if judgement.diagnosis.verdict == "convention":
        told = [tr("mine.meant"), *told]
    if not told:
        return None
    return ui.div(*[ui.p(text) for text in told], class_="verdict-advice")


def _candidates(
    judgement: Judgement, tr: Translate, language: str, query: dict[str, str]
) -> Tag | None:
    """List the mistakes that fit, and apart from them those that are only near."""
    candidates = judgement.diagnosis.candidates
    if not candidates:
        return None
    fitting = [one for one in candidates if one.fits]
    others = [one for one in candidates if not one.fits]
    parts: list[ui.TagChild] = [
        _line(
            judgement,
            judgement.distance,
            [ui.span(tr("mine.from_right"), class_="candidate-name")],
            {},
            tr,
        )
        .add_class("candidate")
        .add_class("from-right")
    ]

    def lines(group: Sequence[Candidate]) -> list[Tag]:
        return [
            _candidate(judgement, list(variants), tr, language, query)
            for _, variants in groupby(_together(group), key=lambda one: one.fault.id)
        ]

    if fitting:
        parts.append(ui.p(tr("mine.fits"), class_="candidates-title"))
        parts += lines(fitting)
    if others:
        # What explains nothing is looked at where nothing explains it.
        parts.append(
            ui.tags.details(
                ui.tags.summary(tr("mine.nearest"), class_="candidates-title"),
                *lines(others),
                open=None if fitting else "",
            )
        )
    return ui.div(*parts, aria_label=tr("mine.candidates"), class_="candidates")


def _together(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Put the variants of a mistake behind the first of them."""
    numbers = list(dict.fromkeys(one.fault.id for one in candidates))
    return sorted(candidates, key=lambda one: numbers.index(one.fault.id))


def _candidate(
    judgement: Judgement,
    variants: Sequence[Candidate],
    tr: Translate,
    language: str,
    query: dict[str, str],
) -> Tag:
    """Name one mistake, by all of its variants that explain equally well."""
    first = variants[0]
    number = first.fault.id
    # Others may do just that on purpose.
    sign = "≈" if first.convention else "✓"
    link = urlencode({**query, "page": "mistakes", "mistake": number})
    words = [mistake_words(one, tr, language) for one in variants]
    name = [
        ui.span(
            sign if first.fits else "", class_="candidate-sign", aria_hidden="true"
        ),
        ui.tags.a(
            number,
            href=f"?{link}",
            title=tr("mine.lab", number=number),
            class_="candidate-number",
        ),
        ui.span(tr("mine.or").join(words), class_="candidate-name"),
    ]
    attributes: TagAttrs = {"data-candidate": number, "data-variant": first.variant}
    if first.fits:
        attributes["data-fits"] = "true"
    kind = "is-convention" if first.convention else "is-mistake"
    attributes["class"] = f"candidate {kind}"
    return _line(judgement, first.distance * judgement.unit, name, attributes, tr)


def _line(
    judgement: Judgement,
    distance: float,
    name: Sequence[Tag],
    attributes: TagAttrs,
    tr: Translate,
) -> Tag:
    """Draw a distance on the axis that all share; what rounding explains is a band."""
    axis = ui.span(
        ui.span(class_="distance-band"),
        ui.span(class_="distance-dot"),
        style=f"--at:{_share(distance):.1f}%;--band:{_share(judgement.limit):.1f}%",
        class_="distance-axis",
        aria_hidden="true",
    )
    number = ui.span(distance_words(distance, tr), class_="candidate-distance")
    return ui.div(*name, axis, number, attributes)


def _share(distance: float) -> float:
    """Give the place of a distance on the axis, in percent of its length."""
    if not math.isfinite(distance):
        return 100.0
    power = math.log10(distance) if distance > 0 else _LEAST
    return 100 * min(1.0, max(0.0, (power - _LEAST) / (_MOST - _LEAST)))
