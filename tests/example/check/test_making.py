"""What the page computes in place of a reader is judged as what it is."""

from dataclasses import replace

import pytest

from attnviz.core.errors import SettingError
from attnviz.example.check.kinds import KIND_RULES
from attnviz.example.check.making import make_result, printed
from attnviz.example.check.settings import (
    CHECK_SETTINGS,
    MADE,
    RIGHT,
    CheckSettings,
    check_start,
)
from attnviz.example.document import Codec, Document, read_document, write_document
from tests.example.check.results import CAUSAL, judged, said


def made(name, example=CAUSAL):
    settings = CheckSettings(made=name)
    kind, values = make_result(example, settings)
    return judged(printed(values, KIND_RULES[kind].symbol), example)


def test_the_right_result_is_right():
    assert said(made(RIGHT)) == ("right", ["weights"], [])


@pytest.mark.parametrize(
    "name", ["P01.over_queries", "P02.unscaled", "P03.after_softmax", "P27.over_sample"]
)
def test_a_mistake_that_is_made_is_the_one_that_is_named(name):
    judgement = made(name)
    first = judgement.diagnosis.candidates[0]
    assert (judgement.diagnosis.verdict, first.fits) == ("wrong", True)
    assert f"{first.fault.id}.{first.variant}" == name


def test_a_mistake_that_weights_do_not_show_is_made_in_the_context():
    assert said(made("P15.merged")) == ("wrong", ["context"], ["P15"])


def test_reading_a_mask_the_other_way_round_is_a_convention():
    assert said(made("P09.inverted"))[0] == "convention"


def test_a_mistake_that_needs_other_inputs_is_refused():
    with pytest.raises(SettingError) as found:
        made("P37.sum", replace(CAUSAL, mask="none"))
    assert found.value.reason == "check_not_made"


def test_a_link_fixes_the_task():
    codecs = {"check": Codec(CHECK_SETTINGS, check_start)}
    task = CheckSettings(
        "norm_output", "P02.unscaled", "residual", (2.0,), (1.0,), 1e-12
    )
    query = write_document(Document(pages={"check": task}), codecs)
    found, dropped = read_document(query, codecs)
    assert (found.pages["check"], dropped) == (task, [])


@pytest.mark.parametrize(
    ("key", "value"), [("ck", "scores"), ("cm", "P99.none"), ("ce", "-1"), ("cs", "y")]
)
def test_what_cannot_be_of_a_link_is_dropped_by_its_key(key, value):
    codecs = {"check": Codec(CHECK_SETTINGS, check_start)}
    found, dropped = read_document({key: value}, codecs)
    assert (found.pages["check"], dropped) == (CheckSettings(), [key])


def test_every_mistake_can_be_asked_for_by_its_name():
    assert {"", RIGHT, "P02.unscaled", "P27.over_sample"} <= set(MADE)
    assert len(set(MADE)) == len(MADE)
