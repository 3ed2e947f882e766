"""The formulas of the pages, as MathML."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_suffix("")
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.mathml")))


@cache
def formula(name: str) -> str:
    """Read the MathML of a formula.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    mathml : str
        A ``<math>`` element with its LaTeX as ``alttext``. Symbols carry the class of
        their role (``role-q``); parts that belong to a stage carry ``data-stage``.

    Raises
    ------
    ValueError
        If no formula has this name.

    Examples
    --------
    >>> formula("query").startswith("<math ")
    True
    """
    if name not in NAMES:
        raise ValueError(f"formula: `name` needs one of {', '.join(NAMES)}; got {name}")
    return (FOLDER / f"{name}.mathml").read_text("utf-8").strip()
