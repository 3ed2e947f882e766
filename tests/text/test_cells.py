"""Cells of the pages and stages of the core find each other."""

from dataclasses import replace

import pytest

from attnviz.core.derivation import derive
from attnviz.core.layers.norms import layer_norm
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.matrices import MATRICES
from attnviz.example.settings import Example
from attnviz.text.cells import Cell, cell_of, first_cell, stage_of

TRACE = compute(Example(length=5, d_model=7, d_k=3, d_v=2, n_heads=2))
NORM = layer_norm([[1.0, 2.0, 3.0], [4.0, 6.0, 11.0]])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_first_cell_of_a_preset_can_be_explained(name):
    trace = compute(EXAMPLES[name])
    cell = first_cell(trace)
    stage, index = stage_of(replace(cell, head=0))
    assert derive(trace, stage, index).value == getattr(trace.attention, stage)[index]


def test_where_an_animal_is_tired_the_first_cell_says_who_is():
    trace = compute(EXAMPLES["tired_animal"])
    cell = first_cell(trace)
    assert (trace.tokens[cell.row], trace.tokens[cell.column]) == ("it", "animal")


@pytest.mark.parametrize(
    ("cell", "stage", "index"),
    [
        (Cell("scores", 2, 3, 1), "scores", (1, 2, 3)),
        (Cell("x", 2, 3, 1), "x", (2, 3)),
        (Cell("weights_2", 4, 0), "weights", (1, 4, 0)),
        (Cell("row_max", 4, 0, 1), "row_max", (1, 4, 0)),
        (Cell("norm_mean", 1, 0), "norm_mean", (1,)),
        (Cell("gamma", 0, 2), "gamma", (2,)),
    ],
)
def test_a_cell_starts_at_its_stage(cell, stage, index):
    assert stage_of(cell) == (stage, index)


@pytest.mark.parametrize(
    "cell",
    [
        Cell("scores", 2, 3, 1),
        Cell("output", 4, 6),
        Cell("norm_variance", 1, 0),
        Cell("beta", 0, 2),
    ],
)
def test_the_way_back_leads_to_the_same_cell(cell):
    assert cell_of(*stage_of(cell)) == cell


def test_a_single_setting_stands_in_no_cell():
    assert cell_of("scale", ()) is None


@pytest.mark.parametrize("name", ["q", "scores", "weights", "context", "output"])
def test_every_operand_has_a_symbol_and_a_place_that_exists(name):
    work = derive(TRACE, *stage_of(Cell(name, 1, 1, 0)))
    operands = [operand for term in work.terms for operand in term.operands]
    operands += [operand for step in work.steps for operand in step.operands]
    assert operands
    for operand in operands:
        assert operand.name in MATRICES
        cell = cell_of(operand.name, operand.index)
        if cell is not None:
            assert derive(TRACE, *stage_of(cell)).value == operand.value


def test_every_operand_of_a_normalization_has_a_symbol():
    work = derive(NORM, "norm_output", (1, 2))
    names = {o.name for term in work.terms for o in term.operands}
    assert names <= MATRICES.keys()
