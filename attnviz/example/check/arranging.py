"""Which result is which: by name, by shape, and by its numbers."""

from collections.abc import Iterator, Sequence

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.check.brought import Brought
from attnviz.example.check.expecting import Expected, Placed, place
from attnviz.example.check.kinds import KIND_RULES
from attnviz.example.own.shapes import as_shape

# What a shape that is due nowhere may be after all: contexts that were not merged, or
# weights over the wrong axis.
_ODD = ("context", "weights")


def arrange(expected: Sequence[Expected], brought: Brought) -> Iterator[list[Placed]]:
    """Put results beside what they may be, the likeliest arrangement first.

    Yields
    ------
    placed : list of Placed
        Results of one family, at least one.

    Raises
    ------
    SettingError
        If there is none of what is asked for.
    """
    by_kind = {each.kind: each for each in expected}
    named = [
        place(array, by_kind[kind])
        for kind, array in brought.results.items()
        if kind in by_kind
    ]
    taken = {one.expected.kind for one in named}
    free = [each for each in expected if each.kind not in taken]
    arrays = [*_parts(brought.unnamed, expected)]
    if not named and not (arrays and free):
        raise SettingError("check_not_asked")
    if named or len(arrays) > 1:
        placed = _of_one_family([*named, *_one_each(arrays, free)])
        if placed:
            yield placed
        return
    for option in _options(arrays[0], free):
        yield [option]


def _options(array: FloatArray, free: Sequence[Expected]) -> list[Placed]:
    """Give all that a result may be, the nearest first."""
    each = [place(array, one) for one in free]
    fitting = [one for one in each if one.values is not None]
    if fitting:
        return sorted(fitting, key=_distance)
    odd = {one.expected.kind: one for one in each}
    return [odd[kind] for kind in _ODD if kind in odd] or each


def _one_each(arrays: Sequence[FloatArray], free: Sequence[Expected]) -> list[Placed]:
    """Give each result the kind that is nearest to it, and no kind twice."""
    left = list(free)
    placed = []
    for array in arrays:
        each = [place(array, one) for one in left]
        best = min(each, key=_distance, default=None)
        if best is not None and best.values is not None:
            placed.append(best)
            left.remove(best.expected)
    return placed


def _of_one_family(placed: list[Placed]) -> list[Placed]:
    family = placed[0].expected.rule.family if placed else ""
    return [one for one in placed if one.expected.rule.family == family]


def _distance(placed: Placed) -> float:
    return float(placed.gaps.max())


def _parts(
    unnamed: Sequence[FloatArray], expected: Sequence[Expected]
) -> Iterator[FloatArray]:
    """Take results apart that were printed as one tuple."""
    for array in unnamed:
        whole = any(place(array, one).values is not None for one in expected)
        inner = array.ndim > 2 and any(
            place(each, one).values is not None for each in array for one in expected
        )
        if inner and not whole:
            yield from array
        else:
            yield array


def left_out(brought: Brought, placed: Sequence[Placed]) -> tuple[str, ...]:
    """Name the results that were not judged, by their shapes."""
    used = [one.given for one in placed]
    whole = [*brought.results.values(), *brought.unnamed]
    return tuple(
        as_shape(array.shape)
        for array in whole
        if not any(np.may_share_memory(array, given) for given in used)
    )


def misfit(expected: Sequence[Expected], brought: Brought) -> SettingError:
    """Say which shapes a result may have."""
    got = next(iter((*brought.results.values(), *brought.unnamed)))
    wanted = ", ".join(
        f"{KIND_RULES[one.kind].symbol} {as_shape(one.shape)}" for one in expected
    )
    return SettingError("check_shape", got=as_shape(got.shape), wanted=wanted)
