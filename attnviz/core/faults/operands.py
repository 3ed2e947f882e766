"""Mistakes in which matrices meet, and in how a finished result is laid out."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention._products import multiply
from attnviz.core.checks.case import AttentionCase
from attnviz.core.faults._plain import outcome, rescored
from attnviz.core.faults.fault import Outcome


def keys_not_transposed(case: AttentionCase) -> Outcome | None:
    """Multiply Q by K where Kᵀ belongs.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        None unless there are as many keys as features.
    """
    if case.k.shape[-2] != case.k.shape[-1]:
        return None
    return rescored(case, multiply(_wide(case.q), _wide(case.k)))


def keys_reshaped(case: AttentionCase) -> Outcome | None:
    """Give K the shape of Kᵀ by a reshape, which keeps the order of the numbers.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        None where a reshape does nothing at all, as `keys_not_transposed` does then.
    """
    *leading, len_k, width = case.k.shape
    if len_k == width:
        return None
    keys = case.k.reshape(*leading, width, len_k)
    return rescored(case, multiply(_wide(case.q), _wide(keys)))


def weights_transposed(case: AttentionCase) -> Outcome | None:
    """Mix the values with Aᵀ.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Right weights and a wrong context; None where the table is not square.
    """
    if case.visible.shape[-2] != case.visible.shape[-1]:
        return None
    turned = case.answer.weights.swapaxes(-1, -2)
    return Outcome(case.answer.weights, outcome(case, turned).context)


def keys_mixed(case: AttentionCase) -> Outcome:
    """Mix the keys instead of the values.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        A context as wide as the keys.
    """
    return Outcome(case.answer.weights, multiply(case.answer.weights, case.k))


def queries_mixed(case: AttentionCase) -> Outcome | None:
    """Mix the queries instead of the values.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        A context as wide as the queries; None unless there are as many as keys.
    """
    if case.q.shape[-2] != case.k.shape[-2]:
        return None
    return Outcome(case.answer.weights, multiply(case.answer.weights, case.q))


def context_transposed(case: AttentionCase) -> Outcome:
    """Return Cᵀ.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Features where the queries belong.
    """
    return Outcome(case.answer.weights, case.answer.context.swapaxes(-1, -2))


def table_transposed(case: AttentionCase) -> Outcome:
    """Return Aᵀ beside the right context.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome
        Keys where the queries belong.
    """
    return Outcome(case.answer.weights.swapaxes(-1, -2), case.answer.context)


def heads_not_merged(case: AttentionCase) -> Outcome | None:
    """Put the heads beside the queries, and stop there.

    Parameters
    ----------
    case : AttentionCase
        What is asked.

    Returns
    -------
    outcome : Outcome or None
        Context of shape (..., T_q, H, d_v); None without a head axis.
    """
    if case.answer.context.ndim < 3:
        return None
    return Outcome(case.answer.weights, case.answer.context.swapaxes(-2, -3))


def rolled_out(case: AttentionCase, *, applied: bool = False) -> Outcome | None:
    """Return (A + I)/2, which follows information through layers, for the weights.

    Parameters
    ----------
    case : AttentionCase
        What is asked.
    applied : bool, default=False
        Whether the context is mixed with it too.

    Returns
    -------
    outcome : Outcome or None
        None where the table is not square.
    """
    length, len_k = case.visible.shape[-2:]
    if length != len_k:
        return None
    halved = (case.answer.weights + np.eye(length, dtype=case.v.dtype)) / 2
    context = outcome(case, halved).context if applied else case.answer.context
    return Outcome(halved, context)


def _wide(part: FloatArray) -> FloatArray:
    return part.astype(np.float64, copy=False)
