"""The checks of the Layer page: right layers pass, mistakes of the catalogue do not."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.faults import norms
from attnviz.core.layers import encoder_layer
from attnviz.example.compute import EXAMPLES
from attnviz.example.edits import Edit
from attnviz.example.layer.checks import (
    CHECKS,
    check_identity,
    check_later,
    check_layers,
    check_moments,
    check_own_row,
    check_repeat,
    check_sources,
)
from attnviz.example.layer.compute import compute_layers
from attnviz.example.layer.settings import LAYER_EXAMPLES, LayerExample, layer_start
from attnviz.example.settings import Example


def verdicts(example, settings):
    checks = check_layers(compute_layers(example, settings))
    assert tuple(check.id for check in checks) == CHECKS
    return {check.id: check for check in checks}


@pytest.mark.parametrize("preset", LAYER_EXAMPLES)
@pytest.mark.parametrize("place", ["post", "pre"])
def test_right_layers_fail_no_check(preset, place):
    found = verdicts(EXAMPLES[preset], replace(layer_start(preset), place=place))
    assert {check.verdict for check in found.values()} <= {
        *("pass", "convention", "not applicable")
    }


def test_each_check_is_measured_where_it_has_something_to_measure():
    encoder = verdicts(Example(), LayerExample())
    assert encoder["later"].verdict == encoder["sources"].verdict == "not applicable"
    decoder = verdicts(Example(key_length=3), LayerExample(architecture="decoder"))
    assert decoder["later"].measured == 0
    assert decoder["sources"].measured > 0.01
    pre = verdicts(Example(mask="causal"), LayerExample(place="pre"))
    assert (pre["later"].measured, pre["moments"].verdict) == (0, "not applicable")
    final = verdicts(Example(), LayerExample(place="pre", has_final_norm=True))
    assert final["moments"].verdict == "pass"


def test_without_sublayers_pre_norm_is_the_identity_and_post_norm_is_not():
    # Course chapter, R118.
    pre = verdicts(EXAMPLES["transformer_layer"], layer_start("transformer_layer_pre"))
    assert (pre["identity"].verdict, pre["identity"].measured) == ("pass", 0)
    post = verdicts(EXAMPLES["transformer_layer"], layer_start("transformer_layer"))
    assert post["identity"].verdict == "convention"
    assert post["identity"].measured == pytest.approx(1.112, abs=5e-4)


@pytest.mark.parametrize(
    "fault", [norms.one_less_divisor, norms.over_positions, norms.not_normalized]
)
def test_a_wrong_last_norm_fails(fault):
    trace = compute_layers(Example(), LayerExample()).layers[0].norm_2
    assert check_moments(trace, fault(trace)).verdict == "fail"


def test_a_network_that_mixes_positions_fails():
    def mixing(x):
        return np.cumsum(x[::-1], axis=0)

    x = np.sin(np.arange(35.0)).reshape(5, 7)
    check = check_own_row(x, mixing)
    assert (check.verdict, check.measured > 0.1) == ("fail", True)


def test_a_forgotten_causal_mask_fails():
    trace = compute_layers(Example(mask="causal"), LayerExample())
    learned = trace.parameters[0]

    def unmasked(x):
        return encoder_layer(x, parameters=learned).output

    right = trace.layers[0].output
    assert check_later(trace.x, right, unmasked, is_causal=True).verdict == "fail"


def test_a_residual_taken_after_the_norm_fails():
    # Catalogue, P28: the stream is overwritten by its norm.
    def overwritten(x):
        return norms.residual_after_norm(x, np.zeros_like)

    x = np.sin(np.arange(35.0)).reshape(5, 7)
    assert check_identity(x, overwritten, is_identity=True).verdict == "fail"


def test_dropout_that_is_left_on_fails():
    rng = np.random.default_rng(0)

    def dropping(x):
        return x * (rng.random(x.shape) < 0.5)

    x = np.ones((5, 7))
    assert check_repeat(x, x, dropping).verdict == "fail"


def test_a_row_of_the_memory_that_changes_nothing_fails_if_it_has_a_weight():
    # Three rows of a memory, the first of which nobody may see.
    seen, answers = np.array([False, True, True]), np.array([0.0, 0.5, 0.0])
    weights = np.array([[[0.0, 0.75, 0.25]]])
    deaf = check_sources(answers, weights, seen)
    assert (deaf.verdict, deaf.where) == ("fail", (2,))
    settled = check_sources(answers, np.array([[[0.0, 1.0, 1e-300]]]), seen)
    assert (settled.verdict, settled.where) == ("convention", (2,))


def test_a_softmax_that_has_settled_on_one_row_is_no_mistake():
    edits = (Edit("x_k", (1, 0), 1e6),)
    decoder = LayerExample(architecture="decoder")
    example = Example(length=1, n_heads=1, key_length=3, edits=edits)
    found = verdicts(example, decoder)
    assert found["sources"].verdict == "convention"


def test_a_norm_over_one_feature_lets_no_memory_through():
    example = Example(d_model=1, key_length=3)
    post = LayerExample(architecture="decoder")
    assert verdicts(example, post)["sources"].verdict == "not applicable"
    pre = replace(post, place="pre")
    assert verdicts(example, pre)["sources"].verdict == "pass"
