"""What someone asked attention to compute, as the checks see it."""

import numpy as np
import pytest

from attnviz.core.attention.scores import default_scale
from attnviz.core.checks.case import attention_case
from attnviz.core.diagnosis import diagnose_attention


@pytest.mark.parametrize("width", [3, 5, 7, 11, 13])
def test_the_default_scale_is_the_one_of_attention_to_the_last_digit(width):
    q, k = np.ones((2, width)), np.ones((3, width))
    case = attention_case(q, k, np.ones((3, 5)), scale=0.7)
    assert case.default_scale == default_scale(q)
    assert attention_case(q, k, np.ones((3, 5))).scale == case.default_scale


def test_queries_without_features_are_judged_by_the_scale_in_use():
    q, k, v = np.zeros((2, 0)), np.zeros((3, 0)), np.ones((3, 5))
    assert attention_case(q, k, v, scale=0.5).default_scale == 0.5
    weights = np.full((2, 3), 1 / 3)
    assert diagnose_attention(q, k, v, scale=0.5, weights=weights).verdict == "right"
