"""The names under which matrices of one's own are known, and their limits."""

import re
from types import MappingProxyType

from attnviz.core.errors import SettingError
from attnviz.example.choices.scores import SCORING_RULES
from attnviz.example.matrices import AXES, MATRICES

# What a reader may bring, in the order of the computation.
NAMES = (
    "x",
    "x_k",
    "w_q",
    "w_k",
    "w_v",
    "w_o",
    "q",
    "k",
    "v",
    "score_w",
    "score_w_q",
    "score_w_k",
    "score_v",
    "weights",
)
# Learned parts of a score, by its kind: an export names them so.
SCORES = MappingProxyType(
    {
        kind: tuple(f"score_{part}" for part in rule.parts)
        for kind, rule in SCORING_RULES.items()
        if rule.parts
    }
)
_AS_NAMED = tuple(name for names in SCORES.values() for name in names)
# A matrix without a name is taken for this one.
UNNAMED = "weights"
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


def written_name(name: str) -> str:
    """Give the name of a matrix as a reader would write it over its numbers.

    Parameters
    ----------
    name : str
        One of NAMES.

    Returns
    -------
    text : str
        Its symbol, such as W_Q; learned parts of a score go by their names.
    """
    return name if name in _AS_NAMED else MATRICES[name].plain


def axes_of(name: str) -> tuple[str, ...]:
    """Write what each axis of a matrix counts, in symbols.

    Parameters
    ----------
    name : str
        One of NAMES.

    Returns
    -------
    symbols : tuple of str
        Such as ("H", "T_q", "d_k"); an axis of heads may be missing where there is
        one head.
    """
    return tuple(AXES[axis].symbol for axis in MATRICES[name].axes)


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
    """Check the shape of a matrix, and give it an axis for each of its own.

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
    axes = axes_of(name)
    sizes = shape
    while len(sizes) > len(axes) and sizes[0] == 1:
        sizes = sizes[1:]
    if axes[0] == "H" and len(sizes) == len(axes) - 1:
        sizes = (1, *sizes)
    symbol = written_name(name)
    if len(sizes) != len(axes):
        wanted = "×".join(axes)
        if axes[0] == "H":
            wanted = f"{'×'.join(axes[1:])} / {wanted}"
        raise SettingError(
            "own_axes", matrix=symbol, got=as_shape(shape), wanted=wanted
        )
    for axis, size in zip(MATRICES[name].axes, sizes, strict=True):
        if not 1 <= size <= AXES[axis].most:
            raise SettingError(
                "own_size",
                matrix=symbol,
                got=as_shape(shape),
                axis=AXES[axis].symbol,
                most=AXES[axis].most,
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
