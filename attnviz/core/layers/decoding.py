"""Decoding step by step: keys and values are kept, so each is projected once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    IntArray,
    as_floats,
    as_mask,
    bind_shapes,
    expect,
    read_only,
)
from attnviz.core.attention._turning import apply_turn
from attnviz.core.attention.heads import project_heads, share_heads
from attnviz.core.attention.masks import combine_masks, window_mask
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
    join_heads,
)
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import MaskError, ShapeError
from attnviz.core.positions.sinusoidal import positions_from_valid


@dataclass(frozen=True, slots=True, repr=False)
class KeyValueCache(Record):
    """Keys and values of the positions decoded so far, as read-only copies.

    Queries are not kept: no later step needs them.

    Attributes
    ----------
    k : FloatArray of shape (..., H_kv, T, d_k)
        Keys of each key–value head, turned already if positions are rotary.
    v : FloatArray of shape (..., H_kv, T, d_v)
        Values of each key–value head.
    valid : BoolArray of shape (..., T)
        False where a position is padding; later queries do not see it, and positions
        are counted without it.

    Examples
    --------
    >>> k, v = np.ones((2, 5, 3)), np.ones((2, 5, 7))
    >>> KeyValueCache(k, v, valid=[True] * 5).length
    5
    """

    k: FloatArray
    v: FloatArray
    valid: BoolArray

    def __post_init__(self) -> None:
        """Keep copies, and check their sizes against each other.

        Raises
        ------
        ShapeError
            If keys, values and their validity disagree.
        MaskError
            If the validity is not boolean.
        """
        k, v = as_floats("KeyValueCache", k=self.k, v=self.v)
        valid = as_mask("KeyValueCache", "valid", self.valid).copy()
        bind_shapes("KeyValueCache", k=(k, "H_kv T d_k"), v=(v, "H_kv T d_v"))
        wanted = (*k.shape[:-3], k.shape[-2])
        if valid.shape != wanted:
            raise ShapeError(
                f"KeyValueCache: `valid` needs shape {wanted} (from `k`); "
                f"got {valid.shape}"
            )
        for name, array in {"k": k, "v": v, "valid": valid}.items():
            object.__setattr__(self, name, read_only(array))

    @property
    def length(self) -> int:
        """Number of positions kept, padding included."""
        return int(self.k.shape[-2])


def decode_step(
    x_t: npt.ArrayLike,
    cache: KeyValueCache | None = None,
    *,
    parameters: MultiHeadParameters,
    valid: npt.ArrayLike | None = None,
    window: int | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    temperature: float = 1.0,
    turn: Callable[[FloatArray, IntArray], FloatArray] | None = None,
) -> tuple[MultiHeadTrace, KeyValueCache]:
    r"""Attend from new positions to all so far, and keep their keys and values.

    Parameters
    ----------
    x_t : array_like of shape (..., n, d) or (d,)
        Inputs of the next n positions: one while generating, many for a prompt.
    cache : KeyValueCache, optional
        What the step before gave back; None starts from nothing.
    parameters : MultiHeadParameters
        The projections.
    valid : array_like of bool, shape (..., n), optional
        False where a new position is padding, as at the left of a short prompt. Its
        context is 0, and no query sees it.
    window : int, optional
        How many earlier positions a query sees besides its own; all if left out.
    bias : array_like of shape (..., H, n, T + n), optional
        Added to the scaled scores, such as ``alibi_bias(H, n, T + n)``.
    scale, softcap, temperature : optional
        As in `attend`.
    turn : callable, optional
        Applied as ``turn(x, positions)`` to queries and keys of shape
        (..., H, n, d_k), such as `rotate`. Positions carry on from the cache.

    Returns
    -------
    trace : MultiHeadTrace
        Every stage for the n new queries and all T + n keys.
    cache : KeyValueCache
        The given cache, which stays as it is, and the new positions.

    Raises
    ------
    ShapeError
        If the input, the cache and the parameters do not fit.
    MaskError
        If `valid` is not boolean or has another shape.
    ValueError
        If a number is out of its range.
    TypeError
        If the cache, the parameters or the turn is of another kind.

    Notes
    -----
    The steps give the rows of one causal computation over all positions: row t needs
    no key after t, so nothing computed before has to be touched again.

    Positions that are *added* to the input come before this function:
    ``x_t + sinusoidal_positions([cache.length], d)``.

    References
    ----------
    .. [1] Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019,
       section 2.4.
    .. [2] Course chapter, step-by-step decoding with a cache (R139, R142).

    Examples
    --------
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> trace, cache = decode_step([1.0, 0.0], parameters=layer)
    >>> trace, cache = decode_step([0.0, 1.0], cache, parameters=layer)
    >>> trace.output.round(4), cache.length
    (array([[0.3302, 0.6698]]), 2)
    """
    expect("decode_step", "parameters", parameters, MultiHeadParameters)
    if cache is not None:
        kept: object = cache
        if isinstance(kept, tuple):
            raise TypeError(
                "decode_step: `cache` needs KeyValueCache; got tuple. A step returns a "
                "pair: write trace, cache = decode_step(…)"
            )
        expect("decode_step", "cache", cache, KeyValueCache)
    p = parameters
    rows = _rows(x_t, p)
    fresh = _validity(valid, rows.shape[:-1])
    past = _nothing(rows, p) if cache is None else _fit(cache, rows, p)
    known = np.concatenate([past.valid, fresh], axis=-1)
    q = project_heads(rows, p.w_q, p.b_q)
    k = project_heads(rows, p.w_k, p.b_k)
    v = project_heads(rows, p.w_v, p.b_v)
    n_new = rows.shape[-2]
    at_place = None
    if turn is not None:
        positions = positions_from_valid(known)[..., None, past.length :]
        at_place = partial(_turn_at, turn, positions)
        k = at_place(k)
    now = KeyValueCache(
        k=np.concatenate([past.k, k], axis=-2),
        v=np.concatenate([past.v, v], axis=-2),
        valid=known,
    )
    attention = attend(
        q if at_place is None else at_place(q),
        share_heads(now.k, p.n_heads),
        share_heads(now.v, p.n_heads),
        visible=combine_masks(
            window_mask(n_new, now.length, left=window, right=0),
            known[..., None, None, :],
        ),
        query_valid=fresh[..., None, :],
        bias=bias,
        scale=scale,
        softcap=softcap,
        temperature=temperature,
    )
    inputs = read_only(rows), None, None
    trace = join_heads(q, now.k, now.v, attention, p, inputs=inputs, turn=at_place)
    return trace, now


def _turn_at(
    turn: Callable[[FloatArray, IntArray], FloatArray],
    positions: IntArray,
    x: FloatArray,
) -> FloatArray:
    turned = apply_turn("decode_step", turn, x, positions)
    if turned.shape != x.shape:
        raise ShapeError(
            f"decode_step: `turn` needs to keep the shape {x.shape}; got {turned.shape}"
        )
    return turned


def _rows(x_t: npt.ArrayLike, parameters: MultiHeadParameters) -> FloatArray:
    """Take the new inputs, a single vector as one row."""
    (given,) = as_floats("decode_step", x_t=x_t)
    rows = given[None] if given.ndim == 1 else given
    bind_shapes("decode_step", w_q=(parameters.w_q, "H d d_k"), x_t=(rows, "n d"))
    return rows


def _validity(valid: npt.ArrayLike | None, shape: tuple[int, ...]) -> BoolArray:
    """Take the validity of the new positions; all are valid if nothing is said."""
    if valid is None:
        return np.ones(shape, dtype=np.bool_)
    mask = as_mask("decode_step", "valid", valid)
    if mask.shape != shape:
        raise MaskError(
            f"decode_step: `valid` needs shape {shape} (from `x_t`); got {mask.shape}"
        )
    return mask


def _nothing(rows: FloatArray, parameters: MultiHeadParameters) -> KeyValueCache:
    """Make the cache of a sequence that has not begun."""
    leading = rows.shape[:-2]
    heads, _, d_k = parameters.w_k.shape
    d_v = parameters.w_v.shape[-1]
    return KeyValueCache(
        k=np.empty((*leading, heads, 0, d_k), dtype=rows.dtype),
        v=np.empty((*leading, heads, 0, d_v), dtype=rows.dtype),
        valid=np.empty((*leading, 0), dtype=np.bool_),
    )


def _fit(
    cache: KeyValueCache, rows: FloatArray, parameters: MultiHeadParameters
) -> KeyValueCache:
    """Refuse a cache of other sizes than this step's."""
    wanted = _nothing(rows, parameters)
    for name in ("k", "v"):
        kept, made = getattr(cache, name).shape, getattr(wanted, name).shape
        if (*kept[:-2], kept[-1]) != (*made[:-2], made[-1]):
            shape = str((*made[:-2], "T", made[-1])).replace("'", "")
            raise ShapeError(
                f"decode_step: `cache` needs {name} of shape {shape} for this input "
                f"and these parameters; got {kept}"
            )
    return cache
