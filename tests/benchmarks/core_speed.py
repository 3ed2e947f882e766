"""Time the core against PyTorch, against plain NumPy code, and with more threads.

Run ``python -m tests.benchmarks.core_speed``; tests/benchmarks/README.md explains it.
"""

import argparse
import os
import sys
import tracemalloc
from dataclasses import dataclass
from statistics import median
from time import process_time

import numpy as np

from attnviz.core import (
    MultiHeadParameters,
    banded_attend,
    fast_multi_head_attend,
    fuse_parameters,
    layer_norm,
    tiled_attend,
    window_mask,
)
from attnviz.core.fast import FusedParameters
from tests.benchmarks.core_rivals import (
    HAS_TORCH,
    Call,
    plain_attention,
    plain_layer,
    plain_norm,
    torch_attention,
    torch_layer,
    torch_norm,
)
from tests.benchmarks.core_threads import print_threads
from tests.benchmarks.report import print_table

# One thread for everybody, and no setting that makes OpenBLAS guess the processor.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
BENT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
HEADS = ("", "core ms", "PyTorch ms", "core ÷ PyTorch", "plain ms", "plain ÷ core")
WINDOW = 64
LENGTHS = (256, 1024, 4096, 16384)
# PyTorch has no window on the CPU: it gets a mask, whose table ends the comparison.
LONGEST_MASK = 4096


@dataclass(frozen=True, slots=True)
class Race:
    """The same work done by the core and by others; `calls` make one measurement."""

    name: str
    core: Call
    torch: Call | None
    plain: Call | None
    calls: int = 1


def layer_race(
    name: str, sizes: tuple[int, int, int, int], *, causal: bool, calls: int = 1
) -> Race:
    """Set up a whole multi-head layer of m samples, T positions, width d, H heads."""
    n_samples, length, width, n_heads = sizes
    rng = np.random.default_rng(0)
    shape = (n_heads, width, width // n_heads)
    projections = rng.standard_normal((3, *shape), dtype=np.float32) / np.sqrt(width)
    layer = MultiHeadParameters(
        *projections.astype(np.float32),
        rng.standard_normal((width, width), dtype=np.float32),
    )
    fused: FusedParameters = fuse_parameters(layer)
    x = rng.standard_normal((n_samples, length, width), dtype=np.float32)
    return Race(
        name + (" causal" if causal else ""),
        lambda: fast_multi_head_attend(x, parameters=fused, causal=causal),
        torch_layer(x, fused, causal=causal) if HAS_TORCH else None,
        plain_layer(x, fused, causal=causal),
        calls,
    )


def heads(length: int) -> np.ndarray:
    """Draw queries, keys and values of eight heads of width 64."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((3, 8, length, 64), dtype=np.float32)


def long_race(*, causal: bool) -> Race:
    """Set up attention whose table of scores would take 512 MiB."""
    q, k, v = heads(4096)
    return Race(
        "iii T=4096 H=8 d_head=64" + (" causal" if causal else ""),
        lambda: tiled_attend(q, k, v, causal=causal),
        torch_attention(q, k, v, causal=causal) if HAS_TORCH else None,
        None if HAS_TORCH else plain_attention(q, k, v, causal=causal),
    )


def window_race(length: int) -> Race:
    """Set up attention to the 64 keys before each query."""
    q, k, v = heads(length)
    rival = None
    if HAS_TORCH and length <= LONGEST_MASK:
        visible = window_mask(length, left=WINDOW, right=0)
        rival = torch_attention(q, k, v, visible=visible)
    return Race(
        f"v window {WINDOW} T={length}",
        lambda: banded_attend(q, k, v, left=WINDOW, right=0),
        rival,
        None,
    )


def norm_race() -> Race:
    """Set up a layer normalization, whose plain rival is in float32 too."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((32, 128, 512), dtype=np.float32)
    gamma, beta = rng.standard_normal((2, 512), dtype=np.float32)
    return Race(
        "vi layer norm m=32 T=128 d=512",
        lambda: layer_norm(x, gamma=gamma, beta=beta),
        torch_norm(x, gamma, beta) if HAS_TORCH else None,
        plain_norm(x, gamma, beta),
    )


def run(race: Race, rounds: int) -> dict[str, list[float]]:
    """Let all take turns, so that a busy machine slows them alike; CPU milliseconds."""
    rivals = {"core": race.core, "torch": race.torch, "plain": race.plain}
    present = {name: call for name, call in rivals.items() if call is not None}
    times: dict[str, list[float]] = {name: [] for name in present}
    for number in range(rounds + 1):
        for name, call in present.items():
            start = process_time()
            for _ in range(race.calls):
                call()
            if number > 0:
                times[name].append((process_time() - start) * 1e3 / race.calls)
    return times


def report(race: Race, times: dict[str, list[float]]) -> list[str]:
    """Turn one race into a row: medians of times and of the ratios of each round."""
    cells = [race.name, f"{median(times['core']):.3f}"]
    for name, upside_down in (("torch", False), ("plain", True)):
        if name not in times:
            cells += ["–", "–"]
            continue
        pairs = zip(times["core"], times[name], strict=True)
        ratios = [b / a if upside_down else a / b for a, b in pairs]
        cells += [f"{median(times[name]):.3f}", f"{median(ratios):.2f}"]
    return cells


def peak_mib(call: Call) -> float:
    """Measure what a call holds at most beyond its inputs, its result included."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def exponent(values: list[float]) -> float:
    """Fit p in value ∝ Tᵖ over the lengths of the window."""
    return float(np.polyfit(np.log(LENGTHS), np.log(values), 1)[0])


def main() -> None:
    """Run all races and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    small, windows = [], [window_race(length) for length in LENGTHS]
    for causal in (False, True):
        small += [
            layer_race("i m=8 T=128 d=256 H=8", (8, 128, 256, 8), causal=causal),
            layer_race("ii m=1 T=1024 d=512 H=8", (1, 1024, 512, 8), causal=causal),
            long_race(causal=causal),
            layer_race("iv m=1 T=8 d=16 H=2", (1, 8, 16, 2), causal=causal, calls=500),
        ]
    measured = [(race, run(race, rounds)) for race in sorted(small, key=str)]
    banded = [(race, run(race, rounds)) for race in windows]
    norms = [(race, run(race, rounds)) for race in [norm_race()]]
    print_table(
        "Core speed, float32 on one thread; plain NumPy code in float64 but for vi",
        HEADS,
        [report(race, times) for race, times in (*measured, *banded, *norms)],
    )
    times = [median(found["core"]) for _, found in banded]
    peaks = [peak_mib(race.core) for race in windows]
    extra = peak_mib(long_race(causal=False).core)
    print(f"\niii holds {extra:.1f} MiB at most beyond its inputs, the result included")
    print(f"v takes time like T^{exponent(times):.2f} and memory like", end=" ")
    print(f"T^{exponent(peaks):.2f}")
    if not HAS_TORCH:
        print("PyTorch is not installed; nothing was compared with it.")
    print_threads(rounds=3, calls=20)


if __name__ == "__main__":
    if any(os.environ.get(name) != "1" for name in ONE_THREAD) or set(BENT) & {
        *os.environ
    }:
        # The libraries read these when they are loaded, so start over.
        kept = {name: value for name, value in os.environ.items() if name not in BENT}
        again = [sys.executable, "-m", "tests.benchmarks.core_speed", *sys.argv[1:]]
        os.execve(sys.executable, again, kept | ONE_THREAD)
    main()
