"""Random arrays: one stream a name, drawn at its largest size."""

import numpy as np
import pytest

from attnviz.core.arrays.randomness import draw, stream


def test_the_same_seed_and_name_give_the_same_numbers():
    np.testing.assert_array_equal(
        stream(3, "x").standard_normal(5), stream(3, "x").standard_normal(5)
    )


@pytest.mark.parametrize(("seed", "name"), [(4, "x"), (3, "y"), (0, "x")])
def test_another_seed_or_name_gives_other_numbers(seed, name):
    assert (draw(seed, name, (7,)) != draw(3, "x", (7,))).all()


def test_names_in_any_script_have_their_stream():
    assert (draw(0, "很", (7,)) != draw(0, "有", (7,))).all()


def test_drawing_one_array_does_not_move_another():
    before = stream(0, "w_k").standard_normal(5)
    stream(0, "w_q").standard_normal(100)
    np.testing.assert_array_equal(stream(0, "w_k").standard_normal(5), before)


def test_numbers_are_standard_normal():
    numbers = draw(0, "many", (100, 100))
    assert abs(numbers.mean()) < 0.05
    assert abs(numbers.std() - 1) < 0.05


def test_a_draw_is_the_stream_at_that_size():
    np.testing.assert_array_equal(
        draw(5, "x", (2, 3)), stream(5, "x").standard_normal((2, 3))
    )


def test_a_draw_is_made_once_and_nobody_can_write_into_it():
    numbers = draw(0, "x", (3, 5))
    assert numbers is draw(0, "x", (3, 5))
    with pytest.raises(ValueError, match="read-only"):
        numbers[0, 0] = 1


@pytest.mark.parametrize("seed", [-1, 1.0, True])
@pytest.mark.parametrize("use", [stream, lambda seed, name: draw(seed, name, (2,))])
def test_a_seed_is_a_whole_number_from_0(use, seed):
    draw(1, "x", (2,))
    with pytest.raises(
        ValueError, match="stream: `seed` needs a whole number of at least 0; got"
    ):
        use(seed, "x")


def test_a_large_seed_is_fine():
    assert np.isfinite(draw(2**80, "x", (2,))).all()
