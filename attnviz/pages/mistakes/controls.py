"""The controls of the page on masks and mistakes."""

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from htmltools import Tag
from shiny import Inputs, Session, reactive, ui

from attnviz.components.inputs.controls import control, move_control, read_control
from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.mistakes.drawn_masks import drawn_mask
from attnviz.example.mistakes.outcomes import fault_of
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.settings import (
    MISTAKE_SETTINGS,
    N_ROUNDS,
    SECTIONS,
    SHOWN_ON,
    MistakeSettings,
)
from attnviz.text.catalog import Translate

_ORDER = tuple(PROGRAMS)


def section_tabs(tr: Translate, start: MistakeSettings) -> Tag:
    """Make the switch between the sections of the page."""
    tabs = ui.input_radio_buttons(
        "section",
        ui.span(tr("mistakes.sections"), class_="visually-hidden"),
        {name: tr(f"mistakes.section.{name}") for name in SECTIONS},
        selected=start.section,
        inline=True,
    )
    tabs.add_class("tabs")
    tabs.attrs["data-part"] = "mistakes"
    return tabs


def mistake_controls(tr: Translate, start: MistakeSettings) -> Tag:
    """Choose a mistake, and what it is shown on."""
    return ui.div(
        ui.input_select(
            "mistake",
            ui.span(tr("mistakes.choose"), class_="visually-hidden"),
            _grouped(tr),
            selected=start.mistake,
        ),
        *[
            ui.input_action_button(
                name,
                sign,
                class_="button-quiet",
                aria_label=tr(f"mistakes.{name}"),
                title=tr(f"mistakes.{name}"),
            )
            for name, sign in (("before", "‹"), ("next", "›"))
        ],
        ui.input_radio_buttons(
            "shown_on",
            tr("mistakes.source"),
            {name: tr(f"mistakes.source.{name}") for name in SHOWN_ON},
            selected=start.shown_on,
            inline=True,
        ),
        {"data-part": "mistakes"},
        class_="toolbar mistake-controls",
    )


def chooser(name: str, tr: Translate, start: MistakeSettings) -> Tag:
    """Choose one of a few, side by side."""
    choices = MISTAKE_SETTINGS[name].choices
    return ui.input_radio_buttons(
        name,
        tr(f"setting.{name}"),
        {str(one): tr(f"mistakes.{name}.{one}") for one in choices},
        selected=getattr(start, name),
        inline=True,
    )


def slider(name: str, tr: Translate, start: MistakeSettings) -> Tag:
    """Choose a number."""
    return control(name, MISTAKE_SETTINGS[name], getattr(start, name), tr)


def controls_row(*controls: ui.TagChild) -> Tag:
    """Set controls of a section side by side."""
    return ui.div(
        *controls, {"data-part": "mistakes"}, class_="toolbar mistake-controls"
    )


def follow_controls(
    input: Inputs,
    session: Session,
    start: MistakeSettings,
    restored: Callable[[], MistakeSettings | None],
    steering: Steering,
) -> Callable[[], MistakeSettings]:
    """Read the settings of the page, and move its controls when an address asks."""
    settings = reactive.value(start, name="settings")

    def show(there: MistakeSettings) -> None:
        settings.set(there)
        _move(session, there)
        steering.moved()

    @reactive.effect
    def follow() -> None:
        if not steering.is_done():
            return
        found: dict[str, Any] = _read(input)
        with reactive.isolate():
            now = settings()
        try:
            settings.set(replace(now, **found))
        except SettingError:
            # Only a browser that is none of ours sends what no control has.
            show(now)

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        back = restored()
        if back is not None:
            show(back)

    _follow_steps(input, settings, show)
    _follow_hand(input, settings, show)
    return settings


def _read(input: Inputs) -> dict[str, object]:
    """Read every control; the drawn mask has none."""
    return {
        name: read_control(input, name, setting)
        for name, setting in MISTAKE_SETTINGS.items()
        if name != "flips"
    }


def _move(session: Session, there: MistakeSettings) -> None:
    """Move every control to where the settings have it."""
    for name, setting in MISTAKE_SETTINGS.items():
        value = getattr(there, name)
        if name in _RADIOS:
            ui.update_radio_buttons(name, selected=value, session=session)
        elif name != "flips":
            move_control(session, name, setting, value)


def _follow_steps(
    input: Inputs,
    settings: Callable[[], MistakeSettings],
    show: Callable[[MistakeSettings], None],
) -> None:
    """Turn to the mistake before, the next one, or the next round."""

    @reactive.effect
    @reactive.event(input.next_round)
    def next_round() -> None:
        now = settings()
        show(replace(now, guess_round=now.guess_round % N_ROUNDS + 1))

    def step(name: str, by: int) -> None:
        @reactive.effect
        @reactive.event(input[name])
        def go() -> None:
            now = settings()
            place = (_ORDER.index(now.mistake) + by) % len(_ORDER)
            show(replace(now, mistake=_ORDER[place]))

    step("before", -1)
    step("next", 1)


def _follow_hand(
    input: Inputs,
    settings: Callable[[], MistakeSettings],
    show: Callable[[MistakeSettings], None],
) -> None:
    """Take cells of the mask that are drawn by hand."""

    @reactive.effect
    @reactive.event(input.edit)
    def draw() -> None:
        now, sent = settings(), input.edit()
        asked = sent if isinstance(sent, dict) else {}
        visible = drawn_mask(now)
        for i, j in np.ndindex(visible.shape):
            is_asked = (i, j) == (asked.get("i"), asked.get("j"))
            if is_asked and bool(asked.get("value")) != visible[i, j]:
                flips = {*now.flips} ^ {(i, j)}
                show(replace(now, flips=tuple(sorted(flips))))

    @reactive.effect
    @reactive.event(input.clear)
    def clear() -> None:
        show(replace(settings(), flips=()))


_RADIOS = (
    *("section", "shown_on", "mask_view", "head_view", "head_source", "split_view"),
)


def _grouped(tr: Translate) -> dict[str, dict[str, str]]:
    """List all mistakes by stage."""

    def stage(id: str) -> str:
        return fault_of(id)[0].stage

    groups: dict[str, dict[str, str]] = {}
    for name, ids in groupby(PROGRAMS, key=stage):
        group = groups.setdefault(tr(f"mistakes.stage.{name}"), {})
        for id in ids:
            number = id.partition(".")[0]
            group[id] = f"{number} {tr(f'mistakes.name.{id}')}"
    return groups
