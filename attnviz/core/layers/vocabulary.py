"""The projection onto the vocabulary after the last layer."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_parameter,
    bind_shapes,
    quiet,
)


@quiet
def vocabulary_logits(
    h: npt.ArrayLike, *, w_vocab: npt.ArrayLike, b_vocab: npt.ArrayLike | None = None
) -> FloatArray:
    r"""Score every word of the vocabulary as the next one.

    Parameters
    ----------
    h : array_like of shape (..., T, d)
        Output of the last layer.
    w_vocab : array_like of shape (n_words, d)
        One row a word. Giving the embedding table here ties the two, which saves
        n_words·d parameters; it does not make the projection the embedding's inverse.
    b_vocab : array_like of shape (n_words,), optional
        One bias a word.

    Returns
    -------
    logits : FloatArray of shape (..., T, n_words)
        Their softmax is the distribution of the next word.

    Raises
    ------
    ShapeError
        If two arguments disagree about a dimension.

    Notes
    -----
    .. math:: z_t = W_\mathrm{vocab}\, h_t + b_\mathrm{vocab}

    References
    ----------
    .. [1] Press and Wolf, "Using the Output Embedding to Improve Language Models",
       2017, section 3 (tying).
    .. [2] Course chapter, formula F13.

    Examples
    --------
    >>> vocabulary_logits([[1.0, 2.0]], w_vocab=[[1, 0], [0, 2]], b_vocab=[3, 0])
    array([[4., 4.]])
    """
    states, matrix = as_floats("vocabulary_logits", h=h, w_vocab=w_vocab)
    sizes = bind_shapes(
        "vocabulary_logits", h=(states, "T d"), w_vocab=(matrix, "(n_words d)")
    )
    logits: FloatArray = states @ np.swapaxes(matrix, -1, -2)
    if b_vocab is None:
        return logits
    return logits + bind_parameter(
        "vocabulary_logits", "b_vocab", b_vocab, (sizes["n_words"],)
    )
