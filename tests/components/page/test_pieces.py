"""Small pieces of a page: sliders, folds, sentences, checks."""

import pytest
from shiny import ui

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.ranges import range_input, update_range
from attnviz.components.page.checks import checks_live, checks_strip
from attnviz.components.page.legend import weights_legend
from attnviz.components.page.page_head import page_head
from attnviz.components.page.prose import folded
from attnviz.components.page.view import written
from attnviz.core.checks import Check
from attnviz.core.errors import SettingError
from attnviz.example.checks import check_example
from attnviz.example.compute import compute
from attnviz.example.settings import Example
from attnviz.text.catalog import LANGUAGES, translator

EN = translator("en")
PASSED = Check("row_sums", "pass", 2.2e-16, 1e-12, None)
FAILED = Check("divisor", "fail", 1, 1e-9, None, 2)
LOOPED = Check("loop", "pass", 0.0, 1e-9, None)
UNMEASURED = Check("row_sums", "not applicable", None, None, None)


class Recorder:
    """Take down what a session would send to its browser."""

    def __init__(self):
        self.sent = []

    def send_input_message(self, name, message):
        self.sent.append((name, message))


def test_a_slider_carries_its_limits_and_its_value():
    html = str(range_input("size", "T", least=1, most=32, value=5))
    assert 'type="range"' in html
    assert 'min="1" max="32" step="1" value="5"' in html
    assert '<label for="size">T</label>' in html
    assert ">5</output>" in html


@pytest.mark.parametrize(("is_locked", "count"), [(True, 1), (False, 0)])
def test_a_slider_can_be_locked(is_locked, count):
    slider = range_input("size", "T", least=1, most=3, value=2, disabled=is_locked)
    assert str(slider).count("disabled") == count


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"value": 0}, {"value": 0}),
        ({"disabled": False}, {"disabled": False}),
        ({"value": 7, "disabled": True}, {"value": 7, "disabled": True}),
    ],
)
def test_a_slider_is_moved_by_what_is_given_alone(settings, message):
    session = Recorder()
    update_range(session, "size", **settings)
    assert session.sent == [("size", message)]


def test_a_fold_shows_its_title_as_text():
    html = str(folded("<b>", "inside"))
    assert "inside-place" in html
    assert "<summary>&lt;b&gt;</summary>" in html
    assert "<details" in html


def test_the_head_of_a_page_holds_title_formula_and_warnings():
    tool = ui.tags.button("step")
    html = str(page_head("A & B", written("attention"), ("one", "two"), tool))
    assert "<h1>A &amp; B</h1>" in html
    places = [html.index(part) for part in ("one", "two", "<math", "<button>")]
    assert places == sorted(places)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_problem_names_its_setting_in_the_language_of_the_reader(language):
    tr = translator(language)
    error = SettingError("out_of_range", name="d_k", got=99, least=1, most=64)
    sentence = problem_sentence(error, tr)
    assert tr("setting.d_k") in sentence
    assert "99" in sentence
    assert "64" in sentence


def test_no_problem_needs_no_sentence():
    assert problem_sentence(None, EN) == ""


def test_the_strip_has_a_chip_for_every_check():
    html = str(checks_strip(["row_sums", "loop"], EN, "en"))
    assert html.count('class="check"') == 2
    assert EN("check.row_sums") in html
    assert html.index("check.row_sums") < html.index("check.loop")


@pytest.mark.parametrize(
    ("check", "text", "state"),
    [
        (Check("row_sums", "pass", 2.2e-16, 1e-12, None), "±2·10⁻¹⁶", "pass"),
        (Check("divisor", "fail", 1, 1e-9, None, 2), "should be 2, is 1", "fail"),
        (
            Check("hidden_weights", "fail", 0.25, 0.0, (1, 2, 4)),
            "should be 0, is 0.25 at head 2, query 3, key 5",
            "fail",
        ),
        (
            Check("visible_keys", "not applicable", None, None, None),
            "every query is padding",
            "not-applicable",
        ),
    ],
)
def test_a_check_shows_its_number_or_what_should_be(check, text, state):
    live = checks_live([check], EN)[f"check.{check.id}"]
    assert (live.text, live.state) == (text, state)


def test_the_detail_of_a_check_names_number_and_tolerance():
    live = checks_live([PASSED, LOOPED], EN)
    expected = EN("check.tolerated", measured="0", tolerance="1·10⁻⁹")
    assert live["check.loop.detail"].text == expected


IDS = [check.id for check in check_example(compute(Example()))]
NORM_IDS = ["mean", "mean_square", "own_position", "loop"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("verdict", ["pass", "fail", "not applicable"])
@pytest.mark.parametrize(("ids", "prefix"), [(IDS, ""), (NORM_IDS, "norm_")])
def test_every_outcome_of_every_check_can_be_worded(ids, prefix, verdict, language):
    measured = None if verdict == "not applicable" else 0.25
    checks = [Check(id, verdict, measured, 0.125, (0, 1, 2), 0.5) for id in ids]
    live = checks_live(checks, translator(language), prefix=prefix)
    for check in checks:
        for place in (f"check.{prefix}{check.id}", f"check.{prefix}{check.id}.detail"):
            assert live[place].text
            assert "{" not in live[place].text


@pytest.mark.parametrize(
    ("checks", "state", "told"),
    [
        ([PASSED], "pass", "Σa = 1 ±2·10⁻¹⁶"),
        ([LOOPED, PASSED], "pass", "2 checks · agrees with a loop ±0"),
        ([UNMEASURED, LOOPED], "pass", "2 checks · agrees with a loop ±0"),
        ([PASSED, FAILED], "fail", "divisor √dₖ: should be 2, is 1"),
        ([UNMEASURED], "not-applicable", EN("check.none")),
    ],
)
def test_one_chip_sums_up_all_checks_and_names_the_one_that_fails(checks, state, told):
    summary = checks_live(checks, EN)["check.summary"]
    assert summary.state == state
    assert summary.text == told


def test_the_legend_places_a_weight_by_its_root_as_cells_are_coloured():
    html = str(weights_legend(EN))
    for tick, place in (("0", 0), ("0.1", 32), ("0.5", 71), ("1", 100)):
        assert f'left:{place}%">{tick}<' in html
