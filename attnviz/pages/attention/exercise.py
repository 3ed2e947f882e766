"""Exercises for paper: the numbers on screen rounded, and all computed from those."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.heads import project_heads
from attnviz.core.attention.scaled_dot_product import AttentionTrace, attend, slice_head
from attnviz.core.layers.norms import layer_norm
from attnviz.example.choices.positions import turn_of
from attnviz.example.choices.scores import SCORING_RULES, ScoringMatrices, score_of
from attnviz.example.compute import ExampleTrace
from attnviz.export.exercise import MOST, NormExercise, rounded, worthy_row


@dataclass(frozen=True, slots=True)
class AttentionExercise:
    """One head to compute by hand, in places.

    Attributes
    ----------
    given : dict of str to FloatArray
        Rounded matrices by name, from which queries are computed: "x" or "inputs" with
        "w_q"; where nothing is projected, "q", "k" and "v" themselves.
    learned : dict of str to FloatArray
        Rounded parts of the score by name, if it has any.
    q, k, v : FloatArray of shape (T_q or T_k, d_k or d_v)
        Queries, keys and values computed from them.
    attention : AttentionTrace
        Every stage of the head.
    row, key, feature : int
        The query, the key and the value feature in question, counted from 0.
    norm : NormExercise or None
        The same position of the inputs to normalize; None where there are none.
    """

    given: dict[str, FloatArray]
    learned: dict[str, FloatArray]
    q: FloatArray
    k: FloatArray
    v: FloatArray
    attention: AttentionTrace
    row: int
    key: int
    feature: int
    norm: NormExercise | None


def attention_exercise(trace: ExampleTrace, head: int) -> AttentionExercise | None:
    """Round what a head starts from, and compute it again.

    Returns
    -------
    exercise : AttentionExercise or None
        None if a matrix is too large for paper. Mask, scale, temperature, score and
        positions are those of the example.
    """
    seen = slice_head(trace.attention, head)
    given, q, k, v = _start(trace, head)
    if max(*q.shape, *k.shape, *v.shape, *given.get("w_q", q).shape) > MOST:
        return None
    learned = _learned(trace)
    score = None if learned is None else score_of(trace.example.scoring, learned)
    turn = turn_of(trace.example.positions, trace.encoding)
    attention = attend(
        turn(q),
        turn(k),
        v,
        visible=seen.visible,
        query_valid=np.asarray(seen.visible.any(axis=-1)),
        bias=seen.bias,
        scale=seen.scale,
        temperature=seen.temperature,
        score=score,
    )
    row = worthy_row(seen.visible.sum(axis=-1))
    return AttentionExercise(
        given=given,
        learned=_parts(trace, learned),
        q=q,
        k=k,
        v=v,
        attention=attention,
        row=row,
        key=int(np.flatnonzero(seen.visible[row])[-1]),
        feature=0,
        norm=_inputs_to_normalize(trace, row),
    )


def _start(
    trace: ExampleTrace, head: int
) -> tuple[dict[str, FloatArray], FloatArray, FloatArray, FloatArray]:
    """Round what the example starts from, and project it if it is not given."""
    p = trace.parameters
    if p is None or trace.inputs is None or trace.key_inputs is None:
        q, k, v = (rounded(matrix[head]) for matrix in (trace.q, trace.k, trace.v))
        return {"q": q, "k": k, "v": v}, q, k, v
    x, x_k = rounded(trace.inputs), rounded(trace.key_inputs)
    w_q, w_k, w_v = (rounded(w[head : head + 1]) for w in (p.w_q, p.w_k, p.w_v))
    q, k, v = (
        project_heads(rows, w)[0] for rows, w in ((x, w_q), (x_k, w_k), (x_k, w_v))
    )
    # Keys and values are printed in full where they are used.
    name = "x" if trace.positions is None else "inputs"
    return {name: x, "w_q": w_q[0]}, q, k, v


def _learned(trace: ExampleTrace) -> ScoringMatrices | None:
    """Round the learned parts of the score, if it has any."""
    s = trace.scoring
    if s is None:
        return None
    return ScoringMatrices(rounded(s.w), rounded(s.w_q), rounded(s.w_k), rounded(s.v))


def _parts(
    trace: ExampleTrace, learned: ScoringMatrices | None
) -> dict[str, FloatArray]:
    """Name the learned parts that this score uses."""
    if learned is None:
        return {}
    names = SCORING_RULES[trace.example.scoring].parts
    return {f"score_{name}": getattr(learned, name) for name in names}


def _inputs_to_normalize(trace: ExampleTrace, row: int) -> NormExercise | None:
    if trace.x is None:
        return None
    return NormExercise(layer_norm(rounded(trace.x)), row, trace.tokens)
