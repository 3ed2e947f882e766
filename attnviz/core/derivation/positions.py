"""How a number of a sinusoidal position comes about."""

from attnviz.core.arrays.shapes import count
from attnviz.core.arrays.sheet import Operand
from attnviz.core.derivation.arithmetic import carry, settle, then
from attnviz.core.derivation.pieces import Derivation
from attnviz.core.positions.sinusoidal import Order, sinusoidal_positions


def derive_sinusoid(
    position: int,
    feature: int,
    *,
    d_model: int,
    base: float = 1e4,
    order: Order = "interleaved",
) -> Derivation:
    """Work out where one number of a sinusoidal position comes from.

    Parameters
    ----------
    position : int
        The position p, counted from wherever counting starts.
    feature : int
        Which of its d features, counted from 0.
    d_model : int
        Number of features d.
    base : float, default=1e4
        As in `sinusoidal_positions`.
    order : {"interleaved", "concatenated"}, default="interleaved"
        As in `sinusoidal_positions`.

    Returns
    -------
    derivation : Derivation
        Stage "positions", index (position, feature): p over base^(2i / d), then sine
        or cosine.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
    .. [2] Course chapter, formula F6.

    Examples
    --------
    >>> work = derive_sinusoid(1, 2, d_model=4)
    >>> [(step.operator, round(step.value, 6)) for step in work.steps]
    [('divide_by_power', 0.01), ('sine', 0.01)]
    """
    row = sinusoidal_positions([position], d_model, base=base, order=order)[0]
    if count("derive_sinusoid", "feature", feature) >= d_model:
        raise ValueError(
            f"derive_sinusoid: `feature` needs a number below d={d_model}; "
            f"got {feature}"
        )
    n_sines = (d_model + 1) // 2
    pair, is_cosine = (
        divmod(feature, 2) if order == "interleaved" else divmod(feature, n_sines)[::-1]
    )
    work = carry(
        "positions", (position, feature), Operand("position", (), float(position))
    )
    work = then(
        work,
        "divide_by_power",
        Operand("base", (), float(base)),
        Operand("2i", (), 2.0 * pair),
        Operand("d", (), float(d_model)),
    )
    work = then(work, "cosine" if is_cosine else "sine")
    return settle(work, float(row[feature]))
