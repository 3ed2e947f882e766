"""A result is right, wrong, or a convention: its distance, and what it looks like."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import (
    attend_backward,
    layer_norm,
    merge_heads,
    rotate,
    sinusoidal_positions,
)
from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES
from attnviz.example.settings import Example
from tests.example.check.results import (
    CAUSAL,
    EVEN,
    TRACE,
    TURNED,
    VISIBLE,
    V,
    attended,
    judged,
    said,
    written,
)

RIGHT = TRACE.attention
UNMASKED = attended().weights


# Exercise 1 of the chapter: course_spec, part 2.
@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("[[0.6698 0.3302]\n [0.3302 0.6698]]", ["weights"]),
        ("tensor([[1.3395, 1.3210],\n        [0.6605, 2.6790]])", ["context"]),
        (
            "A = [[.6698,.3302],[.3302,.6698]]\nC = [[1.3395,1.3210],[.6605,2.6790]]",
            None,
        ),
    ],
)
def test_the_right_answer_of_exercise_1_is_right(text, kinds):
    verdict, found, fitting = said(judged(text, EXAMPLES["identity"]))
    assert (verdict, fitting) == ("right", [])
    assert found == (kinds or ["weights", "context"])


def test_exercise_1_without_the_scale_is_named_and_measured():
    judgement = judged("0.7311 0.2689\n0.2689 0.7311", EXAMPLES["identity"])
    assert said(judgement) == ("wrong", ["weights"], ["P02"])
    # .73105858 and .66976155 in the course specification.
    assert judgement.distance == pytest.approx(0.7311 - 0.669761549, abs=1e-8)
    assert judgement.limit == pytest.approx(0.5e-4, rel=0.2)
    assert judgement.differs.all()
    assert judgement.decimals == 4


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (RIGHT.weights, "weights"),
        (RIGHT.weights[1], "weights"),
        (RIGHT.context, "context"),
        (merge_heads(RIGHT.context), "context"),
        (layer_norm(TRACE.x).output, "norm_output"),
    ],
    ids=["A", "A of head 2", "C", "C side by side", "y"],
)
@pytest.mark.parametrize("decimals", [3, 6, 17])
def test_a_right_result_is_right_whatever_it_is(array, kind, decimals):
    assert said(judged(written(array, decimals))) == ("right", [kind], [])


def test_one_head_is_compared_with_the_nearest():
    assert judged(written(RIGHT.weights[1])).placed.first == 1


def test_a_tuple_of_context_and_weights_is_taken_apart():
    square = EXAMPLES["identity"]
    text = (
        "(tensor([[[1.3395, 1.3210],[0.6605, 2.6790]]]), "
        "tensor([[[0.6698, 0.3302],[0.3302, 0.6698]]]))"
    )
    assert said(judged(text, square)) == ("right", ["context", "weights"], [])


@pytest.mark.parametrize(
    ("array", "number"),
    [
        (attended(scale=1.0).weights, "P02"),
        (attended(scale=1.0).context, "P02"),
        (np.where(VISIBLE, np.exp(TRACE.attention.raw_scores), 0), None),
        (RIGHT.weights.mean(axis=0), "P19"),
        (np.swapaxes(RIGHT.context, 1, 2), "P39"),
    ],
    ids=["no scale", "no scale in C", "no softmax", "mean of the heads", "C turned"],
)
def test_a_mistake_is_named_only_where_it_explains_everything(array, number):
    verdict, _, fitting = said(judged(written(array)))
    assert verdict == "wrong"
    assert fitting == ([] if number is None else [number])


def test_cells_that_differ_are_known_one_by_one():
    changed = RIGHT.weights.copy()
    changed[0, 4, 1] += 0.07
    judgement = judged(written(changed, 6))
    assert judgement.diagnosis.verdict == "wrong"
    assert np.argwhere(judgement.differs).tolist() == [[0, 4, 1]]
    assert judgement.distance == pytest.approx(0.07, abs=2e-6)


def test_another_epsilon_is_a_convention_that_is_solved():
    # Issue 13, point 8.
    rows = np.array([[0.01, 0.02, 0.03, 0.06], [0.02, 0, 0.01, 0]])
    text = f"x =\n{rows}\n\n{written(layer_norm(rows, eps=1e-12).output, 8, 'y')}"
    judgement = judged(text)
    assert judgement.diagnosis.verdict == "convention"
    found = judgement.diagnosis.candidates[0].found
    assert found["eps"] == pytest.approx(1e-12, abs=1e-9)
    assert said(judged(text, eps=1e-12))[0] == "right"


def test_inputs_in_the_same_text_take_the_place_of_the_example():
    text = "Q\n1 0\n0 1\nK\n1 0\n0 1\nV\n2 0\n0 4\nA\n0.6698 0.3302\n0.3302 0.6698"
    assert said(judged(text, Example(length=3))) == ("right", ["weights"], [])
    assert said(judged(text, CAUSAL))[0] == "wrong"


def test_what_fits_nothing_is_refused_with_the_shapes_that_would():
    with pytest.raises(SettingError) as found:
        judged("1 2 3\n4 5 6")
    assert found.value.reason == "check_shape"
    assert found.value.values == {
        "got": "2×3",
        "wanted": "A 2×5×5, C 2×5×2, O 5×7, y 5×7",
    }


def test_another_kind_than_the_chosen_one_is_refused():
    with pytest.raises(SettingError) as found:
        judged(f"C =\n{written(RIGHT.context[0])}", kind="weights")
    assert found.value.reason == "check_not_asked"


def test_mistakes_that_agree_are_told_apart_by_more_digits():
    scores = TRACE.attention.raw_scores / np.sqrt(3) * VISIBLE
    exps = np.exp(scores)
    judgement = judged(written(exps / exps.sum(axis=-1, keepdims=True)))
    assert said(judgement)[2] == ["P05", "P04"]
    (apart,) = judgement.apart
    assert {apart.first.fault.id, apart.second.fault.id} == {"P04", "P05"}
    # Hidden scores of 1e-9 in place of 0 move a weight by at most that much.
    assert 0 < apart.distance < 1e-9
    assert apart.decimals >= 10


def test_mistakes_that_agree_everywhere_need_other_inputs():
    judgement = judged("0.7311 0.2689\n0.2689 0.7311", EXAMPLES["identity"])
    assert judgement.apart == ()
    unmasked = judged(written(attended(scale=1.0).weights[0]))
    assert unmasked.apart == ()


def test_values_that_are_nan_are_as_far_as_can_be():
    text = written(np.where(VISIBLE, RIGHT.weights, np.nan))
    judgement = judged(text)
    assert judgement.diagnosis.verdict == "wrong"
    np.testing.assert_array_equal(judgement.differs, [~VISIBLE] * 2)


def test_what_is_left_of_two_results_is_named():
    text = f"{written(RIGHT.weights[0], name='A')}\n{written(TRACE.x, name='y')}"
    judgement = judged(text)
    assert [one.expected.kind for one in judgement.results] == ["weights"]
    assert judgement.left_out == ("5×7",)
    assert V.shape == (2, 5, 2)


TABLE = sinusoidal_positions(5, 8)
PLACES = np.arange(5)


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        (written(TRACE.heads.output), {}, ("right", ["output"], [])),
        (
            written(merge_heads(RIGHT.context)),
            {"kind": "output"},
            ("wrong", ["output"], ["P45"]),
        ),
        (
            written(merge_heads(attended(scale=1.0).context) @ TRACE.parameters.w_o),
            {},
            ("wrong", ["output"], ["P02"]),
        ),
    ],
    ids=["right", "without W_O", "without the scale"],
)
def test_what_comes_out_behind_w_o_is_judged(text, settings, expected):
    assert said(judged(text, **settings)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (written(TABLE, name="pe"), ("right", ["positions"], [])),
        (
            written(sinusoidal_positions(5, 8, start=1), name="pe"),
            ("convention", ["positions"], ["P49"]),
        ),
        (written(rotate(TURNED.q, PLACES), name="q_rot"), ("right", ["q_turned"], [])),
        (
            f"{written(rotate(TURNED.q, PLACES), name='q_rot')}\n"
            f"{written(rotate(TURNED.k, PLACES), name='k_rot')}",
            ("right", ["q_turned", "k_turned"], []),
        ),
        (
            written(rotate(TURNED.q, PLACES, pairing="half"), name="q_rot"),
            ("convention", ["q_turned"], ["P51"]),
        ),
    ],
    ids=["sinusoids", "counted from 1", "turned", "both turned", "paired by halves"],
)
def test_positions_are_judged_by_their_names(text, expected):
    assert said(judged(text, EVEN)) == expected


def backward(d_context=None):
    ones = np.ones(RIGHT.context.shape)
    return attend_backward(ones if d_context is None else d_context, trace=RIGHT)


BACK = backward()


@pytest.mark.parametrize(
    ("array", "name", "expected"),
    [
        (BACK.q, "dQ", ("right", ["grad_q"], [])),
        (BACK.k[1], "dL/dK", ("right", ["grad_k"], [])),
        (BACK.v, "v.grad", ("right", ["grad_v"], [])),
        (BACK.scores, "∂S", ("right", ["grad_scores"], [])),
        (BACK.weights, "grad_A", ("right", ["grad_weights"], [])),
        (BACK.q * np.sqrt(3), "dQ", ("wrong", ["grad_q"], ["P53"])),
        (BACK.raw_scores, "dS", ("convention", ["grad_scores"], ["P56"])),
        (BACK.q / 10, "q.grad", ("wrong", ["grad_q"], ["P55"])),
    ],
    ids=["dQ", "dK of head 2", "dV", "dS", "dA", "no scale", "dS before it", "a mean"],
)
def test_gradients_of_the_sum_of_c_are_judged_at_four_decimals(array, name, expected):
    assert said(judged(written(array, name=name))) == expected


def test_a_gradient_starts_from_the_dc_that_came_along():
    d_context = np.random.default_rng(7).normal(size=RIGHT.context.shape).round(2)
    text = "\n".join(
        [
            written(d_context, 2, "grad_output"),
            written(backward(d_context).q, name="dQ"),
            written(backward(d_context).k, name="dK"),
        ]
    )
    assert said(judged(text)) == ("right", ["grad_q", "grad_k"], [])
    side_by_side = written(merge_heads(d_context), 2, "dC")
    text = f"{side_by_side}\n{written(backward(d_context).v, name='dV')}"
    assert said(judged(text)) == ("right", ["grad_v"], [])


@pytest.mark.parametrize(
    ("text", "changes", "reason"),
    [
        ("", {"temperature": 2.0}, "check_gradient"),
        ("", {"scoring": "bilinear"}, "check_gradient"),
        ("dC\n1 2\n3 4\n", {}, "check_upstream"),
    ],
)
def test_a_gradient_that_is_not_meant_so_is_refused(text, changes, reason):
    with pytest.raises(SettingError) as found:
        judged(text + written(BACK.q[0], name="dQ"), replace(CAUSAL, **changes))
    assert found.value.reason == reason
