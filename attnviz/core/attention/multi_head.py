"""Several attention heads side by side, joined by an output projection."""

from dataclasses import dataclass, fields

import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    BoolArray,
    FloatArray,
    as_floats,
    as_mask,
    bind_shapes,
    expect,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of
from attnviz.core.attention._inputs import fit_inputs
from attnviz.core.attention._products import multiply
from attnviz.core.attention._turning import (
    Turn,
    apply_turn,
    turn_matrix,
)
from attnviz.core.attention.heads import merge_heads, project_heads, share_heads
from attnviz.core.attention.scaled_dot_product import (
    AttentionTrace,
    attend,
)
from attnviz.core.errors import ShapeError


@dataclass(frozen=True, slots=True, repr=False)
class MultiHeadParameters(Record):
    """The learned matrices of a multi-head layer; all arrays are read-only copies.

    Fewer heads in `w_k` and `w_v` than in `w_q` make it grouped-query attention:
    query heads share key–value heads in order, 0, 0, 1, 1, ….

    Attributes
    ----------
    w_q : FloatArray of shape (H, d, d_k)
        Query projection of each head.
    w_k : FloatArray of shape (H_kv, d, d_k)
        Key projection of each key–value head.
    w_v : FloatArray of shape (H_kv, d, d_v)
        Value projection of each key–value head.
    w_o : FloatArray of shape (H·d_v, d)
        Output projection of the joined heads.
    b_q : FloatArray of shape (H, d_k), or None
        Bias of the query projection.
    b_k : FloatArray of shape (H_kv, d_k), or None
        Bias of the key projection.
    b_v : FloatArray of shape (H_kv, d_v), or None
        Bias of the value projection.
    b_o : FloatArray of shape (d,), or None
        Bias of the output projection.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.ones((2, 8, 4))
    >>> MultiHeadParameters(w_q=w, w_k=w[:1], w_v=w[:1], w_o=np.ones((8, 8))).n_kv_heads
    1
    """

    w_q: FloatArray
    w_k: FloatArray
    w_v: FloatArray
    w_o: FloatArray
    b_q: FloatArray | None = None
    b_k: FloatArray | None = None
    b_v: FloatArray | None = None
    b_o: FloatArray | None = None

    def __post_init__(self) -> None:
        """Keep copies of one floating type, and check their sizes.

        Raises
        ------
        ShapeError
            If two matrices disagree, or heads cannot be shared evenly.
        """
        present = self._present()
        copies = as_floats("MultiHeadParameters", **present)
        for name, array in zip(present, copies, strict=True):
            object.__setattr__(self, name, read_only(array))
        for name in ("w_q", "w_k", "w_v"):
            if getattr(self, name).ndim != 3 or 0 in getattr(self, name).shape:
                raise ShapeError(
                    f"MultiHeadParameters: `{name}` needs shape (H, d, d_k or d_v), "
                    f"each at least 1; got {getattr(self, name).shape}"
                )
        bind_shapes(
            "MultiHeadParameters",
            w_q=(self.w_q[0], "d d_k"),
            w_k=(self.w_k[0], "d d_k"),
            w_v=(self.w_v[0], "d d_v"),
        )
        heads, shared = self.n_heads, self.n_kv_heads
        if heads % shared or self.w_v.shape[0] != shared:
            raise ShapeError(
                "MultiHeadParameters: `w_k` and `w_v` need one number of heads that "
                f"divides H={heads}; got {shared} and {self.w_v.shape[0]}"
            )
        _, d_model, d_k = self.w_q.shape
        d_v = self.w_v.shape[-1]
        wanted = {
            "w_o": (heads * d_v, d_model),
            "b_q": (heads, d_k),
            "b_k": (shared, d_k),
            "b_v": (shared, d_v),
            "b_o": (d_model,),
        }
        for name, shape in wanted.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise ShapeError(
                    f"MultiHeadParameters: `{name}` needs shape {shape} for "
                    f"H={heads}, d={d_model}, d_k={d_k}, d_v={d_v}; got {array.shape}"
                )

    def _present(self) -> dict[str, FloatArray]:
        """Give what must be there, and the biases that are."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value
            for name, value in given.items()
            if name.startswith("w_") or value is not None
        }

    @property
    def n_heads(self) -> int:
        """Number of query heads."""
        return int(self.w_q.shape[0])

    @property
    def n_kv_heads(self) -> int:
        """Number of key–value heads."""
        return int(self.w_k.shape[0])


@dataclass(frozen=True, slots=True, repr=False)
class MultiHeadTrace(Record):
    """Every stage of a multi-head layer; all arrays are read-only.

    Attributes
    ----------
    x_q : FloatArray of shape (..., T_q, d)
        Inputs that ask, as given.
    x_k : FloatArray of shape (..., T_k, d), or None
        Inputs that are asked; the same object as `x_q` where they were left out. None
        where keys and values were kept in a cache.
    x_v : FloatArray of shape (..., T_k, d), or None
        Inputs whose values are mixed; the same object as `x_k` where left out.
    q : FloatArray of shape (..., H, T_q, d_k)
        Queries of each head. Those that meet the keys, `attention.q`, may be turned.
    k : FloatArray of shape (..., H_kv, T_k, d_k)
        Keys of each key–value head, likewise; those of a cache are turned already.
    v : FloatArray of shape (..., H_kv, T_k, d_v)
        Values of each key–value head.
    attention : AttentionTrace
        Stages of all heads, of shape (..., H, T_q, T_k).
    joined : FloatArray of shape (..., T_q, H·d_v)
        Contexts of the heads side by side.
    output : FloatArray of shape (..., T_q, d)
        Joined contexts times w_o.
    parameters : MultiHeadParameters
        The projections.
    turn : callable or None
        What turned queries and keys, if anything did.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.ones((2, 8, 4))
    >>> layer = MultiHeadParameters(w_q=w, w_k=w, w_v=w, w_o=np.ones((8, 8)))
    >>> trace = multi_head_attend(np.ones((5, 8)), parameters=layer)
    >>> trace.q.shape, trace.attention.weights.shape, trace.joined.shape
    ((2, 5, 4), (2, 5, 5), (5, 8))
    """

    x_q: FloatArray
    x_k: FloatArray | None
    x_v: FloatArray | None
    q: FloatArray
    k: FloatArray
    v: FloatArray
    attention: AttentionTrace
    joined: FloatArray
    output: FloatArray
    parameters: MultiHeadParameters
    turn: Turn | None = None

    @property
    def q_turn(self) -> FloatArray | None:
        """How queries were turned, as (..., H, T_q, d_k, d_k); None if not linearly."""
        if self.turn is None:
            return None
        return turn_matrix(self.turn, self.q, self.attention.q)

    @property
    def k_turn(self) -> FloatArray | None:
        """How keys were turned, as `q_turn`."""
        if self.turn is None or self.x_k is None:
            return None
        return turn_matrix(self.turn, self.k, self._k_turned)

    @property
    def _k_turned(self) -> FloatArray:
        """Keys of each key–value head as they met the queries."""
        group = self.parameters.n_heads // self.parameters.n_kv_heads
        return self.attention.k[..., ::group, :, :]

    def sheet(self) -> Sheet:
        """Lay out the matrices for derivations, those of the attention among them."""
        attention = self.attention.sheet()
        inputs, known_as = self._inputs()
        own = {
            name: getattr(self, name) for name in ("q", "k", "v", "joined", "output")
        }
        learned = numbers_of(self.parameters)
        return Sheet(
            {**attention.matrices, **own, **self._turned(), **learned, **inputs},
            {**attention.synonyms, **known_as},
            sources=attention.sources,
        )

    def _inputs(self) -> tuple[dict[str, FloatArray], dict[str, str]]:
        """Name each input once: one x for self-attention, more for cross-attention."""
        names = {id(self.x_q): "x" if self.x_k is self.x_q else "x_q"}
        given = {"x_q": self.x_q, "x_k": self.x_k, "x_v": self.x_v}
        present = {name: x for name, x in given.items() if x is not None}
        known_as = {name: names.setdefault(id(x), name) for name, x in present.items()}
        return {known_as[name]: x for name, x in present.items()}, known_as

    def _turned(self) -> dict[str, FloatArray]:
        """Name what was turned, and how."""
        if self.turn is None:
            return {}
        found = {"q_turned": self.attention.q, "q_turn": self.q_turn}
        if self.x_k is not None:
            found |= {"k_turned": self._k_turned, "k_turn": self.k_turn}
        return {name: matrix for name, matrix in found.items() if matrix is not None}


def multi_head_attend(
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None = None,
    x_v: npt.ArrayLike | None = None,
    *,
    parameters: MultiHeadParameters,
    visible: BoolArray | None = None,
    causal: bool = False,
    left: int | None = None,
    right: int | None = None,
    offset: int | None = None,
    query_valid: BoolArray | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    temperature: float = 1.0,
    dropout: npt.ArrayLike | None = None,
    turn: Turn | None = None,
) -> MultiHeadTrace:
    r"""Attend with several heads at once and project what they found.

    Parameters
    ----------
    x_q : array_like of shape (..., T_q, d)
        Inputs that ask.
    x_k : array_like of shape (..., T_k, d), optional
        Inputs that are asked; `x_q` (self-attention) if left out.
    x_v : array_like of shape (..., T_k, d), optional
        Inputs whose values are mixed; `x_k` if left out.
    parameters : MultiHeadParameters
        The projections.
    visible : BoolArray of shape (..., H, T_q, T_k), optional
        As in `attend`: (T_q, T_k) for all, or every axis, that of the heads too.
    causal, left, right, offset : optional
        As in `attend`.
    query_valid : BoolArray of shape (..., T_q), optional
        False where a query is padding; all heads share it.
    bias : array_like of shape (..., H, T_q, T_k), optional
        As in `attend`.
    scale, softcap, temperature, dropout : optional
        As in `attend`.
    turn : callable, optional
        Applied to queries and keys of shape (..., H, T, d_k) before they meet, such
        as a rotary position encoding.

    Returns
    -------
    trace : MultiHeadTrace
        Projections, all attention stages, joined contexts and output.

    Raises
    ------
    ShapeError
        If an input does not fit the parameters.
    MaskError
        As in `attend`.
    EmptyRowError
        As in `attend`.
    ValueError
        As in `attend`.

    Notes
    -----
    .. math:: \mathrm{MHA}(X) = [\mathrm{head}_1, …, \mathrm{head}_H]\, W_O

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
    .. [2] Course chapter, formulas F7 and F8.

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(2)[None]
    >>> layer = MultiHeadParameters(w_q=eye, w_k=eye, w_v=eye, w_o=np.eye(2))
    >>> multi_head_attend(np.eye(2), parameters=layer).output.round(4)
    array([[0.6698, 0.3302],
           [0.3302, 0.6698]])
    """
    expect("multi_head_attend", "parameters", parameters, MultiHeadParameters)
    p = parameters
    inputs = fit_inputs(p.w_q, x_q, x_k, x_v)
    asking, asked, mixed = inputs
    q = project_heads(asking, p.w_q, p.b_q)
    k = project_heads(asked, p.w_k, p.b_k)
    v = project_heads(mixed, p.w_v, p.b_v)
    valid = query_valid
    if valid is not None:
        valid = as_mask("multi_head_attend", "query_valid", valid)
        if 1 < valid.ndim == asking.ndim - 1:
            valid = valid[..., None, :]
    attention = attend(
        q if turn is None else apply_turn("multi_head_attend", turn, q),
        share_heads(
            k if turn is None else apply_turn("multi_head_attend", turn, k), p.n_heads
        ),
        share_heads(v, p.n_heads),
        visible=visible,
        causal=causal,
        left=left,
        right=right,
        offset=offset,
        query_valid=valid,
        bias=bias,
        scale=scale,
        softcap=softcap,
        temperature=temperature,
        dropout=dropout,
    )
    return join_heads(q, k, v, attention, p, inputs=inputs, turn=turn)


def join_heads(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    attention: AttentionTrace,
    parameters: MultiHeadParameters,
    *,
    inputs: tuple[FloatArray, FloatArray | None, FloatArray | None],
    turn: Turn | None = None,
) -> MultiHeadTrace:
    """Put what the heads found side by side, and project it.

    Parameters
    ----------
    q : FloatArray of shape (..., H, T_q, d_k)
        Queries of each head, not turned yet.
    k : FloatArray of shape (..., H_kv, T_k, d_k)
        Keys of each key–value head, likewise.
    v : FloatArray of shape (..., H_kv, T_k, d_v)
        Values of each key–value head.
    attention : AttentionTrace
        What came of them, with stages of shape (..., H, T_q, T_k).
    parameters : MultiHeadParameters
        The projections.
    inputs : tuple of (FloatArray, FloatArray or None, FloatArray or None)
        What was projected, read-only: `x_q`, `x_k` and `x_v` of the trace.
    turn : callable, optional
        What turned queries and keys.

    Returns
    -------
    trace : MultiHeadTrace
        The given stages, the joined contexts and the output, all read-only.
    """
    joined = merge_heads(attention.context)
    output = multiply(joined, parameters.w_o)
    return MultiHeadTrace(
        *inputs,
        q=read_only(q),
        k=read_only(k),
        v=read_only(v),
        attention=attention,
        joined=read_only(joined),
        output=read_only(output if parameters.b_o is None else output + parameters.b_o),
        parameters=parameters,
        turn=turn,
    )
