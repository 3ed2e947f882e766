"""The matrices an example starts from."""

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES
from attnviz.example.sources.drawn import random_inputs, random_parameters
from attnviz.example.sources.fixed import (
    FixedMatrices,
    GivenMatrices,
    looking_heads,
    proportional_weights,
)
from attnviz.example.sources.written import FIXED_NAMES, fixed_matrices

SIZES = {"n_heads": 3, "d_model": 7, "d_k": 5, "d_v": 2}


def drawn(**changes):
    return random_parameters(13, **{**SIZES, **changes})


def test_every_token_has_a_row():
    assert random_inputs(0, ("a", "b", "c"), 7).shape == (3, 7)


def test_equal_tokens_have_equal_rows_wherever_they_stand():
    x = random_inputs(0, ("a", "b", "a"), 7)
    np.testing.assert_array_equal(x[0], x[2])
    assert (x[0] != x[1]).all()


def test_a_wider_row_starts_with_the_narrower_one():
    tokens = ("a", "b")
    np.testing.assert_array_equal(
        random_inputs(0, tokens, 11)[:, :7], random_inputs(0, tokens, 7)
    )


def test_parameters_have_the_shapes_of_the_chapter():
    parameters = drawn()
    assert parameters.w_q.shape == parameters.w_k.shape == (3, 7, 5)
    assert parameters.w_v.shape == (3, 7, 2)
    assert parameters.w_o.shape == (6, 7)


def test_the_three_projections_differ():
    parameters = drawn(d_v=5)
    assert (parameters.w_q != parameters.w_k).all()
    assert (parameters.w_q != parameters.w_v).all()


def test_another_head_keeps_the_earlier_ones():
    fewer, more = drawn(n_heads=3), drawn(n_heads=4)
    np.testing.assert_array_equal(more.w_q[:3], fewer.w_q)
    np.testing.assert_array_equal(more.w_k[:3], fewer.w_k)
    np.testing.assert_array_equal(more.w_v[:3], fewer.w_v)
    assert (more.w_q[3] != fewer.w_q[2]).all()


def test_a_wider_key_keeps_the_earlier_columns_and_the_values():
    narrow, wide = drawn(d_k=5), drawn(d_k=11)
    np.testing.assert_array_equal(wide.w_q[..., :5], narrow.w_q)
    np.testing.assert_array_equal(wide.w_k[..., :5], narrow.w_k)
    np.testing.assert_array_equal(wide.w_v, narrow.w_v)
    np.testing.assert_array_equal(wide.w_o, narrow.w_o)


@pytest.mark.parametrize(
    ("d_model", "d_k"), [(64, 4), (64, 64), (16, 4)], ids=["64-4", "64-64", "16-4"]
)
def test_scaled_scores_spread_by_about_1(d_model, d_k):
    # Course chapter, R39: the standard deviation over 200 seeds is within 10 %.
    tokens = tuple("abcdefgh")
    sizes = {"n_heads": 1, "d_model": d_model, "d_k": d_k, "d_v": 1}
    scores = []
    for seed in range(200):
        x = random_inputs(seed, tokens, d_model)
        parameters = random_parameters(seed, **sizes)
        q, k = x @ parameters.w_q[0], x @ parameters.w_k[0]
        scores.append(q @ k.T / np.sqrt(d_k))
    assert np.std(scores) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", FIXED_NAMES)
def test_written_matrices_are_made_once_and_shared(name):
    assert fixed_matrices(name) is fixed_matrices(name)


def test_every_written_matrix_has_a_preset_to_show_it():
    assert {each.matrices for each in EXAMPLES.values()} == {"random", *FIXED_NAMES}


@pytest.mark.parametrize("name", ["x", "w_q", "w_k", "w_v", "w_o"])
def test_nobody_can_write_into_written_matrices(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(fixed_matrices("identity"), name)[0, 0] = 9


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_nobody_can_write_into_given_matrices(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(fixed_matrices("fractions"), name)[0, 0] = 9


def test_written_matrices_tell_their_sizes():
    heads = np.zeros((3, 7, 5))
    matrices = FixedMatrices(
        np.zeros((11, 7)), heads, heads, heads[..., :2], np.zeros((6, 7))
    )
    sizes = matrices.sizes
    assert (sizes.n_queries, sizes.key_length, sizes.n_heads) == (11, 0, 3)
    assert (sizes.d_model, sizes.d_k, sizes.d_v) == (7, 5, 2)


@pytest.mark.parametrize(("is_cross", "key_length"), [(True, 7), (False, 0)])
def test_given_matrices_tell_their_sizes(is_cross, key_length):
    keys = np.zeros((7, 5))
    queries = np.zeros((3, 5)) if is_cross else keys
    sizes = GivenMatrices(queries, keys, keys[:, :2], is_cross=is_cross).sizes
    assert (sizes.n_queries, sizes.key_length) == (len(queries), key_length)
    assert (sizes.n_heads, sizes.d_model, sizes.d_k, sizes.d_v) == (1, 5, 5, 2)


def test_looking_heads_have_the_scores_that_are_asked_for():
    matrices = looking_heads(3, {(0, 2): 5.0}, {(1, 1): -2.0})
    scores = matrices.x @ matrices.w_q @ matrices.w_k.swapaxes(-1, -2) / np.sqrt(3)
    np.testing.assert_allclose(
        scores, [[[0, 0, 5], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, -2, 0], [0, 0, 0]]]
    )


def test_proportional_weights_have_logarithms_as_scores():
    matrices = proportional_weights([[1, 2], [3, 4]], [[1], [2]])
    np.testing.assert_allclose(
        matrices.q[0] @ matrices.k[0].T / np.sqrt(2), np.log([[1, 2], [3, 4]])
    )
