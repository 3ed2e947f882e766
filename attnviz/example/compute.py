"""The example on screen: everything computed from its settings."""

import math
from dataclasses import dataclass, replace
from types import MappingProxyType

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import BoolArray, FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.attention.heads import project_heads
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
    join_heads,
)
from attnviz.core.attention.scaled_dot_product import AttentionTrace, attend
from attnviz.core.errors import SettingError
from attnviz.example.choices.positions import (
    Encoding,
    added_positions,
    bias_of,
    turn_of,
)
from attnviz.example.choices.scores import (
    ScoringMatrices,
    random_scoring,
    score_of,
)
from attnviz.example.derivation import lay_out_example
from attnviz.example.edits import apply_edits
from attnviz.example.matrices import catalogue
from attnviz.example.presets import PRESETS
from attnviz.example.screen import Screen
from attnviz.example.settings import Example
from attnviz.example.sources.drawn import (
    MAX_WIDTH,
    random_inputs,
    random_parameters,
)
from attnviz.example.sources.fixed import FixedMatrices, GivenMatrices, GivenWeights

EXAMPLES = MappingProxyType({name: each.example for name, each in PRESETS.items()})


@dataclass(frozen=True, slots=True, eq=False)
class ExampleTrace:
    """All arrays of an example; read-only and shared by all who look at it.

    Two traces are equal if they are one.

    Attributes
    ----------
    example : Example
        The settings.
    tokens, key_tokens : tuple of str
        One label a query, and one a key.
    key_valid : BoolArray of shape (T_k,)
        False where a key is padding.
    visible : BoolArray of shape (T_q, T_k)
        What each query may see.
    x : FloatArray of shape (T_q, d), or None
        Inputs X of the queries. None where Q, K and V are given.
    x_k : FloatArray of shape (T_k, d), or None
        Inputs of keys and values; the same object as x in self-attention.
    positions : FloatArray of shape (T_q, d), or None
        What is added to the inputs, P, if anything is.
    key_positions : FloatArray of shape (T_k, d), or None
        The same for `x_k`.
    inputs : FloatArray of shape (T_q, d), or None
        X + P, which is projected; the same object as x where nothing is added.
    key_inputs : FloatArray of shape (T_k, d), or None
        The same for `x_k`.
    parameters : MultiHeadParameters or None
        The projections. None where Q, K and V are given.
    scoring : ScoringMatrices or None
        Learned parts of the score. None for the dot product.
    q : FloatArray of shape (H, T_q, d_k)
        Queries; those that meet the keys, `attention.q`, may be turned.
    k : FloatArray of shape (H, T_k, d_k)
        Keys, likewise.
    v : FloatArray of shape (H, T_k, d_v)
        Values.
    attention : AttentionTrace
        Every stage from the scores to the context, of all heads.
    heads : MultiHeadTrace or None
        The same with joined heads and output. None where Q, K and V are given, or no
        matrix joins the heads.
    encoding : Encoding
        How positions became numbers.
    """

    example: Example
    tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    key_valid: BoolArray
    visible: BoolArray
    x: FloatArray | None
    x_k: FloatArray | None
    positions: FloatArray | None
    key_positions: FloatArray | None
    inputs: FloatArray | None
    key_inputs: FloatArray | None
    parameters: MultiHeadParameters | None
    scoring: ScoringMatrices | None
    q: FloatArray
    k: FloatArray
    v: FloatArray
    attention: AttentionTrace
    heads: MultiHeadTrace | None
    encoding: Encoding

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return lay_out_example(self)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        padding = ~self.key_valid
        is_cross = self.example.is_cross
        return Screen(
            self.sheet().matrices,
            {"query": self.tokens, "key": self.key_tokens},
            {"key": padding} if is_cross else {"query": padding, "key": padding},
            catalogue(is_cross=is_cross, is_turned=self.example.positions == "rotary"),
            ("weights", "context") if self.has_fractions else (),
        )

    @property
    def n_heads(self) -> int:
        """Number of heads H."""
        return int(self.q.shape[0])

    @property
    def has_fractions(self) -> bool:
        """Whether weights and context were made to be simple fractions."""
        fixed = self.example.fixed
        return isinstance(fixed, GivenMatrices) and fixed.has_fractions


@remember(16_000_000)
def compute(
    example: Example,
    order: tuple[int, ...] = (),
    encoding: Encoding | None = None,
) -> ExampleTrace:
    """Compute everything an example shows.

    Parameters
    ----------
    example : Example
        The settings.
    order : tuple of int, optional
        Which token stands at each place, in self-attention; left out, each at its own.
    encoding : Encoding, optional
        How positions become numbers, where that is not as usual.

    Returns
    -------
    trace : ExampleTrace
        The same object for equal settings while it is remembered.

    Raises
    ------
    SettingError
        If weights alone are given, which nothing can be computed from.
    """
    fixed = example.fixed
    if isinstance(fixed, GivenWeights):
        raise SettingError("own_weights_alone")
    settled = encoding or Encoding(example.first_position)
    if isinstance(fixed, GivenMatrices):
        start = _given(example, fixed, order)
    else:
        start = _projected(example, fixed, order, settled)
    return _finish(example, start, order, settled)


@dataclass(frozen=True, slots=True)
class _Start:
    """Queries, keys and values, and all they come from."""

    q: FloatArray
    k: FloatArray
    v: FloatArray
    x: FloatArray | None = None
    x_k: FloatArray | None = None
    positions: FloatArray | None = None
    key_positions: FloatArray | None = None
    inputs: FloatArray | None = None
    key_inputs: FloatArray | None = None
    parameters: MultiHeadParameters | None = None
    joins_heads: bool = False


