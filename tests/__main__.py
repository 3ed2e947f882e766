"""Run every check there is: ``python -m tests``, with arguments for pytest if any."""

import subprocess
import sys
from pathlib import Path

from tests.browser import prepare

TOOLS = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]
CHECKS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("oxlint", "www", "tests/www"),
    ("oxfmt", "--check", "www", "tests/www"),
    ("mypy",),
    ("lint-imports", "--no-logo"),
    # Two workers, each with a server and a browser of its own; who is done first takes
    # tests over from the other.
    ("pytest", "-q", "-n", "2", "--dist", "worksteal"),
)


def main(arguments: list[str]) -> int:
    """Run all checks, even after one has failed."""
    if missing := prepare():
        print(missing)
        return True
    failed = []
    for check in CHECKS:
        command = [str(TOOLS / check[0]), *check[1:]]
        if check[0] == "pytest":
            command += arguments
        print("$", *check, flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(" ".join(check))
    if failed:
        print("failed:", ", ".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
