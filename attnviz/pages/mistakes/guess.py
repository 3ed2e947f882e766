"""The section to guess in: what somebody's code returned, and five explanations."""

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import figure, figure_row, live
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.guessing import N_CHOICES, RIGHT, Question, ask
from attnviz.example.mistakes.programs import ATTENTION, PROGRAMS
from attnviz.example.mistakes.settings import N_ROUNDS, MistakeSettings
from attnviz.figures.matrix import matrix_figure
from attnviz.figures.panels import panel
from attnviz.pages.mistakes.controls import controls_row, slider
from attnviz.pages.mistakes.guess_told import guess_told
from attnviz.pages.mistakes.shown import Answers, Code, Shown
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell
from attnviz.text.numbers import brief

# The choices stand on the first screen, too.
_SCALE = 0.8
_SIGNS = {"pass": "✓", "fail": "✗", "convention": "≈"}
_RETURNED = ("weights", "weight_sum", "context")


def guess_ui(tr: Translate, start: MistakeSettings) -> list[Tag]:
    """Lay out the section."""
    choices = [
        ui.div(
            ui.input_action_button(
                f"choose_{place}",
                ui.TagList(
                    ui.span(str(place), class_="guess-place"),
                    live(f"guess.choice.{place}"),
                ),
                class_="button-quiet guess-choice",
            ),
            live(f"guess.distance.{place}", class_="guess-distance"),
            {"data-live": f"guess.state.{place}"},
            class_="guess-row",
        )
        for place in range(1, N_CHOICES + 1)
    ]
    return [
        ui.div(
            controls_row(
                slider("guess_seed", tr, start), slider("guess_round", tr, start)
            ),
            live("guess.score", class_="guess-score"),
            # A class goes on where a link has locked the sequence.
            ui.input_action_button(
                "next_round", tr("mistakes.guess.next"), class_="button-quiet"
            ),
            class_="guess-head",
        ),
        ui.p(live("guess.found"), class_="finding", role="status"),
        ui.p(live("guess.strip"), class_="guess-strip"),
        figure_row(figure("guess", tr("mistakes.figure.guess"))),
        ui.div(
            *choices,
            class_="guess-choices",
        ),
    ]


def show_guess(settings: MistakeSettings, answers: Answers) -> Shown:
    """Ask the question of a round, or say what it was."""
    question = ask(settings.guess_seed, settings.guess_round)
    choice = answers.get((settings.guess_seed, settings.guess_round))
    laid = question.laid(is_answered=choice is not None)
    screen = laid.screen()
    drawn = [
        panel(screen, "scores", shows_rows=True, shows_columns=True),
        panel(screen, "mask", track=1, glyph="−∞", is_whole=True),
        panel(screen, f"{FAULTY}weights", track=2, shows_columns=True),
        panel(screen, f"{FAULTY}weight_sum", track=3, is_narrow=True),
        panel(screen, f"{FAULTY}context", track=4),
    ]
    made = {"a": question.made.weights, "c": question.made.context}
    case = question.case
    given = {
        "q": case.q,
        "k": case.k,
        "v": case.v,
        "visible": case.visible,
        "d_k": case.q.shape[-1],
    }
    right = {"a": case.answer.weights, "c": case.answer.context}
    code = Code(given, (("mistakes.right", ATTENTION, right),))
    # The lines would tell; what was returned goes along as data.
    if choice is not None and question.answer == RIGHT:
        code = Code(given, (("mistakes.right", ATTENTION, made),))
    return Shown(
        section="guess",
        trace=laid,
        screen=screen,
        figures={"guess": matrix_figure(drawn, scale=_SCALE)},
        start=Cell(f"{FAULTY}weights", 0, 0, 0),
        say=lambda tr, language: _say(question, choice, settings, answers, tr),
        told=lambda tr, language: guess_told(question, choice, tr, language),
        code=code,
        file_name=f"guess-{settings.guess_seed}-{settings.guess_round}",
        tables=("scores", "mask", *(f"{FAULTY}{name}" for name in _RETURNED[::2])),
        head=0,
        states=_states(question, choice),
    )


def name_of(id: str, tr: Translate) -> str:
    """Name a choice."""
    if id == RIGHT:
        return tr("mistakes.guess.right")
    assert id in PROGRAMS
    return f"{id.partition('.')[0]} {tr(f'mistakes.name.{id}')}"


def _say(
    question: Question,
    choice: int | None,
    settings: MistakeSettings,
    answers: Answers,
    tr: Translate,
) -> dict[str, str]:
    said = {"guess.found": tr("mistakes.guess.question")}
    if choice is not None:
        is_right = question.choices[choice] == question.answer
        said["guess.found"] = tr(
            f"mistakes.guess.{'hit' if is_right else 'miss'}",
            answer=name_of(question.answer, tr),
            choice=name_of(question.choices[choice], tr),
            gap=brief(question.distances[choice]),
        )
    said["guess.strip"] = tr("mistakes.guess.strip").join(
        f"{_SIGNS.get(check.verdict, '–')} {tr(f'check.{check.id}')}"
        for check in question.checks
    )
    for place, id in enumerate(question.choices, start=1):
        said[f"guess.choice.{place}"] = name_of(id, tr)
        distance = brief(question.distances[place - 1])
        said[f"guess.distance.{place}"] = "" if choice is None else distance
    hits = sum(
        ask(*asked).choices[chosen] == ask(*asked).answer
        for asked, chosen in answers.items()
    )
    said["guess.score"] = tr(
        "mistakes.guess.score",
        hits=hits,
        asked=len(answers),
        round=settings.guess_round,
        rounds=N_ROUNDS,
    )
    return said


def _states(question: Question, choice: int | None) -> dict[str, str]:
    states = {}
    for place, id in enumerate(question.choices):
        state = "open"
        if choice is not None:
            state = "right" if id == question.answer else "closed"
            if place == choice and id != question.answer:
                state = "wrong"
        states[f"guess.state.{place + 1}"] = state
    return states
