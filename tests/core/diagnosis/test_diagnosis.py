"""Diagnosis: right code is never wrong, and a mistake is called by its name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.attention.masks import causal_mask, padding_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.checks.case import attention_case
from attnviz.core.diagnosis import diagnose_attention, diagnose_layer_norm
from attnviz.core.errors import ShapeError
from attnviz.core.faults import FAULTS
from attnviz.core.faults.masks import filled
from attnviz.core.layers.norms import layer_norm

KEYS = np.array([[True, True, True, False, False], [True] * 5])
PADDED = np.broadcast_to(padding_mask(KEYS[:, None]), (2, 3, 5, 5))
CAUSAL = causal_mask(5)
EMPTY = CAUSAL & (np.arange(5) != 2)[:, None]


def parts(*leading, len_q=5, len_k=5, seed=19):
    rng = np.random.default_rng(seed)
    return {
        "q": rng.standard_normal((*leading, len_q, 4)),
        "k": rng.standard_normal((*leading, len_k, 4)),
        "v": rng.standard_normal((*leading, len_k, 7)),
    }


def zeroed(*leading):
    """Make some scores 0, one of them the only one of its row."""
    arrays = parts(*leading)
    arrays["q"][..., 3, :] = arrays["k"][..., 1, :] = arrays["q"][..., 0, :] = 0
    arrays["q"][..., 3, 0] = 1
    return arrays


def spoiled(name):
    arrays = parts(2, 3)
    arrays[name][0, :, 4, 1] = np.nan
    return arrays


def halves(*leading):
    return {name: part.astype(np.float16) for name, part in parts(*leading).items()}


def grouped():
    arrays = parts(4)
    shared = {name: np.repeat(arrays[name][:2], 2, axis=0) for name in "kv"}
    return arrays | shared


def variant(fault_id, name):
    (found,) = (
        v for f in FAULTS if f.id == fault_id for v in f.variants if v.name == name
    )
    return found


def best(diagnosis):
    return [(c.fault.id, c.variant) for c in diagnosis.candidates[:1]]


MADE = [
    ("P01", "over_queries", parts(2, 3), {}, "wrong"),
    ("P01", "over_table", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P01", "queries_as_keys", parts(2, 3), {"visible": CAUSAL}, "wrong"),
    ("P01", "over_heads", parts(2, 3), {"visible": CAUSAL}, "wrong"),
    ("P01", "over_samples", parts(2, 3), {"visible": CAUSAL}, "wrong"),
    ("P02", "unscaled", parts(), {}, "wrong"),
    ("P02", "model_width", parts(2, 3), {"visible": CAUSAL}, "wrong"),
    ("P02", "inverse", parts(3), {}, "wrong"),
    ("P02", "width", parts(3), {}, "wrong"),
    ("P02", "heads", parts(3), {}, "wrong"),
    ("P02", "default", parts(3), {"scale": 1.0}, "wrong"),
    ("P03", "after_softmax", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P04", "multiplied", parts(2, 3), {"visible": PADDED}, "wrong"),
    ("P05", "tiny", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P05", "tiny_negative", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P05", "no_effect", parts(2, 3), {"visible": PADDED}, "wrong"),
    ("P06", "half", halves(3), {"visible": CAUSAL}, "wrong"),
    ("P07", "nan", parts(3), {"visible": EMPTY}, "convention"),
    ("P08", "replaced", parts(3), {"visible": EMPTY}, "convention"),
    ("P08", "added", parts(3), {"visible": EMPTY}, "convention"),
    ("P09", "inverted", parts(3), {"visible": CAUSAL}, "convention"),
    ("P09", "inverted_nan", parts(2, 3), {"visible": PADDED}, "convention"),
    ("P09", "inverted_even", parts(3), {"visible": CAUSAL}, "convention"),
    ("P10", "as_bias", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P11", "sees_next", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P11", "misses_itself", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P11", "misses_itself_nan", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P11", "misses_itself", parts(len_q=1), {}, "wrong"),
    ("P11", "misses_itself_even", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P11", "misses_itself_added", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P11", "upper_triangle", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P12", "other_corner", parts(3, len_q=2), {"visible": causal_mask(2, 5)}, None),
    ("P13", "on_queries", parts(2, 3), {"visible": PADDED}, "wrong"),
    ("P13", "on_queries_nan", parts(2, 3), {"visible": PADDED & CAUSAL}, "wrong"),
    ("P13", "on_queries_even", parts(2, 3), {"visible": PADDED}, "wrong"),
    ("P13", "padding_answered", parts(3), {"query_valid": KEYS[0]}, "convention"),
    ("P14", "split", parts(2, 3), {}, "wrong"),
    ("P14", "split_and_merged", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P15", "merged", parts(2, 3), {}, "wrong"),
    ("P16", "tiled", parts(2, 3), {"visible": PADDED}, "wrong"),
    ("P17", "tiled", grouped(), {"visible": CAUSAL}, "wrong"),
    ("P18", "across_samples", parts(2), {}, "wrong"),
    ("P19", "averaged", parts(2, 3), {}, "wrong"),
    ("P19", "applied", parts(3), {}, "wrong"),
    ("P20", "rescaled", parts(3), {}, "convention"),
    ("P20", "not_rescaled", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P29", "overflow", parts(3), {"scale": 1e3}, "wrong"),
    ("P31", "forgotten", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P32", "zero_hidden", zeroed(3), {"visible": CAUSAL}, "wrong"),
    ("P32", "zero_hidden_nan", zeroed(3), {"visible": CAUSAL}, "wrong"),
    ("P33", "not_transposed", parts(3, len_k=4), {}, "wrong"),
    ("P33", "reshaped", parts(3), {}, "wrong"),
    ("P34", "weights_transposed", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P36", "twice", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P36", "twice_masked", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P36", "logarithm", parts(3), {}, "wrong"),
    ("P36", "sigmoid", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P36", "undivided", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P36", "undivided_plain", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P36", "scores", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P37", "sum", parts(), {"visible": CAUSAL}, "wrong"),
    ("P37", "sum_plain", parts(), {}, "wrong"),
    ("P37", "maximum", parts(), {}, "wrong"),
    ("P37", "both", parts(), {}, "wrong"),
    ("P39", "weights_transposed", parts(3), {}, "wrong"),
    ("P40", "shown", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P40", "applied", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P41", "plus_one", parts(3), {"visible": CAUSAL}, "convention"),
    ("P41", "learned", parts(3), {"visible": CAUSAL}, "convention"),
    ("P42", "slope", parts(3), {"visible": CAUSAL}, "convention"),
    ("P43", "values", spoiled("v"), {"visible": PADDED}, "convention"),
    ("P43", "scores", spoiled("k"), {"visible": PADDED}, "convention"),
    ("P44", "zero_times_infinity", parts(3), {"visible": CAUSAL}, "wrong"),
    ("P02", "temperature", parts(3), {"visible": CAUSAL}, "convention"),
    ("P02", "other_scale", parts(3), {"bias": np.eye(5)}, "convention"),
]


@pytest.mark.parametrize(("fault", "name", "arrays", "options", "verdict"), MADE)
def test_a_mistake_is_called_by_its_name(fault, name, arrays, options, verdict):
    made = variant(fault, name).run(attention_case(**arrays, **options))
    found = diagnose_attention(
        **arrays, **options, weights=made.weights, context=made.context
    )
    assert best(found) == [(fault, name)]
    assert found.verdict == (verdict or "convention")
    assert found.candidates[0].distance < 1e-9


@pytest.mark.parametrize(
    ("fault", "name"),
    [("P14", "split_and_merged"), ("P15", "merged"), ("P02", "unscaled")],
)
def test_the_context_alone_is_enough(fault, name):
    made = variant(fault, name).run(attention_case(**parts(2, 3)))
    found = diagnose_attention(**parts(2, 3), context=made.context)
    assert (found.verdict, best(found)) == ("wrong", [(fault, name)])


def test_every_attention_variant_that_can_be_made_is_tried():
    tried = {(fault, name) for fault, name, *_ in MADE}
    listed = {
        (fault.id, v.name)
        for fault in FAULTS
        for v in fault.variants
        if v.subject == "attention"
    }
    # A zero row is also what the core gives; a fill of −10⁴ is as good as −∞ for
    # scores of this size.
    assert listed - tried == {("P07", "zero"), ("P05", "too_small")}


def test_a_fill_among_the_scores_is_called_by_its_name():
    options = {"visible": CAUSAL, "bias": np.full((5, 5), -1e4)}
    made = filled(attention_case(**parts(), **options), -1e4)
    found = diagnose_attention(**parts(), **options, weights=made.weights)
    assert (found.verdict, best(found)) == ("wrong", [("P05", "too_small")])


def test_zeros_for_a_query_without_keys_are_right():
    trace = attention_case(**parts(3), visible=EMPTY).answer
    found = diagnose_attention(**parts(3), visible=EMPTY, weights=trace.weights)
    assert found.verdict == "right"
    assert [c.id for c in found.checks if c.verdict == "fail"] == ["visible_keys"]


def test_a_scale_that_was_asked_for_is_a_convention():
    weights = attend(**parts(3), scale=1.0).weights
    found = diagnose_attention(**parts(3), scale=1.0, weights=weights)
    assert (found.verdict, found.candidates) == ("convention", ())


def test_a_mistake_nobody_knows_is_wrong_without_an_explanation():
    weights = np.roll(attend(**parts(3)).weights, 1, axis=-1)
    found = diagnose_attention(**parts(3), weights=weights)
    assert (found.verdict, found.candidates) == ("wrong", ())


def test_a_leak_too_small_to_be_seen_elsewhere_is_still_wrong():
    made = filled(attention_case(**parts(3), visible=CAUSAL), -30.0)
    found = diagnose_attention(**parts(3), visible=CAUSAL, weights=made.weights)
    assert found.verdict == "wrong"


def test_candidates_are_few_and_best_first():
    made = variant("P05", "tiny").run(attention_case(**parts(3), visible=CAUSAL))
    found = diagnose_attention(**parts(3), visible=CAUSAL, weights=made.weights)
    distances = [c.distance for c in found.candidates]
    assert distances == sorted(distances)
    assert 2 <= len(distances) <= 5


@pytest.mark.parametrize("decimals", [2, 3, 4, 6])
def test_rounded_numbers_of_right_code_are_right(decimals):
    trace = attend(**parts(2, 3), visible=CAUSAL)
    found = diagnose_attention(
        **parts(2, 3),
        visible=CAUSAL,
        weights=trace.weights.round(decimals),
        context=trace.context.round(decimals),
    )
    assert (found.verdict, found.candidates) == ("right", ())


def test_rounded_numbers_of_wrong_code_are_wrong():
    made = variant("P02", "unscaled").run(attention_case(**parts(3)))
    found = diagnose_attention(**parts(3), weights=made.weights.round(4))
    assert (found.verdict, best(found)) == ("wrong", [("P02", "unscaled")])


def test_single_precision_stored_as_double_is_right():
    narrow = {name: part.astype(np.float32) for name, part in parts(3).items()}
    weights = attend(**narrow).weights.astype(np.float64)
    assert diagnose_attention(**parts(3), weights=weights).verdict == "right"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_mistakes_are_named_in_lower_precision_too(dtype):
    arrays = {name: part.astype(dtype) for name, part in parts(3).items()}
    made = variant("P02", "unscaled").run(attention_case(**arrays))
    found = diagnose_attention(**arrays, weights=made.weights)
    assert (found.verdict, best(found)) == ("wrong", [("P02", "unscaled")])


def test_a_nan_in_the_input_is_no_mistake_of_the_code():
    arrays = parts(3)
    arrays["q"][1, 2, 0] = np.nan
    trace = attend(**arrays)
    found = diagnose_attention(**arrays, weights=trace.weights, context=trace.context)
    assert found.verdict == "right"


@st.composite
def questions(draw):
    """Draw sizes, numbers of any size, masks and padding."""
    leading = draw(st.sampled_from([(), (1,), (3,), (2, 3)]))
    len_q, len_k = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    d_k, d_v = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([0.0, 1e-3, 1.0, 30.0]))
    options = {
        "visible": rng.random((*leading, len_q, len_k)) < draw(st.floats(0, 1)),
        "query_valid": rng.random((*leading, len_q)) < draw(st.floats(0, 1)),
        "bias": draw(st.sampled_from([None, rng.standard_normal((len_q, len_k))])),
        "softcap": draw(st.sampled_from([None, 2.0])),
    }
    shapes = {"q": (len_q, d_k), "k": (len_k, d_k), "v": (len_k, d_v)}
    dtype = draw(st.sampled_from(["float16", "float32", "float64"]))
    arrays = {
        name: (size * rng.standard_normal((*leading, *shape))).astype(dtype)
        for name, shape in shapes.items()
    }
    return arrays | {
        name: value for name, value in options.items() if value is not None
    }


@settings(max_examples=150, derandomize=True, deadline=None)
@given(question=questions())
def test_right_code_is_never_called_wrong(question):
    trace = attention_case(**question).answer
    found = diagnose_attention(**question, weights=trace.weights, context=trace.context)
    assert found.verdict == "right"
    assert {c.id for c in found.checks if c.verdict == "fail"} <= {"visible_keys"}


def plain(q, k, v, visible):
    """Attend as the shortest right code does."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(visible, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights, weights @ v


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, 7),
    decimals=st.sampled_from([2, 3, 5, 16]),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_right_code_of_others_is_never_called_wrong(seed, length, decimals, dtype):
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((3, 2, length, 5)).astype(dtype)
    visible = causal_mask(length)
    weights, context = (a.round(decimals) for a in plain(q, k, v, visible))
    found = diagnose_attention(
        q, k, v, visible=visible, weights=weights, context=context
    )
    assert found.verdict == "right"


