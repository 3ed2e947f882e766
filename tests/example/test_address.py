"""The example in the address: written, read back, and safe against anything."""

from dataclasses import fields, replace
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from attnviz.core.errors import SettingError
from attnviz.example.address import (
    DEFAULT_PRESET,
    parse_query,
    read_example,
    write_example,
)
from attnviz.example.choices.masks import MASK_KINDS
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.choices.scores import SCORING_KINDS
from attnviz.example.compute import EXAMPLES
from attnviz.example.edits import Edit
from attnviz.example.matrices import EDITABLE
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.setting import WHOLE
from attnviz.example.settings import SETTINGS, Example
from tests.example.own.own_files import QKV, npz


@st.composite
def edits(draw):
    """Change any cell of any matrix."""
    name = draw(st.sampled_from(list(EDITABLE)))
    places = draw(st.tuples(*[st.integers(0, 7)] * len(EDITABLE[name])))
    value = st.sampled_from([0.0, 1.0]) if name == "mask" else st.floats(-1e6, 1e6)
    return Edit(name, places, draw(value))


KEYS = [setting.key for setting in SETTINGS.values()]
LIMITS = {
    name: tuple(map(int, setting.limits))
    for name, setting in SETTINGS.items()
    if setting.form is WHOLE
}
WORDS = st.sampled_from(["", "a b", "很 有趣", "🙂 <b>", "a=b&c", "100% +1"])


def test_a_preset_as_it_is_needs_no_settings():
    assert write_example(EXAMPLES["five"], "five") == {}
    assert write_example(EXAMPLES["identity"], "identity") == {"p": "identity"}


def test_only_what_differs_from_the_preset_is_written():
    example = replace(EXAMPLES["chinese"], seed=7, is_scaled=False)
    query = write_example(example, "chinese")
    assert query == {"p": "chinese", "seed": "7", "s": "0"}


def test_every_setting_but_the_matrices_has_its_key():
    assert {field.name for field in fields(Example)} - {"matrices", "own"} == set(
        SETTINGS
    )
    assert len(set(KEYS)) == len(KEYS)


@pytest.mark.parametrize("preset", EXAMPLES)
def test_every_preset_is_read_back(preset):
    query = write_example(EXAMPLES[preset], preset)
    assert read_example(query) == (preset, EXAMPLES[preset], [])


@pytest.mark.parametrize("scoring", SCORING_KINDS)
def test_own_matrices_come_back_with_the_score_that_was_chosen(scoring):
    own = choose_own(read_own(npz(**QKV, score_w=np.eye(3))))
    example = replace(own_example(own), scoring=scoring, mask="window")
    query = write_example(example, DEFAULT_PRESET)
    brought = {own.fingerprint: own}
    assert read_example(query, brought) == (DEFAULT_PRESET, example, [])


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_what_is_written_is_read_back(data):
    numbers = {
        name: data.draw(st.integers(*limits), label=name)
        for name, limits in LIMITS.items()
    }
    tenths = data.draw(st.integers(1, 100), label="temperature")
    try:
        example = Example(
            text=data.draw(WORDS, label="text"),
            key_text=data.draw(WORDS, label="key_text"),
            mask=data.draw(st.sampled_from(MASK_KINDS), label="mask"),
            scoring=data.draw(st.sampled_from(SCORING_KINDS), label="scoring"),
            positions=data.draw(st.sampled_from(POSITION_KINDS), label="positions"),
            is_scaled=data.draw(st.booleans(), label="is_scaled"),
            temperature=tenths / 10,
            edits=tuple(data.draw(st.lists(edits(), max_size=3), label="edits")),
            **numbers,
        )
    except SettingError:
        # A window that reaches no key, or an odd width of what turns in pairs.
        reject()
    query = urlencode(write_example(example, DEFAULT_PRESET))
    assert read_example(parse_query(query)) == (DEFAULT_PRESET, example, [])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("p", "nobody"),
        ("t", "word " * 33),
        ("t", " "),
        ("n", "0"),
        ("n", "33"),
        ("n", "5.0"),
        ("n", "９９"),
        ("n", "9" * 5000),
        ("d", "-1"),
        ("dk", "x"),
        ("dv", ""),
        ("h", "1e1"),
        ("m", "CAUSAL"),
        ("m", "<script>"),
        ("pad", "32"),
        ("wl", "None"),
        ("wr", "-0.5"),
        ("s", "yes"),
        ("tau", "nan"),
        ("tau", "inf"),
        ("tau", "0"),
        ("tau", "0.15"),
        ("seed", "10000"),
        ("kt", " "),
        ("kn", "33"),
        ("sc", "cosine"),
        ("pos", "absolute"),
        ("e", "x.1.1"),
        ("e", "x.1.1:nan"),
        ("e", "x.0.1:1"),
        ("e", "x.1:1"),
        ("e", "scores.1.1:1"),
        ("e", "x.1.-1:1"),
        ("e", "x.1.1:1;m.1.1:0.5"),
        ("e", "m.1.1:0;m.1.2:0;m.1.3:0;m.1.4:0;m.1.5:0;m.1.6:0;m.1.7:0"),
    ],
)
def test_a_value_that_cannot_be_falls_back_alone(key, value):
    good = {"n": "7", "h": "3", "tau": "0.5"}
    preset, example, dropped = read_example({**good, key: value})
    assert dropped == [key]
    assert preset == DEFAULT_PRESET
    kept = {name: good[name] for name in good if name != key}
    assert example == read_example(kept)[1]


