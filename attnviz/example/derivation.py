"""How the cells of an example come about: its inputs, positions and scores."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Operand, Sheet, numbers_of
from attnviz.core.derivation.arithmetic import carry, collect, given, then
from attnviz.core.derivation.pieces import Derivation, Rule
from attnviz.core.derivation.positions import derive_sinusoid
from attnviz.core.positions import Order, alibi_slopes, relative_buckets
from attnviz.example.choices.positions import bucket_values, rotation
from attnviz.example.choices.scores import moved_queries

if TYPE_CHECKING:
    from attnviz.example.compute import ExampleTrace
    from attnviz.example.weights_alone import WeightsTrace


# What is on screen is laid out by figures, tables, checks and derivation in turn.
@lru_cache(maxsize=4)
def lay_out_example(trace: "ExampleTrace") -> Sheet:
    """Collect the matrices of an example.

    Parameters
    ----------
    trace : ExampleTrace
        What was computed.

    Returns
    -------
    sheet : Sheet
        All matrices by the names on screen. Queries and keys that positions turned
        are called q_turned and k_turned; q and k are those that were projected.
    """
    sheet = trace.attention.sheet()
    found = dict(sheet.matrices) | {"q": trace.q, "k": trace.k, "v": trace.v}
    found["weight_sum"] = trace.attention.weights.sum(axis=-1, keepdims=True)
    if trace.parameters is not None:
        found |= numbers_of(trace.parameters)
    if trace.heads is None:
        found.pop("w_o", None)
    else:
        found |= {"joined": trace.heads.joined, "output": trace.heads.output}
    found |= _inputs(trace) | _turned(trace) | _scoring(trace)
    rules: Mapping[str, Rule] = EXAMPLE_RULES
    if trace.example.positions == "relative":
        found["bucket_values"] = bucket_values(trace.example.seed, trace.n_heads)
        rules = {**rules, "bias": _bucketed}
    if trace.example.is_tied:
        rules = {**rules, "w_k": tied}
    if trace.encoding.order == "concatenated":
        position = partial(_position, order="concatenated")
        rules = {**rules, "positions": position, "key_positions": position}
    return Sheet(found, sheet.synonyms, rules)


def lay_out_weights(trace: "WeightsTrace") -> Sheet:
    """Collect what there is of weights alone.

    Parameters
    ----------
    trace : WeightsTrace
        The weights with the sums of their rows.

    Returns
    -------
    sheet : Sheet
        "weights", which are given, and "weight_sum".
    """
    return Sheet({"weights": trace.weights, "weight_sum": trace.weight_sum})


def _inputs(trace: "ExampleTrace") -> dict[str, FloatArray]:
    """Name inputs and positions; in self-attention keys have none of their own."""
    names = ["x", "positions", "inputs"]
    if trace.example.is_cross:
        names += ["x_k", "key_positions", "key_inputs"]
    if trace.positions is None:
        names = [name for name in names if name.startswith("x")]
    found = {name: getattr(trace, name) for name in names}
    if trace.example.positions == "sinusoidal":
        found["base"] = np.array(trace.encoding.base)
        found["first_position"] = np.array(float(trace.encoding.first))
    if trace.positions is not None and trace.encoding.is_scaled:
        found["root_d"] = np.sqrt(float(trace.example.d_model))
    return {name: matrix for name, matrix in found.items() if matrix is not None}


def _turned(trace: "ExampleTrace") -> dict[str, FloatArray]:
    """Name what positions turned, and the rotation of each position."""
    if trace.example.positions != "rotary":
        return {}
    longest = max(len(trace.tokens), len(trace.key_tokens))
    cos, sin = rotation(longest, trace.q.shape[-1], trace.encoding)
    return {
        "q_turned": trace.attention.q,
        "k_turned": trace.attention.k,
        "cos": cos,
        "sin": sin,
        "base": np.array(trace.encoding.base),
        "first_position": np.array(float(trace.encoding.first)),
    }


def _scoring(trace: "ExampleTrace") -> dict[str, FloatArray]:
    """Name the learned parts of the score, and what lies between them and it."""
    learned, kind = trace.scoring, trace.example.scoring
    if learned is None:
        return {}
    q, k = trace.attention.q, trace.attention.k
    if kind == "bilinear":
        return {"score_w": learned.w, "q_w": moved_queries(q, learned)}
    asking = (q @ learned.w_q.T)[:, :, None]
    asked = (k @ learned.w_k.T)[:, None]
    return {
        "score_w_q": learned.w_q,
        "score_w_k": learned.w_k,
        "score_v": learned.v,
        "score_hidden": np.tanh(asking + asked),
    }


def tied(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Read the projection that queries and keys share."""
    return carry(stage, index, sheet.operand(stage.replace("w_k", "w_q"), index))


