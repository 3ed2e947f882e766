"""The sections of the page, one of which is on screen."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from htmltools import Tag
from shiny import ui

from attnviz.example.mistakes.settings import SECTIONS, MistakeSettings
from attnviz.example.settings import Example
from attnviz.pages.mistakes.mistakes import mistakes_ui, show_mistake
from attnviz.pages.mistakes.shown import Shown
from attnviz.text.catalog import Translate

_SHOW: Mapping[str, Callable[[MistakeSettings, Example], Shown]] = MappingProxyType(
    {"mistakes": show_mistake}
)
_LAYOUT: Mapping[str, Callable[[Translate, MistakeSettings], list[Tag]]] = (
    MappingProxyType({"mistakes": mistakes_ui})
)


def show(settings: MistakeSettings, example: Example) -> Shown:
    """Compute the section that is open, and no other."""
    return _SHOW[settings.section](settings, example)


def lay_out(
    start: MistakeSettings, now: Shown, tr: Translate, language: str
) -> list[ui.TagChild]:
    """Reserve the places of all sections, and of what stands below the figures."""
    sections = [
        ui.div(
            *_LAYOUT[name](tr, start),
            {"data-live": f"section.{name}"},
            {"data-state": _state(name, start)},
            class_="lab-section",
        )
        for name in SECTIONS
    ]
    below = ui.output_ui("told")
    below.append(now.told(tr, language))
    return [*sections, below]


def _state(name: str, start: MistakeSettings) -> str:
    return "on" if name == start.section else "off"
