"""Weights alone make one table, with the sum of each row."""

import numpy as np

from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.weights_alone import compute_shown
from attnviz.pages.attention.tables import attention_tables


def test_the_table_has_the_weights_and_their_sums():
    found = read_own("the,cat,sat\n0.5,0.25,0.125\n0.25,0.5,0.25")
    trace = compute_shown(own_example(choose_own(found)))
    tables = attention_tables(trace, 0)
    assert tables.keys() == {"weights"}
    assert list(tables["weights"].columns) == ["1 the", "2 cat", "3 sat", "Σa"]
    np.testing.assert_array_equal(
        tables["weights"].to_numpy(), [[0.5, 0.25, 0.125, 0.875], [0.25, 0.5, 0.25, 1]]
    )
