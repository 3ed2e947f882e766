"""The figures of the Layer page: the token's way, and the station that is open."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.example.layer.ends import last_state
from attnviz.example.layer.view import LayerView
from attnviz.example.layer.way import GIVES
from attnviz.example.matrices import CROSS, GRADIENT
from attnviz.example.screen import Screen
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.figures.panels import panel
from attnviz.pages.layer.names import stage_names
from attnviz.text.catalog import Translate

# Way and station stand side by side where both find room.
_SCALE = 0.85
# What is explained at first; of a norm or a sum it depends on where it stands.
_FIRST = MappingProxyType(
    {
        "attention": "output",
        "cross": "cross_output",
        "network": "ffn_output",
        "final": "final_output",
        "vocabulary": "probabilities",
        "stream": "stream_0",
    }
)
# Heads whose values and contexts are drawn; of more, what is joined says it all.
_FEW_HEADS = 2


def layer_figures(view: LayerView, tr: Translate) -> dict[str, FigureSpec]:
    """Draw the way of the token, and what the open station is about.

    Returns
    -------
    figures : dict of str to FigureSpec
        "way", and one with the name of the kind of station: "input", "norm", "sum",
        "attention", "cross", "network", "final", "vocabulary" or "stream".
    """
    screen = view.screen()
    kind = kind_of(view.settings.station)
    return {"way": _way(view, screen, tr), kind: _STATIONS[kind](view, screen)}


def station_names(view: LayerView) -> list[str]:
    """Name the matrices of the open station, in the order in which they are drawn."""
    kind = kind_of(view.settings.station)
    drawn = _STATIONS[kind](view, view.screen())["data"]
    return [part["name"] for part in drawn if "hides" not in part["meta"]]


def kind_of(station: str) -> str:
    """Name the figure of a station: all norms share one, and all sums."""
    _, _, part = station.rpartition("_")
    return {"before": "norm", "after": "norm"}.get(part, part)


def first_name(view: LayerView) -> str:
    """Name the matrix of the open station whose cell is explained at first."""
    prefix = GRADIENT if view.settings.shows_gradients else ""
    return f"{prefix}{_first(view)}"


def _first(view: LayerView) -> str:
    kind, layer = kind_of(view.settings.station), view.settings.layer
    if kind == "vocabulary" and view.settings.shows_gradients:
        return (
            "logits"
            if view.settings.objective == "next"
            else last_state(view.trace.sheet())
        )
    if kind in _FIRST:
        return _FIRST[kind]
    if kind == "input":
        return _stream(view, 0)
    step, is_pre = step_of(view), view.trace.settings.place == "pre"
    if kind == "norm":
        return f"norm_normalized_{step + 1}"
    after = layer * len(view.trace.settings.sublayers) + step + 1
    return f"stream_{after}" if is_pre else f"residual_{step + 1}"


def step_of(view: LayerView) -> int:
    """Count the steps of the layer before the one whose norm or sum is open."""
    sublayer = view.settings.station.partition("_")[0]
    return [str(one) for one in view.trace.settings.sublayers].index(sublayer)


def _way(view: LayerView, screen: Screen, tr: Translate) -> FigureSpec:
    stages = Axis("stage", stage_names(view, tr))
    drawn = [
        _draw(view, screen, "way", shows_rows=True),
        _draw(
            view,
            screen,
            "way_mean",
            track=1,
            is_narrow=True,
            bound=_bound(screen, "way"),
        ),
        _draw(view, screen, "way_norm", track=2, is_narrow=True),
    ]
    return _figure([one and replace(one, rows=stages) for one in drawn])


def _input(view: LayerView, screen: Screen) -> FigureSpec:
    if view.settings.layer or "positions" not in screen:
        return _figure([_draw(view, screen, _stream(view, 0), shows_rows=True)])
    names = ("x", "positions", "stream_0")
    return _figure(
        [
            _draw(view, screen, name, track=track, shows_rows=track == 0)
            for track, name in enumerate(names)
        ]
    )


def _norm(view: LayerView, screen: Screen) -> FigureSpec:
    """Draw input | μ | v | x̂ and, below γ and β, the output."""
    step, is_pre = step_of(view), view.trace.settings.place == "pre"
    taken = _stream(view, step) if is_pre else f"residual_{step + 1}"
    given = f"norm_output_{step + 1}" if is_pre else _stream(view, step + 1)
    return _normalized(view, screen, taken, given, "norm_{}", f"_{step + 1}")


def _final(view: LayerView, screen: Screen) -> FigureSpec:
    last = f"stream_{len(view.trace.streams) - 1}"
    return _normalized(view, screen, last, "final_output", "final_{}", "")


def _normalized(
    view: LayerView, screen: Screen, taken: str, given: str, form: str, end: str
) -> FigureSpec:
    def statistic(name: str, track: int, bound: float) -> Panel | None:
        whole = f"{form.format(name)}{end}"
        return _draw(view, screen, whole, track=track, is_narrow=True, bound=bound)

    own = "final_" if form.startswith("final") else ""
    spread = 2 * _bound(screen, f"{form.format('variance')}{end}", view)
    learned = [
        _draw(view, screen, f"{own}{name}{end}", track=4, band=band, bound=2.0)
        for band, name in enumerate(("gamma", "beta"))
    ]
    row = [
        _draw(view, screen, taken, shows_rows=True),
        statistic("mean", 1, _bound(screen, taken, view)),
        statistic("variance", 2, spread),
        _draw(view, screen, f"{form.format('normalized')}{end}", track=3),
        _draw(view, screen, given, track=4),
    ]
    return _figure([*learned, *(one and replace(one, band=2) for one in row)])


def _sum(view: LayerView, screen: Screen) -> FigureSpec:
    """Draw stream + what the sublayer gives = stream, or sum under a norm."""
    step, is_pre = step_of(view), view.trace.settings.place == "pre"
    names = (
        _stream(view, step),
        GIVES[view.trace.settings.sublayers[step]],
        _stream(view, step + 1) if is_pre else f"residual_{step + 1}",
    )
    bound = max(_bound(screen, name, view) for name in names)
    return _figure(
        [
            _draw(view, screen, name, track=at, shows_rows=at == 0, bound=bound)
            for at, name in enumerate(names)
        ]
    )


def _attention(view: LayerView, screen: Screen) -> FigureSpec:
    return _heads(view, screen, "")


def _cross(view: LayerView, screen: Screen) -> FigureSpec:
    return _heads(view, screen, CROSS)


def _heads(view: LayerView, screen: Screen, prefix: str) -> FigureSpec:
    """Draw A of every head, ·V = C of the first ones, and [C]·W_O = O."""
    n_heads = screen.matrices[f"{prefix}weights"].shape[1]
    drawn = [
        _draw(
            view,
            screen,
            f"{prefix}weights_{head + 1}",
            track=head,
            band=1,
            shows_rows=head == 0,
            shows_columns=True,
        )
        for head in range(n_heads)
    ]
    track = n_heads
    if n_heads <= _FEW_HEADS:
        for head in range(1, n_heads + 1):
            values = _draw(view, screen, f"{prefix}v_{head}", track=track)
            mixed = _draw(view, screen, f"{prefix}context_{head}", track=track, band=1)
            drawn += [values and replace(values, shows_rows=head == 1), mixed]
            track += 1
    else:
        drawn.append(_draw(view, screen, f"{prefix}joined", track=track, band=1))
        track += 1
    drawn.append(_draw(view, screen, f"{prefix}w_o", track=track))
    drawn.append(_draw(view, screen, f"{prefix}output", track=track, band=1))
    return _figure(drawn)


def _network(view: LayerView, screen: Screen) -> FigureSpec:
    """Draw ·W₁ + b₁, φ, and ·W₂ + b₂, with W₂ on its side above what it meets."""
    step = len(view.trace.settings.sublayers) - 1
    is_pre = view.trace.settings.place == "pre"
    taken = f"norm_output_{step + 1}" if is_pre else _stream(view, step)
    return _figure(
        [
            _draw(view, screen, taken, band=2, shows_rows=True),
            _draw(view, screen, "w_1", track=1),
            _draw(view, screen, "b_1", track=1, band=1),
            _draw(view, screen, "ffn_hidden", track=1, band=2),
            _draw(view, screen, "ffn_active", track=2, band=2),
            _draw(view, screen, "w_2", track=2, is_turned=True),
            _draw(view, screen, "b_2", track=3, band=1),
            _draw(view, screen, "ffn_output", track=3, band=2),
        ]
    )


def _vocabulary(view: LayerView, screen: Screen) -> FigureSpec:
    """Draw ·W_vocabᵀ + b = Z, and its softmax."""
    last = last_state(view.trace.sheet())
    return _figure(
        [
            _draw(view, screen, last, band=2, shows_rows=True),
            _draw(view, screen, "w_vocab", track=1, is_turned=True),
            _draw(view, screen, "b_vocab", track=1, band=1),
            _draw(view, screen, "logits", track=1, band=2, shows_columns=True),
            _draw(view, screen, "probabilities", track=2, band=2, shows_columns=True),
        ]
    )


def _whole_stream(view: LayerView, screen: Screen) -> FigureSpec:
    """Draw the stream before the first step and after each, on one scale."""
    names = [f"stream_{place}" for place in range(len(view.trace.streams))]
    bound = max(_bound(screen, name) for name in names)
    return _figure(
        [
            _draw(view, screen, name, track=at, shows_rows=at == 0, bound=bound)
            for at, name in enumerate(names)
        ]
    )


_STATIONS: MappingProxyType[str, Callable[[LayerView, Screen], FigureSpec]] = (
    MappingProxyType(
        {
            "input": _input,
            "norm": _norm,
            "attention": _attention,
            "cross": _cross,
            "sum": _sum,
            "network": _network,
            "final": _final,
            "vocabulary": _vocabulary,
            "stream": _whole_stream,
        }
    )
)
KINDS = tuple(_STATIONS)


def _stream(view: LayerView, step: int) -> str:
    """Name the stream after so many steps of the layer."""
    before = view.settings.layer * len(view.trace.settings.sublayers)
    return f"stream_{before + step}"


def _draw(
    view: LayerView,
    screen: Screen,
    name: str,
    **look: Any,  # noqa: ANN401 - the fields of a Panel
) -> Panel | None:
    """Draw a matrix of the layer that is looked at, or its gradient if there is one."""
    if view.settings.shows_gradients:
        name = f"{GRADIENT}{name}"
        look.pop("bound", None)
    if name not in screen:
        return None
    return panel(screen, name, view.settings.layer, **look)


def _bound(screen: Screen, name: str, view: LayerView | None = None) -> float:
    if name not in screen:
        return 1.0
    layer = 0 if view is None else view.settings.layer
    values = screen.table(name, layer)
    return nice_bound(np.where(np.isfinite(values), values, 0))


def _figure(panels: Sequence[Panel | None]) -> FigureSpec:
    drawn = [each for each in panels if each is not None]
    if not any(each.shows_rows for each in drawn):
        drawn[0] = replace(drawn[0], shows_rows=True)
    return matrix_figure(drawn, scale=_SCALE, is_folded=True)
