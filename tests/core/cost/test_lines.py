"""The lines of a layer: what each makes and takes, against the chapter's exercise 4."""

import pytest

from attnviz.core.cost import (
    LINES,
    LayerSizes,
    crossing_length,
    layer_work,
    product_of,
    sizes_of,
    window_work,
)

SHARED = LayerSizes(d_model=7, n_heads=6, d_k=3, d_v=5, d_ff=11, n_kv_heads=2)


def lines(sizes, length, batch=1):
    named = sizes_of(sizes, length, batch=batch)
    return {
        line.name: (
            tuple(named[axis] for axis in line.shape),
            product_of(line.shape, named),
            product_of(line.work, named),
        )
        for line in LINES
    }


def test_exercise_4_comes_out():
    found = lines(LayerSizes.usual(256, 8), 128, batch=8)
    assert found["q"] == ((8, 8, 128, 32), 262_144, 67_108_864)
    assert found["scores"] == ((8, 8, 128, 128), 1_048_576, 33_554_432)
    assert found["weights"] == ((8, 8, 128, 128), 1_048_576, 0)
    assert found["output"][0] == (8, 128, 256)
    assert found["ffn_hidden"] == ((8, 128, 1024), 1_048_576, 268_435_456)


@pytest.mark.parametrize("length", [1, 13, 10_000_000])
def test_the_lines_add_up_to_the_work_of_the_layer(length):
    found = lines(SHARED, length, batch=3)
    work = layer_work(SHARED, length, batch=3)
    takes = {name: taken for name, (_, _, taken) in found.items()}
    projected = takes["q"] + takes["k"] + takes["v"] + takes["output"]
    assert (projected, takes["scores"], takes["context"]) == (
        work.projections,
        work.scores,
        work.mixing,
    )
    assert takes["ffn_hidden"] + takes["ffn_output"] == work.feed_forward


@pytest.mark.parametrize("sizes", [LayerSizes.usual(256, 8), SHARED])
def test_at_the_crossing_scores_and_mixing_take_what_the_projections_take(sizes):
    # A length is whole; both sides grow evenly up to the crossing.
    per_length = layer_work(sizes, 1)
    at = crossing_length(sizes)
    assert (per_length.scores + per_length.mixing) * at == per_length.projections


def test_a_window_that_reaches_all_takes_as_much_as_none():
    work = layer_work(SHARED, 13, batch=3)
    assert window_work(SHARED, 13, 12, batch=3) == work.scores + work.mixing
    assert window_work(LayerSizes.usual(64, 1), 512, 32) == 32_224 * 128


def test_a_negative_size_is_refused_by_name():
    with pytest.raises(ValueError, match="`length` needs a whole number"):
        sizes_of(SHARED, -1)
