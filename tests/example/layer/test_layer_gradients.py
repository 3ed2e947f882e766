"""Gradients through the layers: those of the core, of differences, and every cell."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.core.gradients import decoder_layer_backward, encoder_layer_backward
from attnviz.example.layer.catalogue import layer_names
from attnviz.example.layer.compute import compute_layers, runner_of
from attnviz.example.layer.depth import gradient_depth_of
from attnviz.example.layer.gradients import lay_out_gradients
from attnviz.example.layer.settings import LayerExample
from attnviz.example.layer.view import look_at
from attnviz.example.settings import Example

SIZES = {"length": 5, "d_model": 7, "d_k": 2, "d_v": 3, "n_heads": 3}
ENDS = {"has_vocabulary": True, "words": "a b", "shows_gradients": True, "token": 2}
NETWORK = LayerExample(d_ff=11, n_layers=2, **ENDS)
CASES = {
    "encoder, post": (
        Example(**SIZES, mask="causal"),
        replace(NETWORK, objective="next"),
    ),
    "encoder, pre": (
        Example(**SIZES, temperature=0.7),
        replace(NETWORK, place="pre", activation="gelu", has_final_norm=True),
    ),
    "decoder, post": (Example(**SIZES), replace(NETWORK, architecture="decoder")),
    "decoder, pre": (
        Example(**SIZES, key_length=3),
        replace(NETWORK, architecture="decoder", place="pre", objective="length"),
    ),
    "final, next": (
        Example(**SIZES),
        replace(NETWORK, has_final_norm=True, objective="next", ties_vocabulary=True),
    ),
    "rotary": (Example(**SIZES, positions="rotary"), replace(NETWORK, place="pre")),
    "padding": (
        Example(**SIZES, mask="padding", n_padding=2, positions="alibi"),
        NETWORK,
    ),
}
SINGLE = {"rounding"}


def gradients(trace, settings):
    return lay_out_gradients(trace, settings.objective, settings.token)


def central(loss, x, place, step=1e-6):
    """Estimate a slope from two small steps."""
    shift = np.zeros(x.shape)
    shift[place] = step
    return (loss(x + shift) - loss(x - shift)) / (2 * step)


def loss_of(trace, output, settings):
    """Compute the loss anew, as one number."""
    if settings.objective == "number":
        return output[settings.token, 0]
    if settings.objective == "length":
        return np.square(output[settings.token]).sum() / 2
    found = trace.vocabulary
    logits = output @ found.w_vocab.T + found.b_vocab
    total = np.log(np.exp(logits).sum(axis=-1))
    words = [found.words.index(word) for word in trace.tokens[1:]]
    own = logits[np.arange(len(words)), words]
    return (total[:-1] - own).mean()


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_of_the_input_is_that_of_small_differences(case):
    example, settings = CASES[case]
    trace = compute_layers(example, replace(settings, has_final_norm=False))
    found = gradients(trace, settings).matrix("grad_stream_0")
    runner = runner_of(trace)

    def loss(x):
        return loss_of(trace, runner.run(x, 2)[-1].output, settings)

    for place in ((0, 0), (2, 3), (4, 6)):
        slope = central(loss, trace.x, place)
        assert found[place] == pytest.approx(slope, abs=1e-7, rel=1e-5)


@pytest.mark.parametrize("objective", ["number", "length", "next"])
@pytest.mark.parametrize("place", ["post", "pre"])
def test_gradients_over_depth_are_those_of_a_loss_behind_six_layers(objective, place):
    settings = replace(NETWORK, objective=objective)
    trace = compute_layers(Example(**SIZES), settings)
    runner = runner_of(trace)

    def loss(x):
        return loss_of(trace, runner.run(x, 6, place=place)[-1].output, settings)

    slopes = [central(loss, trace.x, cell) for cell in np.ndindex(trace.x.shape)]
    found = getattr(gradient_depth_of(trace, objective, settings.token), place)
    assert found[0] == pytest.approx(np.linalg.norm(slopes), rel=1e-5)


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
@pytest.mark.parametrize("place", ["post", "pre"])
def test_each_layer_agrees_with_the_core(kind, place):
    settings = replace(NETWORK, architecture=kind, place=place)
    trace = compute_layers(Example(**SIZES), settings)
    found = gradients(trace, settings)
    back = encoder_layer_backward if kind == "encoder" else decoder_layer_backward
    n_steps = len(settings.sublayers)
    for layer, one in enumerate(trace.layers):
        above = found.matrix(f"grad_stream_{(layer + 1) * n_steps}")
        core = back(above, trace=one)
        below = found.matrix(f"grad_stream_{layer * n_steps}")
        np.testing.assert_allclose(below, core.x, atol=1e-12)
        learned = core.parameters.feed_forward
        for name in ("w_1", "w_2"):
            mine = found.matrix(f"grad_{name}")[layer]
            np.testing.assert_allclose(mine, getattr(learned, name), atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_every_cell_of_every_gradient_is_replayed_from_cells_on_screen(case):
    view = look_at(*CASES[case])
    sheet, names = view.sheet(), layer_names()
    tables = [
        n for n in sheet.matrices if n.startswith("grad_") and sheet.matrix(n).ndim
    ]
    assert len(tables) > 30
    for name in tables:
        shape = sheet.shape(name)
        assert len(shape) == len(names[name].axes)
        for index in ((0,) * len(shape), tuple(size - 1 for size in shape)):
            work = derive(view, name, index)
            assert (work.stage, work.index) == (name, index)
            assert replay(work) == work.value == sheet.value(name, index)
            rounding = [s for s in work.steps if s.operator == "round"]
            assert all(abs(s.operands[0].value) < 1e-9 for s in rounding), (name, index)
            for part in (*work.terms, *work.steps):
                for each in part.operands:
                    if each.name not in SINGLE:
                        assert sheet.value(each.name, each.index) == each.value


def test_a_loss_without_its_words_is_refused():
    settings = LayerExample(shows_gradients=True, objective="next")
    with pytest.raises(SettingError, match="layer_loss"):
        look_at(Example(), settings)


def test_before_the_sublayers_the_gradient_reaches_the_input_undiminished():
    # What comes from above reaches the input as it is, plus what the sublayers add.
    settings = replace(NETWORK, place="pre", zeroed="all", has_vocabulary=False)
    trace = compute_layers(Example(**SIZES), settings)
    found = gradients(trace, settings)
    np.testing.assert_array_equal(
        found.matrix("grad_stream_0"), found.matrix("grad_stream_4")
    )
