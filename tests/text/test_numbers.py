"""Numbers as people read them."""

import math

import pytest

from attnviz.text.numbers import brief, fixed


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.66976154, 4, "0.6698"),
        (0.66976154, 6, "0.669762"),
        (-0.31724, 4, "−0.3172"),
        (1.5, 0, "2"),
        (2.0, 4, "2.0000"),
        (-0.00004, 4, "0.0000"),
        (-0.0, 2, "0.00"),
        (1e6, 2, "1000000.00"),
        (math.inf, 4, "∞"),
        (-math.inf, 4, "−∞"),
        (math.nan, 4, "NaN"),
    ],
)
def test_numbers_are_written_with_a_fixed_count_of_decimals(value, decimals, text):
    assert fixed(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (2.0, "2"),
        (1_048_576, "1048576"),
        (1.41421356, "1.414"),
        (0.7, "0.7"),
        (0.001, "0.001"),
        (-0.5, "−0.5"),
        (12345.678, "12350"),
        (2.2e-16, "2·10⁻¹⁶"),
        (-4.4e-16, "−4·10⁻¹⁶"),
        (9.99e-4, "1·10⁻³"),
        (1.5e7 + 0.5, "2·10⁷"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
    ],
)
def test_measured_numbers_are_brief(value, text):
    assert brief(value) == text


@pytest.mark.parametrize("value", [1e-5, 1e-3, 1e-1, 1.0])
def test_the_choices_of_epsilon_stay_apart(value):
    digits = brief(value).replace("·10⁻⁵", "e-5")
    assert float(digits) == value
