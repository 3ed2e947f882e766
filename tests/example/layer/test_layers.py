"""The layers on screen: golden numbers, and every cell leads down to what was given."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.core.layers import encoder_layer
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.layer.catalogue import layer_names
from attnviz.example.layer.compute import compute_layers
from attnviz.example.layer.counts import CHAPTER_PARAMETERS, count_parameters
from attnviz.example.layer.depth import CASE, depth_of, spread, stack, triple
from attnviz.example.layer.settings import LAYER_EXAMPLES, LayerExample, layer_start
from attnviz.example.layer.view import look_at
from attnviz.example.settings import Example
from tests.core.golden import GOLDEN

LAYER = GOLDEN["transformer_layer"]
TIGHT = {"rtol": 0, "atol": 1e-12}
# Distinct primes, so that no axis can stand in for another.
SIZES = {"length": 5, "d_model": 7, "d_k": 2, "d_v": 3, "n_heads": 3}
NETWORK = LayerExample(d_ff=11, n_layers=2)
CASES = {
    **{name: (EXAMPLES[name], layers) for name, layers in LAYER_EXAMPLES.items()},
    "encoder, post": (Example(**SIZES, mask="causal"), NETWORK),
    "encoder, pre": (
        Example(**SIZES, positions="sinusoidal"),
        replace(NETWORK, place="pre", activation="gelu", has_vocabulary=True),
    ),
    "decoder, post": (Example(**SIZES), replace(NETWORK, architecture="decoder")),
    "decoder, pre": (
        Example(**SIZES, key_length=3),
        replace(NETWORK, architecture="decoder", place="pre", has_final_norm=True),
    ),
    "rotary": (Example(**SIZES, positions="rotary"), replace(NETWORK, zeroed="all")),
    "alibi": (Example(**SIZES, positions="alibi", temperature=0.7), NETWORK),
    "shared projection": (
        Example(**SIZES, is_tied=True),
        replace(NETWORK, architecture="decoder"),
    ),
    "relative": (Example(**SIZES, positions="relative"), NETWORK),
    # The bias of the layers is T × T, that of the example T × T_k.
    "relative, fewer keys": (
        Example(**SIZES, positions="relative", key_length=3),
        NETWORK,
    ),
    "padding": (Example(**SIZES, mask="padding", n_padding=2), NETWORK),
}
# Numbers that stand in no matrix.
SINGLE = {"rounding", "slope", "distance", "2i", "position", "base", "d"}


@pytest.mark.parametrize(
    ("preset", "key"),
    [("transformer_layer", "post_norm"), ("transformer_layer_pre", "pre_norm")],
)
def test_the_golden_layer_comes_out(preset, key):
    trace = compute_layers(EXAMPLES[preset], layer_start(preset))
    np.testing.assert_allclose(trace.output, LAYER[key], **TIGHT)


def test_the_stages_of_the_golden_layer_come_out():
    preset = "transformer_layer_pre"
    trace = compute_layers(EXAMPLES[preset], layer_start(preset))
    row = trace.vocabulary.logits[0]
    np.testing.assert_allclose(row, LAYER["vocab_logits_row0_of_pre"], **TIGHT)
    np.testing.assert_allclose(trace.vocabulary.probabilities.sum(axis=1), 1)


def test_two_layers_are_the_golden_one_twice():
    trace = compute_layers(EXAMPLES["two_layers"], layer_start("two_layers"))
    first = trace.parameters[0]
    again = encoder_layer(LAYER["pre_norm"], parameters=first, norm="pre")
    np.testing.assert_allclose(trace.layers[1].output, again.output, **TIGHT)


@pytest.mark.parametrize("case", CASES)
def test_every_cell_of_every_matrix_is_replayed_from_cells_on_screen(case):
    example, layers = CASES[case]
    view = look_at(example, replace(layers, layer=layers.n_layers - 1))
    sheet, names = view.sheet(), layer_names()
    tables = [name for name in sheet.matrices if sheet.matrix(name).ndim]
    for name in tables:
        assert sheet.matrix(name).ndim == len(names[name].axes) or name in SINGLE, name
        for index in ((0,) * sheet.matrix(name).ndim, _last(sheet.shape(name))):
            work = derive(view, name, index)
            assert (work.stage, work.index) == (name, index)
            assert replay(work) == work.value == sheet.value(name, index)
            for each in _operands(work):
                if each.name not in SINGLE:
                    assert sheet.value(each.name, each.index) == each.value


@pytest.mark.parametrize("case", CASES)
def test_every_chain_ends_at_what_was_given(case):
    view = look_at(*CASES[case])
    given = {
        *("x", "stream_0", "memory", "mask", "gamma", "beta", "cos", "sin"),
        *("w_1", "b_1", "w_2", "b_2", "w_q", "w_k", "w_v", "w_o", "w_vocab", "b_vocab"),
        *("final_gamma", "final_beta", "positions", "bucket_values"),
    }
    sheet = view.sheet()
    ends = {
        name.removeprefix("cross_")
        for name in sheet.matrices
        if sheet.matrix(name).ndim
        and derive(view, name, _last(sheet.shape(name))).operation == "given"
    }
    assert ends <= given


def test_another_layer_or_width_changes_none_of_the_others():
    one = compute_layers(Example(), LayerExample())
    more = compute_layers(Example(), LayerExample(n_layers=3, d_ff=23))
    np.testing.assert_array_equal(
        one.layers[0].attention.output, more.layers[0].attention.output
    )
    learned = [trace.parameters[1].feed_forward.w_1 for trace in (one, more)]
    np.testing.assert_array_equal(learned[0], learned[1][:, :16])


def test_the_first_layer_has_the_attention_of_the_example():
    example = Example(**SIZES, mask="causal", temperature=0.5)
    trace = compute_layers(example, LayerExample(d_ff=11))
    np.testing.assert_array_equal(
        trace.layers[0].attention.output, compute(example).heads.output
    )


def test_depth_grows_before_the_sublayers_and_stays_behind_the_sums():
    depth = depth_of(compute_layers(Example(), LayerExample()))
    assert depth.pre[6] > 1.5 > depth.pre[0]
    np.testing.assert_allclose(depth.post[1:], 1, atol=1e-4)
    np.testing.assert_allclose(depth.final, 1, atol=1e-4)


def test_the_constructed_case_has_the_numbers_of_the_catalogue():
    # pitfalls.json, P28: √3.5 + 3L.
    pre = stack(np.array(CASE), triple, 3, "pre")
    found = [spread(rows) for rows in pre]
    np.testing.assert_allclose(found, [1.8708, 4.8708, 7.8708, 10.8708], atol=1e-4)
    np.testing.assert_allclose(pre[3], [-8.6214, -2.8107, 3, 20.4321], atol=1e-4)
    post = stack(np.array(CASE), triple, 3, "post")
    np.testing.assert_allclose(post[3], [-1.069, -0.5345, 0, 1.6036], atol=1e-4)


def test_parameters_are_counted_part_by_part():
    plain = count_parameters(compute_layers(Example(), LayerExample()))
    assert (plain.attention, plain.network, plain.norms) == (256, 280, 32)
    assert plain.total == 568
    assert CHAPTER_PARAMETERS == 7_087_872


def test_a_shared_projection_is_that_of_every_attention_and_learned_once():
    settings = replace(NETWORK, architecture="decoder")
    free, shared = (
        compute_layers(Example(**SIZES, is_tied=is_tied), settings)
        for is_tied in (False, True)
    )
    for layer in shared.layers:
        for each in (layer.self_attention, layer.cross_attention):
            np.testing.assert_array_equal(each.parameters.w_k, each.parameters.w_q)
    saved = count_parameters(free).attention - count_parameters(shared).attention
    # Two attentions in each of two layers, and H·d·d_k in each of them.
    assert saved == 4 * 3 * 7 * 2


def test_tying_saves_one_row_a_word():
    free = LayerExample(has_vocabulary=True, words="a b")
    tied = replace(free, ties_vocabulary=True)
    counts = [count_parameters(compute_layers(Example(), one)) for one in (free, tied)]
    assert counts[0].total - counts[1].total == counts[1].saved == (5 + 2) * 8


def test_a_tied_projection_has_the_embeddings_on_screen():
    settings = LayerExample(has_vocabulary=True, ties_vocabulary=True, words="dog")
    trace = compute_layers(Example(text="cat dog cat"), settings)
    assert trace.vocabulary.words == ("cat", "dog")
    np.testing.assert_array_equal(trace.vocabulary.w_vocab, trace.source.x[:2])


@pytest.mark.parametrize(
    ("example", "changes", "reason"),
    [
        (EXAMPLES["fractions"], {}, "no_inputs"),
        (Example(scoring="additive"), {}, "layer_scoring"),
        (Example(positions="alibi"), {"architecture": "decoder"}, "layer_positions"),
        (Example(positions="relative"), {"architecture": "decoder"}, "layer_positions"),
        (EXAMPLES["transformer_layer"], {"d_ff": 16}, "layer_width"),
        (Example(length=31), {"has_vocabulary": True, "words": "a b"}, "many_words"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(example, changes, reason):
    with pytest.raises(SettingError, match=reason):
        compute_layers(example, LayerExample(**changes))


def test_what_is_looked_at_gives_way_where_it_is_not_there():
    view = look_at(Example(length=3), LayerExample(token=9, layer=4, station="cross"))
    found = view.settings
    assert (found.token, found.layer, found.station) == (2, 0, "attention")
    pre = look_at(Example(), LayerExample(place="pre", station="network_after"))
    assert pre.settings.station == "network_before"


def _last(shape):
    return tuple(size - 1 for size in shape)


def _operands(work):
    for part in (*work.terms, *work.steps):
        yield from part.operands
