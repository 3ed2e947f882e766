"""Results of PyTorch on the shared example: each mistake is named, with what it hides.

The numbers are those of torch 2.13.0 (CPU, double precision) with six decimals.
"""

import numpy as np
import pytest

from attnviz.core.attention.masks import causal_mask
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.diagnosis import diagnose_attention, diagnose_layer_norm
from attnviz.core.errors import ShapeError
from attnviz.core.layers.norms import layer_norm
from tests.core.faults.pitfalls import CAUSAL4, LOG4, log4

NAN, INF = np.nan, np.inf
CAUSAL = {"visible": CAUSAL4}
RIGHT = log4().answer


def explained(diagnosis):
    return [(c.fault.id, c.variant) for c in diagnosis.candidates if c.fits]


WEIGHTS = {
    # `(Q @ K / 2).softmax(-1)`
    ("P33", "not_transposed"): (
        {},
        [
            [0.111111, 0.222222, 0.555556, 0.111111],
            [0.4, 0.2, 0.2, 0.2],
            [0.333333, 0.111111, 0.333333, 0.222222],
            [0.266667, 0.266667, 0.066667, 0.4],
        ],
    ),
    # `A.softmax(-1)`
    ("P36", "twice"): (
        {},
        [
            [0.213838, 0.236328, 0.261183, 0.288651],
            [0.246973, 0.217953, 0.217953, 0.31712],
            [0.316519, 0.212169, 0.259144, 0.212169],
            [0.210354, 0.210354, 0.232477, 0.346815],
        ],
    ),
    ("P36", "twice_masked"): (
        CAUSAL,
        [
            [1.0, 0.0, 0.0, 0.0],
            [0.58257, 0.41743, 0.0, 0.0],
            [0.409514, 0.262572, 0.327913, 0.0],
            [0.210354, 0.210354, 0.232477, 0.346815],
        ],
    ),
    # `S.log_softmax(-1)`
    ("P36", "logarithm"): (
        {},
        [
            [-2.302585, -1.609438, -1.203973, -0.916291],
            [-1.386294, -2.079442, -2.079442, -0.693147],
            [-0.693147, -2.302585, -1.203973, -2.302585],
            [-2.302585, -2.302585, -1.609438, -0.510826],
        ],
    ),
    # `S.sigmoid()`
    ("P36", "sigmoid"): (
        {},
        [
            [0.5, 0.666667, 0.75, 0.8],
            [0.666667, 0.5, 0.5, 0.8],
            [0.833333, 0.5, 0.75, 0.5],
            [0.5, 0.5, 0.666667, 0.857143],
        ],
    ),
    # `e = (S - S.max(-1, keepdim=True).values).exp(); e / e.sum(-1)`
    ("P37", "sum"): (
        {},
        [
            [0.1, 0.25, 0.375, 0.6],
            [0.2, 0.125, 0.125, 0.6],
            [0.4, 0.1, 0.3, 0.12],
            [0.066667, 0.083333, 0.166667, 0.6],
        ],
    ),
    # `S.exp() / S.exp().sum(-1)`
    ("P37", "sum_plain"): (
        {},
        [
            [0.1, 0.25, 0.3, 0.4],
            [0.2, 0.125, 0.1, 0.4],
            [0.5, 0.125, 0.3, 0.1],
            [0.1, 0.125, 0.2, 0.6],
        ],
    ),
    # `e = (S - S.max(-1).values).exp(); e / e.sum(-1, keepdim=True)`
    ("P37", "maximum"): (
        {},
        [
            [0.123967, 0.247934, 0.297521, 0.330579],
            [0.309278, 0.154639, 0.123711, 0.412371],
            [0.551471, 0.110294, 0.264706, 0.073529],
            [0.131579, 0.131579, 0.210526, 0.526316],
        ],
    ),
    # `… / e.sum(-1)`
    ("P37", "both"): (
        {},
        [
            [0.123967, 0.309278, 0.264706, 0.350877],
            [0.247934, 0.154639, 0.088235, 0.350877],
            [0.619835, 0.154639, 0.264706, 0.087719],
            [0.123967, 0.154639, 0.176471, 0.526316],
        ],
    ),
    # S = S.tril(); S.masked_fill(S == 0, -inf).softmax(-1): three scores are ln 1 = 0
    ("P32", "zero_hidden_nan"): (
        CAUSAL,
        [
            [NAN, NAN, NAN, NAN],
            [1.0, 0.0, 0.0, 0.0],
            [0.625, 0.0, 0.375, 0.0],
            [0.0, 0.0, 0.25, 0.75],
        ],
    ),
    # `S.masked_fill(~torch.ones(4, 4).triu().bool(), -inf).softmax(-1)`
    ("P11", "upper_triangle"): (
        CAUSAL,
        [
            [0.1, 0.2, 0.3, 0.4],
            [0.0, 0.166667, 0.166667, 0.666667],
            [0.0, 0.0, 0.75, 0.25],
            [0.0, 0.0, 0.0, 1.0],
        ],
    ),
    # `S.masked_fill(~torch.ones(4, 4).tril(-1).bool(), -1e9).softmax(-1)`
    ("P11", "misses_itself_even"): (
        CAUSAL,
        [
            [0.25, 0.25, 0.25, 0.25],
            [1.0, 0.0, 0.0, 0.0],
            [0.833333, 0.166667, 0.0, 0.0],
            [0.25, 0.25, 0.5, 0.0],
        ],
    ),
    ("P11", "misses_itself_added"): (
        CAUSAL,
        [
            [0.1, 0.2, 0.3, 0.4],
            [1.0, 0.0, 0.0, 0.0],
            [0.833333, 0.166667, 0.0, 0.0],
            [0.25, 0.25, 0.5, 0.0],
        ],
    ),
    # `(A + torch.eye(4)) / 2`
    ("P40", "shown"): (
        {},
        [
            [0.55, 0.1, 0.15, 0.2],
            [0.125, 0.5625, 0.0625, 0.25],
            [0.25, 0.05, 0.65, 0.05],
            [0.05, 0.05, 0.1, 0.8],
        ],
    ),
    ("P31", "forgotten"): (CAUSAL, RIGHT.weights.round(6)),
    # `((1 - mask) * -inf + S).softmax(-1)`
    ("P44", "zero_times_infinity"): (CAUSAL, np.full((4, 4), NAN)),
}


