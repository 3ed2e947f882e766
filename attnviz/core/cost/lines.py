"""What each line of a layer's computation makes, and what it takes."""

import math
from dataclasses import dataclass

from attnviz.core.arrays.shapes import count
from attnviz.core.cost.score_table import window_visible
from attnviz.core.cost.sizes import LayerSizes

Factors = tuple[str, ...]
"""Names of sizes whose product is a number: "batch", "length", fields of LayerSizes."""


@dataclass(frozen=True, slots=True)
class LineCost:
    """One line of an encoder layer, as closed forms.

    Attributes
    ----------
    name : str
        What it makes: "x", "q", …, "ffn_output".
    shape : tuple of str
        Axes of that array, each by the name of its size.
    work : tuple of str
        Sizes whose product are its multiply-adds; none where it takes none.
    """

    name: str
    shape: Factors
    work: Factors = ()


LINES = (
    LineCost("x", ("batch", "length", "d_model")),
    LineCost(
        "q",
        ("batch", "n_heads", "length", "d_k"),
        ("batch", "length", "d_model", "n_heads", "d_k"),
    ),
    LineCost(
        "k",
        ("batch", "n_kv_heads", "length", "d_k"),
        ("batch", "length", "d_model", "n_kv_heads", "d_k"),
    ),
    LineCost(
        "v",
        ("batch", "n_kv_heads", "length", "d_v"),
        ("batch", "length", "d_model", "n_kv_heads", "d_v"),
    ),
    LineCost(
        "scores",
        ("batch", "n_heads", "length", "length"),
        ("batch", "n_heads", "length", "length", "d_k"),
    ),
    LineCost("weights", ("batch", "n_heads", "length", "length")),
    LineCost(
        "context",
        ("batch", "n_heads", "length", "d_v"),
        ("batch", "n_heads", "length", "length", "d_v"),
    ),
    LineCost(
        "output",
        ("batch", "length", "d_model"),
        ("batch", "length", "n_heads", "d_v", "d_model"),
    ),
    LineCost(
        "ffn_hidden",
        ("batch", "length", "d_ff"),
        ("batch", "length", "d_model", "d_ff"),
    ),
    LineCost(
        "ffn_output",
        ("batch", "length", "d_model"),
        ("batch", "length", "d_ff", "d_model"),
    ),
)
"""The lines of one encoder layer, from the inputs to the network's output.

References
----------
.. [1] Course chapter, exercise 4 and the work of a layer (R128, R130).
"""


def sizes_of(sizes: LayerSizes, length: int, *, batch: int = 1) -> dict[str, int]:
    """Give every size that a line names.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    length : int
        Number of positions T.
    batch : int, default=1
        Number of samples m.

    Returns
    -------
    named : dict of str to int
        "batch", "length" and the fields of `LayerSizes`.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 0.
    """
    fields = {name: getattr(sizes, name) for name in LayerSizes.__dataclass_fields__}
    samples = count("sizes_of", "batch", batch)
    return {"batch": samples, "length": count("sizes_of", "length", length), **fields}


def product_of(factors: Factors, named: dict[str, int]) -> int:
    """Multiply the sizes that a line names.

    Parameters
    ----------
    factors : tuple of str
        Names of sizes.
    named : dict of str to int
        What `sizes_of` gives.

    Returns
    -------
    product : int
        Exactly; 0 where nothing is named.
    """
    return math.prod(named[factor] for factor in factors) if factors else 0


def crossing_length(sizes: LayerSizes) -> float:
    """Find the length from which scores and mixing take more than the projections.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.

    Returns
    -------
    length : float
        T = 2d if d_k = d_v = d/H and no keys are shared.

    References
    ----------
    .. [1] Course chapter, work of a layer (R130).

    Examples
    --------
    >>> crossing_length(LayerSizes.usual(256, 8))
    512.0
    """
    kept = sizes.n_kv_heads * (sizes.d_k + sizes.d_v)
    own = sizes.n_heads * (sizes.d_k + sizes.d_v)
    return sizes.d_model * (own + kept) / own


def window_work(sizes: LayerSizes, length: int, window: int, *, batch: int = 1) -> int:
    """Count the multiply-adds of scores and mixing within a window on both sides.

    Parameters
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    length : int
        Number of positions T.
    window : int
        Reach w on both sides.
    batch : int, default=1
        Number of samples m.

    Returns
    -------
    work : int
        Those of the pairs that see each other alone.

    Raises
    ------
    ValueError
        If a number is not a whole number of at least 0.

    References
    ----------
    .. [1] Course chapter, local window (R133, R136).

    Examples
    --------
    >>> window_work(LayerSizes.usual(16, 2), 16, 2)
    2368
    """
    pairs = count("window_work", "batch", batch) * window_visible(length, window)
    return pairs * sizes.n_heads * (sizes.d_k + sizes.d_v)
