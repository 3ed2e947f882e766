"""The mask in words of code: seven conventions, and rows without a key."""

from urllib.parse import urlencode

from shiny import ui

from attnviz.example.document import PAGE_KEY
from attnviz.example.mistakes.drawn_masks import CONVENTIONS
from attnviz.text.catalog import Translate
from attnviz.text.mistakes import mistake_sentence

# What rows without a key hold, and the mistake that shows it.
_EMPTY = {
    "P07": ("nan", "zero"),
    "P08": ("replaced",),
    "P08.added": ("added",),
}


def conventions_told(tr: Translate, language: str) -> ui.TagChild:
    """List each convention as one line of NumPy and of PyTorch."""
    rows = [
        ui.tags.tr(
            ui.tags.th(tr(f"mistakes.convention.{name}"), scope="row"),
            ui.tags.td(ui.tags.code(one.numpy)),
            ui.tags.td(ui.tags.code(one.torch)),
        )
        for name, one in CONVENTIONS.items()
    ]
    heads = (tr("mistakes.convention"), tr("export.numpy"), tr("export.torch"))
    empty = [
        ui.tags.li(
            ui.tags.a(id.partition(".")[0], href=_address(id, language)),
            " ",
            mistake_sentence(id.partition(".")[0], variant, language=language),
        )
        for id, variants in _EMPTY.items()
        for variant in variants
    ]
    return ui.div(
        ui.tags.table(
            ui.tags.thead(
                ui.tags.tr(*[ui.tags.th(head, scope="col") for head in heads])
            ),
            ui.tags.tbody(*rows),
            class_="conventions",
        ),
        ui.div(
            ui.h3(tr("mistakes.masks.no_key")),
            ui.p(tr("mistakes.masks.refused")),
            ui.tags.ul(*empty),
            class_="mistake-model",
        ),
        class_="masks-told",
    )


def _address(id: str, language: str) -> str:
    return "?" + urlencode({"lang": language, PAGE_KEY: "mistakes", "mistake": id})
