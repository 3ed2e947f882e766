"""The whole state in an address, and back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.example.compute import EXAMPLES, Example
from attnviz.example.document import (
    Document,
    norm_start,
    read_document,
    write_document,
)
from attnviz.example.norms import NormExample

PAGES = ("attention", "norms")
FULL = Document(
    preset="chinese",
    example=replace(EXAMPLES["chinese"], mask="causal", n_heads=3),
    page="norms",
    head=2,
    norm=NormExample(
        source="rows",
        rows=((1.5, -2.0), (0.25, 1e-7)),
        gamma=(0.5, 2.0),
        beta=(-1.0,),
        eps=0.1,
        n_samples=5,
        disturbance="samples",
    ),
)


def there_and_back(document):
    query = write_document(document, first_page=PAGES[0])
    return read_document(query, pages=PAGES)


def test_the_defaults_need_no_query():
    assert write_document(Document(page="attention"), first_page="attention") == {}


def test_everything_comes_back_as_it_was():
    assert there_and_back(FULL) == (FULL, [])


@pytest.mark.parametrize("preset", EXAMPLES)
def test_every_preset_comes_back_with_its_own_norm(preset):
    document = Document(preset, EXAMPLES[preset], "attention", norm=norm_start(preset))
    assert there_and_back(document) == (document, [])


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5).map(tuple),
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5).map(tuple),
)
def test_typed_numbers_come_back_to_the_bit(gamma, row):
    norm = NormExample(source="rows", gamma=gamma[:1], rows=(row,))
    document = Document(page="attention", norm=norm)
    assert there_and_back(document) == (document, [])


def test_whatever_differs_carries_the_version():
    query = write_document(Document(example=Example(seed=3)), first_page="attention")
    assert query == {"v": "1", "seed": "3"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("page", "nowhere"),
        ("head", "0"),
        ("head", "９"),
        ("head", "1e3"),
        ("ns", "everything"),
        ("ng", "1,nan"),
        ("nb", "<script>"),
        ("ne", "0"),
        ("nm", "1000000"),
        ("nd", ""),
        ("nr", "1,2~3"),
    ],
)
def test_a_hostile_value_falls_back_and_takes_nothing_with_it(key, value):
    document, dropped = read_document({"seed": "5", key: value}, pages=PAGES)
    assert dropped == [key]
    assert document == Document(example=Example(seed=5), page="attention")


def test_unknown_keys_are_left_alone():
    assert read_document({"utm": "x", "stage": "3"}, pages=PAGES)[1] == []
