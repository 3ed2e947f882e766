"""Attention tile by tile, so that the table of scores never exists as a whole."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from attnviz.core.attention import mix_visible
from attnviz.core.masks import refuse_empty_rows, window_mask
from attnviz.core.shapes import BoolArray, FloatArray, read_only

# Scores are kept in base 2: exp2 is the cheaper exponential.
_LOG2_E = 1 / math.log(2)
# Up to here, neither a power of two nor a sum of a million of them leaves float32.
_SAFE_EXPONENT = 60.0
# A tile of scores stays in a processor's second-level cache.
_TILE_ROWS = 256
_TILE_KEYS = 256
_ALL = np.ones((1, 1), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who may see whom, by position and by a mask.

    Attributes
    ----------
    offset : int, default=0
        Position of the first query, counted from the first key.
    left, right : int or None, default=None
        How many keys before and after its own position a query may see; None sets no
        limit on that side.
    given : BoolArray of shape (..., T_q, T_k), or None
        True where a query may see a key, if its position allows.
    """

    offset: int = 0
    left: int | None = None
    right: int | None = None
    given: BoolArray | None = None

    def at(self, index: tuple[int, ...]) -> "Visibility":
        """Take what holds for one sample or one head.

        Parameters
        ----------
        index : tuple of int
            Place along the leading axes.

        Returns
        -------
        visibility : Visibility
            The same rule without those axes.
        """
        return self if self.given is None else replace(self, given=self.given[index])

    def reach(self, rows: slice, n_keys: int) -> tuple[int, int]:
        """Bound the keys that some queries may see by their position.

        Parameters
        ----------
        rows : slice
            Successive queries.
        n_keys : int
            Number of keys.

        Returns
        -------
        start, stop : int
            None of the queries sees a key outside this range.
        """
        start, stop = 0, n_keys
        if self.left is not None:
            start = max(start, rows.start + self.offset - self.left)
        if self.right is not None:
            stop = min(stop, rows.stop + self.offset + self.right)
        return start, stop

    def tile(self, rows: slice, keys: slice) -> BoolArray | None:
        """Tell which of some queries see which of some keys.

        Parameters
        ----------
        rows, keys : slice
            Successive queries, and successive keys.

        Returns
        -------
        visible : BoolArray of shape (..., rows, keys), or None
            Mask of that part of the table; None where all see all.
        """
        near = self._near(rows, keys)
        if self.given is None:
            return near
        given = self.given[..., rows, keys]
        return given if near is None else given & near

    def _near(self, rows: slice, keys: slice) -> BoolArray | None:
        offset = rows.start + self.offset - keys.start
        n_rows, n_keys = rows.stop - rows.start, keys.stop - keys.start
        sees_first = self.left is None or offset + n_rows - 1 <= self.left
        sees_last = self.right is None or offset + self.right >= n_keys - 1
        if sees_first and sees_last:
            return None
        return _near_mask(n_rows, n_keys, self.left, self.right, offset)