@pytest.mark.parametrize(("name", "told"), WEIGHTS.items())
def test_wrong_weights_are_called_by_their_mistake(name, told):
    options, weights = told
    found = diagnose_attention(**LOG4, **options, weights=weights)
    assert found.verdict == "wrong"
    assert name in explained(found)


CONTEXTS = {
    # A.T @ V
    ("P34", "weights_transposed"): [
        [0.8, 0.65],
        [0.5, 0.125],
        [1.0, 0.225],
        [1.7, 0.0],
    ],
    # A @ K, A @ Q: wider than V
    ("P35", "keys"): [
        [1.022731, 0.623832, 0.490527, 0.924648],
        [0.917117, 0.866434, 0.539686, 0.982523],
        [0.537528, 0.485203, 1.134303, 0.38712],
        [1.120814, 0.901091, 0.380666, 1.213685],
    ],
    ("P35", "queries"): [
        [0.2, 0.4, 0.6, 0.8],
        [0.5, 0.25, 0.25, 1.0],
        [1.0, 0.2, 0.6, 0.2],
        [0.2, 0.2, 0.4, 1.2],
    ],
    # `(A @ V).T`
    ("P39", "context_transposed"): [[1.2, 1.375, 1, 1.5], [0.1, -0.25, 0.3, -0.3]],
}


@pytest.mark.parametrize(("name", "context"), CONTEXTS.items())
def test_a_wrong_context_is_called_by_its_mistake_whatever_its_shape(name, context):
    found = diagnose_attention(**LOG4, context=context)
    assert (found.verdict, explained(found)[0]) == ("wrong", name)


def test_a_context_of_a_shape_that_no_mistake_makes_is_refused():
    with pytest.raises(ShapeError, match=r"known mistake gives it; got \(4, 3\)"):
        diagnose_attention(**LOG4, context=np.zeros((4, 3)))


