"""How the cells of the Positions page come about."""

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Rule
from attnviz.core.derivation.positions import derive_sinusoid
from attnviz.core.positions import Pairing, alibi_slopes, relative_buckets
from attnviz.example.derivation import derive_turn
from attnviz.example.positions.bias import BiasTrace
from attnviz.example.positions.order import OrderTrace
from attnviz.example.positions.rotary import RotaryTrace, pairs_of
from attnviz.example.positions.table import TableTrace

if TYPE_CHECKING:
    from attnviz.example.positions.compute import PositionsTrace

_Part = tuple[dict[str, FloatArray], dict[str, Rule]]


# What is on screen is laid out by figures, tables, checks and derivation in turn.
@lru_cache(maxsize=4)
def lay_out_positions(trace: "PositionsTrace") -> Sheet:
    """Collect the matrices of the page, with those of the example behind them.

    Parameters
    ----------
    trace : PositionsTrace
        What was computed; what could not be is left out.
    """
    order, table = trace.order, trace.table
    behind = order.original.sheet() if isinstance(order, OrderTrace) else Sheet({})
    found = dict(behind.matrices)
    rules: dict[str, Rule] = dict(behind.rules)
    parts: dict[str, Sheet] = {}
    if trace.x is not None:
        found["x"] = trace.x
    if isinstance(order, OrderTrace):
        matrices, own = _order(order)
        found |= matrices
        rules |= own
        parts["moved"] = _moved(order)
    if isinstance(table, TableTrace):
        matrices, own = _table(trace, table)
        found |= matrices
        rules |= own
    if isinstance(trace.rotary, RotaryTrace):
        matrices, own = _rotary(trace, trace.rotary)
        found |= matrices
        rules |= own
    if isinstance(trace.bias, BiasTrace):
        matrices, own = _bias(trace.bias)
        found |= matrices
        rules |= own
        parts["biased"] = _biased(trace.bias)
    return Sheet(found, behind.synonyms, rules, parts=parts)


# ---- order ------------------------------------------------------------------------


def _order(order: OrderTrace) -> _Part:
    """Name what both runs give each token, and the difference."""
    found = {
        "order_original": order.original.attention.context,
        "order_permuted": order.back,
        "order_change": order.change,
    }
    rules: dict[str, Rule] = {
        "order_original": _original,
        "order_permuted": partial(_permuted, order.places),
        "order_change": _change,
    }
    return found, rules


def _moved(order: OrderTrace) -> Sheet:
    """Lay out the second run, whose rows lead to those of the first."""
    sheet = order.moved.sheet()
    names = ("q", "k", "v") if order.moved.x is None else ("x",)
    follow = partial(_follow, order.order)
    return replace(sheet, rules={**sheet.rules, **dict.fromkeys(names, follow)})


def _follow(
    order: tuple[int, ...], sheet: Sheet, stage: str, index: Index
) -> Derivation:
    """Read a row where its token stood before."""
    *head, place, feature = index
    before = (*head, order[place], feature)
    return carry(stage, index, Operand(stage, before, sheet.value(stage, index)))


