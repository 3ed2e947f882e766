"""Which formulas the projections and the scores on screen follow."""

from attnviz.core.example import Example
from attnviz.core.position_kinds import ADDED

_TURNS = ("", "_rotary", "_alibi")
SCORE_FORMULAS = (
    *(f"scores{turn}{scale}" for turn in _TURNS for scale in ("", "_unscaled")),
    *(f"scores_{kind}{turn}" for kind in ("bilinear", "additive") for turn in _TURNS),
)


def projection_formulas(figure: str) -> tuple[str, ...]:
    """Name all formulas a projection can follow.

    Parameters
    ----------
    figure : str
        "query", "key" or "value".

    Returns
    -------
    names : tuple of str
        The plain one first.
    """
    return tuple(f"{figure}{end}" for end in ("", "_added", "_cross", "_cross_added"))


def projection_formula(figure: str, example: Example) -> str:
    """Name the formula of a projection of an example.

    Parameters
    ----------
    figure : str
        "query", "key" or "value".
    example : Example
        The settings on screen.

    Returns
    -------
    name : str
        One of `projection_formulas`.
    """
    cross = "_cross" if example.is_cross else ""
    added = "_added" if example.positions in ADDED else ""
    return f"{figure}{cross}{added}"


def score_formula(example: Example) -> str:
    """Name the formula of an example's scores.

    Parameters
    ----------
    example : Example
        The settings on screen.

    Returns
    -------
    name : str
        One of SCORE_FORMULAS.

    Examples
    --------
    >>> score_formula(Example(is_scaled=False))
    'scores_unscaled'
    >>> score_formula(Example(scoring="bilinear", positions="alibi"))
    'scores_bilinear_alibi'
    """
    turn = f"_{example.positions}" if example.positions in ("rotary", "alibi") else ""
    if example.scoring != "dot":
        return f"scores_{example.scoring}{turn}"
    return f"scores{turn}{'' if example.is_scaled else '_unscaled'}"
