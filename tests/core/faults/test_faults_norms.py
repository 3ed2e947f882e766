"""Mistakes with positions and norms return the reference's wrong numbers."""

import numpy as np
import pytest

from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.errors import ShapeError
from attnviz.core.faults import norms, positions
from attnviz.core.layers.norms import layer_norm
from attnviz.core.positions.relative import alibi_slopes
from attnviz.core.positions.rotary import rotate
from attnviz.core.positions.sinusoidal import sinusoidal_positions
from tests.core.faults.pitfalls import NUMBERS, numbers

TIGHT = {"rtol": 1e-12, "atol": 1e-14}
ROW = np.array([1.0, 2.0, 3.0, 6.0])
TINY = 1e-3 * np.array([-1.0, 1.0, -1.0, 1.0])
TWO = np.array([[1.0, 2.0, 3.0], [4.0, 6.0, 11.0]])


def triple(u):
    return 3 * u


def test_p21_the_same_numbers_in_another_order():
    table = positions.sines_before_cosines(5, 4)
    right = sinusoidal_positions(5, 4)
    np.testing.assert_allclose(table[1], numbers("P21", "concat"), **TIGHT)
    np.testing.assert_allclose(right[1], numbers("P21", "inter"), **TIGHT)
    np.testing.assert_allclose(table @ table.T, right @ right.T, atol=1e-14)
    np.testing.assert_allclose(table[1] @ table[4], numbers("P21", "formula"), **TIGHT)


def test_p22_a_doubled_exponent_breaks_the_length():
    table = positions.doubled_exponents(4, 4)
    np.testing.assert_allclose(table[1], numbers("P22", "wrong"), **TIGHT)
    np.testing.assert_allclose(
        table[1] @ table[1], numbers("P22", "norm2_wrong"), **TIGHT
    )
    np.testing.assert_allclose(
        table[3] @ table[3], numbers("P22", "norm2_wrong_pos3"), **TIGHT
    )


def test_p22_the_right_table_has_one_length_and_takes_odd_widths():
    table = sinusoidal_positions(2, 4)
    np.testing.assert_allclose(table[1], numbers("P22", "right"), **TIGHT)
    np.testing.assert_allclose(
        table[1] @ table[1], numbers("P22", "norm2_right"), **TIGHT
    )
    odd = sinusoidal_positions(2, 5)
    np.testing.assert_allclose(odd[1], numbers("P22", "odd5"), **TIGHT)


def test_p23_two_pairings_and_a_mixture():
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    turned = [rotate(x, [1]), positions.rotated_by_halves(x, [1])]
    mixed = positions.mixed_pairings(x, [1])
    np.testing.assert_allclose(turned[0][0], numbers("P23", "inter"), **TIGHT)
    np.testing.assert_allclose(turned[1][0], numbers("P23", "half"), **TIGHT)
    np.testing.assert_allclose(mixed[0], numbers("P23", "mixed"), **TIGHT)
    squares = [np.square(rows).sum() for rows in (x, *turned, mixed)]
    np.testing.assert_allclose(squares, numbers("P23", "n2"), **TIGHT)


def test_p23_only_the_mixture_depends_on_more_than_the_distance():
    x = np.tile([1.0, 2.0, 3.0, 4.0], (4, 1))
    places = [2, 1, 7, 6]
    halves = positions.rotated_by_halves(x, places)
    mixed = positions.mixed_pairings(x, places)
    np.testing.assert_allclose(
        [halves[0] @ halves[1], halves[2] @ halves[3]],
        numbers("P23", "rel_half"),
        **TIGHT,
    )
    np.testing.assert_allclose(
        [mixed[0] @ mixed[1], mixed[2] @ mixed[3]], numbers("P23", "rel_mixed"), **TIGHT
    )


def test_p24_a_forgotten_offset_mirrors_the_weights():
    q, k = np.array([[1.0, 0.0]]), np.tile([1.0, 0.0], (4, 1))
    v = np.arange(4.0)[:, None]
    made = positions.offset_forgotten(q, k, v)
    np.testing.assert_allclose(made.weights[0], numbers("P24", "a_wrong"), **TIGHT)
    np.testing.assert_allclose(made.context, [[NUMBERS["P24"]["o_wrong"]]], **TIGHT)


def test_p24_with_the_offset_the_nearest_key_wins():
    q, k = np.array([[1.0, 0.0]]), np.tile([1.0, 0.0], (4, 1))
    right = attend(rotate(q, [3]), rotate(k, np.arange(4)), np.arange(4.0)[:, None])
    np.testing.assert_allclose(right.raw_scores[0], numbers("P24", "s_right"), **TIGHT)
    np.testing.assert_allclose(right.weights[0], numbers("P24", "a_right"), **TIGHT)
    np.testing.assert_allclose(right.context, [[NUMBERS["P24"]["o_right"]]], **TIGHT)


def test_p25_slopes_of_a_number_of_heads_that_is_no_power_of_two():
    np.testing.assert_allclose(
        positions.geometric_slopes(6), numbers("P25", "naive6"), **TIGHT
    )
    np.testing.assert_allclose(
        positions.slopes_from_zero(8), numbers("P25", "off1_8"), **TIGHT
    )
    np.testing.assert_allclose(alibi_slopes(6), numbers("P25", "6"), **TIGHT)


def test_p25_the_two_rules_agree_for_a_power_of_two():
    np.testing.assert_allclose(positions.geometric_slopes(8), alibi_slopes(8), **TIGHT)


