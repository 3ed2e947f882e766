"""The sidebar: the example that the first pages share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.ranges import range_input, update_range
from attnviz.components.inputs.sentences import heard
from attnviz.components.sidebar.more_controls import more_controls, read_more, set_more
from attnviz.components.sidebar.own_data import (
    OwnPanel,
    follow_own_data,
    own_data_controls,
)
from attnviz.core.errors import SettingError
from attnviz.example.address import DEFAULT_PRESET, TEMPERATURE_STEP
from attnviz.example.compute import EXAMPLES, LIMITS, MASK_KINDS, Example
from attnviz.example.own import OwnData
from attnviz.example.own.example import own_example
from attnviz.example.sources.fixed import FixedMatrices
from attnviz.text.catalog import Translate
from attnviz.text.presets import preset_choices, preset_origin, preset_point
from attnviz.text.symbols import symbol

WIDTHS = ("d_model", "d_k", "d_v")
SIZES = (*WIDTHS, "n_heads")
RANGES = (
    "length",
    *SIZES,
    "n_padding",
    "window_left",
    "window_right",
    "temperature",
    "seed",
)
BY_WORDS, BY_LENGTH = "words", "length"
# What a preset that writes its matrices down does not let go of.
FIXED = ("length", *SIZES, "seed")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The example on screen and the preset it started from.

    Attributes
    ----------
    preset : str
        Name of the preset.
    example : Example
        The last settings that could be shown.
    """

    preset: str
    example: Example

    @property
    def name(self) -> str:
        """What files are named after: the preset, or whose matrices they are."""
        return self.preset if self.example.own is None else self.example.matrices


@dataclass(frozen=True, slots=True)
class Controls:
    """What the sidebar offers to the pages.

    Attributes
    ----------
    chosen : callable
        Reads the example on screen.
    propose : callable
        Takes a `Chosen` that does not come from the controls, such as an edited
        example, shows it, and moves the controls there.
    brought : callable
        Reads the matrices that the reader has brought, by their fingerprint.
    """

    chosen: Callable[[], Chosen]
    propose: Callable[[Chosen], None]
    brought: Callable[[], dict[str, OwnData]]


@module.ui
def example_controls_ui(start: Chosen, tr: Translate) -> Tag:
    """Lay out the controls, set as the address asks.

    Parameters
    ----------
    start : Chosen
        What the controls show at first.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    controls : Tag
        Contents of the sidebar.
    """
    example = start.example
    is_fixed = example.fixed is not None

    def setting(name: str, *, step: float = 1) -> Tag:
        least, most = LIMITS[name]
        return range_input(
            name,
            ui.TagList(
                symbol(name), ui.span(tr(f"setting.{name}"), class_="visually-hidden")
            ),
            least=least,
            most=most,
            value=getattr(example, name),
            step=step,
            disabled=is_fixed and name in FIXED,
        )

    return ui.div(
        ui.h2(tr("controls.example")),
        ui.input_select(
            "preset",
            ui.span(tr("controls.preset"), class_="visually-hidden"),
            preset_choices(tr),
            selected=start.preset,
        ),
        ui.div(ui.output_text("point"), class_="preset-point"),
        ui.div(ui.output_text("origin"), class_="preset-origin"),
        own_data_controls(tr),
        ui.input_radio_buttons(
            "positions",
            ui.span(tr("controls.positions"), class_="visually-hidden"),
            {
                BY_LENGTH: tr("controls.by_length"),
                BY_WORDS: tr("controls.by_words"),
            },
            selected=BY_WORDS if example.text else BY_LENGTH,
            inline=True,
        ),
        ui.div(
            ui.input_text(
                "text",
                ui.span(tr("setting.text"), class_="visually-hidden"),
                example.text,
                placeholder=tr("controls.text_hint"),
                spellcheck="false",
            ),
            class_="for-words",
        ),
        ui.div(setting("length"), class_="for-length"),
        ui.div(
            ui.output_text("problem_text"),
            class_="problem",
            role="status",
            aria_live="polite",
        ),
        ui.h2(tr("controls.sizes")),
        *[setting(name).add_class("for-computed") for name in WIDTHS],
        setting("n_heads"),
        ui.div(ui.output_text("widths"), class_="hint"),
        ui.h2(tr("controls.mask"), class_="for-computed"),
        ui.input_select(
            "mask",
            ui.span(tr("controls.mask"), class_="visually-hidden"),
            {str(kind): tr(f"mask.{kind}") for kind in MASK_KINDS},
            selected=example.mask,
        ).add_class("for-computed"),
        ui.div(setting("n_padding"), class_="for-padding"),
        ui.div(setting("window_left"), setting("window_right"), class_="for-window"),
        ui.h2(tr("controls.scores"), class_="for-computed"),
        ui.div(
            ui.input_switch(
                "is_scaled",
                ui.TagList(tr("setting.is_scaled"), " ", symbol("divisor")),
                example.is_scaled,
            ),
            class_="for-dot",
        ),
        setting("temperature", step=TEMPERATURE_STEP).add_class("for-computed"),
        more_controls(example, tr).add_class("for-computed"),
        ui.h2(tr("controls.random")),
        setting("seed"),
        ui.div(
            ui.input_action_button(
                "draw", tr("controls.draw"), disabled=is_fixed, class_="button"
            ),
            ui.input_action_button("reset", tr("controls.reset"), class_="button"),
            class_="buttons",
        ),
        class_="controls",
    )


