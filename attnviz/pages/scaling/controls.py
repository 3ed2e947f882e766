"""The controls of the Scaling lab."""

from collections.abc import Callable
from typing import Any

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, reactive, render, ui
from shiny.session import session_context

from attnviz.components.inputs.controls import (
    control,
    in_part,
    move_control,
    read_control,
)
from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.ranges import range_input, update_range
from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.scaling.settings import SCALING_SETTINGS, Scaling
from attnviz.text.catalog import Translate
from attnviz.text.symbols import symbol

# Chosen among unequal steps, by a slider over their places.
STOPS = ("d_k", "n_drawn", "width", "temperature")
DRAWING = ("d_k", "keys", "n_drawn", "law", "correlation", "mean", "width", "seed")
DIVIDING = ("other", "power", "row")
HEATING = ("temperature",)
GRADIENT = ("gradient_size", "loss", "loss_row", "loss_feature")


@module.ui
def scaling_controls_ui(tr: Translate, start: Scaling, names: tuple[str, ...]) -> Tag:
    """Lay some controls out in a row."""
    return ui.div(
        *[_control(name, getattr(start, name), tr) for name in names],
        {"data-part": "scaling"},
        class_="toolbar scaling-controls",
    )


@module.ui
def scaling_problem_ui() -> Tag:
    """Reserve the place of a sentence about what cannot be."""
    return ui.div(
        ui.output_text("problem", inline=True), class_="problem", role="status"
    )


def _control(name: str, value: Any, tr: Translate) -> Tag:  # noqa: ANN401 - any setting
    setting = SCALING_SETTINGS[name]
    if name == "seed":
        # It has no symbol: its name is written out.
        least, most = setting.limits or (0, 0)
        made = range_input(
            setting.control, tr("setting.seed"), least=least, most=most, value=value
        )
        return in_part(setting.part, made)
    if name not in STOPS:
        return control(name, setting, value, tr)
    stops = [float(str(each)) for each in setting.choices]
    unseen = ui.span(tr(f"setting.{name}"), class_="visually-hidden")
    made = range_input(
        setting.control or name,
        ui.TagList(symbol(setting.symbol), unseen),
        least=0,
        most=len(stops) - 1,
        value=setting.choices.index(value),
        stops=stops,
    )
    return in_part(setting.part, made)


@module.server
def scaling_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    restored: Callable[[], Scaling | None],
    start: Scaling,
    steering: Steering,
    tr: Translate,
) -> Callable[[], Scaling]:
    """Keep the last settings that could be used, and say why others cannot."""
    settings = reactive.value(start, name="settings")
    wrong: reactive.Value[SettingError | None] = reactive.value(None, name="wrong")

    @reactive.effect
    def follow_controls() -> None:
        if not steering.is_done():
            return
        try:
            settings.set(
                Scaling(**{name: _read(input, name) for name in SCALING_SETTINGS})
            )
            wrong.set(None)
        except SettingError as error:
            wrong.set(error)

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        back = restored()
        if back is None:
            return
        settings.set(back)
        with session_context(session):
            for name in SCALING_SETTINGS:
                _move(session, name, getattr(back, name))
        steering.moved()

    @render.text
    def problem() -> str:
        return problem_sentence(wrong(), tr)

    return settings


def _read(input: Inputs, name: str) -> Any:  # noqa: ANN401 - any setting
    """Read a control; what a browser may not send is refused by who takes it."""
    setting = SCALING_SETTINGS[name]
    value = read_control(input, name, setting)
    if name in STOPS:
        is_place = isinstance(value, int) and 0 <= value < len(setting.choices)
        return setting.choices[value] if is_place else None
    return value


def _move(session: Session, name: str, value: Any) -> None:  # noqa: ANN401 - any setting
    setting = SCALING_SETTINGS[name]
    if name in STOPS:
        update_range(
            session, setting.control or name, value=setting.choices.index(value)
        )
    else:
        move_control(session, name, setting, value)