def _original(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return carry(stage, index, sheet.operand("context", index))


def _permuted(
    places: tuple[int, ...], sheet: Sheet, stage: str, index: Index
) -> Derivation:
    """Read what the second run gives a token, where it stands there."""
    head, token, feature = index
    cell = (head, places[token], feature)
    value = sheet.parts["moved"].value("context", cell)
    return carry(stage, index, Operand("moved.context", cell, value))


def _change(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("order_permuted", index))
    return then(work, "subtract", sheet.operand("order_original", index))


# ---- the table --------------------------------------------------------------------


def _table(trace: "PositionsTrace", table: TableTrace) -> _Part:
    """Name the table, its products, and its sum with the inputs."""
    found: dict[str, FloatArray] = {
        "position_table": table.table,
        "position_gram": table.gram,
    }
    rules: dict[str, Rule] = {"position_gram": _product_of_positions}
    names = {
        "sum_positions": table.added,
        "sum_inputs": table.total,
        "x_norm": table.x_norm,
        "p_norm": table.p_norm,
    }
    found |= {name: rows for name, rows in names.items() if rows is not None}
    if table.scaled_x is not None and trace.settings.scales_inputs:
        found["scaled_x"] = table.scaled_x
        found["root_d"] = np.sqrt(float(trace.example.d_model))
    if trace.settings.table == "sinusoidal":
        position = partial(_position, trace)
        rules |= {"position_table": position, "sum_positions": position}
    rules |= {
        "scaled_x": _scaled,
        "sum_inputs": _sum,
        "x_norm": partial(_norm, "x"),
        "p_norm": partial(_norm, "sum_positions"),
    }
    return found, rules


def _position(
    trace: "PositionsTrace", sheet: Sheet, stage: str, index: Index
) -> Derivation:
    row, feature = index
    work = derive_sinusoid(
        trace.example.first_position + row,
        feature,
        d_model=sheet.shape(stage)[-1],
        base=trace.settings.theta,
        order=trace.settings.features,
    )
    return replace(work, stage=stage, index=index)


def _product_of_positions(sheet: Sheet, stage: str, index: Index) -> Derivation:
    row, other = index
    products = [
        (
            sheet.operand("position_table", (row, feature)),
            sheet.operand("position_table", (other, feature)),
        )
        for feature in range(sheet.shape("position_table")[-1])
    ]
    return collect(stage, index, "sum_of_products", products)


def _scaled(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("x", index))
    return then(work, "multiply", sheet.operand("root_d"))


def _sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    x = "scaled_x" if "scaled_x" in sheet else "x"
    work = carry(stage, index, sheet.operand(x, index))
    return then(work, "add", sheet.operand("sum_positions", index))


def _norm(name: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    rows = "scaled_x" if name == "x" and "scaled_x" in sheet else name
    cells = [
        sheet.operand(rows, (*index, feature))
        for feature in range(sheet.shape(rows)[-1])
    ]
    work = collect(stage, index, "sum_of_products", [(cell, cell) for cell in cells])
    return then(work, "root")


# ---- rotation ---------------------------------------------------------------------


def _rotary(trace: "PositionsTrace", rotary: RotaryTrace) -> _Part:
    """Name what is turned, by how much, and what comes of it."""
    found = {
        "query_cos": rotary.query_cos,
        "query_sin": rotary.query_sin,
        "key_cos": rotary.key_cos,
        "key_sin": rotary.key_sin,
        "rotary_queries": rotary.queries,
        "rotary_keys": rotary.keys,
        "rotary_scores": rotary.scores,
    }
    rules: dict[str, Rule] = {"rotary_scores": _rotary_score}
    sides = zip(("query", "key"), "qk", rotary.rows, rotary.pairings, strict=True)
    for side, letter, row, pairing in sides:
        name = {"query": "rotary_queries", "key": "rotary_keys"}[side]
        source = (letter, trace.head, row)
        rules[name] = partial(_turn, side, source, pairing)
        rules[f"{side}_cos"] = partial(_angle, trace.settings.theta, pairing)
        rules[f"{side}_sin"] = rules[f"{side}_cos"]
    return found, rules


def _turn(
    side: str,
    source: tuple[str, int, int],
    pairing: Pairing,
    sheet: Sheet,
    stage: str,
    index: Index,
) -> Derivation:
    """Turn a feature with its partner: x·cos − x′·sin, or x·cos + x′·sin."""
    place, feature = index
    letter, head, row = source
    other = _partner(pairing, feature, sheet.shape(stage)[-1])
    products = [
        (
            sheet.operand(letter, (head, row, at)),
            sheet.operand(f"{side}_{factor}", (place, feature)),
        )
        for factor, at in (("cos", feature), ("sin", other))
    ]
    return collect(stage, index, "sum_of_products", products)


def _partner(pairing: Pairing, feature: int, width: int) -> int:
    pairs = pairs_of(pairing, width)
    first, second = next(pair for pair in pairs if feature in pair)
    return second if feature == first else first


def _angle(
    base: float, pairing: Pairing, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    """Work out the angle of a pair, backwards for what the first loses."""
    place, feature = index
    width = sheet.shape(stage)[-1]
    pairs = pairs_of(pairing, width)
    pair = next(at for at, both in enumerate(pairs) if feature in both)
    return derive_turn(
        stage,
        index,
        place=place,
        pair=pair,
        width=width,
        base=base,
        is_first=feature == pairs[pair][0],
    )


def _rotary_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    m, n = index
    width = sheet.shape("rotary_queries")[-1]
    products = [
        (
            sheet.operand("rotary_queries", (m, feature)),
            sheet.operand("rotary_keys", (n, feature)),
        )
        for feature in range(width)
    ]
    work = collect(stage, index, "sum_of_products", products)
    return then(work, "multiply", Operand("scale", (), float(width) ** -0.5))


# ---- bias -------------------------------------------------------------------------


def _bias(bias: BiasTrace) -> _Part:
    """Name the scores, the bias, and their sum."""
    found = {
        "bias_scores": bias.scores,
        "position_bias": bias.bias,
        "biased_scores": bias.attention.scores,
    }
    rules: dict[str, Rule] = {
        "bias_scores": _bias_score,
        "position_bias": _sloped if bias.values is None else _bucketed,
        "biased_scores": _biased_score,
    }
    if bias.values is not None:
        found["bucket_values"] = bias.values
    return found, rules


def _biased(bias: BiasTrace) -> Sheet:
    """Lay out attention under the bias, whose scores lead to the sum on the page."""
    sheet = bias.attention.sheet()
    return replace(sheet, rules={**sheet.rules, "scores": _as_summed})


def _as_summed(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return carry(
        stage, index, Operand("biased_scores", index, sheet.value(stage, index))
    )


def _bias_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    head, row, column = index
    place = (head, row + _offset(sheet), column)
    work = carry(stage, index, sheet.operand("raw_scores", place))
    return then(work, "multiply", sheet.operand("scale"))


def _bucketed(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Look up the number of the distance's bucket."""
    head, row, column = index
    bucket = int(relative_buckets(*sheet.shape(stage)[1:])[row, column])
    return carry(stage, index, sheet.operand("bucket_values", (head, 0, bucket)))


def _sloped(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Multiply a head's slope and the distance."""
    head, row, column = index
    n_heads = sheet.shape(stage)[0]
    distance = -float(abs(row + _offset(sheet) - column))
    factors = (
        Operand("slope", (), float(alibi_slopes(n_heads)[head])),
        Operand("distance", (), distance),
    )
    return collect(stage, index, "sum_of_products", [factors])


def _offset(sheet: Sheet) -> int:
    """Tell where the first of the last queries stands."""
    _, len_q, len_k = sheet.shape("position_bias")
    return len_k - len_q


def _biased_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("bias_scores", index))
    return then(work, "add", sheet.operand("position_bias", index))
