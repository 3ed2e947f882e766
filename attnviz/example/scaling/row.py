"""One query and its keys under every divisor, and how each number comes about."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.attention import sign_vectors
from attnviz.core.attention.weights import softmax_stages
from attnviz.core.derivation import Derivation, Rule, carry, collect, then
from attnviz.core.gradients import softmax_jacobian

EXACT_SIZE = 4


def row_matrices(
    q: FloatArray, k: FloatArray, divisors: tuple[float, ...]
) -> dict[str, FloatArray]:
    """Compute scores, weights and Jacobians of one query.

    Parameters
    ----------
    q : FloatArray of shape (1, d_k)
        The query.
    k : FloatArray of shape (T_k, d_k)
        Its keys.
    divisors : tuple of float
        What its scores are divided by, one after the other; the chapter's is the
        second.
    """
    raw = q @ k.T
    column = np.array(divisors)[:, None]
    divided = raw / column
    soft = softmax_stages(divided)
    signs = sign_vectors(EXACT_SIZE)
    found = {
        "row_q": q,
        "row_k": k,
        "row_raw": raw,
        "divisor": column,
        "divided": divided,
        "divided_max": soft.row_max,
        "divided_exp": soft.exp_scores,
        "divided_sum": soft.row_sum,
        "shares": soft.weights,
        "jacobian_raw": softmax_jacobian(soft.weights[0]),
        "jacobian": softmax_jacobian(soft.weights[1]),
        "signs": signs,
        "sign_scores": signs @ signs.T,
        "minus": np.array(-1.0),
    }
    return {name: read_only(matrix) for name, matrix in found.items()}


def _raw(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _dot(sheet, stage, index, "row_q", "row_k")


def _sign_score(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return _dot(sheet, stage, index, "signs", "signs")


def _dot(sheet: Sheet, stage: str, index: Index, left: str, right: str) -> Derivation:
    """Multiply two vectors component by component."""
    terms = [
        (sheet.operand(left, (index[0], at)), sheet.operand(right, (index[1], at)))
        for at in range(sheet.shape(left)[1])
    ]
    return collect(stage, index, "sum_of_products", terms)


def _divided(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("row_raw", (0, index[1])))
    return then(work, "divide", sheet.operand("divisor", (index[0], 0)))


def _max(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return collect(stage, index, "maximum", _over_keys(sheet, index, "divided"))


def _exp(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("divided", index))
    work = then(work, "subtract", sheet.operand("divided_max", (index[0], 0)))
    return then(work, "exp")


def _sum(sheet: Sheet, stage: str, index: Index) -> Derivation:
    return collect(stage, index, "sum", _over_keys(sheet, index, "divided_exp"))


def _over_keys(sheet: Sheet, index: Index, name: str) -> list[tuple[Operand, ...]]:
    keys = range(sheet.shape(name)[1])
    return [(sheet.operand(name, (index[0], key)),) for key in keys]


def _share(sheet: Sheet, stage: str, index: Index) -> Derivation:
    work = carry(stage, index, sheet.operand("divided_exp", index))
    return then(work, "divide", sheet.operand("divided_sum", (index[0], 0)))


def _jacobian(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Work out −a_i·a_j, and on the diagonal a_i − a_i·a_i."""
    i, j = index
    row = 0 if stage == "jacobian_raw" else 1
    one, other = (sheet.operand("shares", (row, key)) for key in (i, j))
    own = [(one,)] if i == j else []
    crossed = (sheet.operand("minus"), one, other)
    return collect(stage, index, "sum_of_products", [*own, crossed])


ROW_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "row_raw": _raw,
        "divided": _divided,
        "divided_max": _max,
        "divided_exp": _exp,
        "divided_sum": _sum,
        "shares": _share,
        "jacobian_raw": _jacobian,
        "jacobian": _jacobian,
        "sign_scores": _sign_score,
    }
)
