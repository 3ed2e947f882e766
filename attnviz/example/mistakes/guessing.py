"""A result to guess: a random mistake, a convention, or nothing wrong at all."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attnviz.core.arrays.randomness import draw, stream
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention.masks import causal_mask
from attnviz.core.checks import Check
from attnviz.core.checks.case import AttentionCase, attention_case
from attnviz.core.diagnosis import Diagnosis, diagnose_attention
from attnviz.core.faults import Outcome
from attnviz.example.matrices import FAULTY
from attnviz.example.mistakes.laid import Laid, sum_along
from attnviz.example.mistakes.outcomes import fault_of
from attnviz.example.mistakes.programs import ATTENTION, PROGRAMS
from attnviz.example.mistakes.running import run
from attnviz.example.settings import Example

RIGHT = "right"
# What numbers alone can tell apart.
_POOL = (
    *("P01", "P01.queries_as_keys", "P02", "P02.width", "P02.inverse", "P03", "P04"),
    *("P10", "P11", "P31", "P34", "P36", "P36.undivided", "P37", "P40", "P41", "P42"),
    RIGHT,
)
N_CHOICES = 5
_LENGTH, _WIDTH = 5, 4


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked.

    Attributes
    ----------
    case : AttentionCase
        What was meant: causal attention of five positions.
    made : Outcome
        What somebody's code returned.
    answer : str
        The mistake, as in PROGRAMS, or "right".
    choices : tuple of str
        Five to choose among.
    distances : tuple of float
        How far the result is from what each choice gives.
    diagnosis : Diagnosis
        What the core says of the result.
    """

    case: AttentionCase
    made: Outcome
    answer: str
    choices: tuple[str, ...]
    distances: tuple[float, ...]
    diagnosis: Diagnosis

    @property
    def checks(self) -> tuple[Check, ...]:
        """The properties; the loop would give everything away."""
        return tuple(check for check in self.diagnosis.checks if check.id != "loop")

    def laid(self, *, is_answered: bool) -> Laid:
        """Lay out what was meant and what was returned.

        Before the answer nobody is told how the result came about.
        """
        text = ATTENTION if self.answer == RIGHT else PROGRAMS[self.answer].faulty
        len_q, len_k = self.case.visible.shape[-2:]
        spoilt = run(
            text,
            {
                "q": self.case.q,
                "k": self.case.k,
                "v": self.case.v,
                "visible": self.case.visible,
                "d_k": _WIDTH,
                "len_q": len_q,
                "len_k": len_k,
                "distance": abs(np.arange(len_q)[:, None] - np.arange(len_k)),
            },
        )
        found = {
            **self.case.answer.sheet().matrices,
            # Their names alone would tell what was done.
            **(spoilt.values if is_answered else {}),
            f"{FAULTY}weights": self.made.weights,
            f"{FAULTY}weight_sum": self.made.weights.sum(axis=-1, keepdims=True),
            f"{FAULTY}context": self.made.context,
        }
        rules = {f"{FAULTY}weight_sum": sum_along(f"{FAULTY}weights", 2)}
        if is_answered:
            rules = {**spoilt.rules, **rules}
        tokens = Example(length=_LENGTH).tokens
        return Laid(found, rules, {"query": tokens, "key": tokens})


@lru_cache(maxsize=64)
def ask(seed: int, number: int) -> Question:
    """Make the question of a round.

    Parameters
    ----------
    seed : int
        Of the sequence: a class that shares it is asked the same.
    number : int
        The round.
    """
    rng = stream(seed, f"guess.{number}")
    drawn = [
        draw(seed, f"guess.{number}.{name}", (_LENGTH, _WIDTH))[None] for name in "qkv"
    ]
    case = attention_case(*drawn, visible=causal_mask(_LENGTH))
    # Ten rounds ask ten different things.
    order = stream(seed, "guess").permutation(len(_POOL))
    answer = _POOL[order[(number - 1) % len(_POOL)]]
    others = [id for id in _POOL if id != answer and _make(id, case) is not None]
    chosen = [answer, *map(str, rng.choice(others, N_CHOICES - 1, replace=False))]
    choices = tuple(map(str, rng.permutation(sorted(chosen))))
    made = _make(answer, case)
    assert made is not None
    return Question(
        case,
        made,
        answer,
        choices,
        tuple(_distance(made, _make(id, case)) for id in choices),
        diagnose_attention(
            *drawn, weights=made.weights, context=made.context, visible=case.visible
        ),
    )


def _make(id: str, case: AttentionCase) -> Outcome | None:
    if id == RIGHT:
        return Outcome(case.answer.weights, case.answer.context)
    made: Outcome | None = fault_of(id)[1].run(case)
    return made


def _distance(made: Outcome, other: Outcome | None) -> float:
    """Compare weights and context."""
    assert other is not None
    pairs = ((made.weights, other.weights), (made.context, other.context))
    return max(_largest(first - second) for first, second in pairs)


def _largest(gaps: FloatArray) -> float:
    return float(np.abs(gaps).max())
