"""What the checks say of a result to guess, and what gave it away."""

from shiny import ui

from attnviz.example.mistakes.guessing import RIGHT, Question
from attnviz.pages.mistakes.told import check_row
from attnviz.text.catalog import Translate
from attnviz.text.mistakes import mistake_sentence
from attnviz.text.numbers import brief


def guess_told(
    question: Question, choice: int | None, tr: Translate, language: str
) -> ui.TagChild:
    """Show the strip; after the answer also what the core finds."""
    strip = ui.div(
        ui.h3(tr("check.title")),
        *[check_row(check, "", tr) for check in question.checks],
        class_="mistake-notices",
    )
    if choice is None:
        return ui.div(strip, class_="mistake-checks")
    sentences = [ui.tags.li(one) for one in _gave_away(question, tr, language)]
    why = ui.div(
        ui.h3(tr("mistakes.guess.away")), ui.tags.ol(*sentences), class_="mistake-blind"
    )
    return ui.div(strip, why, class_="mistake-checks")


def _gave_away(question: Question, tr: Translate, language: str) -> list[str]:
    diagnosis = question.diagnosis
    said = [
        tr("mistakes.guess.failed", check=tr(f"check.{check.id}"))
        for check in question.checks
        if check.verdict == "fail"
    ]
    if not said and question.answer != RIGHT:
        said.append(tr("mistakes.guess.unseen"))
    if diagnosis.verdict == "right":
        return [*said, tr("mistakes.guess.agrees", gap=brief(diagnosis.distance))]
    for candidate in diagnosis.candidates[:2]:
        sentence = mistake_sentence(
            candidate.fault.id, candidate.variant, language=language
        )
        said.append(
            tr(
                f"mistakes.guess.{'fits' if candidate.fits else 'nearer'}",
                fault=candidate.fault.id,
                sentence=sentence,
                gap=brief(candidate.distance),
            )
        )
    if diagnosis.verdict == "convention":
        said.append(tr("mistakes.found.convention"))
    return said