@module.server
def example_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    start: Chosen,
    tr: Translate,
) -> Controls:
    """Keep the last example that could be shown, and say why another cannot.

    Parameters
    ----------
    input, output, session
        Shiny's own.
    start : Chosen
        What the controls show at first.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    controls : Controls
        To read the example on screen, and to propose another.
    """
    state = _State(
        reactive.value(start, name="chosen"),
        reactive.value("", name="problem"),
        session,
        tr,
    )
    _follow_controls(input, state)
    _take_presets(input, state)
    _say(output, state)
    panel = OwnPanel(
        example=lambda: state.chosen().example,
        show=lambda example: state.show(Chosen(DEFAULT_PRESET, example)),
        tr=tr,
    )
    brought = follow_own_data(input, output, session, panel)
    return Controls(chosen=state.chosen, propose=state.show, brought=brought)


@dataclass(frozen=True, slots=True)
class _State:
    """What one session's sidebar remembers."""

    chosen: reactive.Value[Chosen]
    problem: reactive.Value[str]
    session: Session
    tr: Translate

    def show(self, chosen: Chosen) -> None:
        """Take an example that does not come from the controls, and move them.

        Edits have no control there, so while a number is dragged nothing is moved.
        """
        with reactive.isolate():
            before = self.chosen()
        self.chosen.set(chosen)
        self.problem.set("")
        if _without_edits(before) != _without_edits(chosen):
            _set_controls(self.session, chosen)


def _without_edits(chosen: Chosen) -> Chosen:
    return replace(chosen, example=replace(chosen.example, edits=()))


def _follow_controls(input: Inputs, state: _State) -> None:
    @reactive.effect
    def follow_controls() -> None:
        with reactive.isolate():
            now = state.chosen()
        try:
            example = replace(now.example, **_read_controls(input))
        except SettingError as error:
            state.problem.set(problem_sentence(error, state.tr))
            return
        state.problem.set("")
        state.chosen.set(replace(now, example=example))


def _take_presets(input: Inputs, state: _State) -> None:
    @reactive.effect
    @reactive.event(input.preset, ignore_init=True)
    def take_preset() -> None:
        preset = str(input.preset())
        # A proposed example moves this control too; it must not start over then.
        if preset in EXAMPLES and preset != state.chosen().preset:
            state.show(Chosen(preset, EXAMPLES[preset]))

    @reactive.effect
    @reactive.event(input.reset)
    def reset() -> None:
        now = state.chosen()
        own = now.example.own
        start = EXAMPLES[now.preset] if own is None else own_example(own)
        state.show(replace(now, example=start))

    @reactive.effect
    @reactive.event(input.draw)
    def draw_again() -> None:
        now = state.chosen()
        seed = (now.example.seed + 1) % int(LIMITS["seed"][1] + 1)
        state.show(replace(now, example=replace(now.example, seed=seed)))


def _say(output: Outputs, state: _State) -> None:
    @render.text
    @heard
    def point() -> str:
        if state.chosen().example.own is not None:
            return state.tr("own.point")
        return preset_point(state.chosen().preset, state.tr)

    @render.text
    @heard
    def origin() -> str:
        if state.chosen().example.own is not None:
            return ""
        return preset_origin(state.chosen().preset, state.tr)

    @render.text
    @heard
    def widths() -> str:
        e = state.chosen().example
        if e.fixed is not None and not isinstance(e.fixed, FixedMatrices):
            return ""
        product = e.n_heads * e.d_k
        same = "equal" if product == e.d_model else "differ"
        return state.tr(
            f"controls.widths_{same}",
            heads=e.n_heads,
            d_k=e.d_k,
            product=product,
            d=e.d_model,
        )

    @render.text
    def problem_text() -> str:
        return state.problem()


def _read_controls(input: Inputs) -> dict[str, Any]:
    """Read every control, whatever a browser may have sent."""
    settings: dict[str, Any] = {name: input[name]() for name in RANGES}
    settings["mask"] = input.mask()
    settings["is_scaled"] = bool(input.is_scaled())
    settings["text"] = ""
    if input.positions() == BY_WORDS:
        settings["text"] = str(input.text())
        if not settings["text"].strip():
            raise SettingError("no_tokens")
    return settings | read_more(input)


def _set_controls(session: Session, chosen: Chosen) -> None:
    """Move every control to where the example has it."""
    example = chosen.example
    is_fixed = example.fixed is not None
    ui.update_select("preset", selected=chosen.preset, session=session)
    for name in RANGES:
        update_range(
            session,
            name,
            value=getattr(example, name),
            disabled=is_fixed and name in FIXED,
        )
    ui.update_action_button("draw", disabled=is_fixed, session=session)
    ui.update_select("mask", selected=example.mask, session=session)
    ui.update_switch("is_scaled", value=example.is_scaled, session=session)
    ui.update_text("text", value=example.text, session=session)
    by = BY_WORDS if example.text else BY_LENGTH
    ui.update_radio_buttons("positions", selected=by, session=session)
    set_more(session, example)
