"""Checks of an example: they follow its settings, and each of them can fail."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.scaled_dot_product import attend
from attnviz.example.checks import check_example
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.own import choose_own, pack_own, read_own, unpack_own
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from tests.example.own.own_files import npz

RNG = np.random.default_rng(3)
Q, K, V = (
    RNG.normal(size=(2, rows, width)) for rows, width in ((3, 4), (5, 4), (5, 2))
)
RIGHT = attend(Q, K, V).weights


def named(example):
    return {check.id: check for check in check_example(compute_shown(example))}


def judged(weights, **settings):
    own = choose_own(read_own(npz(q=Q, k=K, v=V, a=weights)))
    return named(replace(own_example(own), **settings))


def failures(checks):
    return [name for name, check in checks.items() if check.verdict == "fail"]


UNSCALED = [
    Example(is_scaled=False),
    Example(is_scaled=False, temperature=2.0),
    Example(is_scaled=False, positions="alibi", mask="causal"),
    Example(is_scaled=False, positions="rotary"),
    replace(EXAMPLES["recurrent"], scoring="dot"),
]


@pytest.mark.parametrize("example", UNSCALED)
def test_only_the_divisor_objects_to_a_scaling_that_is_off(example):
    checks = named(example)
    assert failures(checks) == ["divisor"]
    assert checks["divisor"].measured == pytest.approx(example.temperature)
    wanted = example.d_k**0.5 * example.temperature
    assert checks["divisor"].expected == pytest.approx(wanted)
    assert checks["loop"].verdict == checks["max_subtracted"].verdict == "pass"


def test_a_divisor_of_1_is_that_of_a_single_feature():
    checks = named(Example(d_k=1, is_scaled=False))
    assert checks["divisor"].verdict == "pass"


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_no_check_of_a_preset_fails(name, mask):
    example = replace(EXAMPLES[name], mask=mask)
    assert failures(named(example)) == []


@pytest.mark.parametrize("scoring", ["bilinear", "additive"])
@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_a_learned_score_is_divided_by_the_temperature_alone(scoring, temperature):
    # √T_k = 2 and √d_k = 2 must not be mistaken for what a temperature of 2 is.
    example = Example(length=4, d_k=4, scoring=scoring, temperature=temperature)
    divisor = named(example)["divisor"]
    assert divisor.verdict == "convention"
    assert divisor.expected == temperature


def test_own_weights_beside_what_they_come_from_are_compared():
    checks = judged(RIGHT)
    assert failures(checks) == []
    assert checks["max_subtracted"].verdict == "pass"


WRONG = {
    "row_sums": (RIGHT * 0.75, {}),
    "hidden_weights": (RIGHT, {"mask": "causal"}),
    "constant_values": (RIGHT * 0.75, {}),
    "visible_keys": (RIGHT * np.array([[1], [0], [1]]), {}),
    "divisor": (attend(Q, K, V, scale=1.0).weights, {}),
    "max_subtracted": (np.where(RIGHT.max() == RIGHT, np.nan, RIGHT), {}),
    "score_table": (RIGHT.mean(axis=0), {}),
    "loop": (attend(Q, np.roll(K, 1, axis=1), V).weights, {}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_reader_can_make_a_check_fail(name):
    weights, settings = WRONG[name]
    assert name in failures(judged(weights, **settings))


def test_a_wrong_divisor_and_a_lost_axis_say_what_should_be():
    divisor = judged(attend(Q, K, V, scale=1.0).weights)["divisor"]
    assert (divisor.measured, divisor.expected) == (pytest.approx(1), 2)
    table = judged(RIGHT.mean(axis=0))["score_table"]
    assert (table.measured, table.expected) == (15, 30)


def test_own_weights_stay_through_a_reload():
    own = choose_own(read_own(npz(q=Q, k=K, v=V, a=WRONG["max_subtracted"][0])))
    assert unpack_own(pack_own(own)) == own


@pytest.mark.parametrize("row", [[1.25, -0.25], [-0.5, 1.5], [2.0, -1.0]])
def test_weights_beyond_0_and_1_fail_although_they_sum_to_1(row):
    weights = np.array([[0.5, 0.5], row])
    alone = own_example(choose_own(read_own(npz(a=weights))))
    checks = named(alone)
    assert checks["row_sums"].verdict == "fail"
    assert checks["row_sums"].where == (0, 1)


def test_the_weights_of_an_export_need_no_comparison():
    from attnviz.export.data import page_data, plain_settings
    from attnviz.export.formats import as_json

    trace = compute(Example(mask="causal"))
    data = page_data("attention", trace.screen(), plain_settings(trace.example))
    own = choose_own(read_own(as_json(data)))
    assert "weights" not in [matrix.name for matrix in own.matrices]
