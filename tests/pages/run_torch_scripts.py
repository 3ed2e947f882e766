"""Run the PyTorch script of every case, where PyTorch is installed.

Usage: python -m tests.pages.run_torch_scripts

Each script compares with the numbers on screen by itself; what it prints is counted.
"""

import io
import sys
from contextlib import redirect_stdout
from typing import TextIO

from attnviz.example.compute import compute
from attnviz.example.norms import compute_norm
from attnviz.example.scaling.compute import compute_scaling
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.export.dialect import TORCH
from attnviz.text.catalog import translator
from tests.pages.cases import ATTENTION, NORMS, SCALING, WEIGHTS_ALONE, write_script


def main(out: TextIO = sys.stdout) -> int:
    """Print one line a case; return 1 if a script raised an error."""
    import torch

    out.write(f"PyTorch {torch.__version__}\n")
    traces = {
        **{name: compute(example) for name, example in ATTENTION.items()},
        "weights alone": compute_shown(WEIGHTS_ALONE),
        **{name: compute_norm(Example(), norm) for name, norm in NORMS.items()},
        **{name: compute_scaling(one) for name, one in SCALING.items()},
    }
    failures = 0
    for name, trace in traces.items():
        script = write_script(trace, TORCH, translator("zh"))
        printed = io.StringIO()
        try:
            with redirect_stdout(printed):
                exec(compile(script, name, "exec"), {"__name__": "__main__"})
            outcome = f"{printed.getvalue().count('agrees')} agree"
        except Exception as error:
            outcome = f"FAILED: {error}"
            failures += 1
        out.write(f"{name:26}{outcome}\n")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
