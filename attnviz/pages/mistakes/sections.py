"""The sections of the page, one of which is on screen."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from htmltools import Tag
from shiny import ui

from attnviz.example.mistakes.settings import SECTIONS, MistakeSettings
from attnviz.example.settings import Example
from attnviz.pages.mistakes.axes import batch_ui, show_batch, show_split, split_ui
from attnviz.pages.mistakes.guess import guess_ui, show_guess
from attnviz.pages.mistakes.heads import heads_ui, show_heads
from attnviz.pages.mistakes.masks import masks_ui, show_masks
from attnviz.pages.mistakes.mistakes import mistakes_ui, show_mistake
from attnviz.pages.mistakes.shown import Answers, Shown
from attnviz.text.catalog import Translate

_SHOW: Mapping[str, Callable[[MistakeSettings, Example, Answers], Shown]] = (
    MappingProxyType(
        {
            "mistakes": lambda settings, example, _: show_mistake(settings, example),
            "guess": lambda settings, _, answers: show_guess(settings, answers),
            "masks": lambda settings, example, _: show_masks(settings, example),
            "heads": lambda settings, example, _: show_heads(settings, example),
            "split": lambda settings, example, _: show_split(settings, example),
            "batch": lambda *_: show_batch(),
        }
    )
)
_LAYOUT: Mapping[str, Callable[[Translate, MistakeSettings], list[Tag]]] = (
    MappingProxyType(
        {
            "mistakes": mistakes_ui,
            "guess": guess_ui,
            "masks": masks_ui,
            "heads": heads_ui,
            "split": split_ui,
            "batch": batch_ui,
        }
    )
)
_NO_ANSWERS: Answers = MappingProxyType({})


def show(
    settings: MistakeSettings, example: Example, answers: Answers = _NO_ANSWERS
) -> Shown:
    """Compute the section that is open, and no other."""
    return _SHOW[settings.section](settings, example, answers)


def lay_out(
    start: MistakeSettings, now: Shown, tr: Translate, language: str
) -> list[ui.TagChild]:
    """Reserve the places of all sections, and of what stands below the figures."""
    sections = [
        ui.div(
            *_LAYOUT[name](tr, start),
            {"data-live": f"section.{name}"},
            {"data-state": _state(name, start)},
            class_=f"lab-section is-{name}",
        )
        for name in SECTIONS
    ]
    below = ui.output_ui("told")
    below.append(now.told(tr, language))
    return [*sections, below]


def _state(name: str, start: MistakeSettings) -> str:
    return "on" if name == start.section else "off"
