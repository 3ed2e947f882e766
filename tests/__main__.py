"""Run every check that the gate runs: ``python -m tests``.

Arguments go to pytest, such as ``python -m tests -k masks``.
"""

import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports", "--no-cache"),
)
# Two workers: each starts one server and one browser of its own.
PYTEST = ("pytest", "-q", "-n", "2", "--dist", "loadfile")


def main() -> int:
    """Run all checks, even after one fails; pytest's closing line comes last."""
    failed = []
    for check in (*CHECKS, (*PYTEST, *sys.argv[1:])):
        print(f"\n$ {' '.join(check)}", flush=True)
        command = [str(BIN / check[0]), *check[1:]]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(check[0])
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


sys.exit(main())
