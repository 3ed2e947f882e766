"""Every mistake as code gives the core's numbers, and every number says why."""

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.core.faults import FAULTS
from attnviz.example.compute import compute
from attnviz.example.matrices import FAULTY, GAP
from attnviz.example.mistakes.experiments import double_hidden
from attnviz.example.mistakes.numbers import example_numbers, own_numbers
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.trace import compute_mistake, mistake_on_screen
from attnviz.example.settings import Example

EXAMPLE = Example(length=5, d_model=7, d_k=2, d_v=3, n_heads=3, mask="causal")
# What the lines call their results.
RESULTS = {
    "weights": "a",
    "context": "c",
    "norm_output": "y",
    "code": "p",
    "split": "heads",
    "merged": "joined",
}
CHAPTER = {"row_sums", "hidden_weights", "constant_values", "visible_keys", "divisor"}


def traces():
    """Make each mistake on its own numbers, and on an example that can show it."""
    for id in PROGRAMS:
        yield f"{id}, own", compute_mistake(id, own_numbers(id))
        numbers = example_numbers(id, compute(EXAMPLE))
        trace = None if numbers is None else compute_mistake(id, numbers)
        if trace is not None:
            yield f"{id}, example", trace


TRACES = dict(traces())


def made(text, trace):
    """Run lines as anybody would, and give what they made under the names on screen."""
    found = {"np": np, **trace.numbers.given}
    with np.errstate(all="ignore"):
        exec(text, found)
    return {name: found[RESULTS.get(name, name)] for name in trace.right if has(name)}


def has(name):
    return name not in ("weight_sum", "output_mean", "output_variance")


def close(computed, shown):
    narrow = shown.dtype in (np.float16, np.float32)
    tight = {"rtol": 1e-3, "atol": 1e-3} if narrow else {"rtol": 1e-12, "atol": 1e-13}
    whole = np.broadcast_to(np.asarray(computed, dtype=float), shown.shape)
    np.testing.assert_allclose(whole, shown, **tight)


# What is made in attention itself or in a norm; layers, gradients and tables of their
# own are judged on the page that checks results.
SUBJECTS = {"attention", "layout", "layer_norm", "other"}


def test_every_mistake_in_attention_and_in_norms_is_shown():
    shown = {id.partition(".")[0] for id in PROGRAMS}
    made = [(fault.id, {v.subject for v in fault.variants}) for fault in FAULTS]
    assert {id for id, subjects in made if subjects & SUBJECTS} == shown


@pytest.mark.parametrize("name", TRACES)
def test_the_code_that_is_shown_gives_the_numbers_of_the_core(name):
    trace = TRACES[name]
    for text, results in (
        (trace.program.right, trace.right),
        (trace.program.faulty, trace.faulty),
    ):
        for result, computed in made(text, trace).items():
            close(computed, results[result])


@pytest.mark.parametrize("name", TRACES)
def test_every_faulty_number_and_every_difference_says_where_it_comes_from(name):
    trace = TRACES[name]
    sheet = trace.sheet()
    names = [*trace.right, *(FAULTY + n for n in trace.faulty)]
    names += [GAP + n for n in trace.gap]
    for matrix in names:
        for index in np.ndindex(sheet.shape(matrix)):
            work = derive(trace, matrix, index)
            assert work.operation != "given", (matrix, index)
            np.testing.assert_equal(replay(work), sheet.value(matrix, index))


@pytest.mark.parametrize("name", [name for name in TRACES if "own" in name])
def test_own_numbers_show_the_mistake(name):
    assert TRACES[name].largest_gap > 1e-3


# The course's wrong-way buttons (R163), seen by the checks beside the loop.
@pytest.mark.parametrize(
    ("id", "example", "caught"),
    [
        ("P01", Example(), {"row_sums", "constant_values"}),
        ("P03", Example(mask="causal"), {"row_sums", "constant_values"}),
        ("P02", Example(), {"divisor"}),
        ("P02.model_width", Example(mask="causal"), {"divisor"}),
        ("P08", None, {"hidden_weights", "visible_keys"}),
        ("P01.queries_as_keys", Example(), set()),
        ("P14", Example(mask="causal"), set()),
        ("P15", Example(mask="causal"), set()),
    ],
)
def test_the_checks_notice_what_the_course_says(id, example, caught):
    where = "own" if example is None else "example"
    trace, shown_on = mistake_on_screen(id, where, example or Example())
    assert shown_on == where
    failed = {check.id for check in trace.checks if check.verdict == "fail"}
    assert failed - {"loop"} == caught
    if id != "P08":
        assert "loop" in failed


def test_an_example_that_cannot_show_a_mistake_leaves_it_its_own_numbers():
    trace, shown_on = mistake_on_screen("P16", "example", Example())
    assert shown_on == "own"
    assert trace.right["weights"].shape == (4, 3, 3)


def test_the_table_that_differs_most_is_shown():
    trace = TRACES["P17, own"]
    assert trace.head == 1
    np.testing.assert_array_equal(trace.right["context"].ravel(), [10, 10, 20, 20])
    np.testing.assert_array_equal(trace.faulty["context"].ravel(), [10, 20, 10, 20])


@pytest.mark.parametrize(
    ("id", "moves"),
    [("P03", True), ("P04", True), ("P31", True), ("P34", True), ("P01", False)],
)
def test_what_is_hidden_moves_nothing_in_right_code_alone(id, moves):
    numbers = example_numbers(id, compute(EXAMPLE))
    edit = double_hidden(compute_mistake(id, numbers))
    assert edit.key == 4
    assert (edit.moved > 1e-3) is moves


def test_an_experiment_needs_something_hidden():
    assert double_hidden(TRACES["P02, own"]) is None