def test_p25_other_slopes_forget_at_another_rate():
    distance = np.arange(3, -1, -1)[:, None]
    slopes = {
        "row_h5_right": alibi_slopes(6)[4],
        "row_h5_naive": positions.geometric_slopes(6)[4],
    }
    right = attend([[1.0]], -slopes["row_h5_right"] * distance, np.eye(4))
    wrong = attend([[1.0]], -slopes["row_h5_naive"] * distance, np.eye(4))
    np.testing.assert_allclose(right.weights[0], numbers("P25", "row_h5_right"))
    np.testing.assert_allclose(wrong.weights[0], numbers("P25", "row_h5_naive"))


def test_p26_one_less_divides_by_too_much():
    made = norms.one_less_divisor(layer_norm(ROW))
    # The squared deviations sum to 14.
    np.testing.assert_allclose(made, (ROW - 3) / (14 / 3 + 1e-5) ** 0.5, **TIGHT)


def test_p26_one_less_and_eps_outside_at_once():
    # The widely copied teaching code, with its own ε.
    made = norms.eps_outside_root(layer_norm(ROW, eps=1e-6), ddof=1)
    np.testing.assert_allclose(made, numbers("P26", "ddof1"), **TIGHT)
    np.testing.assert_allclose(made.var(), numbers("P26", "var_ddof1"), **TIGHT)


def test_p26_eps_outside_the_root_hardly_matters_to_a_small_spread():
    made = norms.eps_outside_root(layer_norm(TINY))
    np.testing.assert_allclose(made, numbers("P26", "tiny_out"), **TIGHT)
    np.testing.assert_allclose(
        layer_norm(TINY).output, numbers("P26", "tiny_in"), **TIGHT
    )


def test_p26_the_mean_left_in():
    made = norms.mean_not_subtracted(layer_norm(ROW))
    np.testing.assert_allclose(made, ROW / (12.5 + 1e-5) ** 0.5, **TIGHT)


def test_p26_one_feature_has_no_spread_to_divide_by_one_less():
    assert norms.one_less_divisor(layer_norm([3.0])) is None
    assert norms.eps_outside_root(layer_norm([3.0]), ddof=1) is None


def test_p27_statistics_over_the_wrong_axes():
    trace = layer_norm(TWO)
    np.testing.assert_allclose(trace.output, numbers("P27", "right"), **TIGHT)
    np.testing.assert_allclose(
        norms.over_positions(trace), numbers("P27", "axis0"), **TIGHT
    )
    np.testing.assert_allclose(
        norms.over_sample(trace), numbers("P27", "both"), **TIGHT
    )


def test_p27_another_position_moves_the_first():
    edited = layer_norm([TWO[0], [40.0, 60.0, 110.0]])
    np.testing.assert_allclose(
        norms.over_sample(edited)[0], numbers("P27", "both_row0_after"), **TIGHT
    )
    np.testing.assert_allclose(
        edited.output[0], numbers("P27", "right_row0_after"), **TIGHT
    )


def test_p27_a_single_position_normalized_over_itself_vanishes():
    np.testing.assert_array_equal(
        norms.over_positions(layer_norm(TWO[:1])), numbers("P27", "axis0_single")
    )


def test_p27_statistics_over_the_batch_need_a_batch():
    assert norms.over_batch(layer_norm(TWO)) is None
    made = norms.over_batch(layer_norm(TWO[:, None, :]))
    np.testing.assert_allclose(made[:, 0], numbers("P27", "axis0"), **TIGHT)


def test_p27_one_position_alone_has_no_other_axis():
    assert norms.over_positions(layer_norm(ROW)) is None
    assert norms.over_sample(layer_norm(ROW)) is None


def test_p28_a_residual_overwritten_by_the_norm():
    made = norms.residual_after_norm(ROW, triple)
    np.testing.assert_allclose(made, numbers("P28", "bad_block"), **TIGHT)
    right = ROW + triple(layer_norm(ROW).output)
    np.testing.assert_allclose(right, numbers("P28", "right_block"), **TIGHT)


def test_p28_an_extra_norm_undoes_gamma_and_beta():
    gamma, beta = np.full(4, 2.0), np.ones(4)
    last = layer_norm(NUMBERS["P28"]["z"], gamma=gamma, beta=beta)
    plain = layer_norm(ROW, gamma=gamma, beta=beta)
    np.testing.assert_allclose(plain.output, numbers("P28", "last"), rtol=1e-5)
    np.testing.assert_allclose(last.output, numbers("P28", "last"), rtol=1e-4)
    np.testing.assert_allclose(
        norms.normalized_again(plain), numbers("P28", "double"), **TIGHT
    )


def test_p28_a_missing_final_norm_lets_the_stream_through():
    trace = layer_norm(numbers("P28", "pre_out"))
    np.testing.assert_array_equal(norms.not_normalized(trace), trace.x)
    np.testing.assert_allclose(trace.output, numbers("P28", "pre_final"), **TIGHT)


def test_p28_parameters_left_out():
    trace = layer_norm(ROW, gamma=np.full(4, 2.0), beta=np.ones(4))
    np.testing.assert_allclose(
        norms.parameters_left_out(trace), numbers("P26", "right"), **TIGHT
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: positions.mixed_pairings([[1, 2, 3]], [0]), ShapeError, "d even"),
        (lambda: positions.mixed_pairings(np.ones((2, 4)), [0]), ShapeError, "T=2"),
        (lambda: positions.mixed_pairings([1, 2], [0, 1]), ShapeError, "`x` needs"),
        (lambda: positions.geometric_slopes(0), ValueError, "`n_heads`"),
        (lambda: positions.slopes_from_zero(0), ValueError, "`n_heads`"),
    ],
)
def test_what_has_no_positions_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
