"""Exercises for paper: the numbers on screen rounded, and all computed from those."""

from dataclasses import dataclass

import numpy as np
from htmltools import Tag, TagChild, tags

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.layers.norms import NormTrace, layer_norm
from attnviz.example.matrices import MATRICES
from attnviz.export.paper import Writer

DECIMALS = 2
# Rows and columns that fit a sheet of A4.
MOST = 12


@dataclass(frozen=True, slots=True)
class NormExercise:
    """One position to normalize by hand.

    Attributes
    ----------
    norm : NormTrace
        Every stage, from rounded inputs, γ and β.
    row : int
        The position, counted from 0.
    tokens : tuple of str
        One label a position.
    """

    norm: NormTrace
    row: int
    tokens: tuple[str, ...]


def norm_exercise(norm: NormTrace, tokens: tuple[str, ...]) -> NormExercise | None:
    """Round what is normalized, and normalize it again.

    Returns
    -------
    exercise : NormExercise or None
        None if there are too many positions or features for paper.
    """
    if max(norm.x.shape) > MOST:
        return None
    x, gamma, beta = map(rounded, (norm.x, norm.gamma, norm.beta))
    again = layer_norm(x, gamma=gamma, beta=beta, eps=norm.eps)
    # A position whose features differ is more worth the work.
    return NormExercise(again, worthy_row(again.variance), tokens)


def norm_section(exercise: NormExercise, writer: Writer) -> Tag:
    """Write one position, with its statistics and results left open."""
    norm, row = exercise.norm, exercise.row
    width = norm.x.shape[-1]
    given = writer.table(
        np.stack([norm.x[row], norm.gamma, norm.beta]),
        rows=[
            f"{_written('norm_input')} {row + 1} {exercise.tokens[row]}",
            *map(_written, ("gamma", "beta")),
        ],
        decimals=DECIMALS,
    )
    statistics = writer.table(
        np.array([[norm.mean[row]], [norm.variance[row]]]),
        rows=[*map(_written, ("norm_mean", "norm_variance"))],
        blank=np.ones((2, 1), dtype=np.bool_),
    )
    results = writer.table(
        np.stack([norm.normalized[row], norm.output[row]]),
        rows=[*map(_written, ("norm_normalized", "norm_output"))],
        blank=np.ones((2, width), dtype=np.bool_),
    )
    title = writer.words("export.sheet.norm", row=row + 1)
    eps = np.format_float_positional(norm.eps, trim="-")
    note = tags.p(f"ε = {eps}", class_="notes")
    shown: list[TagChild] = [given, statistics, results, note]
    return writer.section(title, writer.formula("norm"), shown)


def _written(name: str) -> str:
    return MATRICES[name].plain


def too_large(writer: Writer) -> Tag:
    """Say that the matrices are too large for paper."""
    return tags.p(writer.words("export.sheet.large", most=MOST))


def rounded(matrix: FloatArray) -> FloatArray:
    """Round as it is printed; a rounded minus zero is zero."""
    return np.round(matrix, DECIMALS) + 0.0


def worthy_row(worth: FloatArray) -> int:
    """Choose the middle one of the rows that are worth most, or close to it."""
    rows = np.flatnonzero(worth > worth.max() / 2)
    return int(rows[len(rows) // 2]) if rows.size else 0