def _given(example: Example, given: GivenMatrices, order: tuple[int, ...]) -> _Start:
    q, k, v = (
        _moved(apply_edits(example.edits, name, getattr(given, name)), order)
        for name in "qkv"
    )
    return _Start(q, k, v)


def _moved(rows: FloatArray, order: tuple[int, ...]) -> FloatArray:
    """Put each token where it stands."""
    return read_only(rows[..., order, :]) if order else rows


def _projected(
    example: Example,
    fixed: FixedMatrices | None,
    order: tuple[int, ...],
    encoding: Encoding,
) -> _Start:
    """Draw or look up inputs and projections, add positions, and project."""
    x, parameters = _random(example) if fixed is None else (fixed.x, fixed.parameters)
    x = _moved(apply_edits(example.edits, "x", x), order)
    parameters = _edit_parameters(example, parameters)
    positions, inputs = _add_positions(example, x, encoding)
    x_k, key_positions, key_inputs = x, positions, inputs
    if example.is_cross:
        x_k = apply_edits(example.edits, "x_k", _key_inputs(example, fixed))
        key_positions, key_inputs = _add_positions(example, x_k, encoding)
    return _Start(
        q=project_heads(inputs, parameters.w_q),
        k=project_heads(key_inputs, parameters.w_k),
        v=project_heads(key_inputs, parameters.w_v),
        x=x,
        x_k=x_k,
        positions=positions,
        key_positions=key_positions,
        inputs=inputs,
        key_inputs=key_inputs,
        parameters=parameters,
        joins_heads=fixed is None or fixed.w_o is not None,
    )


def _key_inputs(example: Example, fixed: FixedMatrices | None) -> FloatArray:
    """Draw or look up the inputs of keys that come from elsewhere."""
    if fixed is not None and fixed.x_k is not None:
        return fixed.x_k
    return random_inputs(example.seed, example.key_tokens, example.d_model)


def _random(example: Example) -> tuple[FloatArray, MultiHeadParameters]:
    x = random_inputs(example.seed, example.tokens, example.d_model)
    parameters = random_parameters(
        example.seed,
        n_heads=example.n_heads,
        d_model=example.d_model,
        d_k=example.d_k,
        d_v=example.d_v,
    )
    return x, parameters


def _edit_parameters(
    example: Example, parameters: MultiHeadParameters
) -> MultiHeadParameters:
    edited = {
        name: apply_edits(example.edits, name, getattr(parameters, name))
        for name in ("w_q", "w_k", "w_v", "w_o")
    }
    if example.is_tied:
        edited["w_k"] = edited["w_q"]
    if all(edited[name] is getattr(parameters, name) for name in edited):
        return parameters
    return MultiHeadParameters(**edited)


def _add_positions(
    example: Example, x: FloatArray, encoding: Encoding
) -> tuple[FloatArray | None, FloatArray]:
    """Make P and X + P."""
    positions = added_positions(
        example.positions, *x.shape, seed=example.seed, encoding=encoding
    )
    if positions is None:
        return None, x
    scaled = math.sqrt(x.shape[-1]) * x if encoding.is_scaled else x
    return positions, read_only(scaled + positions)


def _finish(
    example: Example, start: _Start, order: tuple[int, ...], encoding: Encoding
) -> ExampleTrace:
    """Attend, and join the heads where there is something to join them with."""
    mask = example.choose_mask()
    scoring = _scoring(example)
    turn = turn_of(example.positions, encoding)
    n_heads, len_q = start.q.shape[:2]
    attention = attend(
        turn(start.q),
        turn(start.k),
        start.v,
        visible=mask.visible,
        query_valid=mask.query_valid,
        bias=bias_of(
            example.positions, n_heads, len_q, start.k.shape[1], seed=example.seed
        ),
        scale=example.scale,
        temperature=example.temperature,
        score=None if scoring is None else score_of(example.scoring, scoring),
    )
    heads = None
    if start.parameters is not None and start.inputs is not None and start.joins_heads:
        heads = join_heads(
            start.q,
            start.k,
            start.v,
            attention,
            start.parameters,
            inputs=(start.inputs, start.key_inputs, start.key_inputs),
            turn=turn if example.positions == "rotary" else None,
        )
    words = example.tokens
    tokens = tuple(words[place] for place in order) or words
    return ExampleTrace(
        example=example,
        tokens=tokens,
        key_tokens=example.key_tokens if example.is_cross else tokens,
        key_valid=mask.key_valid,
        visible=mask.visible,
        x=start.x,
        x_k=start.x_k,
        positions=start.positions,
        key_positions=start.key_positions,
        inputs=start.inputs,
        key_inputs=start.key_inputs,
        parameters=start.parameters,
        scoring=scoring,
        q=read_only(start.q),
        k=read_only(start.k),
        v=read_only(start.v),
        attention=attention,
        heads=heads,
        encoding=encoding,
    )


def _scoring(example: Example) -> ScoringMatrices | None:
    """Draw the learned parts of the score, or look them up, if it has any."""
    if example.scoring == "dot":
        return None
    drawn = random_scoring(example.seed, example.d_k, largest=MAX_WIDTH)
    fixed = example.fixed
    if isinstance(fixed, FixedMatrices | GivenMatrices):
        return replace(drawn, **fixed.scoring)
    return drawn
