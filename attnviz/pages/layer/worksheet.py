"""A sheet of paper: a token through the network and onto the stream, and its key."""

from dataclasses import dataclass

import numpy as np
from htmltools import HTML, Tag

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.layers import FeedForwardTrace, feed_forward
from attnviz.core.layers.norms import layer_norm
from attnviz.example.layer.view import LayerView
from attnviz.example.screen import Screen
from attnviz.export.exercise import (
    DECIMALS,
    MOST,
    NormExercise,
    norm_section,
    rounded,
    too_large,
)
from attnviz.export.paper import Writer


@dataclass(frozen=True, slots=True)
class _Exercise:
    """The network of the layer on screen, from rounded numbers.

    Attributes
    ----------
    network : FeedForwardTrace
        All positions through it.
    stream : FloatArray of shape (T, d)
        What its answer is added to; the network takes it as it is, or normalized.
    name : str
        Matrix on screen that the stream is.
    """

    network: FeedForwardTrace
    stream: FloatArray
    name: str

    @property
    def total(self) -> FloatArray:
        """The stream plus what the network gives."""
        total: FloatArray = self.stream + self.network.output
        return total


def layer_worksheet(view: LayerView, writer: Writer) -> str:
    """Write the sheet of the Layer page.

    Returns
    -------
    document : str
        A whole HTML document without scripts; where the example is too large for paper,
        it says so.
    """
    exercise = _exercise(view)
    if exercise is None:
        return writer.document("layer", [too_large(writer)])
    token, screen = view.settings.token, view.screen()
    sections = [_network(exercise, token, screen, writer)]
    if view.trace.settings.place == "pre":
        sections.append(_sum_beside(exercise, token, screen, writer))
    else:
        norm = NormExercise(layer_norm(exercise.total), token, view.trace.tokens)
        sections += [_sum(exercise, token, writer), norm_section(norm, writer)]
    return writer.document("layer", sections)


def _exercise(view: LayerView) -> _Exercise | None:
    """Round what the network takes and has learned; None if that is too much."""
    trace = view.trace.layers[view.settings.layer].feed_forward
    learned = trace.parameters
    if max(*trace.x.shape, *learned.w_1.shape) > MOST + 4:
        return None
    w_1, b_1, w_2, b_2 = map(
        rounded, (learned.w_1, learned.b_1, learned.w_2, learned.b_2)
    )
    network = feed_forward(
        rounded(trace.x),
        w_1=w_1,
        b_1=b_1,
        w_2=w_2,
        b_2=b_2,
        activation=trace.activation,
    )
    place = (view.settings.layer + 1) * len(view.trace.settings.sublayers) - 1
    return _Exercise(network, rounded(view.trace.streams[place]), f"stream_{place}")


def _network(exercise: _Exercise, token: int, screen: Screen, writer: Writer) -> Tag:
    """Give the matrices and the token's row; leave every stage of it open."""
    network = exercise.network
    learned = {
        name: np.atleast_2d(getattr(network.parameters, name))
        for name in ("w_1", "b_1", "w_2", "b_2")
    }
    given = [
        writer.matrix(screen, name, values, decimals=DECIMALS)
        for name, values in learned.items()
    ]
    row = writer.table(
        network.x[token][None], rows=[f"x {token + 1}"], decimals=DECIMALS
    )
    stages = [
        writer.table(
            values[token][None],
            rows=[screen.names[name].cell.plain],
            blank=np.ones((1, values.shape[1]), dtype=np.bool_),
        )
        for name, values in (
            ("ffn_hidden", network.hidden),
            ("ffn_active", network.activated),
            ("ffn_output", network.output),
        )
    ]
    title = writer.words("export.sheet.network", row=token + 1)
    return writer.section(title, writer.formula("network"), [row, *given, *stages])


def _sum(exercise: _Exercise, token: int, writer: Writer) -> Tag:
    """Leave open what the network's own input and its answer come to."""
    title = writer.words("export.sheet.sum", row=token + 1)
    return writer.section(title, "", [_total(exercise, token, "x", writer)])


def _sum_beside(exercise: _Exercise, token: int, screen: Screen, writer: Writer) -> Tag:
    """Give the stream, which the network has seen only normalized."""
    symbol = screen.names[exercise.name].cell.plain
    given = writer.table(
        exercise.stream[token][None],
        rows=[f"{symbol} {token + 1}"],
        decimals=DECIMALS,
    )
    title = writer.words("export.sheet.sum_pre", row=token + 1, stream=symbol)
    return writer.section(title, "", [given, _total(exercise, token, symbol, writer)])


def _total(exercise: _Exercise, token: int, symbol: str, writer: Writer) -> HTML:
    total = exercise.total[token][None]
    blank = np.ones(total.shape, dtype=np.bool_)
    return writer.table(total, rows=[f"{symbol} + f"], blank=blank)
