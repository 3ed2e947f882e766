"""The table P: its rows, their products, and the sum with the inputs."""

import math
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.core.positions import sinusoidal_positions
from attnviz.example.choices.positions import MOST_POSITIONS, added_positions
from attnviz.example.positions.settings import PositionsSettings
from attnviz.example.settings import Example


@dataclass(frozen=True, slots=True)
class TableTrace:
    """A table of positions; read-only.

    Attributes
    ----------
    table : FloatArray of shape (p, d)
        One row a position, P.
    gram : FloatArray of shape (p, p)
        Products of its rows, PPᵀ.
    other_gram : FloatArray of shape (p, p)
        The same with its features in the other order.
    curve : FloatArray of shape (64,)
        The chosen feature at every position that can be asked for.
    column : int
        The chosen feature, counted from 0.
    wavelength : float or None
        After how many positions it repeats; None where nothing does.
    scaled_x : FloatArray of shape (T, d), or None
        X, times √d if asked for; None where the example has no inputs.
    added : FloatArray of shape (T, d), or None
        The rows of the tokens.
    total : FloatArray of shape (T, d), or None
        Their sum.
    x_norm, p_norm : FloatArray of shape (T,), or None
        Lengths of the rows of the two.
    """

    table: FloatArray
    gram: FloatArray
    other_gram: FloatArray
    curve: FloatArray
    column: int
    wavelength: float | None
    scaled_x: FloatArray | None = None
    added: FloatArray | None = None
    total: FloatArray | None = None
    x_norm: FloatArray | None = None
    p_norm: FloatArray | None = None


def compute_table(
    example: Example, settings: PositionsSettings, x: FloatArray | None
) -> TableTrace:
    """Make the table, and add its first rows to the inputs.

    Parameters
    ----------
    x : FloatArray of shape (T, d), or None
        Inputs of the example, if it has any.

    Raises
    ------
    SettingError
        If sines and cosines do not pair, or a row was never learned.
    """
    width = example.d_model
    if settings.table == "sinusoidal" and width % 2:
        raise SettingError("odd_width", got=width)
    asked = max(settings.n_positions, 0 if x is None else len(x))
    if settings.table == "learned" and asked > settings.trained_length:
        raise SettingError("beyond_trained", got=asked, trained=settings.trained_length)
    whole = _rows(example, settings, MOST_POSITIONS)
    table = read_only(whole[: settings.n_positions])
    gram = read_only(table @ table.T)
    column = min(settings.column, width - 1)
    is_sinusoid = settings.table == "sinusoidal"
    known = MOST_POSITIONS if is_sinusoid else settings.trained_length
    found = TableTrace(
        table=table,
        gram=gram,
        other_gram=_other_gram(example, settings) if is_sinusoid else gram,
        curve=read_only(whole[:known, column]),
        column=column,
        wavelength=_wavelength(settings, column, width) if is_sinusoid else None,
    )
    return found if x is None else _with_sum(found, x, whole[: len(x)], settings)


def _rows(example: Example, settings: PositionsSettings, length: int) -> FloatArray:
    table = added_positions(
        settings.table,
        length,
        example.d_model,
        seed=example.seed,
        encoding=settings.encoding(example),
    )
    assert table is not None
    return table


def _other_gram(example: Example, settings: PositionsSettings) -> FloatArray:
    other = sinusoidal_positions(
        settings.n_positions,
        example.d_model,
        start=example.first_position,
        base=settings.theta,
        order="concatenated" if settings.features == "interleaved" else "interleaved",
    )
    return read_only(other @ other.T)


def _wavelength(settings: PositionsSettings, column: int, width: int) -> float:
    is_mixed = settings.features == "interleaved"
    pair = column // 2 if is_mixed else column % (width // 2)
    return float(2 * math.pi * settings.theta ** (2 * pair / width))


def _with_sum(
    found: TableTrace, x: FloatArray, added: FloatArray, settings: PositionsSettings
) -> TableTrace:
    factor = math.sqrt(x.shape[-1]) if settings.scales_inputs else 1.0
    scaled = read_only(factor * x)
    return TableTrace(
        found.table,
        found.gram,
        found.other_gram,
        found.curve,
        found.column,
        found.wavelength,
        scaled_x=scaled,
        added=read_only(added),
        total=read_only(scaled + added),
        x_norm=read_only(np.sqrt((scaled**2).sum(axis=-1))),
        p_norm=read_only(np.sqrt((added**2).sum(axis=-1))),
    )
