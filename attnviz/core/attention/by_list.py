"""Several attention heads one after the other, as an article would write them."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    expect,
    read_only,
)
from attnviz.core.attention._inputs import fit_inputs
from attnviz.core.attention._products import multiply
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
)
from attnviz.core.attention.scaled_dot_product import attend, stack_heads


def multi_head_attend_by_list(
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    *,
    parameters: MultiHeadParameters,
    visible: BoolArray | None = None,
) -> MultiHeadTrace:
    """Attend head by head with two-dimensional products, then join the list.

    The slow form of `multi_head_attend`, as an article would write it: one loop over
    lists of matrices. It exists to be compared with.

    Parameters
    ----------
    x_q : array_like of shape (T_q, d)
        Inputs that ask.
    x_k, x_v : array_like of shape (T_k, d), optional
        As in `multi_head_attend`.
    parameters : MultiHeadParameters
        The projections.
    visible : BoolArray of shape (T_q, T_k), optional
        True where a query may see a key, for every head.

    Returns
    -------
    trace : MultiHeadTrace
        The same stages as `multi_head_attend`.

    Raises
    ------
    ShapeError
        If an input does not fit the parameters.
    MaskError
        As in `attend`.
    EmptyRowError
        As in `attend`.

    References
    ----------
    .. [1] E. Bendersky, "Notes on implementing Attention", 2025 (list form).

    Examples
    --------
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> multi_head_attend_by_list(np.eye(2), parameters=layer).output.round(4)
    array([[0.6698, 0.3302],
           [0.3302, 0.6698]])
    """
    expect("multi_head_attend_by_list", "parameters", parameters, MultiHeadParameters)
    p = parameters
    asking, asked, mixed = fit_inputs(p.w_q, x_q, x_k, x_v)
    group = p.n_heads // p.n_kv_heads
    heads = [
        attend(
            _project(asking, p.w_q, p.b_q, head),
            _project(asked, p.w_k, p.b_k, head // group),
            _project(mixed, p.w_v, p.b_v, head // group),
            visible=visible,
        )
        for head in range(p.n_heads)
    ]
    attention = stack_heads(heads)
    joined = np.concatenate([head.context for head in heads], axis=-1)
    output = multiply(joined, p.w_o)
    return MultiHeadTrace(
        x_q=asking,
        x_k=asked,
        x_v=mixed,
        q=attention.q,
        k=attention.k[..., ::group, :, :],
        v=attention.v[..., ::group, :, :],
        attention=attention,
        joined=read_only(joined),
        output=read_only(output if p.b_o is None else output + p.b_o),
        parameters=p,
    )


def _project(
    x: FloatArray, w: FloatArray, b: FloatArray | None, head: int
) -> FloatArray:
    projected = multiply(x, w[head])
    return projected if b is None else projected + b[head]
