"""Positions as PyTorch, Transformers and the methods' authors compute them."""

import numpy as np
import pytest

from attnviz.core.attention.weights import softmax
from attnviz.core.positions.relative import alibi_bias, alibi_slopes, relative_buckets
from attnviz.core.positions.rotary import rotate
from attnviz.core.positions.sinusoidal import sinusoidal_positions


def test_interleaved_and_concatenated_sinusoids():
    # d=4, position 1: the paper's formula, and the order of its first code
    # (tensorflow/tensor2tensor#391).
    np.testing.assert_allclose(
        sinusoidal_positions([1], 4)[0],
        [
            0.8414709848078965,
            0.5403023058681398,
            0.009999833334166664,
            0.99995000041667,
        ],
        atol=1e-14,
    )
    np.testing.assert_allclose(
        sinusoidal_positions([1], 4, order="concatenated")[0],
        [
            0.8414709848078965,
            0.009999833334166664,
            0.5403023058681398,
            0.99995000041667,
        ],
        atol=1e-14,
    )


@pytest.mark.parametrize("order", ["interleaved", "concatenated"])
def test_both_orders_give_the_same_inner_products(order):
    first, fourth = sinusoidal_positions([1, 4], 4, order=order)
    np.testing.assert_allclose(first @ fourth, np.cos(3) + np.cos(0.03), atol=1e-15)


def test_sinusoids_of_odd_width():
    # d=5: the last cosine is dropped (codertimo/BERT-pytorch#54).
    np.testing.assert_allclose(
        sinusoidal_positions([1], 5)[0],
        [
            0.8414709848078965,
            0.5403023058681398,
            0.025116222909773774,
            0.9996845379152098,
            0.0006309573026154199,
        ],
        atol=1e-15,
    )


@pytest.mark.parametrize(
    ("pairing", "turned"),
    [
        (
            "interleaved",
            [
                -1.142639663747653,
                1.922075596544176,
                2.959850667913329,
                4.029799501669161,
            ],
        ),
        (
            "half",
            [
                -1.984110648555549,
                1.959900667496664,
                2.462377902412316,
                4.019799668334994,
            ],
        ),
    ],
)
def test_rotary_pairings(pairing, turned):
    # d=4, position 1, x=[1, 2, 3, 4] (huggingface/transformers#25199).
    np.testing.assert_allclose(
        rotate([[1, 2, 3, 4]], [1], pairing=pairing)[0], turned, atol=1e-14
    )


def test_rotary_scores_keep_the_distance():
    # Positions 2 and 1 against 7 and 6, both layouts' rows being [1, 2, 3, 4].
    rows = rotate(np.tile([1.0, 2, 3, 4], (4, 1)), [2, 1, 7, 6], pairing="half")
    np.testing.assert_allclose(
        [rows[0] @ rows[1], rows[2] @ rows[3]], 25.402023067014703, atol=1e-13
    )


def test_rotary_rates_of_llama():
    # Transformers 5.24, models/llama/modeling_llama.py, apply_rotary_pos_emb with
    # float64 angles: rows 3 and 4 of sin(arange(240)).reshape(2, 3, 5, 8)[1, 2] at
    # positions 10 and 11.
    rows = np.sin(np.arange(240.0)).reshape(2, 3, 5, 8)[1, 2, 3:]
    np.testing.assert_allclose(
        rotate(rows, [10, 11], pairing="half"),
        [
            [
                1.21013555,
                -0.780186167,
                -0.130973609,
                0.730979220,
                -0.374561364,
                -0.604368424,
                -0.632298606,
                -0.988423940,
            ],
            [
                -0.373463727,
                1.10135428,
                1.06849141,
                0.577947971,
                0.458228373,
                -0.000932162442,
                -0.575859379,
                0.243062686,
            ],
        ],
        atol=5e-9,
    )


@pytest.mark.parametrize(
    ("n_heads", "slopes"),
    [
        (3, [2**-4, 2**-8, 2**-2]),
        (5, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1]),
        (6, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]),
        (7, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3, 2**-5]),
        (8, [2**-1, 2**-2, 2**-3, 2**-4, 2**-5, 2**-6, 2**-7, 2**-8]),
    ],
)
def test_alibi_slopes_of_the_authors(n_heads, slopes):
    # Transformers 5.24, models/bloom/modeling_bloom.py.
    assert alibi_slopes(n_heads).tolist() == slopes


def test_alibi_slopes_between_two_powers():
    # 12 heads: the last four are the odd slopes of 16.
    np.testing.assert_allclose(
        alibi_slopes(12)[8:],
        [
            0.7071067811865476,
            0.3535533905932738,
            0.1767766952966369,
            0.08838834764831845,
        ],
        rtol=1e-15,
    )


def test_alibi_weights_of_a_head_between_two_powers():
    # Head 5 of 6, four equal scores (ml-explore/mlx#343).
    np.testing.assert_allclose(
        softmax(alibi_bias(6, 1, 4))[4, 0],
        [
            0.1015363240915518,
            0.16740509727844333,
            0.2760043447065936,
            0.455054233923411,
        ],
        atol=1e-15,
    )


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        # Transformers 5.24, models/t5/modeling_t5.py, _relative_position_bucket: the
        # distances, up to 299, at which the next bucket begins.
        (
            {"both_sides": True},
            [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91],
        ),
        (
            {"both_sides": False},
            [
                *range(1, 17),
                19,
                21,
                24,
                27,
                31,
                35,
                40,
                46,
                52,
                59,
                67,
                77,
                87,
                99,
                113,
            ],
        ),
        (
            {"both_sides": True, "n_buckets": 16, "max_distance": 50},
            [1, 2, 3, 4, 8, 15, 27],
        ),
        (
            {"both_sides": False, "n_buckets": 16, "max_distance": 50},
            [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 20, 26, 32, 40],
        ),
    ],
)
def test_t5_buckets(options, starts):
    by_distance = relative_buckets(1, 300, **options)[0, ::-1]
    np.testing.assert_array_equal(np.flatnonzero(np.diff(by_distance)) + 1, starts)
    np.testing.assert_array_equal(np.unique(by_distance), np.arange(len(starts) + 1))


def test_t5_buckets_of_later_keys():
    # The same source, for keys after the query.
    np.testing.assert_array_equal(
        relative_buckets(1, 300, offset=0)[0, 1:],
        relative_buckets(1, 300)[0, -2::-1] + 16,
    )
