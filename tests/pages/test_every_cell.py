"""Every cell of every figure of every page and preset says where it comes from."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest

from attnviz.components.page.inspector import explain, inspector_words
from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.example.check.trace import CheckTrace, judged_trace
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.compute import EXAMPLES
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.mistakes.settings import (
    HEAD_VIEWS,
    MASK_VIEWS,
    SPLIT_VIEWS,
    MistakeSettings,
)
from attnviz.example.norms import (
    DISTURBANCES,
    NORM_SOURCES,
    compute_norm,
    norm_start,
)
from attnviz.example.positions.compute import PositionsTrace, compute_positions
from attnviz.example.positions.settings import PositionsSettings
from attnviz.example.scaling.compute import compute_scaling
from attnviz.example.scaling.settings import LOSSES, Scaling
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.export.derivation import (
    derivation_as_latex,
    derivation_as_numpy,
    derivation_as_text,
)
from attnviz.pages.attention.figures.stages import attention_figures
from attnviz.pages.check.figures import check_figures
from attnviz.pages.mistakes.sections import show
from attnviz.pages.norms.figures import norm_figures
from attnviz.pages.positions.figures import positions_figures
from attnviz.pages.scaling.figures import scaling_figures
from attnviz.text.catalog import translator
from attnviz.text.cells import Cell, cell_of
from tests.example.check.results import judged
from tests.pages.check.test_check_files import CASES as CHECK_CASES

KINDS = {
    "as it is": {},
    "sinusoidal": {"positions": "sinusoidal"},
    "learned": {"positions": "learned"},
    "rotary, bilinear": {"positions": "rotary", "scoring": "bilinear"},
    "ALiBi, additive": {"positions": "alibi", "scoring": "additive"},
    "relative": {"positions": "relative"},
    "causal, unscaled": {"mask": "causal", "is_scaled": False},
}
# Where chains may end: what is drawn, typed, or put in by a preset.
GIVEN = {"x", "x_k", "w_q", "w_k", "w_v", "w_o", "mask", "gamma", "beta", "eps"}
GIVEN |= {"score_w", "score_w_q", "score_w_k", "score_v", "batch", "disturbed"}
GIVEN |= {"bucket_values"}


def ends(trace):
    """Name the matrices that nothing on screen leads to."""
    if isinstance(trace, CheckTrace):
        return ends(trace.wanted.source) | {"given", "grad_context"}
    found = set(GIVEN)
    example = getattr(trace, "example", None)
    if isinstance(trace, PositionsTrace):
        # What the moved run is given too.
        found |= {f"moved.{name}" for name in (*found, "positions")}
        found |= {f"biased.{name}" for name in found}
        found |= {"biased.v", "biased.q", "biased.k", "biased.bias"}
        if trace.settings.table == "learned":
            found |= {"position_table", "sum_positions"}
    if example is None:
        return found | (set() if getattr(trace, "source", True) else {"norm_input"})
    if example.positions == "learned":
        found |= {"positions", "key_positions"}
    if "x" not in trace.screen():
        found |= {"q", "k", "v"}
    return found | (set() if "scores" in trace.screen() else {"weights"})


def cells(figures, head):
    """Take a cell from each matrix of some figures; Kᵀ shows K."""
    for spec in figures.values():
        for part in spec["data"]:
            if "hides" in part["meta"] or "z" not in part:
                continue
            rows, columns = map(int, part["z"]["shape"].split(","))
            if part["meta"].get("is_turned"):
                rows, columns = columns, rows
            yield Cell(part["name"], rows - 1, columns // 2, head)


def unanswered(trace, figures, head=0, also=frozenset()):
    """List the cells that are not explained, or whose chain ends too early."""
    names, known, faults = trace.screen().names, set(), []
    waiting = [*cells(figures, head)]
    while waiting:
        cell = waiting.pop()
        if cell in known:
            continue
        known.add(cell)
        work = explain(cell, partial(derive, trace), names)
        if (
            work is None
            or not is_right(work, names)
            or (ends_early(work, trace) and work.stage.removeprefix("a.") not in also)
        ):
            faults.append(cell)
        else:
            operands = [each for part in work.terms for each in part.operands]
            operands += [each for step in work.steps for each in step.operands]
            leads = [cell_of(each.name, each.index) for each in operands]
            leads = [each for each in leads if each is not None]
            waiting += leads[:1] + leads[-1:]
    return faults


def ends_early(work, trace):
    return work.operation == "given" and work.stage not in ends(trace)


def is_right(work, names):
    """Tell whether what a reader is told of a cell gives the cell."""
    found = {}
    exec(derivation_as_numpy(work), found)
    told = inspector_words(work, names)
    assert told["cell"] is not None
    assert derivation_as_text(work, names=names)
    assert derivation_as_latex(work, names=names)
    both = (replay(work), float(found["value"]))
    return np.array_equal(both, [work.value] * 2, equal_nan=True)


def possible(make, cases):
    """Keep the cases that can be: given matrices may have no inputs, or an odd d_k."""
    for case in cases:
        with suppress(SettingError):
            make(*case)
            yield case


def attention(preset, kind):
    return compute_shown(replace(EXAMPLES[preset], **KINDS[kind]))


def normalized(preset, source, disturbance):
    settings = replace(norm_start(preset), source=source, disturbance=disturbance)
    return compute_norm(EXAMPLES[preset], settings)


ATTENTION = [*possible(attention, product(EXAMPLES, KINDS))]
NORMS = [*possible(normalized, product(EXAMPLES, NORM_SOURCES, DISTURBANCES))]


POSITIONS = {
    "as it is": ({}, {}),
    "sinusoidal, concatenated": (
        {"positions": "sinusoidal", "mask": "causal"},
        {"features": "concatenated", "scales_inputs": True, "base": "100"},
    ),
    "learned": ({"positions": "learned"}, {"table": "learned"}),
    "rotary, halves": ({"positions": "rotary"}, {"turning": "half"}),
    "ALiBi, the last two": ({"positions": "alibi"}, {"last_queries": 2}),
    "relative": (
        {"positions": "relative"},
        {"bias_kind": "relative", "last_queries": 3, "turning": "mixed"},
    ),
    "additive": ({"scoring": "additive", "starts_at_one": True}, {}),
}


@pytest.mark.parametrize("preset", ["five", "exercise_7", "fractions", "cross"])
@pytest.mark.parametrize("kind", POSITIONS)
def test_every_matrix_of_the_positions_page_leads_down_to_what_was_given(preset, kind):
    changes, settings = POSITIONS[kind]
    with suppress(SettingError):
        example = replace(EXAMPLES[preset], **changes)
        trace = compute_positions(example, PositionsSettings(**settings))
        last = trace.head
        assert unanswered(trace, positions_figures(trace, translator("en")), last) == []


@pytest.mark.parametrize("bias_kind", ["alibi", "relative"])
@pytest.mark.parametrize("positions", POSITION_KINDS)
def test_no_cell_of_the_positions_page_is_met_by_more_than_rounding(
    positions, bias_kind
):
    trace = compute_positions(
        Example(positions=positions, mask="causal", n_heads=3),
        PositionsSettings(bias_kind=bias_kind, last_queries=2),
    )
    sheet = trace.sheet()
    for name in sheet.names:
        # Not on a diagonal, where a slope times 0 is right whatever the slope.
        sizes = sheet.shape(name)
        index = (
            *(size - 1 for size in sizes[:-1]),
            *(size // 2 for size in sizes[-1:]),
        )
        steps = derive(trace, name, index).steps
        rests = [step.operands[0].value for step in steps if step.operator == "round"]
        assert np.abs(rests).max(initial=0) < 1e-14, (name, index)


def test_every_preset_stands_on_both_pages():
    assert {preset for preset, _ in ATTENTION} == EXAMPLES.keys()
    assert {preset for preset, *_ in NORMS} == EXAMPLES.keys()


@pytest.mark.parametrize(("preset", "kind"), ATTENTION)
def test_every_matrix_of_the_attention_page_leads_down_to_what_was_given(preset, kind):
    trace = attention(preset, kind)
    last = trace.n_heads - 1
    assert unanswered(trace, attention_figures(trace, last), last) == []


@pytest.mark.parametrize(("preset", "source", "disturbance"), NORMS)
def test_every_matrix_of_the_layer_norm_page_leads_down_to_what_was_given(
    preset, source, disturbance
):
    trace = normalized(preset, source, disturbance)
    faults = unanswered(trace, norm_figures(trace))
    # The last position is itself disturbed: nothing is compared there.
    left_out = {"layer_change", "batch_change"} if disturbance == "positions" else set()
    assert {cell.name for cell in faults} <= left_out


CHECKED = [
    pytest.param(text, example, settings, id=name)
    for name, (text, example, settings) in CHECK_CASES.items()
]


@pytest.mark.parametrize(("text", "example", "settings"), CHECKED)
def test_every_matrix_of_the_check_page_leads_down_to_what_was_given(
    text, example, settings
):
    trace = judged_trace(judged(text, example, **settings))
    figures = check_figures(trace, 0, translator("en"))
    assert unanswered(trace, figures) == []


@pytest.mark.parametrize("loss", LOSSES)
def test_every_matrix_of_the_scaling_lab_leads_down_to_what_was_given(loss):
    settings = Scaling(d_k=4, keys=7, n_drawn=250, gradient_size=3, loss=loss)
    trace = compute_scaling(settings)
    figures = scaling_figures(trace, translator("en")).values()
    drawn = {at: one for at, one in enumerate(figures) if "z" in one["data"][0]}
    given = {"row_q", "row_k", "divisor", "signs", "d_context", "q", "k", "v"}
    given |= {"mask"}
    early = unanswered(trace, drawn, also=given)
    assert early == []


def test_a_change_is_the_difference_of_two_numbers_that_derive_in_turn():
    example = replace(EXAMPLES["five"], length=7, d_model=5)
    trace = compute_norm(example, replace(norm_start("five"), disturbance="samples"))
    work = derive(trace, "batch_change", (2, 3))
    assert replay(work) == work.value == trace.batch_change[2, 3] != 0
    mean = derive(trace, "batch_after_mean", (3,))
    assert len(mean.terms) == 3 * 7
    assert replay(mean) == pytest.approx(trace.disturbed[:, :, 3].mean())


def test_the_chain_behind_a_residual_leads_on_into_the_example():
    trace = normalized("five", "residual", "nothing")
    work = derive(trace, "norm_input", (1, 2))
    assert [term.operands[0].name for term in work.terms] == ["x"]
    assert [each.name for step in work.steps for each in step.operands] == ["output"]
    assert derive(trace, "x", (1, 2)).operation == "given"
    assert derive(trace, "output", (1, 2)).operation == "sum_of_products"


def test_a_position_bias_is_a_slope_times_a_distance():
    trace = compute_shown(replace(EXAMPLES["five"], positions="alibi"))
    work = derive(trace, "bias", (1, 4, 1))
    assert [each.value for each in work.terms[0].operands] == [2**-8, -3]
    assert replay(work) == trace.attention.bias[1, 4, 1]


MISTAKES = [
    *({"mistake": id, "shown_on": on} for id in PROGRAMS for on in ("own", "example")),
    *({"section": "masks", "mask_view": view} for view in MASK_VIEWS),
    *({"section": "heads", "head_view": view} for view in HEAD_VIEWS),
    *({"section": "split", "split_view": view} for view in SPLIT_VIEWS),
    {"section": "guess"},
    {"section": "batch"},
]


@pytest.mark.parametrize("settings", MISTAKES, ids=str)
def test_every_matrix_of_the_page_on_mistakes_answers(settings):
    example = replace(EXAMPLES["five"], mask="causal")
    # What is asked to be guessed is told once it has been answered.
    shown = show(MistakeSettings(**settings), example, {(7, 1): 0})
    for cell in cells(shown.figures, shown.head):
        work = explain(cell, partial(derive, shown.trace))
        assert work is not None, cell
        assert is_right(work, shown.names), cell