# Layer Normalization

X = np.random.default_rng(29).standard_normal((2, 5, 7)) + 1
PARAMETERS = {"gamma": np.linspace(-1, 2, 7) + 0.1, "beta": np.linspace(3, -1, 7)}


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (fault.id, v.name)
        for fault in FAULTS
        for v in fault.variants
        if v.subject == "layer_norm"
    ],
)
def test_a_mistake_of_the_norm_is_called_by_its_name(fault, name):
    output = variant(fault, name).run(layer_norm(X, **PARAMETERS))
    found = diagnose_layer_norm(X, output, **PARAMETERS)
    verdict = "convention" if variant(fault, name).convention else "wrong"
    assert (found.verdict, best(found)) == (verdict, [(fault, name)])


def test_a_mistake_smaller_than_single_precision_is_named_where_digits_allow():
    output = variant("P26", "eps_outside").run(layer_norm(10 * X))
    found = diagnose_layer_norm(10 * X, output)
    assert (found.verdict, best(found)) == ("wrong", [("P26", "eps_outside")])
    narrow = diagnose_layer_norm(10 * X, output.astype(np.float32))
    assert narrow.verdict == "right"


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from([(1,), (7,), (5, 7), (2, 5, 3), (3, 1)]),
    size=st.sampled_from([0.0, 1e-6, 1.0, 1e4]),
    shift=st.sampled_from([0.0, 100.0]),
    dtype=st.sampled_from(["float16", "float32", "float64"]),
)
def test_a_right_norm_is_never_called_wrong(seed, shape, size, shift, dtype):
    rng = np.random.default_rng(seed)
    x = (shift + size * rng.standard_normal(shape)).astype(dtype)
    gamma, beta = rng.standard_normal((2, shape[-1]))
    output = layer_norm(x, gamma=gamma, beta=beta).output
    found = diagnose_layer_norm(x, output, gamma=gamma, beta=beta)
    assert found.verdict == "right"