def test_edits_are_written_in_few_characters():
    edits = (
        Edit("mask", (2, 4), 0.0),
        Edit("w_q", (0, 2, 3), 1.5),
        Edit("x_k", (1, 0), -0.1),
    )
    query = write_example(Example(key_length=3, edits=edits), "five")
    assert query == {"kn": "3", "e": "m.3.5:0;wq.1.3.4:1.5;xk.2.1:-0.1"}
    assert read_example(query)[1].edits == edits


def test_settings_that_only_fit_together_are_read_together():
    example = Example(key_length=1, mask="window", window_left=4)
    assert read_example(write_example(example, "five")) == ("five", example, [])


def test_what_does_not_fit_falls_back_and_the_rest_stays():
    query = {"kn": "1", "m": "window", "wl": "2", "seed": "9"}
    preset, example, dropped = read_example(query)
    assert (preset, dropped) == ("five", ["m"])
    assert example == Example(key_length=1, window_left=2, seed=9)


def test_unknown_keys_are_nobody_s_business():
    assert read_example({"lang": "zh", "page": "norms", "zzz": "1"}) == (
        DEFAULT_PRESET,
        Example(),
        [],
    )


def test_sizes_of_a_preset_that_fixes_its_matrices_cannot_be_changed():
    preset, example, dropped = read_example({"p": "identity", "n": "7", "tau": "2"})
    assert dropped == ["n"]
    assert (preset, example) == ("identity", replace(EXAMPLES[preset], temperature=2.0))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["p", *KEYS]), st.text(max_size=50)))
def test_no_query_can_do_harm(query):
    preset, example, dropped = read_example(query)
    assert preset in EXAMPLES
    assert isinstance(example, Example)
    assert set(dropped) <= set(query)


def test_a_setting_that_cannot_be_is_refused_by_the_example_itself():
    with pytest.raises(SettingError, match="out_of_range"):
        Example(length=33)


@pytest.mark.parametrize(
    ("search", "query"),
    [
        ("", {}),
        ("?", {}),
        ("?n=7&n=8", {"n": "7"}),
        ("?t=%E5%BE%88+a%20b", {"t": "很 a b"}),
        ("?t=", {"t": ""}),
        ("?&&=&;", {"": "", ";": ""}),
        ("?t=%ff%fe", {"t": "\ufffd\ufffd"}),
    ],
)
def test_a_query_is_split_into_keys_and_values(search, query):
    assert parse_query(search) == query


def test_a_query_of_very_many_keys_is_read():
    query = parse_query("?" + "&".join(f"k{i}=1" for i in range(1000)) + "&n=7")
    assert query["n"] == "7"
