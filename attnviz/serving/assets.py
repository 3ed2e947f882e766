"""Scripts, styles and words that every page of the app loads, from this host alone."""

import re
from functools import cache
from os.path import normpath
from pathlib import Path
from zlib import crc32

import plotly
from htmltools import HTMLDependency
from shiny import ui

from attnviz import __version__
from attnviz.figures.theme import css_variables
from attnviz.text.catalog import browser_words

WWW = Path(__file__).parents[2] / "www"
# One script stands in the page, and runs before anything is painted. Modules run when
# the page has been read: what the first picture needs, which is painted with the page,
# then the rest.
FIRST_PAINT = "shell/first_paint.js"
FIRST_PICTURE = "page.js"
REST = "main.js"
_IMPORT = re.compile(r'^import\b[^;"]*"(\.[^"]+)";', re.M)

# In the order in which later rules win.
STYLES = (
    "shell/theme",
    "shell/frame",
    "sidebar/controls",
    "shell/page",
    "figure/figures",
    "figure/stations",
    "reading/stepper",
    "reading/inspector",
    "reading/tables",
    "reading/norms",
    "reading/check",
    "reading/scaling",
    "reading/mistakes",
    "reading/cost",
    "reading/positions",
    "session/export",
    "shell/connection",
    "shell/phone",
    "shell/printing",
    "session/share",
    "sidebar/own_data",
)

# What Shiny puts on every page and none of these pages has: an empty dependency of a
# later version takes the place of each. The rules of its busy indicators make browsers
# restyle the whole page at every change.
UNUSED = tuple(
    HTMLDependency(name, "999")
    for name in (
        "requirejs",
        "shiny-busy-indicators",
        "ionrangeslider",
        "strftime",
        "bootstrap-datepicker",
        "selectize",
    )
)

# The browser loads it by itself, after the first picture has been painted.
PLOTLY_JS = HTMLDependency(
    "plotly",
    plotly.__version__,
    source={"package": "plotly", "subdir": "package_data"},
    meta={
        "name": "attnviz-plotly",
        "content": f"lib/plotly-{plotly.__version__}/plotly.min.js",
    },
)


FONTS = ("fonts/digits.woff2", "fonts/stix-two-math.woff2")


def page_assets(language: str) -> ui.TagList:
    """Collect what the head of the page needs.

    Parameters
    ----------
    language : str
        Language of the words that the browser puts together by itself.
    """
    own = HTMLDependency(
        "attnviz",
        f"{__version__}.{_fingerprint(WWW)}",
        source={"subdir": str(WWW)},
        stylesheet=[{"href": f"{name}.css"} for name in STYLES],
    )
    folder = f"lib/{own.name}-{own.version}"
    return ui.TagList(
        ui.head_content(
            ui.tags.meta(name="viewport", content="width=device-width,initial-scale=1"),
            ui.tags.link(rel="icon", href="icon.svg", type="image/svg+xml"),
            # Else figures and formulas are set twice: before and after their font came.
            *[
                ui.tags.link(
                    {"as": "font"},
                    rel="preload",
                    href=f"{folder}/{font}",
                    type="font/woff2",
                    crossorigin="",
                )
                for font in FONTS
            ],
            # Else a module is asked for when one that imports it has come.
            *[
                ui.tags.link(rel="modulepreload", href=f"{folder}/{module}")
                for module in _modules(WWW)
            ],
            ui.tags.script(
                type="module", src=f"{folder}/{FIRST_PICTURE}", blocking="render"
            ),
            ui.tags.script(type="module", src=f"{folder}/{REST}"),
            ui.tags.script(ui.HTML((WWW / FIRST_PAINT).read_text("utf-8"))),
            ui.tags.style(ui.HTML(css_variables())),
            ui.tags.script(
                ui.HTML(browser_words(language)),
                class_="words",
                type="application/json",
            ),
        ),
        *UNUSED,
        PLOTLY_JS,
        own,
    )


@cache
def _fingerprint(folder: Path) -> int:
    """Give a number that changes with the files, so that browsers fetch what is new."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return crc32(b"".join(path.read_bytes() for path in paths))


@cache
def _modules(folder: Path) -> tuple[str, ...]:
    """Name all modules in the order in which the page needs them."""
    found: dict[Path, None] = {}

    def visit(module: Path) -> None:
        if module not in found:
            found[module] = None
            for name in _IMPORT.findall(module.read_text("utf-8")):
                visit(Path(normpath(module.parent / name)))

    for entry in (FIRST_PICTURE, REST):
        visit(folder / entry)
    return tuple(module.relative_to(folder).as_posix() for module in found)
