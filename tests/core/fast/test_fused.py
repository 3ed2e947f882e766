"""The fast multi-head layer gives what the one that shows every number gives."""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.errors import EmptyRowError, MaskError, ShapeError
from attnviz.core.fast.fused import fast_multi_head_attend, fuse_parameters

TIGHT = {"rtol": 1e-12, "atol": 1e-12}
RNG = np.random.default_rng(0)
# One tile, and several of them: 13 and 521 positions of width 11.
SHORT, LONG = RNG.standard_normal((2, 13, 11)), RNG.standard_normal((1, 521, 11))
INPUTS = pytest.mark.parametrize("x", [SHORT, LONG], ids=["one tile", "many tiles"])


def parameters(n_heads=3, n_kv_heads=3, *, biases=True) -> MultiHeadParameters:
    rng = np.random.default_rng(1)
    shapes = {
        "w_q": (n_heads, 11, 5),
        "w_k": (n_kv_heads, 11, 5),
        "w_v": (n_kv_heads, 11, 7),
        "w_o": (n_heads * 7, 11),
    }
    if biases:
        shapes |= {"b_q": (n_heads, 5), "b_v": (n_kv_heads, 7), "b_o": (11,)}
    return MultiHeadParameters(
        **{name: 0.3 * rng.standard_normal(shape) for name, shape in shapes.items()}
    )


LAYERS = {
    "plain": parameters(biases=False),
    "biases": parameters(),
    "shared keys": parameters(6, 3),
    "one key head": parameters(5, 1),
}


@INPUTS
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_fast_layer_gives_what_the_shown_one_gives(layer, causal, x):
    length = x.shape[-2]
    visible = causal_mask(length) if causal else None
    np.testing.assert_allclose(
        fast_multi_head_attend(x, parameters=fuse_parameters(layer), causal=causal),
        multi_head_attend(x, parameters=layer, visible=visible).output,
        **TIGHT,
    )


@INPUTS
def test_fast_layer_obeys_masks(x):
    length = x.shape[-2]
    layer = parameters(6, 3)
    valid = np.arange(length) >= np.array([[2], [5]])[: len(x)]
    visible = padding_mask(valid[:, None])
    np.testing.assert_allclose(
        fast_multi_head_attend(
            x,
            parameters=fuse_parameters(layer),
            causal=True,
            visible=visible,
            query_valid=valid,
        ),
        multi_head_attend(
            x,
            parameters=layer,
            visible=visible & causal_mask(length),
            query_valid=valid,
        ).output,
        **TIGHT,
    )


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_leading_axes_are_free(leading):
    x = RNG.standard_normal((*leading, 13, 11))
    layer = parameters()
    np.testing.assert_allclose(
        fast_multi_head_attend(x, parameters=fuse_parameters(layer)),
        multi_head_attend(x, parameters=layer).output,
        **TIGHT,
    )


@INPUTS
def test_float32_is_kept_and_as_good(x):
    layer = parameters()
    narrow = MultiHeadParameters(
        **{
            name: None
            if getattr(layer, name) is None
            else getattr(layer, name).astype("float32")
            for name in layer.__slots__
        }
    )
    found = fast_multi_head_attend(
        x.astype("float32"), parameters=fuse_parameters(narrow)
    )
    assert found.dtype == np.float32
    wanted = multi_head_attend(x, parameters=layer).output
    np.testing.assert_allclose(found, wanted, atol=2e-5)


def test_query_without_a_key_is_named():
    visible = np.arange(13) != np.full((13, 1), 3)
    visible[4] = False
    with pytest.raises(
        EmptyRowError, match=r"fast_multi_head_attend: .* batch 0, head 0, row 4"
    ):
        fast_multi_head_attend(
            SHORT, parameters=fuse_parameters(parameters()), visible=visible
        )


@pytest.mark.parametrize("length", [13, 521])
def test_fast_layer_bears_values_near_the_largest_number(length):
    eye = np.eye(2, dtype="f4")[None]
    layer = MultiHeadParameters(
        w_q=0 * eye, w_k=0 * eye, w_v=3e38 * eye, w_o=eye[0] / 3e38
    )
    found = fast_multi_head_attend(
        np.ones((length, 2), "f4"), parameters=fuse_parameters(layer)
    )
    np.testing.assert_allclose(found, 1, rtol=1e-5)


def test_no_position_gives_no_output():
    fused = fuse_parameters(parameters())
    assert fast_multi_head_attend(SHORT[:, :0], parameters=fused).shape == (2, 0, 11)


@INPUTS
@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_future_position_has_no_influence_on_the_past(x, poison):
    fused = fuse_parameters(parameters())
    before = fast_multi_head_attend(x, parameters=fused, causal=True)
    spoilt = x.copy()
    spoilt[:, -1] = poison
    after = fast_multi_head_attend(spoilt, parameters=fused, causal=True)
    np.testing.assert_allclose(after[:, :-1], before[:, :-1], **TIGHT)


def test_fused_parameters_are_copies_nobody_can_write_to():
    fused = fuse_parameters(parameters())
    for array in (fused.w_qkv, fused.b_qkv, fused.w_o, fused.b_o):
        assert not array.flags.writeable


def test_messages_name_argument_wanted_and_got():
    fused = fuse_parameters(parameters())
    with pytest.raises(
        ShapeError,
        match=r"fast_multi_head_attend: `x` needs shape \(..., T, d\) with d=11 "
        r"\(from `w_qkv`\); got \(2, 13, 10\)",
    ):
        fast_multi_head_attend(SHORT[..., :-1], parameters=fused)
    with pytest.raises(
        MaskError, match=r"`query_valid` needs shape .* got \(2, 1, 12\)"
    ):
        fast_multi_head_attend(
            SHORT, parameters=fused, query_valid=np.ones((2, 12), dtype=bool)
        )


def test_half_precision_keeps_small_query_weights():
    rng = np.random.default_rng(2)
    w = np.float16(rng.standard_normal((2, 5, 67)) * 2e-6)
    layer = MultiHeadParameters(w_q=w, w_k=w, w_v=w[..., :3], w_o=np.ones((6, 5), "f2"))
    fused = fuse_parameters(layer)
    np.testing.assert_allclose(fused.w_qkv[:, :67] * 67**0.5, w[0], rtol=1e-6)
    x = np.float16(rng.standard_normal((7, 5)))
    assert fast_multi_head_attend(x, parameters=fused).dtype == np.float16