def _sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Add a position to an input."""
    side = "key_" if stage.startswith("key_") else ""
    work = carry(stage, index, sheet.operand("x_k" if side else "x", index))
    if "root_d" in sheet:
        work = then(work, "multiply", sheet.operand("root_d"))
    return then(work, "add", sheet.operand(f"{side}positions", index))


def _position(
    sheet: Sheet, stage: str, index: Index, order: Order = "interleaved"
) -> Derivation:
    """Follow a sinusoid; a table that stands for a learned one is given."""
    if "base" not in sheet:
        return given(sheet, stage, index)
    row, feature = index
    first = int(sheet.value("first_position"))
    work = derive_sinusoid(
        first + row,
        feature,
        d_model=sheet.shape(stage)[-1],
        base=sheet.value("base"),
        order=order,
    )
    return replace(work, stage=stage, index=index)


def _turn(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Turn a pair of features by the angle of the position."""
    letter = stage.removesuffix("_turned")
    *place, row, feature = index
    other = feature + 1 if feature % 2 == 0 else feature - 1
    products = [
        (
            sheet.operand(letter, (*place, row, feature)),
            sheet.operand("cos", (row, feature)),
        ),
        (
            sheet.operand(letter, (*place, row, other)),
            sheet.operand("sin", (row, feature)),
        ),
    ]
    return collect(stage, index, "sum_of_products", products)


def _angle(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Work out the cosine or sine of the angle of a position and a pair."""
    row, feature = index
    pair, is_second = divmod(feature, 2)
    return derive_turn(
        stage,
        index,
        place=int(sheet.value("first_position")) + row,
        pair=pair,
        width=sheet.shape(stage)[-1],
        base=sheet.value("base"),
        is_first=not is_second,
    )


def derive_turn(
    stage: str,
    index: Index,
    *,
    place: int,
    pair: int,
    width: int,
    base: float,
    is_first: bool,
) -> Derivation:
    """Work out a factor of a rotation.

    Parameters
    ----------
    stage, index : str, tuple of int
        The cell; the stage ends in "cos" or "sin".
    place : int
        The position.
    pair, width : int
        Which pair of how many features.
    base : float
        Sets the rates of the pairs.
    is_first : bool
        Whether the feature is the first of its pair, which loses what the other gains.

    Returns
    -------
    derivation : Derivation
        The place over base^(2i / d_k), then cosine or sine.
    """
    is_sine = stage.endswith("sin")
    sign = -1.0 if is_sine and is_first else 1.0
    work = carry(stage, index, Operand("position", (), sign * place))
    work = then(
        work,
        "divide_by_power",
        Operand("base", (), base),
        Operand("2i", (), 2.0 * pair),
        Operand("d_k", (), float(width)),
    )
    return then(work, "sine" if is_sine else "cosine")


def _query_times_w(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply a query and a column of W."""
    name = _as_met(sheet, "q")
    *place, row, column = index
    products = [
        (
            sheet.operand(name, (*place, row, feature)),
            sheet.operand("score_w", (feature, column)),
        )
        for feature in range(sheet.shape(name)[-1])
    ]
    return collect(stage, index, "sum_of_products", products)


def _hidden(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Put a query and a key through the hidden layer of the additive score."""
    *place, row, column, unit = index
    sides = [("score_w_q", "q", row), ("score_w_k", "k", column)]
    products = [
        (
            sheet.operand(learned, (unit, feature)),
            sheet.operand(_as_met(sheet, letter), (*place, position, feature)),
        )
        for learned, letter, position in sides
        for feature in range(sheet.shape(letter)[-1])
    ]
    return then(collect(stage, index, "sum_of_products", products), "tanh")


def _bucketed(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Look up the number of the distance's bucket."""
    head, row, column = index
    bucket = int(relative_buckets(*sheet.shape(stage)[1:], offset=0)[row, column])
    return carry(stage, index, sheet.operand("bucket_values", (head, 0, bucket)))


def _sloped(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply a head's slope and the distance."""
    head, row, column = index
    slope = float(alibi_slopes(sheet.shape(stage)[0])[head])
    distance = -float(abs(row - column))
    factors = (Operand("slope", (), slope), Operand("distance", (), distance))
    return collect(stage, index, "sum_of_products", [factors])


def _as_met(sheet: Sheet, letter: str) -> str:
    """Name queries or keys as they meet: turned, where positions turn them."""
    turned = f"{letter}_turned"
    return turned if turned in sheet else letter


EXAMPLE_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "inputs": _sum,
        "key_inputs": _sum,
        "positions": _position,
        "key_positions": _position,
        "q_turned": _turn,
        "k_turned": _turn,
        "cos": _angle,
        "sin": _angle,
        "q_w": _query_times_w,
        "bias": _sloped,
        "score_hidden": _hidden,
    }
)
