"""The names under which matrices of one's own are known, and their limits."""

import re
from types import MappingProxyType

from attnviz.core.errors import SettingError
from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH

# What each axis counts; an axis of heads may be missing where there is one head.
AXES = MappingProxyType(
    {
        "x": ("T_q", "d"),
        "x_k": ("T_k", "d"),
        "w_q": ("H", "d", "d_k"),
        "w_k": ("H", "d", "d_k"),
        "w_v": ("H", "d", "d_v"),
        "w_o": ("H·d_v", "d"),
        "q": ("H", "T_q", "d_k"),
        "k": ("H", "T_k", "d_k"),
        "v": ("H", "T_k", "d_v"),
        "score_w": ("d_k", "d_k"),
        "score_w_q": ("d_a", "d_k"),
        "score_w_k": ("d_a", "d_k"),
        "score_v": ("d_a",),
        "weights": ("H", "T_q", "T_k"),
    }
)
NAMES = tuple(AXES)
# Learned parts of a score, by its kind: an export names them so.
SCORES = MappingProxyType(
    {"bilinear": ("score_w",), "additive": ("score_w_q", "score_w_k", "score_v")}
)
_AS_NAMED = tuple(name for names in SCORES.values() for name in names)
SYMBOLS = MappingProxyType(
    {name: name if name in _AS_NAMED else name.upper() for name in NAMES}
    | {"weights": "A"}
)
# A matrix without a name is taken for this one.
UNNAMED = "weights"
_MOST = MappingProxyType(
    {
        "T_q": MAX_LENGTH,
        "T_k": MAX_LENGTH,
        "d": MAX_WIDTH,
        "d_k": MAX_WIDTH,
        "d_v": MAX_WIDTH,
        "d_a": MAX_WIDTH,
        "H": MAX_HEADS,
        "H·d_v": MAX_HEADS * MAX_WIDTH,
    }
)
_ALSO = MappingProxyType(
    {
        "query": "q",
        "queries": "q",
        "key": "k",
        "keys": "k",
        "value": "v",
        "values": "v",
        "a": "weights",
        "attention": "weights",
        "attentions": "weights",
        "attentionweights": "weights",
        "attnweights": "weights",
    }
)
_KNOWN = MappingProxyType({name.replace("_", ""): name for name in NAMES} | _ALSO)


def known_name(text: str) -> str | None:
    """Recognize the name of a matrix, however it is spelled.

    Parameters
    ----------
    text : str
        A title, a key, or the name of a file, from anyone.

    Returns
    -------
    name : str or None
        One of NAMES; None if it is none of them.

    Examples
    --------
    >>> known_name("W_Q"), known_name("wq"), known_name("Attention weights")
    ('w_q', 'w_q', 'weights')
    """
    return _KNOWN.get(re.sub(r"[\W_]", "", text[:40]).lower())


def fitting_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Check the shape of a matrix, and give it an axis for each of AXES.

    Parameters
    ----------
    name : str
        One of NAMES.
    shape : tuple of int
        As found. Leading axes of size 1, such as a batch of one, may be there too.

    Returns
    -------
    shape : tuple of int
        One size for each axis, the number of heads included.

    Raises
    ------
    SettingError
        If there are too few or too many axes, or a size is out of its limits.
    """
    axes = AXES[name]
    sizes = shape
    while len(sizes) > len(axes) and sizes[0] == 1:
        sizes = sizes[1:]
    if axes[0] == "H" and len(sizes) == len(axes) - 1:
        sizes = (1, *sizes)
    symbol = SYMBOLS[name]
    if len(sizes) != len(axes):
        wanted = "×".join(axes)
        if axes[0] == "H":
            wanted = f"{'×'.join(axes[1:])} / {wanted}"
        raise SettingError(
            "own_axes", matrix=symbol, got=as_shape(shape), wanted=wanted
        )
    for axis, size in zip(axes, sizes, strict=True):
        if not 1 <= size <= _MOST[axis]:
            raise SettingError(
                "own_size",
                matrix=symbol,
                got=as_shape(shape),
                axis=axis,
                most=_MOST[axis],
            )
    return sizes


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
