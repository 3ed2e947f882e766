"""The walk through attention covers the chain, and every step of it happens."""

from dataclasses import replace

import pytest

from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.pages.attention.figures.stages import attention_figures
from attnviz.pages.attention.steps import ATTENTION_STEPS

CROSS = Example(length=5, key_length=3, d_model=7, d_k=2, d_v=11, n_heads=2)
SHOWN = [
    attention_figures(compute(replace(CROSS, scoring=scoring, positions=positions)), 1)
    for scoring in SCORING_KINDS
    for positions in POSITION_KINDS
]
NAMES = [
    {trace["name"] for spec in figures.values() for trace in spec["data"]}
    for figures in SHOWN
]
# What is there before the first step: the mask, and what positions add to scores.
GIVEN = {"mask", "bias"}


@pytest.mark.parametrize("step", ATTENTION_STEPS, ids=lambda step: step.results[0])
def test_all_results_and_operands_of_a_step_stand_on_some_page(step):
    shown = set().union(*NAMES)
    assert set(step.results) <= shown
    assert set(step.operands) <= shown


@pytest.mark.parametrize("step", ATTENTION_STEPS, ids=lambda step: step.results[0])
def test_a_step_takes_none_of_its_own_results(step):
    assert not set(step.results) & set(step.operands)


def test_no_matrix_is_the_result_of_two_steps():
    results = [name for step in ATTENTION_STEPS for name in step.results]
    assert len(set(results)) == len(results)


@pytest.mark.parametrize("figures", SHOWN)
def test_every_matrix_of_the_chain_is_given_or_the_result_of_a_step(figures):
    results = {name for step in ATTENTION_STEPS for name in step.results}
    drawn = {t["name"] for t in figures["chain"]["data"] if "symbol" in t["meta"]}
    assert drawn - GIVEN <= results


def test_operands_come_from_an_earlier_step_or_from_none():
    later = {name for step in ATTENTION_STEPS for name in step.results}
    for step in ATTENTION_STEPS:
        assert not set(step.operands) & later, step
        later -= set(step.results)


def test_given_matrices_leave_out_the_steps_they_lack():
    figures = attention_figures(compute(EXAMPLES["cross"]), 0)
    shown = {trace["name"] for spec in figures.values() for trace in spec["data"]}
    walked = [step.results[0] for step in ATTENTION_STEPS if set(step.results) & shown]
    assert walked == ["q", "k", "v", "scores", "weights", "context"]
