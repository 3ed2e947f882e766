"""What came out behind W_O: right layers are right, and mistakes are named."""

import numpy as np
import pytest

from attnviz.core import (
    MultiHeadParameters,
    ShapeError,
    causal_mask,
    diagnose_multi_head,
    multi_head_attend,
)
from attnviz.core.faults import FAULTS

VARIANTS = {
    (fault.id, v.name): v
    for fault in FAULTS
    for v in fault.variants
    if v.subject == "multi_head"
}


def layer(d=6, heads=3, d_k=2, d_v=2, seed=37):
    rng = np.random.default_rng(seed)
    shapes = {
        "w_q": (heads, d, d_k),
        "w_k": (heads, d, d_k),
        "w_v": (heads, d, d_v),
        "w_o": (heads * d_v, d),
        "b_q": (heads, d_k),
        "b_v": (heads, d_v),
        "b_o": (d,),
    }
    drawn = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    return MultiHeadParameters(**drawn)


LAYER = layer()
X = np.random.default_rng(41).standard_normal((5, 6))
CAUSAL = {"parameters": LAYER, "visible": causal_mask(5)}
RIGHT = multi_head_attend(X, **CAUSAL)


def explained(diagnosis):
    return [(c.fault.id, c.variant) for c in diagnosis.candidates if c.fits]


@pytest.mark.parametrize("decimals", [16, 4])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_mistake_is_called_by_its_name_whatever_its_shape(name, decimals):
    made = VARIANTS[name].run(RIGHT)
    found = diagnose_multi_head(X, output=made.round(decimals), **CAUSAL)
    verdict = "convention" if name == ("P47", "residual") else "wrong"
    assert (found.verdict, explained(found)) == (verdict, [name])


# What people write, each in one line of NumPy.
HEADS = RIGHT.attention.context
W_O, B_O = LAYER.w_o, LAYER.b_o
WRITTEN = {
    ("P45", "left_out"): np.hstack(HEADS),
    ("P45", "transposed"): np.hstack(HEADS) @ W_O.T + B_O,
    ("P45", "reversed"): np.hstack(HEADS[::-1]) @ W_O + B_O,
    ("P45", "interleaved"): np.dstack(HEADS).reshape(5, 6) @ W_O + B_O,
    ("P45", "stacked"): np.vstack(HEADS),
    ("P45", "not_joined"): HEADS,
    ("P45", "mean"): sum(HEADS) / 3,
    ("P45", "mean_projected"): np.hstack(HEADS) @ W_O / 3 + B_O,
    ("P45", "one_head"): HEADS[0] @ W_O[:2] + B_O,
    ("P45", "bias_left_out"): np.hstack(HEADS) @ W_O,
    ("P15", "merged"): HEADS.reshape(5, 6) @ W_O + B_O,
    ("P47", "residual"): X + RIGHT.output,
}


@pytest.mark.parametrize(("name", "output"), WRITTEN.items())
def test_what_people_write_is_recognized(name, output):
    found = diagnose_multi_head(X, output=output, **CAUSAL)
    assert explained(found) == [name]


def test_mistakes_of_attention_are_seen_through_the_projection():
    output = multi_head_attend(X, **CAUSAL, scale=1.0).output
    found = diagnose_multi_head(X, output=output.round(4), **CAUSAL)
    assert (found.verdict, explained(found)) == ("wrong", [("P02", "unscaled")])
    output = multi_head_attend(X, parameters=LAYER).output
    found = diagnose_multi_head(X, output=output.round(4), **CAUSAL)
    assert ("P31", "forgotten") in explained(found)


def test_the_distance_is_that_from_the_right_output():
    output = RIGHT.output.copy()
    output[3, 1] += 0.25
    found = diagnose_multi_head(X, output=output, **CAUSAL)
    (loop,) = found.checks
    assert (found.verdict, loop.where) == ("wrong", (3, 1))
    assert found.distance == loop.measured == pytest.approx(0.25)


@pytest.mark.parametrize("decimals", [2, 4, 6])
@pytest.mark.parametrize("cut", [np.round, np.trunc])
def test_right_layers_read_off_a_screen_are_right(decimals, cut):
    steps = 10.0**decimals
    printed = {
        name: getattr(LAYER, name).round(decimals)
        for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_v", "b_o")
    }
    found = diagnose_multi_head(
        X.round(decimals),
        output=cut(RIGHT.output * steps) / steps,
        parameters=MultiHeadParameters(**printed),
        visible=causal_mask(5),
    )
    assert (found.verdict, found.candidates) == ("right", ())


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_right_layers_in_narrow_types_are_right(dtype):
    narrow = MultiHeadParameters(
        **{
            name: getattr(LAYER, name).astype(dtype)
            for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_v", "b_o")
        }
    )
    x = X.astype(dtype)
    output = multi_head_attend(x, parameters=narrow).output
    assert diagnose_multi_head(x, output=output, parameters=narrow).verdict == "right"


def test_padding_may_hold_anything():
    valid = np.array([True, True, True, False, True])
    output = multi_head_attend(X, **CAUSAL, query_valid=valid).output.copy()
    output[3] = 7.0
    found = diagnose_multi_head(X, output=output, **CAUSAL, query_valid=valid)
    assert found.verdict == "convention"
    output[1, 2] += 1
    found = diagnose_multi_head(X, output=output, **CAUSAL, query_valid=valid)
    assert found.verdict == "wrong"


def test_a_query_that_sees_no_key_is_no_error():
    visible = causal_mask(5) & (np.arange(5) != 2)[:, None]
    found = diagnose_multi_head(
        X, output=np.ones((5, 6)), parameters=LAYER, visible=visible
    )
    assert found.verdict == "wrong"


def test_a_batch_of_one_is_the_same_and_other_shapes_are_refused():
    assert diagnose_multi_head(X, output=RIGHT.output[None], **CAUSAL).verdict == (
        "right"
    )
    with pytest.raises(ShapeError, match=r"known mistake gives it; got \(5, 7\)"):
        diagnose_multi_head(X, output=np.zeros((5, 7)), **CAUSAL)
    with pytest.raises(ValueError, match="holds no number"):
        diagnose_multi_head(X, output=[], **CAUSAL)
