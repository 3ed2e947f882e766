"""Who may see whom, told tile by tile without the whole table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from attnviz.core.arrays.shapes import BoolArray, read_only
from attnviz.core.attention.masks import window_mask


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
        """Take what holds for one sample or one head."""
        return self if self.given is None else replace(self, given=self.given[index])

    def tile(self, rows: slice, keys: slice) -> BoolArray | None:
        """Give the mask of some queries and keys; None where all see all."""
        near = self._near(rows, keys)
        if self.given is None:
            return near
        given = self.given[..., rows, keys]
        return given if near is None else given & near

    def tiles(
        self, rows: slice, n_keys: int, size: int
    ) -> Iterator[tuple[slice, BoolArray | None]]:
        """Cut up the keys that some queries may see by their position, with masks."""
        start, stop = 0, n_keys
        if self.left is not None:
            start = max(start, rows.start + self.offset - self.left)
        if self.right is not None:
            stop = min(stop, rows.stop + self.offset + self.right)
        for keys in cut(start, stop, size):
            yield keys, self.tile(rows, keys)

    def _near(self, rows: slice, keys: slice) -> BoolArray | None:
        offset = rows.start + self.offset - keys.start
        n_rows, n_keys = rows.stop - rows.start, keys.stop - keys.start
        sees_first = self.left is None or offset + n_rows - 1 <= self.left
        sees_last = self.right is None or offset + self.right >= n_keys - 1
        if sees_first and sees_last:
            return None
        return _near_mask(n_rows, n_keys, self.left, self.right, offset)


def cut(start: int, stop: int, size: int) -> Iterator[slice]:
    """Cut a range into slices of one size; the last may be shorter."""
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))


@lru_cache(maxsize=64)
def _near_mask(
    n_rows: int, n_keys: int, left: int | None, right: int | None, offset: int
) -> BoolArray:
    """Make the mask of a tile once: the tiles along a diagonal are alike."""
    return read_only(window_mask(n_rows, n_keys, left=left, right=right, offset=offset))
