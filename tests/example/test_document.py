"""The whole state in an address, and back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.example.address import parse_query
from attnviz.example.compute import EXAMPLES
from attnviz.example.document import Document, read_document, write_document
from attnviz.example.edits import Edit
from attnviz.example.norms import NormExample, norm_start
from attnviz.pages.attention.settings import AttentionSettings
from attnviz.pages.frame import Frame
from attnviz.pages.registry import PAGES

# Those of the first two pages, which depend on the preset.
CODECS = Frame(PAGES[:2]).codecs


def document_of(preset="five", *, head=0, norm=None, page="attention", **settings):
    return Document(
        preset,
        replace(EXAMPLES[preset], **settings),
        page,
        {
            **{name: codec.start(preset) for name, codec in CODECS.items()},
            "attention": AttentionSettings(head),
            "norms": norm_start(preset) if norm is None else norm,
        },
    )


FULL = document_of(
    "chinese",
    mask="causal",
    n_heads=3,
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
    return read_document(write_document(document, CODECS), CODECS)


def test_the_defaults_need_no_query():
    assert write_document(document_of(), CODECS) == {}


def test_everything_comes_back_as_it_was():
    assert there_and_back(FULL) == (FULL, [])


@pytest.mark.parametrize("preset", EXAMPLES)
def test_every_preset_comes_back_with_its_own_norm(preset):
    document = document_of(preset)
    assert there_and_back(document) == (document, [])


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5).map(tuple),
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5).map(tuple),
)
def test_typed_numbers_come_back_to_the_bit(gamma, row):
    norm = NormExample(source="rows", gamma=gamma[:1], rows=(row,))
    document = document_of(norm=norm)
    assert there_and_back(document) == (document, [])


def test_whatever_differs_carries_the_version():
    query = write_document(document_of(seed=3), CODECS)
    assert query == {"v": "2", "seed": "3"}


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
        ("ne", "-1"),
        ("nm", "1000000"),
        ("nd", ""),
        ("nr", "1,2~3"),
    ],
)
def test_a_hostile_value_falls_back_and_takes_nothing_with_it(key, value):
    document, dropped = read_document({"seed": "5", key: value}, CODECS)
    assert dropped == [key]
    assert document == document_of(seed=5)


def test_unknown_keys_are_left_alone():
    assert read_document({"utm": "x", "stage": "3"}, CODECS)[1] == []


def test_a_page_that_was_never_opened_leaves_nothing_in_the_address():
    assert write_document(Document(page="attention"), CODECS) == {}


# Written by the first version, which counted the places of edits from 0.
FIRST_VERSION = {
    "v=1&n=7&m=causal&tau=0.5": document_of(length=7, mask="causal", temperature=0.5),
    "v=1&p=identity&s=0": document_of("identity", is_scaled=False),
    "v=1&kn=3&e=m.2.4:0;wq.0.2.3:1.5;xk.1.0:-0.1": document_of(
        key_length=3,
        edits=(
            Edit("mask", (2, 4), 0),
            Edit("w_q", (0, 2, 3), 1.5),
            Edit("x_k", (1, 0), -0.1),
        ),
    ),
    "v=1&t=%E5%BE%88+a&m=causal_left_padding&pad=1&head=2": document_of(
        text="很 a", mask="causal_left_padding", n_padding=1, head=1
    ),
    "v=1&p=norm_rows&page=norms&ns=rows&nr=1.5,-2~0.25,1e-07&ng=0.5,2&nb=0&ne=0.1"
    "&nm=5&nd=samples": document_of(
        "norm_rows",
        page="norms",
        norm=NormExample(
            source="rows",
            rows=((1.5, -2.0), (0.25, 1e-7)),
            gamma=(0.5, 2.0),
            beta=(0.0,),
            eps=0.1,
            n_samples=5,
            disturbance="samples",
        ),
    ),
    "v=1&sc=bilinear&pos=rotary&m=window&wl=2&wr=0&dk=6&seed=9": document_of(
        scoring="bilinear",
        positions="rotary",
        mask="window",
        window_left=2,
        window_right=0,
        d_k=6,
        seed=9,
    ),
}


@pytest.mark.parametrize("search", FIRST_VERSION)
def test_an_address_of_the_first_version_opens_as_it_was(search):
    document, dropped = read_document(parse_query(search), CODECS)
    assert (document, dropped) == (FIRST_VERSION[search], [])


def test_what_the_first_version_counted_from_0_is_now_counted_from_1():
    old = read_document(parse_query("v=1&e=x.0.2:7"), CODECS)[0]
    assert write_document(old, CODECS) == {"v": "2", "e": "x.1.3:7"}
