"""Matrices of one's own, ready to be shown: Q, K and V, or X with its projections."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from zlib import crc32

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.reading.found import Found
from attnviz.example.reading.matrix import require_finite
from attnviz.example.reading.names import NAMES, SCORES, axes_of, written_name
from attnviz.example.sources.fixed import FixedMatrices, GivenMatrices, GivenWeights
from attnviz.example.sources.tokens import clean_label

# What has to be there, the first complete set counts, and what may be there besides.
SETS: Mapping[tuple[str, ...], tuple[str, ...]] = MappingProxyType(
    {
        ("x", "w_q", "w_k", "w_v"): ("x_k", "w_o", "weights"),
        ("q", "k", "v"): ("weights",),
        ("weights",): (),
    }
)


@dataclass(frozen=True, slots=True)
class OwnMatrix:
    """One matrix as a value that can be compared and remembered.

    Attributes
    ----------
    name : str
        One of NAMES.
    shape : tuple of int
        One size for each axis.
    content : bytes
        The numbers in float64, row by row.
    """

    name: str
    shape: tuple[int, ...]
    content: bytes = field(repr=False)

    @property
    def values(self) -> FloatArray:
        """The numbers; nobody can write to them."""
        return np.frombuffer(self.content).reshape(self.shape)


@dataclass(frozen=True, slots=True)
class OwnData:
    """Matrices that belong together; equal if all their numbers and labels are.

    Attributes
    ----------
    matrices : tuple of OwnMatrix
        In the order of NAMES.
    is_cross : bool
        Whether the keys are other positions than the queries.
    labels, key_labels : tuple of str
        Words at the queries and, with `is_cross`, at the keys; may be empty.
    """

    matrices: tuple[OwnMatrix, ...]
    is_cross: bool = False
    labels: tuple[str, ...] = ()
    key_labels: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that tell these matrices from others."""
        parts = [repr(self).encode(), *(matrix.content for matrix in self.matrices)]
        return f"{crc32(b''.join(parts)):08x}"

    @property
    def scoring(self) -> str | None:
        """The one kind of score whose learned parts are there; else None."""
        names = {matrix.name for matrix in self.matrices}
        kinds = [kind for kind, parts in SCORES.items() if names.issuperset(parts)]
        return kinds[0] if len(kinds) == 1 else None

    @property
    def fixed(self) -> FixedMatrices | GivenMatrices | GivenWeights:
        """The matrices as an example takes them; the same objects for equal data."""
        return _fix(self)


def choose_own(found: Found) -> OwnData:
    """Choose what can be shown of what was found.

    Parameters
    ----------
    found : Found
        Matrices by name.

    Returns
    -------
    own : OwnData
        X with W_Q, W_K, W_V and, if they are there, X_K and W_O; else Q, K and V;
        with either, the learned parts of a score that are there, and weights to be
        compared, of whatever shape and with NaN if it is there; else weights alone.
        Weights of an export of this app follow from the rest, and are left out.

    Raises
    ------
    SettingError
        If no set is complete, two matrices disagree about a size, or weights alone
        are no finite numbers.
    """
    wanted = _complete_set(found)
    chosen = {
        name: found.arrays[name]
        for name in NAMES
        if name in wanted and name in found.arrays
    }
    if wanted == {"weights"}:
        # As it is written: a single head has no axis.
        (weights,) = chosen.values()
        require_finite("weights", weights[0] if len(weights) == 1 else weights)
        sizes = _bind(chosen)
    else:
        if found.settings:
            chosen.pop("weights", None)
        sizes = _bind({name: chosen[name] for name in chosen if name != "weights"})
    n_keys = sizes.get("T_k", sizes["T_q"])
    labels, key_labels = (
        tuple(map(clean_label, words))
        if len(words := found.labels.get(axis, ())) == size
        else ()
        for axis, size in (("query", sizes["T_q"]), ("key", n_keys))
    )
    if "x" in chosen:
        is_cross = "x_k" in chosen
    else:
        is_cross = n_keys != sizes["T_q"] or key_labels not in ((), labels)
    return OwnData(
        tuple(
            OwnMatrix(name, matrix.shape, np.ascontiguousarray(matrix).tobytes())
            for name, matrix in chosen.items()
        ),
        is_cross,
        labels,
        key_labels if is_cross else (),
    )


def _complete_set(found: Found) -> set[str]:
    """Name what is shown, or say what is missing from the set that is nearest."""
    for needed, optional in SETS.items():
        if found.arrays.keys() >= set(needed):
            return {*needed, *optional, *_complete_scores(found, needed)}
    if not found.arrays:
        raise SettingError("own_nothing")
    needed = max(SETS, key=lambda names: len(found.arrays.keys() & set(names)))
    raise _missing(found, needed)


def _complete_scores(found: Found, needed: tuple[str, ...]) -> set[str]:
    """Name the learned parts of scores; weights alone have no use for any."""
    if needed == ("weights",):
        return set()
    parts: set[str] = set()
    for names in SCORES.values():
        there = found.arrays.keys() & set(names)
        if there and len(there) < len(names):
            raise _missing(found, names)
        parts |= there
    return parts


def _missing(found: Found, needed: tuple[str, ...]) -> SettingError:
    there = [written_name(name) for name in NAMES if name in found.arrays]
    missing = [written_name(name) for name in needed if name not in found.arrays]
    return SettingError(
        "own_missing", found=", ".join(there), missing=", ".join(missing)
    )


def _bind(chosen: Mapping[str, FloatArray]) -> dict[str, int]:
    """Find the size of each axis, the same in every matrix that has it."""
    sizes: dict[str, int] = {}
    owners: dict[str, str] = {}
    for name, matrix in chosen.items():
        for axis, size in zip(axes_of(name), matrix.shape, strict=True):
            owner = owners.setdefault(axis, name)
            if axis == "H·d_v":
                owner, sizes[axis] = "w_v", sizes["H"] * sizes["d_v"]
            if sizes.setdefault(axis, size) != size:
                raise SettingError(
                    "own_disagree",
                    matrix=written_name(name),
                    other=written_name(owner),
                    axis=axis,
                    got=size,
                    wanted=sizes[axis],
                )
    return sizes


@lru_cache(maxsize=32)
def _fix(own: OwnData) -> FixedMatrices | GivenMatrices | GivenWeights:
    arrays = {matrix.name: matrix.values for matrix in own.matrices}
    weights = arrays.pop("weights", None)
    if weights is not None and not arrays:
        return GivenWeights(weights, own.is_cross, own.labels, own.key_labels)
    scoring = {
        name.removeprefix("score_"): arrays.pop(name)
        for names in SCORES.values()
        for name in names
        if name in arrays
    }
    labels, key_labels = own.labels, own.key_labels
    if "x" in arrays:
        return FixedMatrices(
            **arrays,
            labels=labels,
            key_labels=key_labels,
            scoring=scoring,
            claimed=weights,
        )
    q, k, v = (arrays[name] for name in "qkv")
    return GivenMatrices(
        q, k, v, own.is_cross, labels, key_labels, scoring, claimed=weights
    )