def heads():
    rng = np.random.default_rng(5)
    return dict(zip("qkv", rng.standard_normal((3, 2, 3, 5, 7)), strict=True))


def test_heads_side_by_side_are_right_and_heads_beside_the_queries_are_not():
    context = attend(**heads()).context
    beside = context.swapaxes(-2, -3)
    merged = diagnose_attention(**heads(), context=beside.reshape(2, 5, 21))
    assert merged.verdict == "right"
    found = diagnose_attention(**heads(), context=beside)
    assert (found.verdict, explained(found)) == ("wrong", [("P39", "heads_not_merged")])
    cut = diagnose_attention(**heads(), context=context.reshape(2, 5, 21))
    assert explained(cut) == [("P15", "merged")]


@pytest.mark.parametrize(("axis", "name"), [(-3, "over_heads"), (-4, "over_samples")])
def test_a_softmax_over_heads_or_samples_is_named(axis, name):
    scores = attend(**heads()).scores
    weights = np.exp(scores) / np.exp(scores).sum(axis=axis, keepdims=True)
    found = diagnose_attention(**heads(), weights=weights.round(4))
    assert (found.verdict, explained(found)) == ("wrong", [("P01", name)])


def test_a_reshape_of_the_keys_is_no_transpose():
    q, k, v = (part[0, 0] for part in heads().values())
    scores = q @ k.reshape(7, 5) / 7**0.5
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    found = diagnose_attention(q, k, v, weights=weights)
    assert explained(found) == [("P33", "reshaped")]


# Conventions are said, with the value found.

CONVENTIONS = {
    # `S.exp() / (1 + S.exp().sum(-1, keepdim=True))`
    ("P41", "plus_one"): (
        {},
        [
            [0.090909, 0.181818, 0.272727, 0.363636],
            [0.222222, 0.111111, 0.111111, 0.444444],
            [0.454545, 0.090909, 0.272727, 0.090909],
            [0.090909, 0.090909, 0.181818, 0.545455],
        ],
    ),
    # `torch.cat([S, torch.full((4, 1), 0.7)], -1).softmax(-1)[:, :-1]`
    ("P41", "learned"): (
        {"sink": 0.7},
        [
            [0.083238, 0.166476, 0.249714, 0.332952],
            [0.199725, 0.099863, 0.099863, 0.399451],
            [0.41619, 0.083238, 0.249714, 0.083238],
            [0.083238, 0.083238, 0.166476, 0.499428],
        ],
    ),
    # `(S - 0.25 * abs(i - j)).softmax(-1)`
    ("P42", "slope"): (
        {"slope": 0.25},
        [
            [0.159575, 0.248554, 0.290361, 0.301511],
            [0.270298, 0.173535, 0.135149, 0.421017],
            [0.399546, 0.102605, 0.395244, 0.102605],
            [0.054694, 0.070229, 0.180351, 0.694726],
        ],
    ),
    # `(S / 3).softmax(-1)`
    ("P02", "temperature"): (
        {"temperature": 3.0},
        [
            [0.189051, 0.23819, 0.272659, 0.3001],
            [0.259921, 0.206299, 0.206299, 0.32748],
            [0.331891, 0.194091, 0.279927, 0.194091],
            [0.196965, 0.196965, 0.24816, 0.357909],
        ],
    ),
}


@pytest.mark.parametrize(("name", "told"), CONVENTIONS.items())
@pytest.mark.parametrize("given", ["weights", "context"])
def test_a_convention_is_said_with_the_value_found(name, told, given):
    values, weights = told
    numbers = {"weights": weights, "context": (weights @ LOG4["v"]).round(4)}
    found = diagnose_attention(**LOG4, **{given: numbers[given]})
    assert (found.verdict, explained(found)[0]) == ("convention", name)
    for key, value in values.items():
        assert found.candidates[0].found[key] == pytest.approx(value, abs=2e-3)


