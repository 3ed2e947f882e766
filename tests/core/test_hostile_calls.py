"""Calls that make no sense get a sentence, and numbers that leave every range pass."""

import inspect
import random
import re

import numpy as np
import pytest

from attnviz import core
from attnviz.core import (
    EncoderLayerParameters,
    FeedForwardParameters,
    MultiHeadParameters,
    ShapeError,
    additive_scores,
    attend,
    attend_backward,
    bilinear_scores,
    check_attention,
    check_layer_norm,
    decode_step,
    decoder_layer,
    derive,
    diagnose_attention,
    diagnose_layer_norm,
    dot_scores,
    encoder_layer,
    encoder_layer_backward,
    fast_multi_head_attend,
    fuse_parameters,
    layer_norm,
    layer_norm_backward,
    multi_head_attend,
    multi_head_attend_by_list,
    multi_head_backward,
    rotate,
    vocabulary_logits,
)

X = np.ones((3, 2))
EYE = np.eye(2)[None]
PARTS = {"w_q": EYE, "w_k": EYE, "w_v": EYE, "w_o": np.eye(2)}
LAYER = MultiHeadParameters(**PARTS)
HUGE = np.full((3, 2), 1e308)


def narrow(x, *_):
    return x[..., :1]


NONSENSE = {
    "`cache` needs KeyValueCache; got tuple. A step returns a pair": lambda: (
        decode_step(X, decode_step(X, parameters=LAYER), parameters=LAYER)
    ),
    "`cache` needs KeyValueCache; got dict": lambda: decode_step(
        X, {}, parameters=LAYER
    ),
    "decode_step: `parameters` needs MultiHeadParameters; got dict": lambda: (
        decode_step(X, parameters=PARTS)
    ),
    "multi_head_attend: `parameters` needs MultiHeadParameters; got dict": lambda: (
        multi_head_attend(X, parameters=PARTS)
    ),
    "by_list: `parameters` needs MultiHeadParameters": lambda: (
        multi_head_attend_by_list(X, parameters=PARTS)
    ),
    "fuse_parameters: `parameters` needs": lambda: fuse_parameters(PARTS),
    "`parameters` needs FusedParameters": lambda: fast_multi_head_attend(
        X, parameters=LAYER
    ),
    "encoder_layer: `parameters` needs": lambda: encoder_layer(X, parameters={}),
    "decoder_layer: `parameters` needs": lambda: decoder_layer(X, X, parameters={}),
    "EncoderLayerParameters: `attention` needs": lambda: EncoderLayerParameters(
        PARTS, None
    ),
    "multi_head_attend: `turn` needs a callable; got str": lambda: multi_head_attend(
        X, parameters=LAYER, turn="rotate"
    ),
    "derive: `trace` needs LaidOut; got NoneType": lambda: derive(
        None, "scores", (0, 0)
    ),
    "attend_backward: `trace` needs AttentionTrace": lambda: attend_backward(
        X, trace=None
    ),
    "multi_head_backward: `trace` needs": lambda: multi_head_backward(X, trace=X),
    "encoder_layer_backward: `trace` needs": lambda: encoder_layer_backward(
        X, trace={}
    ),
    "layer_norm_backward: `trace` needs": lambda: layer_norm_backward(X, trace=X),
}


@pytest.mark.parametrize(("sentence", "call"), NONSENSE.items(), ids=list(NONSENSE))
def test_what_is_of_another_kind_is_refused_by_name(sentence, call):
    with pytest.raises(TypeError) as refusal:
        call()
    assert sentence in str(refusal.value)


WRONG_SHAPES = {
    "MultiHeadParameters: `w_o` needs real numbers": lambda: MultiHeadParameters(
        **(PARTS | {"w_o": None})
    ),
    "decode_step: `turn` needs to keep the shape (1, 3, 2); got (1, 3, 1)": lambda: (
        decode_step(X, parameters=LAYER, turn=narrow)
    ),
    "decode_step: `turn` needs to give shape (1, 3, d_k)": lambda: decode_step(
        X, parameters=LAYER, turn=lambda x, _: x[..., 0]
    ),
    "multi_head_attend: `turn` needs to give shape": lambda: multi_head_attend(
        X, parameters=LAYER, turn=lambda x: 3
    ),
    "multi_head_attend: `turn` needs real numbers": lambda: multi_head_attend(
        X, parameters=LAYER, turn=lambda x: None
    ),
}


