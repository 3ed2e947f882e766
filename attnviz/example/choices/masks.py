"""The masks a person can choose: who sees whom, told once for all who ask."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attnviz.core.arrays.shapes import BoolArray, IntArray, read_only
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
Parameters = Mapping[str, int]
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MaskRule:
    """One reason for which a key is hidden; a kind of mask has any number of them.

    Attributes
    ----------
    name : str
        What it is called.
    parameters : tuple of str
        Settings of the example that it depends on.
    condition : str
        When query i sees key j, as a script says it; the parameters stand in braces,
        with `n_padding` as many as there are of the keys.
    sees : callable or None
        Takes the number of queries and of keys, and the parameters; gives what each
        query sees.
    is_valid : callable or None
        Takes the place of each key, their number, and how many are padding; tells
        which of them are none.
    """

    name: str
    condition: str
    parameters: tuple[str, ...] = ()
    sees: Callable[[int, int, Parameters], BoolArray] | None = None
    is_valid: Callable[[IntArray, int, int], BoolArray] | None = None


CAUSAL = MaskRule(
    "causal", "j <= i", sees=lambda len_q, len_k, _: causal_mask(len_q, len_k, offset=0)
)
PADDING = MaskRule(
    "padding",
    "j < len_k - {n_padding}",
    ("n_padding",),
    is_valid=lambda place, length, padding: place < length - padding,
)
LEFT_PADDING = MaskRule(
    "left_padding",
    "j >= {n_padding}",
    ("n_padding",),
    is_valid=lambda place, _, padding: place >= padding,
)
WINDOW = MaskRule(
    "window",
    "(j >= i - {window_left}) & (j <= i + {window_right})",
    ("window_left", "window_right"),
    sees=lambda len_q, len_k, reach: window_mask(
        len_q,
        len_k,
        left=reach["window_left"],
        right=reach["window_right"],
        offset=0,
    ),
)
MASK_RULES: Mapping[MaskKind, tuple[MaskRule, ...]] = MappingProxyType(
    {
        "none": (),
        "causal": (CAUSAL,),
        "padding": (PADDING,),
        "causal_padding": (CAUSAL, PADDING),
        "causal_left_padding": (CAUSAL, LEFT_PADDING),
        "window": (WINDOW,),
    }
)


def parameters_of(kind: MaskKind) -> tuple[str, ...]:
    """Name the settings of the example that a kind of mask depends on."""
    names = [name for rule in MASK_RULES[kind] for name in rule.parameters]
    return tuple(dict.fromkeys(names))


# All of them, in the order of their kinds.
MASK_PARAMETERS = tuple(
    dict.fromkeys(name for kind in MASK_KINDS for name in parameters_of(kind))
)


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
    parameters: Parameters,
    *,
    is_cross: bool,
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
    parameters : mapping of str to int
        What the rules of all kinds depend on. Of the keys, at least one is no padding.
    is_cross : bool
        Whether the keys are other positions than the queries; padding then concerns
        the keys alone.
    edits : iterable of Edit, optional
        Cells of the mask that were drawn by hand.

    Returns
    -------
    mask : ChosenMask
        Three tables of booleans; the same object for equal arguments while it is
        remembered.

    Raises
    ------
    SettingError
        If a query that is no padding would see no key.
    """
    drawn = tuple(edit for edit in edits if edit.name == "mask")
    return _chosen(kind, len_q, len_k, tuple(parameters.items()), is_cross, drawn)


@lru_cache(maxsize=32)
def _chosen(
    kind: MaskKind,
    len_q: int,
    len_k: int,
    given: tuple[tuple[str, int], ...],
    is_cross: bool,
    edits: tuple[Edit, ...],
) -> ChosenMask:
    parameters = dict(given)
    visible = apply_edits(edits, "mask", mask_of_kind(kind, len_q, len_k, parameters))
    key_valid = _key_valid(kind, len_k, parameters)
    is_token = np.ones(len_q, np.bool_) if is_cross else key_valid
    sees = np.asarray(visible.any(axis=-1))
    empty = np.flatnonzero(is_token & ~sees)
    if empty.size:
        raise SettingError("empty_row", row=int(empty[0]) + 1)
    return ChosenMask(read_only(visible), read_only(key_valid), read_only(sees))


def mask_of_kind(
    kind: MaskKind, len_q: int, len_k: int, parameters: Parameters
) -> BoolArray:
    """Build what a kind of mask leaves visible by itself.

    Parameters
    ----------
    kind : MaskKind
        Which keys are hidden.
    len_q, len_k : int
        Number of queries and keys.
    parameters : mapping of str to int
        As in `choose_mask`.

    Returns
    -------
    visible : BoolArray of shape (T_q, T_k)
        Nothing drawn by hand; a query may see no key.
    """
    seen = [
        rule.sees(len_q, len_k, parameters)
        for rule in MASK_RULES[kind]
        if rule.sees is not None
    ]
    padding = padding_mask(_key_valid(kind, len_k, parameters))
    return combine_masks(np.ones((len_q, len_k), np.bool_), padding, *seen)


def hiding_rules(
    kind: MaskKind, len_q: int, len_k: int, parameters: Parameters, place: Place
) -> tuple[str, ...]:
    """Say why a kind of mask hides a key.

    Parameters
    ----------
    kind : MaskKind
        Which keys are hidden.
    len_q, len_k : int
        Number of queries and keys.
    parameters : mapping of str to int
        As in `choose_mask`.
    place : tuple of int
        Query and key, counted from 0.

    Returns
    -------
    names : tuple of str
        Rules that hide the key from the query; none where it is visible.
    """
    query, key = place

    def hides(rule: MaskRule) -> bool:
        if rule.sees is not None:
            return not rule.sees(len_q, len_k, parameters)[query, key]
        return not _valid_by(rule, len_k, parameters)[key]

    return tuple(rule.name for rule in MASK_RULES[kind] if hides(rule))


def _key_valid(kind: MaskKind, length: int, parameters: Parameters) -> BoolArray:
    """Mark padding, by all rules of a kind."""
    valid = np.ones(length, np.bool_)
    for rule in MASK_RULES[kind]:
        valid &= _valid_by(rule, length, parameters)
    return valid


def _valid_by(rule: MaskRule, length: int, parameters: Parameters) -> BoolArray:
    """Mark padding, but never every key."""
    if rule.is_valid is None:
        return np.ones(length, np.bool_)
    padding = min(parameters["n_padding"], length - 1)
    return rule.is_valid(np.arange(length), length, padding)