def attend_in_tiles(
    operation: str,
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    *,
    scale: float,
    visibility: Visibility,
    query_valid: BoolArray | None,
    out: FloatArray,
) -> None:
    r"""Attend with a table of scores that is only ever one tile large.

    Parameters
    ----------
    operation : str
        Name that opens the message of an error.
    q : FloatArray of shape (..., T_q, d_k)
        Queries.
    k : FloatArray of shape (..., T_k, d_k)
        Keys.
    v : FloatArray of shape (..., T_k, d_v)
        Values; their leading axes are those of the queries, as the keys' are.
    scale : float
        Factor of the dot products.
    visibility : Visibility
        Which keys a query may see.
    query_valid : BoolArray of shape (..., T_q) or None
        Which queries count.
    out : FloatArray of shape (..., T_q, d_v)
        Receives the contexts.

    Raises
    ------
    EmptyRowError
        If a valid query may see no key.

    Notes
    -----
    One pass over the keys is enough. With m the largest score so far and m′ the
    largest one including the next tile,

    .. math:: s \leftarrow s\,e^{m - m'} + \sum_j e^{s_j - m'}, \qquad
              c \leftarrow c\,e^{m - m'} + \sum_j e^{s_j - m'} v_j

    and c / s is the context. Where \|q\|·\|k\| tells beforehand that no score is
    large, m stays 0, which spares the search for it.

    References
    ----------
    .. [1] Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018,
       algorithm 3.
    .. [2] Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with
       IO-Awareness", 2022, algorithm 1.
    """
    n_rows = max(1, min(q.shape[-2], _TILE_ROWS))
    n_keys = max(1, min(k.shape[-2], _TILE_KEYS))
    row_sum = np.empty((*out.shape[:-1], 1), out.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        for index in _slices(q.shape[:-2], n_rows * n_keys):
            _attend_slice(
                q[index],
                k[index],
                v[index],
                scale=scale * _LOG2_E,
                visibility=visibility.at(index),
                tile=(n_rows, n_keys),
                context=out[index],
                row_sum=row_sum[index],
            )
    empty = row_sum[..., 0] == 0
    if query_valid is not None:
        empty &= query_valid
        out[~query_valid] = 0
    refuse_empty_rows(operation, empty)


@dataclass(slots=True)
class _RunningSoftmax:
    """Sums over the keys that some queries have met so far."""

    context: FloatArray
    row_sum: FloatArray
    row_max: FloatArray | None
    is_finite: bool

    def meet(
        self, scores: FloatArray, v: FloatArray, visible: BoolArray | None
    ) -> None:
        """Add a tile of keys; `scores` is used up."""
        if self.row_max is not None:
            self._raise_max(scores, True if visible is None else visible)
        weights = np.exp2(scores, out=scores)
        if visible is not None:
            np.copyto(weights, 0, where=~visible)
        # A product with ones is faster than a sum along short rows.
        self.row_sum += weights @ np.ones((v.shape[-2], 1), v.dtype)
        if self.is_finite:
            self.context += weights @ v
        else:
            self.context += mix_visible(weights, v, _ALL if visible is None else visible)

    def _raise_max(self, scores: FloatArray, visible: BoolArray | bool) -> None:
        """Subtract the largest score so far, from the sums too."""
        row_max = np.maximum(
            self.row_max,
            scores.max(axis=-1, keepdims=True, initial=-np.inf, where=visible),
        )
        shift = np.where(np.isneginf(row_max), 0, row_max)
        shrink = np.exp2(self.row_max - shift)
        self.row_sum *= shrink
        self.context *= shrink
        self.row_max = row_max
        scores -= shift


def _attend_slice(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    *,
    scale: float,
    visibility: Visibility,
    tile: tuple[int, int],
    context: FloatArray,
    row_sum: FloatArray,
) -> None:
    """Go through the tiles of one head, or of a few heads at once."""
    is_bounded = abs(scale) * _largest_norm(q) * _largest_norm(k) <= _SAFE_EXPONENT
    is_finite = bool(np.isfinite(v.sum()))
    context[...] = 0
    row_sum[...] = 0
    keys_t = np.swapaxes(k, -1, -2)
    scratch = np.empty((*q.shape[:-2], tile[0] * tile[1]), q.dtype)
    for rows in _cut(0, q.shape[-2], tile[0]):
        softmax = _RunningSoftmax(
            context[..., rows, :],
            row_sum[..., rows, :],
            None if is_bounded else np.full_like(row_sum[..., rows, :], -np.inf),
            is_finite,
        )
        asking = q[..., rows, :] * scale
        start, stop = visibility.reach(rows, k.shape[-2])
        for keys in _cut(start, stop, tile[1]):
            shape = (*asking.shape[:-1], keys.stop - keys.start)
            size = shape[-1] * shape[-2]
            scores = scratch[..., :size].reshape(shape)
            np.matmul(asking, keys_t[..., keys], out=scores)
            softmax.meet(scores, v[..., keys, :], visibility.tile(rows, keys))
    np.divide(context, row_sum, out=context, where=row_sum != 0)


def _largest_norm(x: FloatArray) -> float:
    return math.sqrt(np.einsum("...d,...d->...", x, x).max(initial=0))


def _cut(start: int, stop: int, size: int) -> Iterator[slice]:
    """Cut a range into slices of one size; the last may be smaller."""
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))


def _slices(leading: tuple[int, ...], n_scores: int) -> Iterator[tuple[int, ...]]:
    """Take heads together while the tiles of all of them stay small."""
    together = bool(leading) and leading[-1] * n_scores <= _TILE_ROWS * _TILE_KEYS
    return np.ndindex(leading[:-1] if together else leading)


@lru_cache(maxsize=64)
def _near_mask(
    n_rows: int, n_keys: int, left: int | None, right: int | None, offset: int
) -> BoolArray:
    """Make the mask of a tile once: the tiles along a diagonal are alike."""
    return read_only(window_mask(n_rows, n_keys, left=left, right=right, offset=offset))
