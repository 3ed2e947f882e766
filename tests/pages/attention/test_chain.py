"""The chain is one line of rows whose form follows the sizes of the example."""

import numpy as np
import pytest

from attnviz.example.compute import compute
from attnviz.example.settings import Example
from attnviz.pages.attention.figures.stages import attention_figures
from tests.figures.decoding import hidden_cells

SIZES = {"d_model": 13, "d_k": 2, "d_v": 3}
FULL = ["q", "k", "scores", "row_max", "row_sum", "exp_scores"]
FULL += ["mask", "weights", "weight_sum", "v", "context"]
WIDE = [name for name in FULL if name not in ("mask", "v")] + ["v"]


def chain(**settings):
    return attention_figures(compute(Example(**SIZES | settings)), 0)["chain"]


def panels(spec):
    """List what each matrix tells of itself, by its name."""
    traces = [trace for trace in spec["data"] if "symbol" in trace["meta"]]
    shapes = {t["name"]: tuple(map(int, t["z"]["shape"].split(","))) for t in traces}
    return {t["name"]: t["meta"] | {"size": shapes[t["name"]]} for t in traces}


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"length": 5}, FULL),
        ({"length": 10}, FULL),
        ({"length": 11}, WIDE),
        ({"length": 2, "key_length": 7}, FULL),
        ({"length": 9, "key_length": 3}, FULL),
        ({"length": 2, "key_length": 11}, WIDE),
        ({"length": 11, "key_length": 2}, WIDE),
    ],
)
def test_the_longer_side_decides_on_full_or_wide(settings, names):
    assert list(panels(chain(**settings))) == names


@pytest.mark.parametrize(
    "settings",
    [
        {"length": 5},
        {"length": 13, "d_k": 17},
        {"length": 2, "key_length": 7},
        {"length": 9, "key_length": 3},
    ],
)
def test_all_computed_for_a_query_stands_on_one_line_in_its_order(settings):
    shown = panels(chain(**settings))
    shown.pop("mask", None)
    line = [one for one in shown.values() if one["rows"] == "query"]
    assert {(one["band"], one["size"][0]) for one in line} == {(1, settings["length"])}
    tracks = [one["track"] for one in line]
    assert tracks == sorted(set(tracks))


@pytest.mark.parametrize("key_length", [2, 7])
def test_what_multiplies_or_masks_stands_above_what_it_makes(key_length):
    shown = panels(chain(length=5, key_length=key_length))
    for top, result in (("k", "scores"), ("mask", "weights"), ("v", "context")):
        assert (shown[top]["track"], shown[top]["band"]) == (shown[result]["track"], 0)
        assert shown[top]["size"][1] == shown[result]["size"][1]
        assert shown[top]["columns"] == shown[result]["columns"]


@pytest.mark.parametrize(
    ("settings", "is_beside"),
    [
        ({"length": 5, "d_k": 5}, False),
        ({"length": 5, "d_k": 7}, True),
        ({"length": 2, "key_length": 7, "d_k": 5}, False),
        ({"length": 2, "key_length": 7, "d_k": 11}, True),
        ({"length": 9, "key_length": 3, "d_k": 7}, False),
        ({"length": 11, "d_k": 13}, True),
    ],
)
def test_keys_stand_beside_queries_where_features_outnumber_positions(
    settings, is_beside
):
    keys = panels(chain(**settings))["k"]
    n_keys = settings.get("key_length") or settings["length"]
    shape = (n_keys, settings["d_k"])
    assert keys["size"] == (shape if is_beside else shape[::-1])
    assert (keys["track"], keys["band"]) == ((1, 1) if is_beside else (1, 0))
    assert keys["is_turned"] is not is_beside


@pytest.mark.parametrize(("length", "hides"), [(7, False), (11, True)])
def test_wide_scores_are_hatched_where_the_mask_hides_them(length, hides):
    spec = chain(length=length, mask="causal")
    future = np.triu(np.ones((length, length), dtype=bool), 1)
    layers = [t for t in spec["data"] if t["meta"].get("hides") == "scores"]
    assert bool(layers) is hides
    if hides:
        assert panels(spec)["scores"]["glyph"] == "−∞"
        np.testing.assert_array_equal(hidden_cells({"": spec}, "scores"), future)


def test_values_of_a_wide_chain_stand_behind_the_context_named_as_keys():
    shown = panels(chain(length=11, key_length=3))
    assert shown["v"]["track"] == shown["context"]["track"] + 1
    assert (shown["v"]["rows"], shown["v"]["shows_rows"]) == ("key", True)


def test_a_maximum_has_the_colour_of_the_score_that_it_is():
    scales = {
        trace["name"]: trace["zmax"]
        for trace in chain(length=7, mask="causal", seed=3)["data"]
    }
    assert scales["row_max"] == scales["scores"] != scales["q"]


def test_statistics_stand_close_and_exponentials_come_on_demand():
    shown = panels(chain(length=5))
    narrow = {name for name, one in shown.items() if one["is_narrow"]}
    assert narrow == {"row_max", "row_sum", "weight_sum"}
    assert [name for name in shown if shown[name]["is_optional"]] == ["exp_scores"]