def test_each_head_may_have_a_slope_of_its_own():
    arrays = {name: part[0] for name, part in heads().items()}
    distance = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    slopes = np.array([0.25, 0.0625, 0.015625])
    bias = -slopes[:, None, None] * distance
    weights = attend(**arrays, bias=bias, visible=causal_mask(5)).weights
    found = diagnose_attention(**arrays, visible=causal_mask(5), weights=weights)
    assert (found.verdict, explained(found)) == ("convention", [("P42", "slope")])
    assert found.candidates[0].found["slope"] == pytest.approx(tuple(slopes))


def test_a_scale_beside_a_bias_is_no_temperature():
    q, k, v = (part[0, 0] for part in heads().values())
    bias = np.linspace(-1, 2, 25).reshape(5, 5)
    for options, name in (
        ({"scale": 0.5}, ("P02", "other_scale")),
        ({"temperature": 0.8}, ("P02", "temperature")),
    ):
        weights = attend(q, k, v, bias=bias, **options).weights
        found = diagnose_attention(q, k, v, bias=bias, weights=weights.round(5))
        assert (found.verdict, explained(found)) == ("convention", [name])
        (value,) = options.values()
        assert found.candidates[0].found[name[1].removeprefix("other_")] == value


def test_the_rate_of_dropout_is_said():
    keep = np.array([[1, 0, 1, 1], [1, 1, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]])
    dropped = (RIGHT.weights * keep / 0.9).round(4)
    found = diagnose_attention(**LOG4, weights=dropped)
    assert (found.verdict, explained(found)) == ("convention", [("P20", "rescaled")])
    assert found.candidates[0].found == {"rate": 0.1}


def test_a_bottom_right_corner_and_zeros_for_nothing_seen_are_conventions():
    q = LOG4["q"][:2]
    arrays = {**LOG4, "q": q}
    corner = attend(**arrays, visible=causal_mask(2, 4)).weights
    asked = {"visible": causal_mask(2, 4, offset=0)}
    found = diagnose_attention(**arrays, **asked, weights=corner.round(4))
    assert (found.verdict, explained(found)) == (
        "convention",
        [("P12", "other_corner")],
    )


# Layer Normalization.

X = np.array([[0.01, 0.02, 0.03, 0.06], [0.02, 0, 0.01, 0]])
# torch.nn.functional.layer_norm(x, (4,), eps=…), rms_norm(x, (4,), eps=1e-6)
OTHER_EPS = {
    1e-12: [
        [-1.069045, -0.534522, 0.0, 1.603567],
        [1.507557, -0.904534, 0.301511, -0.904534],
    ],
    1e-6: [
        [-1.067521, -0.533761, 0.0, 1.601282],
        [1.496711, -0.898027, 0.299342, -0.898027],
    ],
}
RMS = [[0.28273, 0.565459, 0.848189, 1.696378], [1.781742, 0.0, 0.890871, 0.0]]


@pytest.mark.parametrize(("eps", "output"), OTHER_EPS.items())
@pytest.mark.parametrize("decimals", [6, 4])
def test_another_epsilon_is_a_convention_and_is_found(eps, output, decimals):
    found = diagnose_layer_norm(X, np.round(output, decimals))
    assert (found.verdict, explained(found)[0]) == ("convention", ("P26", "other_eps"))
    assert found.candidates[0].found == {"eps": eps}


def test_an_epsilon_that_nobody_uses_is_found_as_well():
    found = diagnose_layer_norm(X, layer_norm(X, eps=3.7e-4).output)
    assert found.candidates[0].found["eps"] == pytest.approx(3.7e-4, rel=1e-9)


def test_a_root_mean_square_is_a_convention_with_its_epsilon():
    found = diagnose_layer_norm(X, RMS)
    assert (found.verdict, explained(found)) == ("convention", [("P26", "mean_kept")])
    assert found.candidates[0].found == {"eps": 1e-6}