@pytest.mark.parametrize("decimals", [2, 3, 4, 6])
def test_a_rounded_right_norm_is_right(decimals):
    output = layer_norm(X, **PARAMETERS).output.round(decimals)
    assert diagnose_layer_norm(X, output, **PARAMETERS).verdict == "right"


def test_a_norm_without_epsilon_is_judged_where_it_has_an_answer():
    right = (X - X.mean(-1, keepdims=True)) / X.std(-1, keepdims=True)
    assert diagnose_layer_norm(X, right, eps=0).verdict == "right"
    found = diagnose_layer_norm(X, layer_norm(X, eps=0.5).output, eps=0)
    assert (found.verdict, found.candidates[0].found) == ("convention", {"eps": 0.5})
    with pytest.raises(ValueError, match="leave 0/0"):
        diagnose_layer_norm(np.ones((2, 3)), np.zeros((2, 3)), eps=0)


def test_a_norm_nobody_knows_is_wrong_without_an_explanation():
    found = diagnose_layer_norm(X, -layer_norm(X).output)
    assert (found.verdict, found.candidates) == ("wrong", ())


def test_shapes_that_disagree_are_named():
    with pytest.raises(ShapeError, match="`output` needs the shape of `x`"):
        diagnose_layer_norm(X, X[0])
    with pytest.raises(ShapeError, match="`context` needs shape"):
        diagnose_attention(**parts(), context=np.zeros((5, 3)))


