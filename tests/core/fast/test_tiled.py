"""Attention in tiles and in bands gives what the full table gives.

Sizes below about 90×90 fit one tile; the larger ones, primes beyond 256 queries and 512
keys, need several in both directions.
"""

import tracemalloc

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask, window_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from attnviz.core.fast.tiled import banded_attend, tiled_attend

TIGHT = {"rtol": 1e-12, "atol": 1e-13}
# A score of 10⁵ is itself rounded to 10⁻¹¹.
LARGE = {"rtol": 1e-12, "atol": 1e-11}
SIZES = {"one tile": (7, 11), "many tiles": (271, 1031), "more queries": (521, 541)}
# Scores ×1 take the path without a maximum; ×30 and ×10⁴ need it.
FACTORS = [1, 30, 1e4]


def arrays(len_q, len_k, dtype="float64", heads=(3,)) -> list[np.ndarray]:
    rng = np.random.default_rng(len_q)
    shapes = ((len_q, 5), (len_k, 5), (len_k, 2))
    return [rng.standard_normal((*heads, *shape)).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_tiles_give_what_the_table_gives(size, factor):
    q, k, v = arrays(*size)
    np.testing.assert_allclose(
        tiled_attend(factor * q, k, v), attend(factor * q, k, v).context, **LARGE
    )


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_causal_tiles_give_what_the_causal_table_gives(size, factor):
    q, k, v = arrays(*size)
    np.testing.assert_allclose(
        tiled_attend(factor * q, k, v, causal=True),
        attend(factor * q, k, v, visible=causal_mask(*size)).context,
        **LARGE,
    )


@pytest.mark.parametrize("length", [256, 257, 512, 513])
def test_tile_edges_lose_no_key(length):
    q, k, v = arrays(length, length)
    np.testing.assert_allclose(
        tiled_attend(q, k, v, causal=True),
        attend(q, k, v, visible=causal_mask(length)).context,
        **TIGHT,
    )


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_tiles_obey_a_mask(size, factor):
    q, k, v = arrays(*size, heads=(2, 3))
    visible = np.random.default_rng(0).random((2, 1, *size)) < 0.3
    visible[..., 0] = True
    np.testing.assert_allclose(
        tiled_attend(factor * q, k, v, visible=visible),
        attend(factor * q, k, v, visible=visible).context,
        **LARGE,
    )


WINDOWS = [(0, 0), (2, 1), (67, 0), (0, 67), (300, 300), (None, 3), (3, None)]


@pytest.mark.parametrize(("left", "right"), WINDOWS)
@pytest.mark.parametrize("size", [(11, 11), (601, 601)], ids=["one tile", "many tiles"])
def test_band_gives_what_the_masked_table_gives(size, left, right):
    q, k, v = arrays(*size)
    visible = window_mask(*size, left=left, right=right)
    np.testing.assert_allclose(
        banded_attend(q, k, v, left=left, right=right),
        attend(q, k, v, visible=visible).context,
        **TIGHT,
    )


@pytest.mark.parametrize("offset", [None, 0, 3, 430])
def test_band_starts_where_the_offset_says(offset):
    q, k, v = arrays(271, 701)
    visible = window_mask(271, 701, left=5, right=2, offset=offset)
    np.testing.assert_allclose(
        banded_attend(q, k, v, left=5, right=2, offset=offset),
        attend(q, k, v, visible=visible).context,
        **TIGHT,
    )


def test_band_obeys_a_padding_mask_too():
    q, k, v = arrays(601, 601, heads=(2, 3))
    valid = padding_mask(np.arange(601) % 13 != np.array([[[4]], [[7]]]))
    window = window_mask(601, left=5, right=5)
    np.testing.assert_allclose(
        banded_attend(q, k, v, left=5, right=5, visible=valid),
        attend(q, k, v, visible=valid & window).context,
        **TIGHT,
    )


def test_scale_replaces_the_default():
    q, k, v = arrays(7, 11)
    wanted = attend(q, k, v, scale=-0.3).context
    np.testing.assert_allclose(tiled_attend(q, k, v, scale=-0.3), wanted, **TIGHT)


def test_leading_axes_broadcast():
    q = arrays(7, 11, heads=(2, 3))[0]
    k, v = arrays(7, 11, heads=(1, 3))[1][0, :1], arrays(7, 11, heads=())[2]
    np.testing.assert_allclose(tiled_attend(q, k, v), attend(q, k, v).context, **TIGHT)


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_hidden_key_has_no_influence_at_all(size, poison):
    q, k, v = arrays(*size)
    hidden = np.arange(size[1]) % 5 == 1
    visible = padding_mask(~hidden)
    wanted = attend(q, k, v, visible=np.broadcast_to(visible, size)).context
    k[:, hidden], v[:, hidden] = poison, poison
    found = tiled_attend(q, k, v, visible=np.broadcast_to(visible, size))
    np.testing.assert_allclose(found, wanted, **TIGHT)


@pytest.mark.parametrize("poison", [np.nan, np.inf])
@pytest.mark.parametrize("length", [11, 601])
def test_future_key_has_no_influence_on_the_past(length, poison):
    q, k, v = arrays(length, length)
    before = tiled_attend(q, k, v, causal=True)
    k[:, -3:], v[:, -3:] = poison, poison
    after = tiled_attend(q, k, v, causal=True)
    np.testing.assert_allclose(after[:, :-3], before[:, :-3], **TIGHT)
    assert np.isnan(after[:, -3:]).all()


@pytest.mark.parametrize("length", [11, 601])
def test_query_without_a_key_is_named(length):
    q, k, v = arrays(length, length, heads=(2, 3))
    visible = np.ones((2, 3, length, length), dtype=bool)
    visible[1, 2, 5] = False
    with pytest.raises(
        EmptyRowError,
        match="tiled_attend: `visible` needs at least one key for each valid query; "
        "nothing is visible at batch 1, head 2, row 5",
    ):
        tiled_attend(q, k, v, visible=visible)


@pytest.mark.parametrize("length", [11, 601])
def test_query_before_all_keys_is_named(length):
    q, k, v = arrays(length, length, heads=())
    with pytest.raises(
        EmptyRowError, match=r"banded_attend: .* visible at row 0; row 1"
    ):
        banded_attend(q, k, v, left=1, right=0, offset=-2)


@pytest.mark.parametrize("length", [11, 601])
def test_padding_query_gets_zero_and_needs_no_key(length):
    q, k, v = arrays(length, length)
    valid = np.arange(length) > 2
    options = {"visible": padding_mask(valid) & np.ones((length, 1), dtype=bool)}
    wanted = attend(
        q,
        k,
        v,
        visible=options["visible"] & causal_mask(length),
        query_valid=valid,
    ).context
    q[:, 0] = np.nan
    found = tiled_attend(q, k, v, causal=True, query_valid=valid, **options)
    np.testing.assert_allclose(found, wanted, **TIGHT)
    np.testing.assert_array_equal(found[:, :3], 0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("length", [11, 601])
def test_dtype_is_kept(length, dtype):
    q, k, v = arrays(length, length, dtype)
    assert tiled_attend(q, k, v).dtype == dtype
    assert banded_attend(q, k, v, left=3, right=3).dtype == dtype


@pytest.mark.parametrize("length", [11, 601])
def test_float32_is_as_good_as_the_table(length):
    q, k, v = arrays(length, length, "float32")
    exact = attend(*(array.astype("float64") for array in (q, k, v))).context
    np.testing.assert_allclose(tiled_attend(q, k, v), exact, atol=1e-6)


@pytest.mark.parametrize("length", [11, 601])
def test_half_precision_does_not_overflow(length):
    q, k, v = arrays(length, length, "float16")
    found = tiled_attend(100 * q, 100 * k, v)
    wanted = attend(100 * q, 100 * k, v).context
    np.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("factor", [1e25, 3e38, 1e-30, 1e-38])
def test_extreme_values_come_out_as_from_the_table(sign, factor):
    q, k = np.full((3, 1), 6, "f4"), np.full((5, 1), 6 * sign, "f4")
    v = np.float32([[1, 0], [0.9, 0.5], [0, 0.3], [0.7, 0], [0.2, 1]])
    v[:, 0] *= np.float32(factor)
    wanted = attend(q, k, v).context
    assert 0 < abs(wanted[0, 0]) < np.inf
    np.testing.assert_allclose(tiled_attend(q, k, v), wanted, rtol=1e-5)
    np.testing.assert_allclose(
        banded_attend(q, k, v, left=None, right=None), wanted, rtol=1e-5
    )


def test_constant_values_come_back():
    q, k, _ = arrays(601, 601)
    v = np.full((3, 601, 2), 1.7)
    np.testing.assert_allclose(tiled_attend(q, k, v), 1.7, rtol=1e-13)


def test_inputs_are_not_written_to():
    q, k, v = arrays(601, 601)
    copies = [array.copy() for array in (q, k, v)]
    for array in (q, k, v):
        array.flags.writeable = False
    tiled_attend(1e4 * q, k, v, causal=True)
    for array, copy in zip((q, k, v), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_no_query_gives_no_context():
    q, k, v = arrays(7, 11)
    assert tiled_attend(q[:, :0], k, v).shape == (3, 0, 2)


def peak_bytes(call) -> int:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_tiles_need_no_table():
    q, k, v = arrays(2053, 2053, "float32", heads=())
    table = 4 * 2053**2
    assert peak_bytes(lambda: tiled_attend(q, k, v)) < table / 8
    assert peak_bytes(lambda: tiled_attend(1e4 * q, k, v, causal=True)) < table / 8


def test_probe_the_full_table_is_seen_by_the_memory_count():
    q, k, v = arrays(509, 509, "float32", heads=())
    assert peak_bytes(lambda: attend(q, k, v)) > 4 * 509**2


def test_band_memory_grows_like_the_length():
    short, long = (arrays(length, length, "float32") for length in (2053, 8219))
    few = peak_bytes(lambda: banded_attend(*short, left=64, right=0))
    many = peak_bytes(lambda: banded_attend(*long, left=64, right=0))
    assert many < 4.5 * few


def test_mask_without_its_head_axis_is_refused():
    q, k, v = arrays(7, 11, heads=(2, 2))
    with pytest.raises(
        MaskError,
        match=r"tiled_attend: `visible` needs shape \(..., T_q, T_k\) that covers "
        r"\(2, 2, 7, 11\), with every leading axis \(head axis too\) or none; "
        r"got \(2, 7, 11\)",
    ):
        tiled_attend(q, k, v, visible=np.ones((2, 7, 11), dtype=bool))


def test_numbers_are_no_mask():
    q, k, v = arrays(7, 11)
    with pytest.raises(MaskError, match="banded_attend: `visible` needs booleans"):
        banded_attend(q, k, v, left=1, right=1, visible=np.ones((7, 11)))


def test_sizes_that_differ_are_named():
    q, k, v = arrays(7, 11)
    with pytest.raises(
        ShapeError,
        match=r"tiled_attend: `v` needs shape \(..., T_k, d_v\) with T_k=11 "
        r"\(from `k`\); got \(3, 10, 2\)",
    ):
        tiled_attend(q, k, v[:, :-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"left": -1, "right": 0}, "banded_attend: `left` needs a whole number"),
        ({"left": 0, "right": 1.5}, "banded_attend: `right` needs a whole number"),
        (
            {"left": 0, "right": 0, "offset": 0.5},
            "banded_attend: `offset` needs a whole number",
        ),
        (
            {"left": 0, "right": 0, "scale": np.inf},
            "banded_attend: `scale` needs a finite number",
        ),
    ],
)
def test_numbers_out_of_range_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        banded_attend(*arrays(7, 7), **options)
