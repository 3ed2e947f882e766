"""The controls of the Layer norm page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, reactive, render, ui
from shiny.session import session_context

from attnviz.components.inputs.controls import control, move_control
from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.sentences import heard
from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.norms import (
    DISTURBANCES,
    EPS_LIMITS,
    NORM_SETTINGS,
    NORM_SOURCES,
    NormExample,
    NormSource,
    norm_start,
)
from attnviz.example.reading.typed_numbers import (
    read_numbers,
    read_rows,
    write_numbers,
)
from attnviz.text.catalog import Translate
from attnviz.text.symbols import symbol

# Why there is no such tensor in an example: it has others.
WITHOUT_TENSOR = ("no_inputs", "no_output")


@module.ui
def norm_controls_ui(tr: Translate, start: NormExample) -> Tag:
    """Lay out what is normalized, and γ, β and ε.

    Returns
    -------
    controls : Tag
        A row of controls with a place for a sentence under it.
    """
    return ui.div(
        ui.div(
            ui.input_radio_buttons(
                "source",
                tr("norms.source"),
                {source: tr(f"norms.source.{source}") for source in NORM_SOURCES},
                selected=start.source,
                inline=True,
            ),
            _typed("gamma", start.gamma, tr),
            _typed("beta", start.beta, tr),
            _typed("eps", (start.eps,), tr),
            class_="toolbar",
        ),
        ui.div(
            ui.input_text_area(
                "rows",
                tr("norms.rows"),
                "\n".join(_line(row) for row in start.rows),
                rows=4,
                spellcheck="false",
            ),
            class_="for-rows",
        ),
        ui.div(
            ui.output_text("problem", inline=True),
            ui.output_ui("ways", inline=True),
            class_="problem",
            role="status",
        ),
        {"data-part": "norms"},
        class_="norm-controls",
    )


@module.ui
def batch_controls_ui(tr: Translate, start: NormExample) -> Tag:
    """Lay out the size of the batch and what is disturbed."""
    return ui.div(
        control("n_samples", NORM_SETTINGS["n_samples"], start.n_samples, tr),
        ui.input_radio_buttons(
            "disturbance",
            tr("norms.disturb"),
            {kind: tr(f"norms.disturb.{kind}") for kind in DISTURBANCES},
            selected=start.disturbance,
            inline=True,
        ),
        {"data-part": "norms"},
        class_="toolbar",
    )


@module.server
def norm_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    preset: Callable[[], str],
    misfit: Callable[[], SettingError | None],
    offered: Callable[[], Iterable[NormSource]],
    restored: Callable[[], NormExample | None],
    start: NormExample,
    steering: Steering,
    tr: Translate,
) -> Callable[[], NormExample]:
    """Keep the last settings that could be used, and say why others cannot.

    Parameters
    ----------
    preset : callable
        Reads the preset of the example.
    misfit : callable
        Reads what does not fit the example's sizes, if anything.
    offered : callable
        Reads what the example has that can be normalized.
    restored : callable
        Reads the settings that back or forward brought, if any.
    """
    state = _State(
        reactive.value(start, name="settings"),
        reactive.value(None, name="wrong"),
        session,
        steering,
    )
    _follow_controls(input, state)
    _follow_others(preset, restored, state)

    @render.text
    def problem() -> str:
        return problem_sentence(state.wrong() or misfit(), tr)

    @heard
    def others() -> str:
        error = misfit()
        if error is None or error.reason not in WITHOUT_TENSOR:
            return ""
        return " ".join(offered())

    @render.ui
    def ways() -> ui.TagChild:
        sources = others().split()
        if not sources:
            return None
        return ui.span(
            tr("norms.ways"),
            *[
                ui.input_action_button(
                    f"take_{source}",
                    tr(f"norms.source.{source}"),
                    class_="button-quiet",
                )
                for source in sources
            ],
            class_="ways",
        )

    _follow_ways(input, session)
    return state.settings


def _follow_ways(input: Inputs, session: Session) -> None:
    """Turn to a tensor that was offered in place of one that is not there."""

    def follow(source: NormSource) -> None:
        @reactive.effect
        @reactive.event(input[f"take_{source}"])
        def take() -> None:
            ui.update_radio_buttons("source", selected=source, session=session)

    for source in NORM_SOURCES:
        follow(source)


@dataclass(frozen=True, slots=True)
class _State:
    """What one session remembers of the normalization."""

    settings: reactive.Value[NormExample]
    wrong: reactive.Value[SettingError | None]
    session: Session
    steering: Steering

    def show(self, norm: NormExample) -> None:
        """Take settings that do not come from the controls, and move them."""
        self.settings.set(norm)
        self.wrong.set(None)
        with session_context(self.session):
            _set_controls(self.session, norm)
        self.steering.moved()


def _follow_controls(input: Inputs, state: _State) -> None:
    @reactive.effect
    def follow_controls() -> None:
        if not state.steering.is_done():
            return
        try:
            state.settings.set(NormExample(**_read_controls(input)))
            state.wrong.set(None)
        except SettingError as error:
            state.wrong.set(error)


def _follow_others(
    preset: Callable[[], str],
    restored: Callable[[], NormExample | None],
    state: _State,
) -> None:
    """Take the settings that a preset or an address brings."""
    last = reactive.value("", name="last")

    @reactive.effect
    def take_preset() -> None:
        now = preset()
        with reactive.isolate():
            before = last()
        last.set(now)
        # The example changes more often than its preset: γ and β stay until another.
        if before and now != before:
            state.show(norm_start(now))

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        back = restored()
        if back is not None:
            state.show(back)


def _typed(name: str, numbers: tuple[float, ...], tr: Translate) -> Tag:
    return ui.input_text(
        name,
        ui.TagList(
            symbol(NORM_SETTINGS[name].symbol),
            ui.span(tr(f"norms.{name}"), class_="field-note"),
        ),
        _line(numbers),
        spellcheck="false",
    )


def _line(numbers: tuple[float, ...]) -> str:
    return write_numbers(numbers, between=", ")


def _read_controls(input: Inputs) -> dict[str, Any]:
    """Read every control; typed numbers may refuse."""
    return {
        "source": input.source(),
        "rows": read_rows(str(input.rows()), name="rows"),
        "gamma": read_numbers(str(input.gamma()), name="gamma"),
        "beta": read_numbers(str(input.beta()), name="beta"),
        "eps": _single("eps", str(input.eps())),
        "n_samples": input.n_samples(),
        "disturbance": input.disturbance(),
    }


def _single(name: str, text: str) -> float:
    """Read one number; several are refused."""
    numbers = read_numbers(text, name=name)
    if len(numbers) != 1:
        least, most = EPS_LIMITS
        raise SettingError("not_a_number", name=name, least=least, most=most)
    return numbers[0]


def _set_controls(session: Session, start: NormExample) -> None:
    ui.update_text("gamma", value=_line(start.gamma), session=session)
    ui.update_text("beta", value=_line(start.beta), session=session)
    rows = "\n".join(map(_line, start.rows))
    ui.update_text_area("rows", value=rows, session=session)
    ui.update_text("eps", value=_line((start.eps,)), session=session)
    ui.update_radio_buttons("source", selected=start.source, session=session)
    ui.update_radio_buttons("disturbance", selected=start.disturbance, session=session)
    n_samples = start.n_samples
    move_control(session, "n_samples", NORM_SETTINGS["n_samples"], n_samples)
