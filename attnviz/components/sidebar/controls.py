"""The sidebar: the example that the first pages share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, reactive, render, ui
from shiny.module import resolve_id
from shiny.session import session_context

from attnviz.components.inputs.controls import (
    control,
    in_part,
    move_control,
    read_control,
)
from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.sentences import heard
from attnviz.components.inputs.steering import Steering
from attnviz.components.sidebar.more_controls import more_controls, read_more, set_more
from attnviz.components.sidebar.own_data import (
    OwnPanel,
    follow_own_data,
    own_data_controls,
)
from attnviz.components.sidebar.own_layers import (
    follow_layers,
    layer_controls,
    set_layers,
)
from attnviz.core.errors import SettingError
from attnviz.example.address import DEFAULT_PRESET
from attnviz.example.choices.masks import MASK_KINDS, MASK_PARAMETERS, parameters_of
from attnviz.example.compute import EXAMPLES
from attnviz.example.own import OwnData
from attnviz.example.own.example import own_example
from attnviz.example.settings import MAX_SEED, SETTINGS, Example, is_decided
from attnviz.text.catalog import Translate
from attnviz.text.presets import preset_choices, preset_origin, preset_point
from attnviz.text.settings import mask_labels

BY_WORDS, BY_LENGTH = "words", "length"
# The settings whose controls say all there is to say of them; the others are read with
# the choice beside them.
_PLAIN = tuple(
    name
    for name, setting in SETTINGS.items()
    if setting.part in ("sizes", "mask", "scores", "random") or name == "length"
)


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
    steering : Steering
        Tells whether the controls of the session stand where the server put them.
    """

    chosen: Callable[[], Chosen]
    propose: Callable[[Chosen], None]
    brought: Callable[[], dict[str, OwnData]]
    steering: Steering


@module.ui
def example_controls_ui(start: Chosen, tr: Translate) -> Tag:
    """Lay out the controls, set as the address asks."""
    example = start.example

    def made(name: str) -> Tag:
        return control(
            name,
            SETTINGS[name],
            getattr(example, name),
            tr,
            is_locked=is_decided(example, name),
        )

    def heading(part: str, class_: str | None = None) -> Tag:
        return in_part(part, ui.h2(tr(f"controls.{part}"), class_=class_))

    def masked(name: str) -> Tag:
        """Show a control only beside the masks that depend on it."""
        kinds = [kind for kind in MASK_KINDS if name in parameters_of(kind)]
        return ui.div(made(name), {"data-masks": " ".join(kinds), "data-part": "mask"})

    return ui.div(
        ui.h2(tr("controls.example")),
        in_part(
            "preset",
            ui.input_select(
                "preset",
                ui.span(tr("controls.preset"), class_="visually-hidden"),
                preset_choices(tr),
                selected=start.preset,
            ),
        ),
        in_part("preset", ui.div(ui.output_text("point"), class_="preset-point")),
        in_part("preset", ui.div(ui.output_text("origin"), class_="preset-origin")),
        own_data_controls(tr),
        layer_controls(example, tr),
        in_part(
            "positions",
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
        ),
        ui.div(made("text"), class_="for-words"),
        ui.div(made("length"), class_="for-length"),
        ui.div(
            ui.output_text("problem_text"),
            class_="problem",
            role="status",
            aria_live="polite",
        ),
        heading("sizes"),
        *[made(name).add_class("for-computed") for name in ("d_model", "d_k", "d_v")],
        made("n_heads"),
        in_part("sizes", ui.div(ui.output_text("widths"), class_="hint")),
        heading("mask", "for-computed"),
        in_part(
            "mask",
            ui.input_select(
                "mask",
                ui.span(tr("setting.mask"), class_="visually-hidden"),
                mask_labels(example, tr),
                selected=example.mask,
            ),
        ).add_class("for-computed"),
        *[masked(name) for name in MASK_PARAMETERS],
        mask_styles(),
        heading("scores", "for-computed"),
        in_part("scores", ui.div(made("is_scaled"), class_="for-dot")),
        made("temperature").add_class("for-computed"),
        more_controls(example, tr).add_class("for-computed"),
        heading("random"),
        made("seed"),
        in_part(
            "random",
            ui.div(
                ui.input_action_button(
                    "draw",
                    tr("controls.draw"),
                    disabled=is_decided(example, "seed"),
                    class_="button",
                ),
                ui.input_action_button("reset", tr("controls.reset"), class_="button"),
                class_="buttons",
            ),
        ),
        class_="controls",
    )


