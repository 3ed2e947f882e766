"""Time what a diagnosis takes of the processor, at the largest sizes on screen.

Run ``OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.verdicts``; the aim is 300 ms.
"""

from statistics import median
from time import process_time

import numpy as np

from attnviz.core import attend, causal_mask, diagnose_attention
from tests.benchmarks.report import print_table

LENGTH, WIDTH, HEADS, TIMES = 32, 64, 8, 5


def results(rng, q, k, v):
    """Give results to judge, each under the words that say what it is."""
    visible = causal_mask(LENGTH)
    right = attend(q, k, v, visible=visible)
    unscaled = attend(q, k, v, visible=visible, scale=1.0)
    tempered = attend(q, k, v, visible=visible, temperature=1.7)
    noise = rng.standard_normal(right.context.shape)
    return {
        "right": {"weights": right.weights, "context": right.context},
        "a mistake": {"weights": unscaled.weights, "context": unscaled.context},
        "a temperature": {"weights": tempered.weights},
        "a temperature, context alone": {"context": tempered.context},
        "noise": {"context": noise},
    }


def milliseconds(call):
    """Measure a few times, and take the middle."""
    spent = []
    for _ in range(TIMES):
        start = process_time()
        call()
        spent.append(1e3 * (process_time() - start))
    return median(spent)


def main():
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, HEADS, LENGTH, WIDTH))
    typed = {"q": q.round(4), "k": k.round(4), "v": v.round(4)}
    rows = []
    for name, result in results(rng, q, k, v).items():
        printed = {part: array.round(4) for part, array in result.items()}
        spent = milliseconds(
            lambda printed=printed: diagnose_attention(
                **typed, visible=causal_mask(LENGTH), **printed
            )
        )
        rows.append((name, f"{spent:.0f}"))
    print_table("A verdict on a result with four decimals", ("", "ms"), rows)


if __name__ == "__main__":
    main()
