"""A derivation gives exactly its cell, and its operands lead on to theirs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.derivation import derive, replay
from attnviz.core.derivation.arithmetic import carry, settle
from attnviz.core.derivation.pieces import Operand
from attnviz.core.errors import ShapeError
from attnviz.core.layers.norms import batch_norm, layer_norm
from attnviz.example.compute import compute
from attnviz.example.settings import Example

RNG = np.random.default_rng(0)
PARAMETERS = MultiHeadParameters(
    w_q=RNG.normal(size=(4, 7, 13)),
    w_k=RNG.normal(size=(2, 7, 13)),
    w_v=RNG.normal(size=(2, 7, 11)),
    w_o=RNG.normal(size=(44, 7)),
    b_q=RNG.normal(size=(4, 13)),
    b_k=RNG.normal(size=(2, 13)),
    b_v=RNG.normal(size=(2, 11)),
    b_o=RNG.normal(size=7),
)
X_Q = RNG.normal(size=(3, 7))
X_K = RNG.normal(size=(5, 7))
TRACE = multi_head_attend(
    X_Q,
    X_K,
    parameters=PARAMETERS,
    visible=np.array([[1, 0, 1, 1, 0], [1, 1, 1, 1, 1], [0, 0, 0, 1, 0]], dtype=bool),
    bias=RNG.normal(size=(4, 1, 5)),
    softcap=19.0,
    temperature=0.7,
    dropout=np.where(RNG.random((4, 3, 5)) < 0.3, 0.0, 1.25),
)
STAGES = {
    "q": TRACE.q,
    "k": TRACE.k,
    "v": TRACE.v,
    "raw_scores": TRACE.attention.raw_scores,
    "scores": TRACE.attention.scores,
    "masked_scores": TRACE.attention.masked_scores,
    "row_max": TRACE.attention.row_max,
    "exp_scores": TRACE.attention.exp_scores,
    "row_sum": TRACE.attention.row_sum,
    "weights": TRACE.attention.weights,
    "context": TRACE.attention.context,
    "joined": TRACE.joined,
    "output": TRACE.output,
}
SINGLE_OPERATIONS = ("masked_scores", "row_max", "exp_scores", "weights", "joined")
SUMS = ("q", "k", "v", "raw_scores", "row_sum", "context", "output")

NORM = layer_norm(
    RNG.normal(size=(3, 5)), gamma=RNG.normal(size=5), beta=RNG.normal(size=5)
)
NORM_STAGES = ("mean", "variance", "normalized", "output")


def derive_all(trace, stage, matrix):
    return [derive(trace, stage, place) for place in np.ndindex(matrix.shape)]


def operands_of(derivation):
    of_terms = [each for term in derivation.terms for each in term.operands]
    of_steps = [each for step in derivation.steps for each in step.operands]
    return [each for each in of_terms + of_steps if each.name != "rounding"]


def roundings_of(derivation):
    steps = [step for step in derivation.steps if step.operator == "round"]
    return [abs(step.operands[0].value) for step in steps]


def ends_of_chains(start):
    waiting, seen, ends = [start], set(), set()
    while waiting:
        work = waiting.pop()
        if work.operation == "given":
            ends.add(work.stage)
        for each in operands_of(work):
            if (each.name, each.index) not in seen:
                seen.add((each.name, each.index))
                waiting.append(derive(TRACE, each.name, each.index))
    return ends


@pytest.mark.parametrize("stage", STAGES)
def test_replay_gives_exactly_the_cell(stage):
    found = derive_all(TRACE, stage, STAGES[stage])
    assert [replay(each) for each in found] == STAGES[stage].ravel().tolist()
    assert [each.value for each in found] == STAGES[stage].ravel().tolist()


@pytest.mark.parametrize("stage", NORM_STAGES)
def test_replay_gives_exactly_the_cell_of_a_norm(stage):
    matrix = getattr(NORM, stage)
    found = derive_all(NORM, stage, matrix)
    assert [replay(each) for each in found] == matrix.ravel().tolist()
    assert [each.value for each in found] == matrix.ravel().tolist()


@pytest.mark.parametrize("stage", STAGES)
def test_every_step_follows_from_its_operands(stage):
    for each in derive_all(TRACE, stage, STAGES[stage]):
        assert each.operation != "given"
        assert each.total == each.terms[-1].running
        assert each.value == (each.steps[-1].value if each.steps else each.total)


@pytest.mark.parametrize("stage", SINGLE_OPERATIONS)
def test_single_operations_need_no_rounding(stage):
    found = derive_all(TRACE, stage, STAGES[stage])
    assert [roundings_of(each) for each in found] == [[]] * len(found)


@pytest.mark.parametrize("stage", SUMS)
def test_rounding_of_a_sum_is_a_few_units_in_the_last_place(stage):
    for each in derive_all(TRACE, stage, STAGES[stage]):
        size = sum(abs(term.value) for term in each.terms)
        limit = 4 * np.spacing(size)
        assert max(roundings_of(each), default=0.0) <= limit


@pytest.mark.parametrize("stage", NORM_STAGES)
def test_rounding_of_a_norm_is_a_few_units_in_the_last_place(stage):
    for each in derive_all(NORM, stage, getattr(NORM, stage)):
        assert max(roundings_of(each), default=0.0) <= 4 * np.spacing(4.0)


@pytest.mark.parametrize("stage", STAGES)
def test_operands_lead_to_cells_of_the_same_number(stage):
    found = derive_all(TRACE, stage, STAGES[stage])
    links = {each for work in found for each in operands_of(work)}
    reached = [derive(TRACE, link.name, link.index) for link in links]
    assert links
    assert [each.value for each in reached] == [link.value for link in links]


def test_chains_end_at_what_was_given():
    assert ends_of_chains(derive(TRACE, "output", (2, 5))) == {
        *("x_q", "x_k", "w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"),
        *("mask", "bias", "softcap", "temperature", "dropout", "d_k"),
    }


def test_chains_of_a_norm_end_at_what_was_given():
    found = derive_all(NORM, "output", NORM.output)
    found += derive_all(NORM, "normalized", NORM.normalized)
    found += derive_all(NORM, "variance", NORM.variance)
    found += derive_all(NORM, "mean", NORM.mean)
    links = {each for work in found for each in operands_of(work)}
    given = {each for each in links if derive(NORM, each.name, each.index).terms == ()}
    assert {each.name for each in given} == {"norm_input", "gamma", "beta", "eps", "d"}


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("stage", ["raw_scores", "scores", "exp_scores", "weights"])
def test_replay_is_exact_in_narrow_types(dtype, stage):
    rng = np.random.default_rng(1)
    q, k, v = (rng.normal(size=(n, 5)).astype(dtype) for n in (3, 7, 7))
    trace = attend(q, k, v)
    matrix = getattr(trace, stage)
    found = derive_all(trace, stage, matrix)
    assert [replay(each) for each in found] == matrix.ravel().tolist()


@settings(derandomize=True, deadline=None, max_examples=25)
@given(
    q=hnp.arrays(float, (2, 3), elements=st.floats(-1e150, 1e150)),
    k=hnp.arrays(float, (5, 3), elements=st.floats(-1e150, 1e150)),
    v=hnp.arrays(float, (5, 2), elements=st.floats(-1e150, 1e150)),
)
def test_replay_is_exact_for_numbers_of_any_size(q, k, v):
    trace = attend(q, k, v)
    for stage in ("raw_scores", "scores", "masked_scores", "weights", "context"):
        matrix = getattr(trace, stage)
        replayed = [replay(each) for each in derive_all(trace, stage, matrix)]
        np.testing.assert_array_equal(replayed, matrix.ravel())


def test_every_cell_of_the_default_example_replays():
    trace = compute(Example())
    for stage in ("q", "k", "v", "joined", "output"):
        matrix = getattr(trace.heads, stage)
        found = derive_all(trace, stage, matrix)
        assert {each.operation for each in found} <= {"sum_of_products", "value"}
        assert [replay(each) for each in found] == matrix.ravel().tolist()


@pytest.mark.parametrize("options", [{"positions": "rotary"}, {"scoring": "additive"}])
def test_scores_of_joined_heads_need_no_rounding_to_speak_of(options):
    heads = compute(Example(**options)).heads
    found = derive_all(heads, "scores", heads.attention.scores)
    found += derive_all(heads, "raw_scores", heads.attention.raw_scores)
    roundings = [each for work in found for each in roundings_of(work)]
    assert max(roundings, default=0.0) < 1e-14


def test_given_cell_replays_to_itself():
    work = derive(TRACE, "bias", (3, 0, 4))
    assert (work.operation, work.terms, work.steps) == ("given", (), ())
    assert replay(work) == TRACE.attention.bias[3, 0, 4]


def test_a_lost_number_shows_as_rounding():
    trace = attend([[1e16, 1.0, -1e16]], [[1.0, 1.0, 1.0]], [[2.0]])
    work = derive(trace, "raw_scores", (0, 0))
    assert [term.running for term in work.terms] == [1e16, 1e16, 0.0]
    assert replay(work) == trace.raw_scores[0, 0]


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    value=st.floats(allow_nan=False),
    start=st.floats(allow_nan=True),
)
def test_any_number_can_be_met(value, start):
    work = settle(carry("scores", (0,), Operand("scores", (0,), start)), value)
    assert work.value == replay(work) == value
    assert len(work.steps) <= 2


def test_replay_is_exact_where_terms_cancel():
    q = np.array([-0.4, 0.3, 0.6, 0.4, -0.3, -0.6])
    k = np.array([-1.0, 0.8, 0.3, -1.0, 0.8, 0.3])
    rng = np.random.default_rng(0)
    for order in [np.arange(6), *(rng.permutation(6) for _ in range(20))]:
        trace = attend([q[order]], [k[order]], [[1.0]])
        cell = trace.raw_scores[0, 0]
        assert replay(derive(trace, "raw_scores", (0, 0))) == cell


@pytest.mark.parametrize(
    "stage",
    ["raw_scores", "scores", "masked_scores", "row_max", "exp_scores", "weights"],
)
def test_replay_is_exact_where_half_precision_overflows(stage):
    q, k = np.float16([[300.0, 100.0]]), np.float16([[300, 10], [290, 7], [1, 0]])
    trace = attend(q, k, np.float16([[1], [2], [3]]), scale=0.5)
    row = getattr(trace, stage)[0]
    assert np.isinf(trace.raw_scores[0, 0])
    found = [replay(derive(trace, stage, (0, j))) for j in range(row.size)]
    assert found == row.tolist()


def test_not_a_number_stays_so():
    trace = attend([[math.nan]], [[1.0]], [[2.0]])
    assert math.isnan(replay(derive(trace, "weights", (0, 0))))


def test_unknown_stage_is_refused_by_naming_all():
    message = r"derive: `stage` needs one of .*row_max.*weights; got 'attention'"
    with pytest.raises(ValueError, match=message):
        derive(TRACE.attention, "attention", (0, 0, 0))


@pytest.mark.parametrize("index", [(0, 0), (4, 0, 0), (0, -1, 0), (0, 0.5, 0), 0])
def test_place_outside_the_matrix_is_refused(index):
    message = r"derive: `index` needs a place in weights of shape \(4, 3, 5\).*; got"
    with pytest.raises(ShapeError, match=message):
        derive(TRACE.attention, "weights", index)


def test_statistics_of_a_batch_are_refused():
    message = (
        r"derive: `trace` needs one mean a position.*\(3,\); got one a feature, \(5,\)"
    )
    with pytest.raises(ShapeError, match=message):
        derive(batch_norm(NORM.x), "mean", (0,))


def test_statistics_of_a_square_batch_are_refused_too():
    with pytest.raises(ShapeError, match="got one a feature"):
        derive(batch_norm(X_Q[:, :3]), "mean", (0,))
