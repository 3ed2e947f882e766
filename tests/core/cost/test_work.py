"""Costs: the chapter's counts, and counts of real arrays."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, window_mask
from attnviz.core.cost.score_table import (
    array_bytes,
    causal_visible,
    layers_to_reach,
    score_elements,
    window_visible,
)
from attnviz.core.cost.sizes import LayerSizes
from attnviz.core.cost.work import (
    attention_parameters,
    cache_bytes,
    decoding_projections,
    encoder_layer_parameters,
    layer_work,
)
from attnviz.core.errors import ShapeError

PRIMES = LayerSizes(d_model=13, n_heads=6, d_k=5, d_v=7, d_ff=11, n_kv_heads=2)


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8, 16])
def test_the_number_of_heads_does_not_change_the_parameters(n_heads):
    # Course chapter, R95 and exercise 4.
    sizes = LayerSizes.usual(256, n_heads)
    assert attention_parameters(sizes) == 262_144
    assert attention_parameters(sizes, bias=True) == 263_168


def test_parameters_of_a_base_sized_model():
    # Course chapter, preset P13 and R124.
    sizes = LayerSizes.usual(768, 12)
    assert (sizes.d_k, sizes.d_ff) == (64, 3072)
    assert attention_parameters(sizes) == 2_359_296
    assert attention_parameters(sizes, bias=True) == 2_362_368
    assert encoder_layer_parameters(sizes) == 7_087_872
    assert encoder_layer_parameters(sizes, bias=False) == 7_087_872 - 4 * 768


@pytest.mark.parametrize(("width", "parameters"), [(4, 288), (8, 568)])
def test_the_model_width_given_for_each_head_doubles_the_layer(width, parameters):
    # keras-team/keras#18373: key_dim is the width of one head.
    sizes = replace(LayerSizes.usual(8, 2), d_k=width, d_v=width)
    assert attention_parameters(sizes, bias=True) == parameters


def test_parameters_are_those_of_the_arrays():
    p, (d, f) = PRIMES, (13, 11)
    q, k, v, o = (6, d, 5), (2, d, 5), (2, d, 7), (6 * 7, d)
    arrays = [np.ones(shape) for shape in (q, k, v, o)]
    assert attention_parameters(p) == sum(a.size for a in arrays)
    biases = 6 * 5 + 2 * 5 + 2 * 7 + d
    assert attention_parameters(p, bias=True) - attention_parameters(p) == biases
    network_and_norms = d * f + f + f * d + d + 4 * d
    assert (
        encoder_layer_parameters(p, bias=False)
        == attention_parameters(p) + network_and_norms
    )


def test_work_of_the_chapters_exercise():
    # Course chapter, exercise 4: m=8, T=128, d=256, H=8.
    work = layer_work(LayerSizes.usual(256, 8), 128, batch=8)
    assert work.scores == work.mixing == 33_554_432
    assert work.projections == 268_435_456
    assert work.total == 2 * 33_554_432 + 268_435_456 + work.feed_forward


def test_work_is_the_chapters_formula():
    # Course chapter, R130: 8Td² + 4T²d + 4Td·d_ff operations, two a multiply-add.
    t, d = 31, 12
    sizes = replace(LayerSizes.usual(d, 3), d_ff=17)
    assert 2 * layer_work(sizes, t).total == (
        8 * t * d**2 + 4 * t**2 * d + 4 * t * d * 17
    )


@pytest.mark.parametrize(("length", "more"), [(511, -1), (512, 0), (513, 1)])
def test_attention_overtakes_its_projections_at_twice_the_width(length, more):
    work = layer_work(LayerSizes.usual(256, 8), length)
    assert np.sign(work.scores + work.mixing - work.projections) == more


def test_narrower_keys_save_scores_alone():
    # Course chapter, R137.
    wide, narrow = layer_work(PRIMES, 31), layer_work(replace(PRIMES, d_k=1), 31)
    assert narrow.scores * 5 == wide.scores
    assert narrow.mixing == wide.mixing


def test_score_elements_of_the_chapters_exercise():
    # Course chapter, R128.
    assert score_elements(batch=8, n_heads=8, len_q=128, len_k=128) == 1_048_576
    assert score_elements(len_q=128, len_k=128) == 16_384
    assert score_elements(batch=2, n_heads=3, len_q=5, len_k=7) == 2 * 3 * 5 * 7


@pytest.mark.parametrize(
    ("length", "mebibytes"), [(128, 4), (256, 16), (512, 64), (1024, 256)]
)
def test_twice_the_length_takes_four_times_the_memory(length, mebibytes):
    # Course chapter, R129.
    elements = score_elements(batch=8, n_heads=8, len_q=length, len_k=length)
    assert array_bytes(elements) == mebibytes * 2**20
    assert array_bytes(elements, np.float64) == 2 * mebibytes * 2**20


@pytest.mark.parametrize("length", [0, 1, 6, 31])
def test_causal_counts_are_those_of_the_mask(length):
    assert causal_visible(length) == causal_mask(length).sum()


@pytest.mark.parametrize(
    ("length", "window", "visible"),
    [(16, 2, 74), (64, 4, 556), (512, 32, 32_224), (4096, 64, 524_224)],
)
def test_window_counts_are_the_chapters(length, window, visible):
    # Course chapter, R133.
    assert window_visible(length, window) == visible


@pytest.mark.parametrize(
    ("length", "window"), [(0, 3), (1, 0), (7, 0), (7, 5), (7, 6), (7, 7), (7, 100)]
)
def test_window_counts_are_those_of_the_mask(length, window):
    mask = window_mask(length, left=window, right=window)
    assert window_visible(length, window) == mask.sum()


@pytest.mark.parametrize(
    ("distance", "window", "layers"),
    [(63, None, 1), (63, 63, 1), (63, 62, 2), (63, 16, 4), (64, 16, 4), (65, 16, 5)],
)
def test_layers_until_two_positions_meet(distance, window, layers):
    # Course chapter, R131.
    assert layers_to_reach(distance, window) == layers


def test_a_cache_saves_projections():
    # Course chapter, R140.
    sizes = LayerSizes(d_model=8, n_heads=1, d_k=4, d_v=4, d_ff=32, n_kv_heads=1)
    assert decoding_projections(sizes, 7) == 448
    assert decoding_projections(sizes, 7, cached=False) == 1792


def test_shared_heads_are_projected_once():
    assert decoding_projections(PRIMES, 31) == 31 * 13 * 2 * (5 + 7)


def test_the_cache_of_a_base_sized_model():
    # Course chapter, R141: 36 MiB.
    sizes = LayerSizes.usual(768, 12)
    kept = cache_bytes(sizes, 1024, n_layers=12, dtype=np.float16)
    assert kept == 36 * 2**20
    shared = replace(sizes, n_kv_heads=2)
    assert cache_bytes(shared, 1024, n_layers=12, dtype=np.float16) == kept // 6


def test_cache_bytes_are_those_of_the_arrays():
    k, v = np.ones((3, 2, 31, 5), np.float32), np.ones((3, 2, 31, 7), np.float32)
    assert cache_bytes(PRIMES, 31, batch=3) == k.nbytes + v.nbytes


def test_a_width_that_heads_do_not_divide_is_not_rounded():
    with pytest.raises(ShapeError, match=r"`d_model` needs .* H=3 divides; got 8"):
        LayerSizes.usual(8, 3)


@pytest.mark.parametrize(
    ("d_model", "n_heads", "name"),
    [(0, 1, "d_model"), (8.0, 2, "d_model"), (8, 0, "n_heads"), (8, 2.0, "n_heads")],
)
def test_usual_sizes_come_from_whole_numbers(d_model, n_heads, name):
    with pytest.raises(ValueError, match=rf"LayerSizes\.usual: `{name}` needs a whole"):
        LayerSizes.usual(d_model, n_heads)


def test_heads_are_shared_evenly():
    with pytest.raises(ShapeError, match=r"`n_kv_heads` needs .* H=6; got 4"):
        replace(PRIMES, n_kv_heads=4)


@pytest.mark.parametrize("name", ["d_model", "n_heads", "d_k", "d_v", "d_ff"])
@pytest.mark.parametrize("size", [0, -1, 2.0, True])
def test_sizes_are_whole_and_positive(name, size):
    message = f"LayerSizes: `{name}` needs a whole number of at least 1; got {size}"
    with pytest.raises(ValueError, match=message):
        replace(PRIMES, **{name: size})


@pytest.mark.parametrize(
    ("count", "name"),
    [
        (lambda: score_elements(len_q=-1, len_k=2), "score_elements: `len_q`"),
        (lambda: layer_work(PRIMES, 1.5), "layer_work: `length`"),
        (lambda: array_bytes(-1), "array_bytes: `elements`"),
        (lambda: window_visible(3, -1), "window_visible: `window`"),
        (lambda: causal_visible("3"), "causal_visible: `length`"),
        (lambda: layers_to_reach(0), "layers_to_reach: `distance`"),
        (lambda: layers_to_reach(3, 0), "layers_to_reach: `window`"),
        (lambda: decoding_projections(PRIMES, -1), "decoding_projections: `length`"),
        (lambda: cache_bytes(PRIMES, 3, n_layers=-1), "cache_bytes: `n_layers`"),
    ],
)
def test_counts_of_nothing_possible_are_refused(count, name):
    with pytest.raises(ValueError, match=f"{name} needs a whole number"):
        count()
