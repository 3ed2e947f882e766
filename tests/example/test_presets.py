"""Every preset shows the numbers of its source."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from attnviz.core.attention import multi_head_attend_by_list
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.fractions import as_fraction, fraction_text
from attnviz.example.presets import PRESETS
from tests.core.golden import GOLDEN


def trace_of(name, **changes):
    return compute(replace(EXAMPLES[name], **changes))


def weights_of(name):
    return trace_of(name).attention.weights


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_computed(name):
    attention = trace_of(name).attention
    sums = attention.weights.sum(axis=-1)
    np.testing.assert_allclose(
        sums, np.broadcast_to(attention.visible.any(axis=-1), sums.shape)
    )


def test_presets_and_examples_have_the_same_names():
    assert {name: preset.example for name, preset in PRESETS.items()} == EXAMPLES


def test_five_positions_give_five_rows_each():
    trace = trace_of("five")
    assert [len(trace.q[0]), len(trace.k[0]), len(trace.v[0])] == [5, 5, 5]


@pytest.mark.parametrize(
    ("changes", "weights", "context"),
    [
        (
            {},
            [[0.66976155, 0.33023845], [0.33023845, 0.66976155]],
            [[1.33952310, 1.32095380], [0.66047690, 2.67904620]],
        ),
        (
            {"is_scaled": False},
            [[0.73105858, 0.26894142], [0.26894142, 0.73105858]],
            [[1.46211716, 1.07576569], [0.53788284, 2.92423431]],
        ),
        (
            {"mask": "causal"},
            [[1, 0], [0.33023845, 0.66976155]],
            [[2, 0], [0.66047690, 2.67904620]],
        ),
    ],
)
def test_exercise_1_comes_out_as_by_hand(changes, weights, context):
    attention = trace_of("identity", **changes).attention
    np.testing.assert_allclose(attention.weights[0], weights, atol=5e-9)
    np.testing.assert_allclose(attention.context[0], context, atol=5e-9)


@pytest.mark.parametrize("mask", ["none", "causal", "padding", "window"])
def test_constant_values_come_out_under_any_mask(mask):
    context = trace_of("constant_values", mask=mask).attention.context[0]
    np.testing.assert_allclose(context, np.tile([1.5, -2], (5, 1)), rtol=1e-14)


def test_zero_scores_share_the_weight_equally():
    trace = trace_of("cat_videos")
    shares = np.tril(np.ones((6, 6))) / np.arange(1, 7)[:, None]
    np.testing.assert_allclose(trace.attention.weights[0], shares, rtol=1e-14)
    assert (trace.visible.sum(), (~trace.visible).sum()) == (21, 15)


def test_it_looks_at_the_animal():
    row = weights_of("tired_animal")[0, 7]
    np.testing.assert_allclose(row[[1, 5]], [0.823297, 0.040990], atol=5e-7)
    np.testing.assert_allclose(row[[0, 2, 3, 4, 6, 7, 8, 9, 10]], 0.015079, atol=5e-7)
    assert trace_of("tired_animal").tokens[7] == "it"


def test_its_looks_at_law():
    trace = trace_of("its_law")
    purple, brown = trace.attention.weights
    assert (trace.tokens[8], trace.tokens[1], trace.tokens[9]) == (
        "its",
        "Law",
        "application",
    )
    np.testing.assert_allclose(purple[8, [1, 0]], [0.995991, 0.000334], atol=5e-7)
    np.testing.assert_allclose(brown[8, 9], 0.819815, atol=5e-7)
    np.testing.assert_allclose(purple[[0, 1, 7, 9, 12]], 1 / 13, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "shape", "width"), [("one_head", (1, 6, 4), 16), ("batch", (1, 6, 3), 12)]
)
def test_a_head_is_narrower_than_its_inputs(name, shape, width):
    trace = trace_of(name)
    assert (trace.q.shape, trace.x.shape[-1]) == (shape, width)


@pytest.mark.parametrize(
    ("changes", "key"),
    [({}, "none"), ({"mask": "padding", "n_padding": 1}, "key_pad_last")],
)
def test_cross_attention_gives_the_golden_numbers(changes, key):
    attention = trace_of("cross", **changes).attention
    np.testing.assert_allclose(attention.weights[0], GOLDEN["cross"][key]["A"])
    np.testing.assert_allclose(attention.context[0], GOLDEN["cross"][key]["C"])


def test_a_caption_looks_at_nine_regions():
    trace = trace_of("caption")
    assert trace.attention.weights.shape == (1, 5, 9)
    assert (trace.tokens[1], trace.key_tokens[8]) == ("dog", "r₃₃")


def test_an_apple_has_two_relations():
    eaten, company = weights_of("apple")
    assert trace_of("apple").tokens == ("苹果", "吃", "公司")
    np.testing.assert_allclose(eaten[0], [0.045279, 0.909443, 0.045279], atol=5e-7)
    np.testing.assert_allclose(company[0], [0.045279, 0.045279, 0.909443], atol=5e-7)


@pytest.mark.parametrize(
    ("scoring", "scores", "first_row"),
    [
        ("dot", "dot", [0.66524096, 0.24472847, 0.09003057]),
        ("bilinear", "bilinear", [0.26762315, 0.72747516, 0.00490169]),
        ("additive", "additive", [0.43549993, 0.32145080, 0.24304926]),
    ],
)
def test_three_scores_end_in_one_softmax(scoring, scores, first_row):
    attention = trace_of("recurrent", scoring=scoring).attention
    np.testing.assert_allclose(
        attention.raw_scores[0], GOLDEN["similarity"][scores], atol=1e-15
    )
    np.testing.assert_allclose(attention.weights[0, 0], first_row, atol=5e-9)


def test_a_model_of_768_features_is_counted():
    counted = PRESETS["model_sizes"].counted
    assert counted.divisor == 8
    assert counted.parameters == 2_359_296
    assert counted.parameters_with_biases == 2_362_368


def test_exercise_4_is_counted():
    counted = PRESETS["size_calculator"].counted
    assert (counted.sizes.d_k, counted.score_elements) == (32, 1_048_576)
    assert counted.score_bytes == 4_194_304


def test_two_products_stand_side_by_side():
    trace = trace_of("side_by_side")
    both = np.concatenate([trace.q[0], trace.k[0]], axis=-1)
    assert both[:2].tolist() == [[1, 3, 2, 2], [-11, -3, -5, 2]]
    assert both.shape == (8, 4)


def test_einsum_sums_the_shared_index():
    trace = trace_of("einsum")
    raw = np.einsum("ij,jk->ik", trace.q[0], trace.k[0].T)
    assert (trace.q.shape, raw.shape) == ((1, 3, 4), (3, 5))
    np.testing.assert_array_equal(trace.attention.raw_scores[0], raw)


@pytest.mark.parametrize(("mask", "key"), [("none", "unmasked"), ("causal", "causal")])
def test_list_and_vector_give_the_golden_numbers(mask, key):
    trace = trace_of("list_and_vector", mask=mask)
    np.testing.assert_allclose(
        trace.heads.output, GOLDEN["eli_linspace"][key][0], rtol=1e-12
    )
    by_list = multi_head_attend_by_list(
        trace.x, parameters=trace.parameters, visible=trace.visible
    )
    np.testing.assert_allclose(by_list.output, trace.heads.output, rtol=1e-12)


def test_three_rows_of_weights_give_one_output():
    attention = trace_of("same_output").attention
    np.testing.assert_allclose(
        attention.weights[0],
        [[0.5, 0.4, 0.1], [0.5, 0.1, 0.4], [0.5, 0.25, 0.25]],
        rtol=1e-12,
    )
    np.testing.assert_allclose(attention.context[0], np.full((3, 2), 1.5), rtol=1e-12)


def test_padding_in_front_gets_zeros_under_a_causal_mask():
    attention = trace_of("left_padding").attention
    np.testing.assert_allclose(
        attention.weights[0],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0.37754067, 0.62245933]],
        atol=5e-9,
    )
    np.testing.assert_array_equal(attention.context[0, :2], np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("mask", "weights", "context"),
    [
        (
            "none",
            ["1/10 1/5 3/10 2/5", "1/4 1/8 1/8 1/2", "1/2 1/10 3/10 1/10"],
            ["6/5 1/10", "11/8 −1/4", "1 3/10", "3/2 −3/10"],
        ),
        (
            "causal",
            ["1 0 0 0", "2/3 1/3 0 0", "5/9 1/9 1/3 0"],
            ["1 0", "2/3 1/3", "8/9 4/9", "3/2 −3/10"],
        ),
    ],
)
def test_weights_and_outputs_are_fractions(mask, weights, context):
    attention = trace_of("fractions", mask=mask).attention
    rows = [[fraction_text(value) for value in row] for row in attention.weights[0]]
    outputs = [[fraction_text(value) for value in row] for row in attention.context[0]]
    assert [" ".join(row) for row in rows[:3]] == weights
    assert " ".join(rows[3]) == "1/10 1/10 1/5 3/5"
    assert [" ".join(row) for row in outputs] == context


def test_equal_words_stay_apart_by_their_positions():
    trace = trace_of("sequence")
    np.testing.assert_array_equal(trace.x[0], trace.x[3])
    assert not np.allclose(trace.inputs[0], trace.inputs[3])


def test_a_preset_is_constructed_unless_its_matrices_are_random():
    made = {name for name, preset in PRESETS.items() if preset.is_constructed}
    written = {name for name, each in EXAMPLES.items() if each.matrices != "random"}
    # The chapter names the stream from which its seventh exercise draws.
    assert made == written - {"exercise_7"}


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (0.1 + 0.2, Fraction(3, 10)),
        (256 / 354, Fraction(128, 177)),
        (1 / 401, None),
        (0.3 + 1e-9, None),
        (float("inf"), None),
        (float("nan"), None),
    ],
)
def test_a_fraction_is_found_only_where_there_is_one(value, fraction):
    assert as_fraction(value) == fraction
