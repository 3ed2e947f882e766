"""The additive score is derived down to queries, keys and learned matrices."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.derivation import derive, replay
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.export.derivation import (
    derivation_as_latex,
    derivation_as_numpy,
    derivation_as_text,
)
from attnviz.text.cells import Cell, cell_of, places_of, stage_of
from attnviz.text.derivation import derivation_words

ADDITIVE = Example(scoring="additive", length=5, key_length=3, d_k=2)
TRACE = compute(ADDITIVE)


def test_a_score_is_the_hidden_layer_weighed_by_v():
    work = derive(TRACE, "raw_scores", (1, 4, 2))
    hidden = [term.operands[1] for term in work.terms]
    assert [operand.name for operand in hidden] == ["score_hidden"] * 2
    assert [operand.index for operand in hidden] == [(1, 4, 2, 0), (1, 4, 2, 1)]
    values = [derive(TRACE, each.name, each.index).value for each in hidden]
    assert values == [operand.value for operand in hidden]


def test_a_hidden_unit_is_the_tanh_of_what_query_and_key_give_it():
    learned, query, key = TRACE.scoring, TRACE.q[1, 4], TRACE.k[1, 2]
    work = derive(TRACE, "score_hidden", (1, 4, 2, 1))
    inside = learned.w_q[1] @ query + learned.w_k[1] @ key
    assert work.total == pytest.approx(inside, rel=1e-14)
    assert work.steps[0].operator == "tanh"
    assert work.value == pytest.approx(np.tanh(inside), rel=1e-14)
    assert replay(work) == work.value


@pytest.mark.parametrize(
    ("positions", "query", "key"),
    [("none", "q", "k"), ("rotary", "q_turned", "k_turned"), ("alibi", "q", "k")],
)
def test_a_hidden_unit_names_the_cells_it_comes_from(positions, query, key):
    trace = compute(replace(ADDITIVE, positions=positions))
    work = derive(trace, "score_hidden", (0, 3, 1, 1))
    assert [
        [(operand.name, operand.index) for operand in term.operands]
        for term in work.terms
    ] == [
        [("score_w_q", (1, 0)), (query, (0, 3, 0))],
        [("score_w_q", (1, 1)), (query, (0, 3, 1))],
        [("score_w_k", (1, 0)), (key, (0, 1, 0))],
        [("score_w_k", (1, 1)), (key, (0, 1, 1))],
    ]
    assert replay(work) == work.value


def test_every_hidden_unit_of_the_recurrent_preset_replays():
    # s₂ = (0, 1), h₁ = (1, 1), W_q = I, W_k = diag(1, −1): tanh(1), tanh(0).
    trace = compute(EXAMPLES["recurrent"])
    units = [derive(trace, "score_hidden", (0, 1, 0, unit)).value for unit in (0, 1)]
    assert units == [np.tanh(1), 0]


def test_it_is_written_as_the_tanh_of_a_sum():
    work = derive(TRACE, "score_hidden", (0, 1, 2, 0))
    text, latex = derivation_as_text(work), derivation_as_latex(work)
    assert text.startswith("u(1, 2, 3, 1)\n  = tanh(W_q(1, 1) · q(1, 2, 1) + ")
    assert r"u_{1, 2, 3, 1} &= \tanh\left({W_{q}}_{1, 1} \cdot q_{1, 2, 1} + " in latex
    namespace = {}
    exec(derivation_as_numpy(work), namespace)
    assert namespace["value"] == work.value


def test_its_cell_on_the_page_leads_back_to_it():
    cell = cell_of("score_hidden", (1, 4, 2, 0))
    assert cell == Cell("score_hidden_5", 2, 0, 1)
    assert stage_of(cell) == ("score_hidden", (1, 4, 2, 0))
    assert places_of(cell) == [5, 3, 1]


def test_its_words_name_query_key_and_unit():
    words = derivation_words(derive(TRACE, "score_hidden", (1, 4, 2, 0)))
    assert (words["symbol"], words["index"]) == (["u", "", "", "s"], [5, 3, 1])
    assert words["cell"] == {"name": "score_hidden_5", "i": 2, "j": 0, "head": 1}
    assert [step["operator"] for step in words["steps"]] == ["tanh"]
