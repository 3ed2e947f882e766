"""Matrices of one's own, ready to be shown: Q, K and V, or X with its projections."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from zlib import crc32

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.example.own.found import Found
from attnviz.example.own.matrix import require_finite
from attnviz.example.own.shapes import MAX_HEADS_OF_LAYER
from attnviz.example.reading.names import NAMES, SCORES, axes_of, written_name
from attnviz.example.sources.drawn import MAX_HEADS
from attnviz.example.sources.fixed import FixedMatrices, GivenMatrices, GivenWeights

# What has to be there, the first complete set counts, and what may be there besides.
SETS: Mapping[tuple[str, ...], tuple[str, ...]] = MappingProxyType(
    {
        ("x", "w_q", "w_k", "w_v"): ("x_k", "w_o", "weights"),
        ("q", "k", "v"): ("weights",),
        ("weights",): (),
    }
)
# The first eight heads of weights alone; and what no head ever used.
FIRST_GROUP, MEAN = "1", "mean"
GROUPS = (*(str(1 + i) for i in range(MAX_HEADS_OF_LAYER // MAX_HEADS)), MEAN)
_AXES = 3


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
        The numbers, row by row.
    kind : {"f8", "f4"}
        Their precision: single where that loses nothing.
    """

    name: str
    shape: tuple[int, ...]
    content: bytes = field(repr=False)
    kind: str = "f8"

    @classmethod
    def of(cls, name: str, matrix: FloatArray) -> "OwnMatrix":
        """Take an array, in as few bytes as hold it."""
        with np.errstate(all="ignore"):
            single = matrix.astype("f4")
        kind = "f4" if np.array_equal(single, matrix) else "f8"
        return cls(name, matrix.shape, matrix.astype(kind).tobytes(), kind)

    @property
    def stored(self) -> FloatArray:
        """The numbers in the precision they are kept in."""
        return np.frombuffer(self.content, self.kind).reshape(self.shape)

    @property
    def values(self) -> FloatArray:
        """The numbers in float64; nobody can write to them."""
        return read_only(self.stored.astype(np.float64))


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
    def n_layers(self) -> int:
        """Number of layers L, for each sample; only weights alone have several."""
        shape = self.matrices[0].shape
        return math.prod(shape[:-_AXES]) if self._is_of_weights else 1

    @property
    def n_samples(self) -> int:
        """Number of samples m of each layer."""
        shape = self.matrices[0].shape
        return shape[1] if self._is_of_weights and len(shape) > _AXES + 1 else 1

    @property
    def n_heads(self) -> int:
        """Number of heads H of one layer."""
        shape = self.matrices[0].shape
        return shape[-_AXES] if len(shape) >= _AXES else 1

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of heads that can be shown, by the number of each."""
        if not self._is_of_weights:
            return (FIRST_GROUP,)
        pages = range(1, math.ceil(self.n_heads / MAX_HEADS) + 1)
        return (*map(str, pages), *([MEAN] if self.n_heads > 1 else []))

    @property
    def n_bytes(self) -> int:
        """How much room the numbers take."""
        return sum(len(matrix.content) for matrix in self.matrices)

    @property
    def fixed(self) -> FixedMatrices | GivenMatrices | GivenWeights:
        """The matrices as an example takes them; the same objects for equal data."""
        return self.fixed_at(0, FIRST_GROUP)

    def fixed_at(
        self, layer: int, group: str
    ) -> FixedMatrices | GivenMatrices | GivenWeights:
        """Give what one layer shows of one group of its heads.

        Parameters
        ----------
        layer : int
            Its number, counted from 0.
        group : str
            One of `groups`: eight heads, or the mean of all.

        Raises
        ------
        SettingError
            If there is no such layer or group.
        """
        if layer >= self.n_layers:
            raise SettingError("unknown_choice", name="layer")
        if group not in self.groups:
            raise SettingError("unknown_choice", name="head_group")
        is_whole = self.n_layers == 1 and self.groups[:-1] in ((), (FIRST_GROUP,))
        if is_whole and group == FIRST_GROUP:
            return _fix(self)
        return _fix(self._part(layer, group))

    @property
    def _is_of_weights(self) -> bool:
        return self.matrices[0].name == "weights"

    def _part(self, layer: int, group: str) -> "OwnData":
        """Take the heads of one layer; nobody remembers a whole model for them."""
        weights = self.matrices[0].values.reshape(
            self.n_layers, *self.matrices[0].shape[-_AXES:]
        )[layer]
        if group == MEAN:
            heads = weights.mean(axis=0, keepdims=True)
        else:
            first = (int(group) - 1) * MAX_HEADS
            heads = weights[first : first + MAX_HEADS]
        return replace(self, matrices=(OwnMatrix.of("weights", heads),))


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
        words if len(words := found.labels.get(axis, ())) == size else ()
        for axis, size in (("query", sizes["T_q"]), ("key", n_keys))
    )
    if not labels and n_keys == sizes["T_q"]:  # words over columns alone are for both
        labels = key_labels
    if "x" in chosen:
        is_cross = "x_k" in chosen
    else:
        is_cross = n_keys != sizes["T_q"] or key_labels not in ((), labels)
    return OwnData(
        tuple(OwnMatrix.of(name, matrix) for name, matrix in chosen.items()),
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
        axes = axes_of(name)
        for axis, size in zip(axes, matrix.shape[-len(axes) :], strict=True):
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
