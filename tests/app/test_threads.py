"""The app tells NumPy's libraries how many threads to take, and in time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMIT = "OPENBLAS_NUM_THREADS"
# What `shiny run` has loaded before the app, then the app.
PROBE = f"""
import os, sys
import shiny._main
print("numpy" in sys.modules)
import app
print("numpy" in sys.modules, os.environ["{LIMIT}"])
"""


@pytest.mark.parametrize(("given", "taken"), [({}, "1"), ({LIMIT: "3"}, "3")])
def test_one_thread_is_chosen_before_numpy_is_loaded_unless_another_number_is(
    given, taken
):
    kept = {name: value for name, value in os.environ.items() if name != LIMIT}
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=ROOT,
        env=kept | given,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["False", "True", taken]
