"""Queries and keys that share one projection make symmetric scores."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.components.page.editing import editable_names
from attnviz.core.derivation import derive
from attnviz.core.errors import SettingError
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import Edit
from attnviz.example.settings import Example
from attnviz.pages.attention.captions import tied_scores
from attnviz.text.catalog import translator

TIED = Example(is_tied=True, length=7, d_model=5, d_k=3, n_heads=2)
EN = translator("en")


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "alibi"])
def test_scores_are_symmetric_when_keys_are_projected_as_queries_are(positions):
    # Confusion C14.
    trace = compute(replace(TIED, positions=positions))
    scores = trace.attention.scores
    np.testing.assert_allclose(scores, scores.swapaxes(-1, -2), atol=1e-14)
    assert tied_scores(trace, 1, EN).startswith("W_K = W_Q: S is symmetric")


def test_scores_are_not_symmetric_otherwise():
    scores = compute(replace(TIED, is_tied=False)).attention.scores
    assert np.abs(scores - scores.swapaxes(-1, -2)).max() > 0.1


@pytest.mark.parametrize(
    "changes", [{"positions": "relative"}, {"scoring": "bilinear"}]
)
def test_what_tells_queries_from_keys_is_named(changes):
    trace = compute(replace(TIED, **changes))
    assert "tell queries from keys" in tied_scores(trace, 0, EN)


def test_nothing_else_changes():
    before, after = compute(replace(TIED, is_tied=False)), compute(TIED)
    np.testing.assert_array_equal(after.q, before.q)
    np.testing.assert_array_equal(after.v, before.v)
    np.testing.assert_array_equal(after.k, after.q)
    assert tied_scores(before, 0, EN) == ""


def test_the_shared_projection_is_changed_once_for_both():
    edited = replace(TIED, edits=(Edit("w_q", (1, 2, 0), 9.5),))
    trace = compute(edited)
    assert trace.parameters.w_k[1, 2, 0] == 9.5
    assert "w_q" in editable_names(trace.screen(), edited)
    assert "w_k" not in editable_names(trace.screen(), edited)
    work = derive(trace, "w_k", (1, 2, 0))
    assert [term.operands[0].name for term in work.terms] == ["w_q"]


def test_matrices_that_are_given_cannot_be_tied():
    with pytest.raises(SettingError, match="fixed_tied"):
        replace(EXAMPLES["identity"], is_tied=True)
