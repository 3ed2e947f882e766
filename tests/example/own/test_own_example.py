"""Matrices of one's own are shown as they are, and all else is computed from them."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import Edit
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.export.formats import as_csv, as_json, as_npz
from tests.example.own.own_files import QKV, WIDE, K, Q, V, npz
from tests.pages.cases import attention_data


def example_of(**arrays):
    return own_example(choose_own(read_own(npz(**arrays))))


def again(trace, write):
    """Export an example, and bring it back in."""
    found = read_own(write(attention_data(trace)))
    return compute_shown(own_example(choose_own(found), found.settings))


WITHOUT_OUTPUT = {name: WIDE[name] for name in ("x", "w_q", "w_k", "w_v")}
TWO_HEADS = {"q": [K, K[::-1]], "k": [K, K], "v": [V, 2 * V]}


def test_queries_keys_and_values_are_shown_to_the_bit():
    trace = compute(example_of(**QKV))
    expected = attend(Q, K, V)
    np.testing.assert_array_equal(trace.q, Q[None])
    np.testing.assert_array_equal(trace.attention.weights[0], expected.weights)
    np.testing.assert_array_equal(trace.attention.context[0], expected.context)
    assert (trace.x, trace.heads, trace.parameters) == (None, None, None)


def test_queries_keys_and_values_may_have_heads():
    trace = compute(example_of(**TWO_HEADS))
    second = attend(K[::-1], K, 2 * V)
    assert trace.n_heads == 2
    np.testing.assert_allclose(trace.attention.context[1], second.context, rtol=1e-15)


def test_inputs_with_projections_give_the_output():
    trace = compute(example_of(**WIDE))
    x, *projections = WIDE.values()
    expected = multi_head_attend(x, parameters=MultiHeadParameters(*projections))
    np.testing.assert_array_equal(trace.x, x)
    np.testing.assert_array_equal(trace.heads.output, expected.output)


def test_without_an_output_projection_there_is_no_output():
    trace = compute(example_of(**WITHOUT_OUTPUT))
    whole = compute(example_of(**WIDE))
    assert trace.heads is None
    np.testing.assert_array_equal(trace.attention.context, whole.attention.context)
    assert replay(derive(trace, "q", (1, 2, 3))) == trace.q[1, 2, 3]
    with pytest.raises(ValueError, match="stage"):
        derive(trace, "w_o", (0, 0))


def test_layer_norm_takes_own_inputs_and_says_what_is_missing():
    example = example_of(**WITHOUT_OUTPUT)
    np.testing.assert_array_equal(
        compute_norm(example, NormExample()).norm.x, WIDE["x"]
    )
    with pytest.raises(SettingError, match="no_output"):
        compute_norm(example, NormExample(source="residual"))
    with pytest.raises(SettingError, match="no_inputs"):
        compute_norm(example_of(**QKV), NormExample())


def test_keys_may_come_from_inputs_of_their_own():
    trace = compute(example_of(**WIDE, x_k=WIDE["x"][:2] * 3))
    np.testing.assert_array_equal(trace.x_k, WIDE["x"][:2] * 3)
    assert trace.attention.weights.shape == (2, 3, 2)


@pytest.mark.parametrize(
    ("arrays", "edit"),
    [
        (TWO_HEADS, Edit("q", (1, 4, 2), 0.5)),
        (TWO_HEADS, Edit("k", (0, 0, 0), 0.5)),
        (TWO_HEADS, Edit("v", (1, 2, 1), 0.5)),
    ],
)
def test_a_head_of_own_matrices_can_be_edited(arrays, edit):
    example = example_of(**arrays)
    before = getattr(compute(example), edit.name)
    after = getattr(compute(replace(example, edits=(edit,))), edit.name)
    assert after[edit.index] == 0.5
    assert np.argwhere(before != after).tolist() == [list(edit.index)]


@pytest.mark.parametrize(
    "settings",
    [{"length": 3}, {"n_heads": 2}, {"d_k": 2}, {"key_length": 0}, {"text": "a b c"}],
)
def test_other_sizes_than_those_of_the_matrices_are_refused(settings):
    with pytest.raises(SettingError, match="own_sizes"):
        replace(example_of(**QKV), **settings)


@pytest.mark.parametrize("settings", [{"matrices": "own"}, {"matrices": "random"}])
def test_own_matrices_are_there_or_not_shown(settings):
    with pytest.raises(SettingError, match="unknown_choice"):
        replace(
            Example() if settings["matrices"] == "own" else example_of(**QKV),
            **settings,
        )


def test_a_mask_hides_own_keys():
    example = replace(example_of(q=K, k=K, v=V), mask="causal", temperature=2.0)
    weights = compute(example).attention.weights[0]
    assert (np.triu(weights, 1) == 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1)


EXPORTED = {
    **EXAMPLES,
    "recurrent, bilinear": replace(EXAMPLES["recurrent"], scoring="bilinear"),
    "five, additive": replace(EXAMPLES["five"], scoring="additive"),
    "turned": Example(positions="rotary", scoring="bilinear", key_length=3),
    "biased": Example(positions="alibi", mask="window", temperature=0.7),
    "added": Example(positions="learned", scoring="additive", is_scaled=False),
    "edited": Example(edits=(Edit("mask", (0, 1), 0.0), Edit("w_k", (1, 2, 3), 7.0))),
    "own": example_of(**TWO_HEADS),
    "odd": Example(text='a , b " [ c ] ； ， 5', key_text="、 1 ;"),
}


@pytest.mark.parametrize("write", [as_json, as_npz, as_csv])
@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_comes_back_to_the_bit(name, write):
    trace = compute(EXPORTED[name])
    back = again(trace, write)
    np.testing.assert_array_equal(back.attention.weights, trace.attention.weights)
    np.testing.assert_array_equal(back.attention.context, trace.attention.context)
    assert (back.tokens, back.key_tokens) == (trace.tokens, trace.key_tokens)


HIDDEN = {
    "score_w_q": np.sin(np.arange(21.0)).reshape(7, 3),
    "score_w_k": np.cos(np.arange(21.0)).reshape(7, 3),
    "score_v": np.sin(np.arange(7.0)),
}


def test_learned_parts_of_one_score_decide_for_it():
    w = np.arange(9.0).reshape(3, 3)
    bilinear, additive = example_of(**QKV, score_w=w), example_of(**QKV, **HIDDEN)
    both = example_of(**QKV, score_w=w, **HIDDEN)
    kinds = [each.scoring for each in (bilinear, additive, both)]
    assert kinds == ["bilinear", "additive", "dot"]
    np.testing.assert_allclose(
        compute(bilinear).attention.raw_scores[0], Q @ w @ K.T, rtol=1e-14
    )


def test_the_hidden_layer_of_a_score_may_have_a_width_of_its_own():
    trace = compute(example_of(**QKV, **HIDDEN))
    w_q, w_k, v = HIDDEN.values()
    asking, asked = (Q @ w_q.T)[:, None], (K @ w_k.T)[None]
    np.testing.assert_allclose(
        trace.attention.raw_scores[0], np.tanh(asking + asked) @ v, rtol=1e-14
    )
    cell = (0, 1, 4)
    derived = replay(derive(trace, "raw_scores", cell))
    assert derived == trace.attention.raw_scores[cell]


def test_half_of_a_score_is_told_apart_from_none():
    arrays = {**QKV, "score_w_k": HIDDEN["score_w_k"]}
    with pytest.raises(SettingError, match="own_missing") as caught:
        example_of(**arrays)
    assert caught.value.values["missing"] == "score_w_q, score_v"


def test_parts_of_a_score_have_the_width_of_the_keys():
    with pytest.raises(SettingError, match="own_disagree"):
        example_of(**QKV, score_w=np.eye(5))


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_spreadsheet_may_have_changed_what_separates_the_cells(mark):
    trace = compute(EXAMPLES["cat_videos"])
    rows = csv.reader(as_csv(attention_data(trace)).decode("utf-8-sig").splitlines())
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows(rows)
    found = read_own(text.getvalue())
    back = compute(own_example(choose_own(found), found.settings))
    np.testing.assert_array_equal(back.attention.weights, trace.attention.weights)
    assert back.tokens == trace.tokens


@pytest.mark.parametrize("about", ["about,{", "about,[1]", "about", 'about,"{""a"":1'])
def test_a_broken_first_line_costs_no_matrix(about):
    found = read_own(f"{about}\n\nq\n1,2\n3,4\n")
    assert found.arrays["q"].tolist() == [[[1, 2], [3, 4]]]
    assert (found.settings, found.labels) == ({}, {})


def test_settings_of_an_export_that_cannot_be_are_left_out():
    own = choose_own(read_own(npz(**QKV)))
    wild = {
        "mask": ["causal"],
        "n_padding": {},
        "positions": "learned",
        "temperature": 4,
        "scoring": 7,
        "matrices": "random",
        "edits": [{"name": "mask"}, 3],
        "length": 32,
    }
    assert own_example(own, wild) == replace(own_example(own), temperature=4)