def mask_styles() -> Tag:
    """Write the rules that show the controls on which the chosen mask depends."""
    chosen = "".join(
        f'.controls:has(option[value="{kind}"]:checked) [data-masks~="{kind}"],'
        for kind in MASK_KINDS
        if parameters_of(kind)
    ).removesuffix(",")
    rules = f"[data-masks]{{display:none}}{chosen}{{display:block}}"
    return ui.tags.style(ui.HTML(rules))


@module.server
def example_controls_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    start: Chosen,
    steering: Steering,
    tr: Translate,
) -> Controls:
    """Keep the last example that could be shown, and say why another cannot.

    Returns
    -------
    controls : Controls
        To read the example on screen, and to propose another.
    """
    state = _State(
        reactive.value(start, name="chosen"),
        reactive.value("", name="problem"),
        session,
        steering,
        tr,
    )
    _follow_controls(input, state)
    _take_presets(input, state)
    _say(output, state)
    _name_masks(session, state, start)
    panel = OwnPanel(
        example=lambda: state.chosen().example,
        show=lambda example: state.show(Chosen(DEFAULT_PRESET, example)),
        tr=tr,
    )
    brought = follow_own_data(input, output, session, panel)
    follow_layers(input, panel.example, panel.show, steering)
    return Controls(state.chosen, state.show, brought, steering)


@dataclass(frozen=True, slots=True)
class _State:
    """What one session's sidebar remembers."""

    chosen: reactive.Value[Chosen]
    problem: reactive.Value[str]
    session: Session
    steering: Steering
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
            # Shiny names the options of radio buttons after the session that asks.
            with session_context(self.session):
                _set_controls(self.session, chosen)
                set_layers(self.session, chosen.example, self.tr)
            self.steering.moved()


def _without_edits(chosen: Chosen) -> Chosen:
    return replace(chosen, example=replace(chosen.example, edits=()))


def _follow_controls(input: Inputs, state: _State) -> None:
    @reactive.effect
    def follow_controls() -> None:
        if not state.steering.is_done():
            return
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
    @reactive.event(input.preset, state.steering.is_done, ignore_init=True)
    def take_preset() -> None:
        if not state.steering.is_done():
            return
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
        seed = (now.example.seed + 1) % (MAX_SEED + 1)
        state.show(replace(now, example=replace(now.example, seed=seed)))


def _say(output: Outputs, state: _State) -> None:
    @render.text
    @heard
    def point() -> str:
        now = state.chosen()
        return preset_point(now.preset, now.example, state.tr)

    @render.text
    @heard
    def origin() -> str:
        now = state.chosen()
        return preset_origin(now.preset, now.example, state.tr)

    @render.text
    @heard
    def widths() -> str:
        e = state.chosen().example
        # Where nothing joins the heads, their widths have nothing to fit.
        if e.fixed is not None and getattr(e.fixed, "w_o", None) is None:
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


def _name_masks(session: Session, state: _State, start: Chosen) -> None:
    """Let the kinds of mask say which cells by hand stay beside them."""
    last = reactive.value(mask_labels(start.example, state.tr), name="labels")

    @reactive.effect
    async def name_masks() -> None:
        labels = mask_labels(state.chosen().example, state.tr)
        with reactive.isolate():
            is_known = labels == last()
        if not is_known:
            last.set(labels)
            await session.send_custom_message(
                "attnviz-labels", {"id": resolve_id("mask"), "labels": labels}
            )


def _read_controls(input: Inputs) -> dict[str, Any]:
    """Read every control, whatever a browser may have sent."""
    settings: dict[str, Any] = {
        name: read_control(input, name, SETTINGS[name]) for name in _PLAIN
    }
    settings["text"] = ""
    if input.positions() == BY_WORDS:
        settings["text"] = str(input.text())
        if not settings["text"].strip():
            raise SettingError("no_tokens")
    return settings | read_more(input)


def _set_controls(session: Session, chosen: Chosen) -> None:
    """Move every control to where the example has it."""
    example = chosen.example
    ui.update_select("preset", selected=chosen.preset, session=session)
    for name in (*_PLAIN, "text"):
        move_control(
            session,
            name,
            SETTINGS[name],
            getattr(example, name),
            is_locked=is_decided(example, name),
        )
    is_drawn = not is_decided(example, "seed")
    ui.update_action_button("draw", disabled=not is_drawn, session=session)
    by = BY_WORDS if example.text else BY_LENGTH
    ui.update_radio_buttons("positions", selected=by, session=session)
    set_more(session, example)
