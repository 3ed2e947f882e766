"""Attention tile by tile, so that the table of scores never exists as a whole."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, FloatArray
from attnviz.core.attention._products import mix_visible
from attnviz.core.attention._visibility import refuse_empty_rows
from attnviz.core.fast._scores import Scores
from attnviz.core.fast._visibility import Visibility, cut

# Up to here, neither a power of two nor a sum of a million of them leaves float32.
# Their products with values may; see `_fits`.
_SAFE_EXPONENT = 60.0
# A tile of scores stays in a processor's second-level cache.
_TILE_ROWS = 256
_TILE_KEYS = 512
_LEAST_ROWS = 64


def attend_in_tiles(
    operation: str,
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    *,
    scores: Scores,
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
    scores : Scores
        What happens to the dot products.
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
    large, and no value is extreme, m stays 0, which spares the search for it.

    References
    ----------
    .. [1] Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018,
       algorithm 3.
    .. [2] Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with
       IO-Awareness", 2022, algorithm 1.
    """
    n_rows, n_keys = _tile_shape(visibility, q.shape[-2], k.shape[-2])
    row_sum = np.zeros((*out.shape[:-1], 1), out.dtype)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        bound = scores.bound(_largest_norm(q) * _largest_norm(k))
        sizes = np.abs(v)
        largest = float(sizes.max(initial=0)) * scores.largest_dropout
        before = _RunningSoftmax(
            row_max=None
            if _fits(sizes, largest, bound) and scores.dropout is None
            else float(np.finfo(q.dtype).min),
            is_finite=math.isfinite(largest),
        )
        unit = _unit_of_sums(v, largest)
        v = v if unit == 1 else v / unit
        for index in _slices(q.shape[:-2], n_rows * n_keys):
            seen, own = visibility.at(index), scores.at(index)
            keys_t = np.swapaxes(k[index], -1, -2)
            if visibility.left is None:
                # All blocks of queries read these keys: lay them out for that once.
                keys_t = np.ascontiguousarray(keys_t)
            for rows in cut(0, q.shape[-2], n_rows):
                softmax = replace(before)
                asking = q[index][..., rows, :] * scores.factor
                for keys, visible in seen.tiles(rows, k.shape[-2], n_keys):
                    softmax.meet(
                        own.exponents(asking @ keys_t[..., keys], rows, keys),
                        v[index][..., keys, :],
                        own.hide(visible, rows, keys),
                        own.kept(rows, keys),
                    )
                context = out[index][..., rows, :]
                np.divide(softmax.context, softmax.row_sum / unit, out=context)
                row_sum[index][..., rows, :] = softmax.row_sum
    empty = row_sum[..., 0] == 0
    if query_valid is not None:
        out[~query_valid] = 0
        empty &= query_valid
    refuse_empty_rows(operation, empty)


@dataclass(slots=True)
class _RunningSoftmax:
    """Sums over the keys that some queries have met so far."""

    row_max: FloatArray | float | None
    is_finite: bool
    context: FloatArray | float = 0.0
    row_sum: FloatArray | float = 0.0

    def meet(
        self,
        scores: FloatArray,
        v: FloatArray,
        visible: BoolArray | None,
        kept: FloatArray | float,
    ) -> None:
        """Add a tile of keys; `scores` is used up, and only some weights are kept."""
        if self.row_max is not None:
            self._raise_max(scores, self.row_max, visible)
        weights = np.exp2(scores, out=scores)
        if visible is not None:
            np.copyto(weights, 0, where=~visible)
        # A product with ones is faster than a sum along short rows.
        self.row_sum = self.row_sum + weights @ np.ones((v.shape[-2], 1), v.dtype)
        if isinstance(kept, np.ndarray):
            weights = weights * kept
        if self.is_finite or visible is None:
            self.context = self.context + weights @ v
        else:
            self.context = self.context + mix_visible(weights, v, visible)

    def _raise_max(
        self,
        scores: FloatArray,
        before: FloatArray | float,
        visible: BoolArray | None,
    ) -> None:
        """Subtract the largest score so far, from the sums too."""
        row_max = scores.max(
            axis=-1,
            keepdims=True,
            initial=np.finfo(scores.dtype).min,
            where=True if visible is None else visible,
        )
        row_max = np.maximum(row_max, before)
        shrink = np.exp2(before - row_max)
        self.row_sum = self.row_sum * shrink
        self.context = self.context * shrink
        self.row_max = row_max
        scores -= row_max


def _largest_norm(x: FloatArray) -> float:
    return math.sqrt(np.einsum("...d,...d->...", x, x).max(initial=0))


def _fits(sizes: FloatArray, largest: float, bound: float) -> bool:
    """Tell whether powers of two up to ±bound keep all sums of values in range.

    Parameters
    ----------
    sizes : FloatArray of shape (..., T_k, d_v)
        Magnitudes of the values.
    largest : float
        The largest of them.
    bound : float
        Largest magnitude of an exponent.

    Returns
    -------
    fits : bool
        False for NaN, too.
    """
    if not bound <= _SAFE_EXPONENT:
        return False
    limits, power = np.finfo(sizes.dtype), math.pow(2, bound)
    lowest, highest = float(limits.tiny / limits.eps), float(limits.max)
    smallest = float(sizes.min(initial=np.inf))
    if smallest == 0:
        smallest = float(sizes.min(initial=np.inf, where=sizes > 0))
    fits_above = largest * power * sizes.shape[-2] < highest
    return fits_above and smallest / power > lowest


def _unit_of_sums(v: FloatArray, largest: float) -> float:
    """Choose what to divide values by so that no sum of them overflows, mostly 1."""
    n_keys = v.shape[-2]
    fits = largest * n_keys < float(np.finfo(v.dtype).max)
    return 1.0 if fits or not math.isfinite(largest) else 2.0 ** n_keys.bit_length()


def _slices(leading: tuple[int, ...], n_scores: int) -> Iterator[tuple[int, ...]]:
    """Go through all heads, or through all samples while their tiles stay small."""
    together = bool(leading) and leading[-1] * n_scores <= _TILE_ROWS * _TILE_KEYS
    return np.ndindex(leading[:-1] if together else leading)


def _tile_shape(visibility: Visibility, n_queries: int, n_keys: int) -> tuple[int, int]:
    """Choose smaller tiles for windows, whose edges cut through tiles."""
    rows, keys = _TILE_ROWS, _TILE_KEYS
    left, right = visibility.left, visibility.right
    if left is not None and right is not None:
        rows = min(rows, max(left + right, _LEAST_ROWS))
        keys = min(keys, rows + left + right)
    elif left is not None or right is not None:
        rows = min(rows, max(n_queries // 4, _LEAST_ROWS))
    return max(1, min(rows, n_queries)), max(1, min(keys, n_keys))
