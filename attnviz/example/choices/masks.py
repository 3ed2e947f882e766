"""The masks a person can choose, and what each of them leaves visible."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, read_only
from attnviz.core.attention.masks import (
    causal_mask,
    combine_masks,
    padding_mask,
    window_mask,
)
from attnviz.core.errors import SettingError
from attnviz.example.edits import Edit, apply_edits

MaskKind = Literal[
    "none", "causal", "padding", "causal_padding", "causal_left_padding", "window"
]
MASK_KINDS: tuple[MaskKind, ...] = get_args(MaskKind)


@dataclass(frozen=True, slots=True)
class ChosenMask:
    """Who may see whom, and who counts; all arrays are read-only.

    Attributes
    ----------
    visible : BoolArray of shape (T_q, T_k)
        True where a query may see a key.
    key_valid : BoolArray of shape (T_k,)
        False where a key is padding.
    query_valid : BoolArray of shape (T_q,)
        False where a query is padding and sees nothing.
    """

    visible: BoolArray
    key_valid: BoolArray
    query_valid: BoolArray


def choose_mask(
    kind: MaskKind,
    len_q: int,
    len_k: int,
    *,
    is_cross: bool,
    n_padding: int,
    window_left: int,
    window_right: int,
    edits: Iterable[Edit] = (),
) -> ChosenMask:
    """Build the mask of an example.

    Queries and keys are both counted from the first, so a mask means the same with
    keys of another length.

    Parameters
    ----------
    kind : MaskKind
        Which keys are hidden.
    len_q, len_k : int
        Number of queries and keys.
    is_cross : bool
        Whether the keys are other positions than the queries; padding then concerns
        the keys alone.
    n_padding : int
        How many keys are padding; at least one is not.
    window_left, window_right : int
        Reach of the local window.
    edits : iterable of Edit, optional
        Cells of the mask that were drawn by hand.

    Returns
    -------
    mask : ChosenMask
        Three tables of booleans.

    Raises
    ------
    SettingError
        If a query that is no padding would see no key.
    """
    visible = mask_of_kind(
        kind,
        len_q,
        len_k,
        n_padding=n_padding,
        window_left=window_left,
        window_right=window_right,
    )
    visible = apply_edits(edits, "mask", visible)
    key_valid = _key_valid(kind, len_k, n_padding)
    is_token = np.ones(len_q, np.bool_) if is_cross else key_valid
    sees = np.asarray(visible.any(axis=-1))
    empty = np.flatnonzero(is_token & ~sees)
    if empty.size:
        raise SettingError("empty_row", row=int(empty[0]) + 1)
    return ChosenMask(read_only(visible), read_only(key_valid), read_only(sees))


def mask_of_kind(
    kind: MaskKind,
    len_q: int,
    len_k: int,
    *,
    n_padding: int,
    window_left: int,
    window_right: int,
) -> BoolArray:
    """Build what a kind of mask leaves visible by itself.

    Parameters
    ----------
    kind : MaskKind
        Which keys are hidden.
    len_q, len_k : int
        Number of queries and keys.
    n_padding : int
        How many keys are padding; at least one is not.
    window_left, window_right : int
        Reach of the local window.

    Returns
    -------
    visible : BoolArray of shape (T_q, T_k)
        Nothing drawn by hand; a query may see no key.
    """
    key_valid = _key_valid(kind, len_k, n_padding)
    visible = combine_masks(np.ones((len_q, len_k), np.bool_), padding_mask(key_valid))
    if kind.startswith("causal"):
        visible &= causal_mask(len_q, len_k, offset=0)
    if kind == "window":
        visible &= window_mask(
            len_q, len_k, left=window_left, right=window_right, offset=0
        )
    return visible


def _key_valid(kind: MaskKind, length: int, n_padding: int) -> BoolArray:
    """Mark padding at the end or at the start, but never every key."""
    place = np.arange(length)
    padding = min(n_padding, length - 1)
    if kind == "causal_left_padding":
        return place >= padding
    if kind.endswith("padding"):
        return place < length - padding
    return np.ones(length, np.bool_)
