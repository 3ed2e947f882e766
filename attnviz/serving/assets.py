"""Scripts, styles and words that every page of the app loads, from this host alone."""

from pathlib import Path
from zlib import crc32

import plotly
from htmltools import HTMLDependency
from shiny import ui

from attnviz import __version__
from attnviz.figures.theme import css_variables
from attnviz.text.catalog import browser_words

WWW = Path(__file__).parents[2] / "www"
SCRIPTS = (
    "address",
    "page",
    "teacher",
    "colours",
    "geometry",
    "cells",
    "panels",
    "plots",
    "inspector",
    "pointer",
    "stepper",
    "editor",
    "figures",
    "picture",
    "qr_bytes",
    "qr",
    "share",
    "own_data",
    "compare",
    "controls",
    "connection",
)

# In the order in which later rules win.
STYLES = (
    "theme",
    "frame",
    "controls",
    "page",
    "figures",
    "stepper",
    "inspector",
    "tables",
    "norms",
    "export",
    "connection",
    "phone",
    "share",
    "own_data",
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


FONTS = ("digits.woff2", "stix-two-math.woff2")


def page_assets(language: str) -> ui.TagList:
    """Collect what the head of the page needs.

    Parameters
    ----------
    language : str
        Language of the words that the browser puts together by itself.
    """
    own = HTMLDependency(
        "attnviz",
        f"{__version__}.{_fingerprint()}",
        source={"subdir": str(WWW)},
        script=[{"src": f"{name}.js"} for name in SCRIPTS],
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
            ui.tags.style(ui.HTML(css_variables())),
            ui.tags.script(
                ui.HTML(browser_words(language)),
                id="attnviz-words",
                type="application/json",
            ),
        ),
        *UNUSED,
        PLOTLY_JS,
        own,
    )


def _fingerprint() -> int:
    """Give a number that changes with the files, so that browsers fetch what is new."""
    paths = sorted(path for path in WWW.iterdir() if path.is_file())
    return crc32(b"".join(path.read_bytes() for path in paths))
