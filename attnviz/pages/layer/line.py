"""The line of stations along the stream, each of which opens into its figure."""

from htmltools import Tag
from shiny import ui

from attnviz.components.page.view import Live, live
from attnviz.example.layer.settings import STATIONS
from attnviz.example.layer.view import LayerView
from attnviz.example.layer.way import GIVES, lengths
from attnviz.pages.layer.names import circled, stage_key
from attnviz.text.catalog import Translate
from attnviz.text.numbers import fixed

_DECIMALS = 2


def stations_line(tr: Translate, selected: str) -> Tag:
    """Make the line: one choice a station; style hides those that are not there.

    Returns
    -------
    line : Tag
        A radio group, input `station`, filled by `line_live`.
    """
    choices: dict[str, ui.TagChild] = {
        station: ui.span(
            ui.span(class_="line-stream", **{"data-live": f"line.{station}.stream"}),
            ui.span(class_="line-branch", **{"data-live": f"line.{station}.branch"}),
            live(f"line.{station}", tr(stage_key(station)), class_="line-name"),
            live(f"line.{station}.length", class_="line-length"),
            {"data-station": station},
            class_=_look(station),
        )
        for station in STATIONS
    }
    return ui.div(
        ui.input_radio_buttons(
            "station",
            ui.span(tr("layer.line"), class_="visually-hidden"),
            choices,
            selected=selected,
        ),
        {"data-live": "line"},
        class_="stations",
    )


def _look(station: str) -> str:
    """Name how a station looks: beside the stream or on it, a norm or none."""
    looks = ["line-station"]
    if station.endswith(("_before", "_after")) or station == "final":
        looks.append("is-norm")
    if station in GIVES:
        looks.append("is-branch")
    if station in GIVES or station.endswith("_before"):
        looks.append("is-above")
    return " ".join(looks)


def line_live(view: LayerView, tr: Translate) -> dict[str, Live]:
    """Tell the line which stations there are, and how long the token is at each."""
    sheet, token = view.sheet(), view.settings.token
    texts: dict[str, Live] = {"line": Live(state=_there(view))}
    stream = 0.0
    for number, stage in enumerate(view.stages, start=1):
        row = sheet.matrix(stage.name)[(*stage.first, token)]
        length = float(lengths(row))
        is_branch = stage.sign == "+" or stage.station.endswith("_before")
        stream = stream if is_branch else length
        key = f"line.{stage.station}"
        written = fixed(length, _DECIMALS)
        texts |= {
            key: Live(f"{circled(number)} {tr(stage_key(stage.station))}"),
            f"{key}.length": Live(f"+ {written}" if stage.sign == "+" else written),
            f"{key}.stream": Live("", size=round(stream, _DECIMALS)),
            f"{key}.branch": Live("", size=round(length, _DECIMALS)),
        }
    for station in ("vocabulary", "stream"):
        texts[f"line.{station}.stream"] = Live("", size=round(stream, _DECIMALS))
    return texts


def _there(view: LayerView) -> str:
    """Name what tells the stations apart: kind, place of the norms, and ends."""
    trace, settings = view.trace, view.trace.settings
    is_last = view.settings.layer == len(trace.layers) - 1
    found: list[str] = [settings.architecture, settings.place]
    if trace.final is not None and is_last:
        found.append("final")
    if trace.vocabulary is not None:
        found.append("vocabulary")
    return " ".join(found)