# What is in question, and what is not


@pytest.mark.parametrize("decimals", [16, 4])
@pytest.mark.parametrize("held", [np.nan, 1 / 3, [5.0, -7.0, 9.0]])
def test_a_row_without_keys_is_a_convention_at_any_number_of_digits(held, decimals):
    rng = np.random.default_rng(31)
    q, k, v = rng.standard_normal((3, 3, 4))
    visible = np.ones((3, 3), dtype=bool)
    visible[1] = False
    weights = attention_case(q, k, v, visible=visible).answer.weights.copy()
    weights[1] = held
    found = diagnose_attention(
        q, k, v, visible=visible, weights=weights.round(decimals)
    )
    assert found.verdict == "convention"


def test_without_a_mask_nobody_reads_it_otherwise():
    weights = np.eye(1, 5)
    arrays = parts(len_q=1)
    found = diagnose_attention(**arrays, weights=weights, context=weights @ arrays["v"])
    assert (found.verdict, best(found)) == ("wrong", [("P12", "other_corner")])


def test_a_rate_made_to_fit_comes_after_a_mistake_that_fits_by_itself():
    q, k, v = np.random.default_rng(37).standard_normal((3, 2, 4))
    made = np.array([[0.0, 0.0], [1.0, 0.0]])
    found = diagnose_attention(q, k, v, visible=causal_mask(2), weights=made)
    assert (found.verdict, best(found)) == ("wrong", [("P11", "misses_itself")])