def test_an_epsilon_outside_the_root_is_found_with_its_size():
    x = 40 * X
    output = (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-3)
    found = diagnose_layer_norm(x, output)
    assert (found.verdict, explained(found)) == ("wrong", [("P26", "eps_outside")])
    assert found.candidates[0].found == {"eps": 1e-3}


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("gamma_left_out", lambda x, gamma, beta: x + beta),
        ("beta_left_out", lambda x, gamma, beta: gamma * x),
        ("beta_first", lambda x, gamma, beta: gamma * (x + beta)),
    ],
)
def test_gamma_and_beta_each_at_its_place(name, make):
    x = np.random.default_rng(7).standard_normal((3, 5))
    gamma, beta = np.array([2, 0.5, 1, -1, 3]), np.array([1, 0, -2, 0.5, 0.25])
    output = make(layer_norm(x).output, gamma, beta)
    found = diagnose_layer_norm(x, output.round(5), gamma=gamma, beta=beta)
    assert (found.verdict, explained(found)) == ("wrong", [("P38", name)])


# Never a false accusation.


def test_nan_behind_a_mask_does_not_blame_the_softmax():
    v = np.array(LOG4["v"], dtype=float)
    v[3, 0] = NAN
    # weights.masked_fill(…).softmax(-1) @ v: 0 · NaN is NaN.
    context = [[NAN, 0.0], [NAN, 0.333333], [NAN, 0.444444], [NAN, -0.3]]
    found = diagnose_attention(**{**LOG4, "v": v}, **CAUSAL, context=context)
    assert (found.verdict, explained(found)) == ("convention", [("P43", "values")])


def test_nan_in_a_hidden_score_spoils_the_row_where_infinity_is_added():
    k = np.array(LOG4["k"], dtype=float)
    k[3] = NAN
    weights = attend(**{**LOG4, "k": k}, visible=np.tri(3, 4, dtype=bool)[[0, 1, 2, 2]])
    spoiled = np.full((4, 4), NAN)
    found = diagnose_attention(
        **{**LOG4, "k": k},
        visible=np.tri(3, 4, dtype=bool)[[0, 1, 2, 2]],
        weights=spoiled,
    )
    assert np.isfinite(weights.weights).all()
    assert ("P43", "scores") in explained(found)
    assert "P06" not in {c.fault.id for c in found.candidates}


def test_a_share_of_nothing_is_no_dropout():
    q = [[9.0, 0], [0, 9]]
    found = diagnose_attention(q, q, np.eye(2), weights=[[0, 0.5], [0.5, 0]])
    assert found.verdict == "wrong"
    assert "P20" not in {c.fault.id for c in found.candidates if c.fits}


def test_nothing_given_is_refused():
    with pytest.raises(ValueError, match="`weights` or `context`; got neither"):
        diagnose_attention(**LOG4)
    with pytest.raises(ValueError, match="holds no number"):
        diagnose_attention(
            np.ones((0, 2)), np.ones((3, 2)), np.ones((3, 1)), weights=[]
        )
    with pytest.raises(ValueError, match="holds no number"):
        diagnose_layer_norm(np.ones((0, 3)), np.ones((0, 3)))


def test_one_number_is_no_proof_of_a_temperature():
    found = diagnose_attention(
        [[1.0]], [[1.0], [2.0]], np.eye(2), weights=[[0.3512, 0.6488]]
    )
    assert (found.verdict, explained(found)) == ("wrong", [])


def test_distances_are_the_largest_differences():
    weights = RIGHT.weights.copy()
    weights[0] = [0.4, 0.2, 0.3, 0.1]
    weights[1, 0] += 1e-3
    found = diagnose_attention(**LOG4, weights=weights)
    loop = next(check for check in found.checks if check.id == "loop")
    assert found.distance == loop.measured == pytest.approx(0.3)
    assert loop.where == (0,)


def test_what_only_comes_nearer_does_not_fit():
    rng = np.random.default_rng(11)
    unscaled = attend(**LOG4, scale=1.0).weights
    near = unscaled + 1e-3 * rng.standard_normal((4, 4))
    found = diagnose_attention(**LOG4, weights=near)
    (first, *_) = found.candidates
    assert (found.verdict, first.fault.id, first.fits) == ("wrong", "P02", False)
    assert 1e-4 < first.distance < 5e-3
