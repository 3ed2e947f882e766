"""The controls of the Layer page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
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
from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.layer.settings import (
    LAYER_SETTINGS,
    MAX_LAYERS,
    LayerExample,
    layer_start,
)
from attnviz.text.catalog import Translate

# Choices that stand side by side; the others have the control that their record makes.
_BESIDE = ("architecture", "place")
_TOOLS = ("activation", "d_ff", "n_layers", "has_final_norm", "has_vocabulary")
_MORE = (
    "zeroed",
    "ties_vocabulary",
    "words",
    "shows_depth",
    "shows_gradients",
    "objective",
)
_MADE = (*_TOOLS, *_MORE)
# What matters only while a switch is on.
_BEHIND = MappingProxyType(
    {
        "ties_vocabulary": "has_vocabulary",
        "words": "has_vocabulary",
        "objective": "shows_gradients",
    }
)


@module.ui
def layer_controls_ui(tr: Translate, start: LayerExample) -> Tag:
    """Lay out which layers there are."""

    def made(name: str) -> Tag:
        value = getattr(start, name)
        tag = control(name, LAYER_SETTINGS[name], value, tr, words=f"layer.{name}")
        if name in _BEHIND:
            tag.attrs["data-behind"] = _BEHIND[name]
        return tag

    return ui.div(
        ui.div(
            *[_beside(name, start, tr) for name in _BESIDE],
            *[made(name) for name in _TOOLS],
            class_="toolbar",
        ),
        ui.div(*[made(name) for name in _MORE], class_="toolbar"),
        ui.div(ui.output_text("problem", inline=True), class_="problem", role="status"),
        class_="layer-controls",
    )


def look_controls(tr: Translate, start: LayerExample, tokens: Sequence[str]) -> Tag:
    """Lay out which layer and which token are looked at."""
    return ui.div(
        ui.div(
            # The browser calls the one of several equal tables that is shown the head.
            ui.input_radio_buttons(
                "head",
                tr("layer.layer"),
                {str(layer): str(layer + 1) for layer in range(MAX_LAYERS)},
                selected=str(start.layer),
                inline=True,
            ),
            {"data-live": "heads"},
            class_="head-picker",
        ),
        ui.input_select(
            "token",
            tr("layer.token"),
            _token_choices(tokens),
            selected=str(min(start.token, len(tokens) - 1)),
        ),
        class_="toolbar layer-look",
    )


@module.server
def layer_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    page: Session,
    preset: Callable[[], str],
    tokens: Callable[[], tuple[str, ...]],
    misfit: Callable[[], SettingError | None],
    restored: Callable[[], LayerExample | None],
    start: LayerExample,
    steering: Steering,
    tr: Translate,
) -> Callable[[], LayerExample]:
    """Keep the last settings that could be used, and say why others cannot.

    Parameters
    ----------
    page : Session
        Of the page, whose inputs `head`, `token` and `station` say what is looked at.
    preset, tokens : callable
        Read the preset of the example, and its tokens.
    misfit : callable
        Reads what does not fit the example, if anything.
    restored : callable
        Reads the settings that back or forward brought, if any.
    """
    state = _State(
        reactive.value(start, name="settings"),
        reactive.value(None, name="wrong"),
        session,
        page,
        steering,
    )

    @reactive.effect
    def follow_controls() -> None:
        if not steering.is_done():
            return
        try:
            state.settings.set(LayerExample(**_read(input, page.input)))
            state.wrong.set(None)
        except SettingError as error:
            state.wrong.set(error)

    _follow_others(preset, tokens, restored, state)

    @render.text
    def problem() -> str:
        return problem_sentence(state.wrong() or misfit(), tr)

    return state.settings


@dataclass(frozen=True, slots=True)
class _State:
    """What one session remembers of the layers."""

    settings: reactive.Value[LayerExample]
    wrong: reactive.Value[SettingError | None]
    session: Session
    page: Session
    steering: Steering

    def show(self, layers: LayerExample) -> None:
        """Take settings that do not come from the controls, and move them."""
        self.settings.set(layers)
        self.wrong.set(None)
        with session_context(self.session):
            for name in _MADE:
                value = getattr(layers, name)
                move_control(self.session, name, LAYER_SETTINGS[name], value)
            for name in _BESIDE:
                ui.update_radio_buttons(name, selected=getattr(layers, name))
        page = self.page
        ui.update_radio_buttons("head", selected=str(layers.layer), session=page)
        ui.update_radio_buttons("station", selected=layers.station, session=page)
        ui.update_select("token", selected=str(layers.token), session=page)
        self.steering.moved()


def _follow_others(
    preset: Callable[[], str],
    tokens: Callable[[], tuple[str, ...]],
    restored: Callable[[], LayerExample | None],
    state: _State,
) -> None:
    """Take what a preset or an address brings, and name another example's tokens."""
    last = reactive.value("", name="last")

    @reactive.effect
    def take_preset() -> None:
        now = preset()
        with reactive.isolate():
            before = last()
        last.set(now)
        if before and now != before:
            state.show(layer_start(now))

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        back = restored()
        if back is not None:
            state.show(back)

    @reactive.effect
    @reactive.event(tokens)
    def name_tokens() -> None:
        names = tokens()
        if names:
            chosen = min(state.settings().token, len(names) - 1)
            ui.update_select(
                "token",
                choices=_token_choices(names),
                selected=str(chosen),
                session=state.page,
            )


def _beside(name: str, start: LayerExample, tr: Translate) -> Tag:
    setting = LAYER_SETTINGS[name]
    choices = {str(one): tr(f"layer.{name}.{one}") for one in setting.choices}
    return in_part(
        setting.part,
        ui.input_radio_buttons(
            name,
            ui.span(tr(f"setting.{name}"), class_="visually-hidden"),
            choices,
            selected=getattr(start, name),
            inline=True,
        ),
    )


def _token_choices(tokens: Sequence[str]) -> dict[str, str]:
    return {str(at): f"{at + 1} {token}" for at, token in enumerate(tokens)}


def _read(input: Inputs, look: Inputs) -> dict[str, Any]:
    """Read every control; the browser may send anything."""
    made = {name: read_control(input, name, LAYER_SETTINGS[name]) for name in _MADE}
    beside = {name: input[name]() for name in _BESIDE}
    return {
        **made,
        **beside,
        "layer": _place(look.head()),
        "token": _place(look.token()),
        "station": look.station(),
    }


def _place(sent: object) -> int:
    """Read a place counted from 0; anything else is the first."""
    return int(sent) if isinstance(sent, str) and sent.isdecimal() else 0