def test_what_changes_nothing_is_no_explanation():
    weights = attend(**parts(3)).weights * 1.5
    found = diagnose_attention(**parts(3), weights=weights)
    named = {(c.fault.id, c.variant) for c in found.candidates}
    assert not named & {("P02", "default"), ("P03", "after_softmax")}


def test_one_function_explains_a_result_once():
    made = variant("P02", "model_width").run(attention_case(**parts(2, 3)))
    found = diagnose_attention(**parts(2, 3), weights=made.weights)
    exact = [(c.fault.id, c.variant) for c in found.candidates if c.distance == 0]
    assert exact == [("P02", "model_width")]


def test_a_batch_of_one_is_no_mistake():
    trace = attend(**parts(3))
    outer = {"weights": trace.weights[None], "context": trace.context[None]}
    assert diagnose_attention(**parts(3), **outer).verdict == "right"
    inner = {"weights": trace.weights, "context": trace.context}
    batch = {name: part[None] for name, part in parts(3).items()}
    assert diagnose_attention(**batch, **inner).verdict == "right"


def test_heads_without_features_are_diagnosed_too():
    empty = np.zeros((2, 3, 0)), np.zeros((2, 5, 0)), np.ones((2, 5, 7))
    weights = np.full((2, 3, 5), 1 / 5)
    assert diagnose_attention(*empty, scale=0.5, weights=weights).verdict == "right"
