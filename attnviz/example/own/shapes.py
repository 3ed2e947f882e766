"""The shapes that matrices of one's own may have."""

import math

from attnviz.core.errors import SettingError
from attnviz.example.matrices import AXES, MATRICES
from attnviz.example.reading.names import axes_of, written_name

# Weights alone may come from a whole model; a page shows eight heads of one layer.
MAX_LAYERS, MAX_HEADS_OF_LAYER = 64, 32
WEIGHTS = "weights"


def fitting_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Check the shape of a matrix, and give it an axis for each of its own.

    Parameters
    ----------
    name : str
        One of NAMES.
    shape : tuple of int
        As found. Leading axes of size 1, such as a batch of one, may be there too; a
        single axis is one row.

    Returns
    -------
    shape : tuple of int
        One size for each axis, the number of heads included; of weights of several
        layers, the number of layers before it, and that of samples if there are more.

    Raises
    ------
    SettingError
        If there are too few or too many axes, or a size is out of its limits.
    """
    axes = axes_of(name)
    sizes = shape
    while len(sizes) > len(axes) and sizes[0] == 1:
        sizes = sizes[1:]
    if len(sizes) == 1 < len(axes) and sizes[0]:
        sizes = (1, *sizes)
    if axes[0] == "H" and len(sizes) == len(axes) - 1:
        sizes = (1, *sizes)
    symbol = written_name(name)
    if name == WEIGHTS and len(sizes) > len(axes):
        return _layered(symbol, shape, sizes)
    if len(sizes) != len(axes):
        wanted = "×".join(axes)
        if axes[0] == "H":
            wanted = f"{'×'.join(axes[1:])} / {wanted}"
        raise SettingError(
            "own_axes", matrix=symbol, got=as_shape(shape), wanted=wanted
        )
    limits = [(AXES[axis].symbol, AXES[axis].most) for axis in MATRICES[name].axes]
    if name == WEIGHTS:
        limits[0] = ("H", MAX_HEADS_OF_LAYER)
    _check(symbol, shape, sizes, limits)
    return sizes


def _layered(
    symbol: str, shape: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[int, ...]:
    """Count what stands before heads, queries and keys as layers, then as samples."""
    outer = shape[:-3]
    if len(outer) != 2 or outer[1] == 1:
        outer = tuple(size for size in outer if size != 1)
    if len(outer) > 2:
        raise SettingError(
            "own_axes", matrix=symbol, got=as_shape(shape), wanted="L×m×H×T_q×T_k"
        )
    whole = (*outer, *sizes[-3:])
    limits = [("H", MAX_HEADS_OF_LAYER)]
    limits += [
        (axis, AXES[name].most) for axis, name in (("T_q", "query"), ("T_k", "key"))
    ]
    _check(symbol, shape, sizes[-3:], limits)
    if outer:
        count = "L" if len(outer) == 1 else "L·m"
        _check(symbol, shape, (math.prod(outer),), [(count, MAX_LAYERS)])
    return whole


def _check(
    symbol: str,
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
    limits: list[tuple[str, int]],
) -> None:
    for (axis, most), size in zip(limits, sizes, strict=True):
        if not 1 <= size <= most:
            raise SettingError(
                "own_size", matrix=symbol, got=as_shape(shape), axis=axis, most=most
            )


def as_shape(shape: tuple[int, ...]) -> str:
    """Write a shape as it stands on screen.

    Parameters
    ----------
    shape : tuple of int
        Sizes, from anyone.

    Returns
    -------
    text : str
        Such as "2×5×4"; astronomic sizes are cut.
    """
    if not shape:
        return "1"
    sizes = [str(size) if size < 10**9 else "10⁹…" for size in shape[:6]]
    return "×".join(sizes if len(shape) <= 6 else [*sizes, "…"])
