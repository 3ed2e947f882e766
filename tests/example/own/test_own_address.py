"""An address names own data without holding them."""

from dataclasses import replace

import pytest

from attnviz.example.address import DEFAULT_PRESET, read_example, write_example
from attnviz.example.document import read_document
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.pages.frame import Frame
from attnviz.pages.registry import PAGES
from tests.example.own.own_files import QKV, WIDE, npz

CODECS = Frame(PAGES).codecs
OWN = choose_own(read_own(npz(**QKV)))
OTHER = choose_own(read_own(npz(**WIDE)))
BROUGHT = {own.fingerprint: own for own in (OWN, OTHER)}
EXAMPLE = replace(own_example(OWN), mask="window", temperature=2.5)


def test_the_address_holds_the_settings_and_a_fingerprint():
    query = write_example(EXAMPLE, DEFAULT_PRESET)
    sizes = {"n": "2", "kn": "5", "d": "3", "dk": "3", "dv": "2", "h": "1"}
    settings = {"m": "window", "tau": "2.5"}
    assert query == {**sizes, **settings, "own": OWN.fingerprint}


@pytest.mark.parametrize("own", [OWN, OTHER])
def test_a_session_that_has_the_data_reads_them_back(own):
    example = replace(own_example(own), temperature=2.5)
    query = write_example(example, DEFAULT_PRESET)
    assert read_example(query, BROUGHT) == (DEFAULT_PRESET, example, [])
    document, dropped = read_document(query, CODECS, BROUGHT)
    assert (document.example, dropped) == (example, [])


def test_another_session_keeps_the_settings_and_names_what_it_lacks():
    query = write_example(EXAMPLE, DEFAULT_PRESET)
    _, example, dropped = read_example(query)
    assert dropped == ["own"]
    assert example == replace(EXAMPLE, matrices="random", own=None)


@pytest.mark.parametrize("value", ["", "1", "00000000", "x" * 10_000, OWN.fingerprint])
def test_a_fingerprint_of_nothing_falls_back(value):
    _, example, dropped = read_example({"own": value, "n": "7"}, {"other": OTHER})
    assert (example.own, example.length, dropped) == (None, 7, ["own"])


def test_sizes_that_own_data_do_not_have_fall_back():
    query = {"own": OWN.fingerprint, "n": "7", "tau": "2.5"}
    _, example, dropped = read_example(query, BROUGHT)
    assert example == replace(own_example(OWN), temperature=2.5)
    assert dropped == ["n"]
