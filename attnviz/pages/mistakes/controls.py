"""The controls of the page on masks and mistakes."""

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import Any

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui

from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.mistakes.outcomes import fault_of
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.settings import SECTIONS, SHOWN_ON, MistakeSettings
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
        for name, move in _MOVES.items():
            move(name, selected=getattr(there, name), session=session)
        steering.moved()

    @reactive.effect
    def follow() -> None:
        if not steering.is_done():
            return
        found: dict[str, Any] = {name: input[name]() for name in _MOVES}
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
    return settings


def _follow_steps(
    input: Inputs,
    settings: Callable[[], MistakeSettings],
    show: Callable[[MistakeSettings], None],
) -> None:
    """Turn to the mistake before, or the next one."""

    def step(name: str, by: int) -> None:
        @reactive.effect
        @reactive.event(input[name])
        def go() -> None:
            now = settings()
            place = (_ORDER.index(now.mistake) + by) % len(_ORDER)
            show(replace(now, mistake=_ORDER[place]))

    step("before", -1)
    step("next", 1)


_MOVES: dict[str, Callable[..., None]] = {
    "section": ui.update_radio_buttons,
    "mistake": ui.update_select,
    "shown_on": ui.update_radio_buttons,
}


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