@pytest.mark.parametrize(("sentence", "call"), WRONG_SHAPES.items(), ids=WRONG_SHAPES)
def test_what_has_another_shape_is_refused_by_name(sentence, call):
    with pytest.raises(ShapeError) as refusal:
        call()
    assert sentence in str(refusal.value)


def large_layer():
    return MultiHeadParameters(**{name: 1e308 * part for name, part in PARTS.items()})


def large_network():
    return FeedForwardParameters(
        w_1=HUGE.T, b_1=np.full(3, 1e308), w_2=HUGE, b_2=np.full(2, 1e308)
    )


def large_encoder(norm):
    layer = EncoderLayerParameters(large_layer(), large_network())
    return encoder_layer(HUGE, parameters=layer, norm=norm)


ENORMOUS = {
    "attend": lambda x: attend(x, x, x),
    "multi_head_attend": lambda x: multi_head_attend(x, parameters=large_layer()),
    "decode_step": lambda x: decode_step(x, parameters=large_layer()),
    "post-norm": lambda x: large_encoder("post"),
    "pre-norm": lambda x: large_encoder("pre"),
    "dot": lambda x: dot_scores(x, -x),
    "bilinear": lambda x: bilinear_scores(x, x, x[:2]),
    "additive": lambda x: additive_scores(x, x, x, x, x[:, 0]),
    "layer_norm": lambda x: layer_norm(x, gamma=x[0], beta=x[1]),
    "rotate": lambda x: rotate(x, np.arange(3)),
    "logits": lambda x: vocabulary_logits(x, w_vocab=x, b_vocab=x[:, 0]),
    "checks": lambda x: check_attention(x, x, x, weights=x[:, [0] * 3]),
    "norm checks": lambda x: check_layer_norm(x, x, gamma=x[0]),
    "diagnosis": lambda x: diagnose_attention(x, x, x, weights=x[:, [0] * 3]),
    "right inputs": lambda x: diagnose_attention(X, X, X, context=x),
    "norm diagnosis": lambda x: diagnose_layer_norm(x, x),
}


@pytest.mark.parametrize("call", ENORMOUS.values(), ids=ENORMOUS)
@pytest.mark.parametrize("number", [1e308, np.inf, -np.inf, np.nan])
def test_numbers_beyond_every_range_bring_no_warning(call, number):
    x = np.full((3, 2), number)
    x[0, 1] = -1e308
    # Warnings are errors in this suite.
    assert call(x) is not None


# Anything for anything: whatever is refused is refused in the library's own words.

ODD = (
    *(
        None,
        {},
        "abc",
        b"x",
        3,
        -1,
        2.5,
        np.nan,
        np.inf,
        1e308,
        True,
        object(),
        [],
        [[]],
    ),
    *([[1, 2], [3]], [[None]], ["a"], 10**400, -(10**400), 1j, range(3), slice(1), ...),
    *(np.zeros((0, 2)), np.zeros((3, 0)), np.array(5.0), np.array([1, 2], object)),
    *(np.full((3, 2), number) for number in (np.inf, np.nan, 1e308)),
    *(1j * X, np.tri(3, dtype=bool), np.ones((2, 3, 2)), np.ones((5, 7)), "post", type),
    *(np.float16(X), np.uint8(X), np.array(["2020"], "M8[Y]"), PARTS, LAYER),
)
FITTING = {
    "parameters": (LAYER, FeedForwardParameters(X.T, X[:, 0], X, X[0])),
    "trace": (attend(X, X, X), layer_norm(X), multi_head_attend(X, parameters=LAYER)),
    "visible": (np.tri(3, dtype=bool),),
    "rng": (np.random.default_rng(0),),
}
FUNCTIONS = sorted(
    name for name in core.__all__ if inspect.isfunction(getattr(core, name))
)
# Its own words name the argument, or the function.
OWN_WORDS = re.compile(r"^\w+: |`\w+`")


def refusals(function, dice):
    """Call a function with what fits and what does not; give what it says."""
    asked = inspect.signature(function).parameters.values()
    for _ in range(25):
        given = {}
        for each in asked:
            if each.kind is each.VAR_POSITIONAL:
                continue
            if each.default is each.empty or dice.random() < 0.4:
                usual = FITTING.get(each.name, (X, X.T, X[0]))
                given[each.name] = dice.choice(ODD if dice.random() < 0.2 else usual)
        try:
            function(**given)
        except (ValueError, TypeError) as refusal:
            yield str(refusal)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_is_refused_is_refused_in_words(name):
    said = list(refusals(getattr(core, name), random.Random(name)))
    assert [words for words in said if not OWN_WORDS.search(words)] == []
