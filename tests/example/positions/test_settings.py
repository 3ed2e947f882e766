"""What the Positions page adds to an address, and what it refuses of one."""

from dataclasses import fields, replace

import pytest

from attnviz.core.errors import SettingError
from attnviz.example.address import read_settings, write_settings
from attnviz.example.positions.settings import (
    POSITION_SETTINGS,
    PositionsSettings,
    positions_start,
)

START = PositionsSettings()
OTHER = PositionsSettings(
    head=1,
    order=(2, 0, 1),
    order_seed=5,
    table="learned",
    features="concatenated",
    n_positions=13,
    base="100",
    scales_inputs=True,
    column=3,
    trained_length=17,
    turning="mixed",
    pair=1,
    place_m=7,
    place_n=3,
    bias_kind="relative",
    last_queries=2,
)


def test_every_setting_comes_back_from_an_address():
    query = write_settings(OTHER, START, POSITION_SETTINGS)
    assert query.keys() == {each.key for each in POSITION_SETTINGS.values()}
    assert query["po"] == "3-1-2"
    assert read_settings(query, START, POSITION_SETTINGS) == (OTHER, [])


def test_there_is_a_record_for_every_field():
    assert set(POSITION_SETTINGS) == {field.name for field in fields(PositionsSettings)}


def test_defaults_need_no_query():
    assert write_settings(START, START, POSITION_SETTINGS) == {}
    start = positions_start("exercise_7")
    assert write_settings(start, start, POSITION_SETTINGS) == {}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("po", "1-1-2"),
        ("po", "2-3-4"),
        ("po", ""),
        ("po", "1-2-x"),
        ("po", "-".join(map(str, range(1, 34)))),
        ("pt", "both"),
        ("pn", "0"),
        ("pn", "65"),
        ("pb", "-3"),
        ("pl", "1e9"),
        ("pp", "<b>"),
        ("pm", "64"),
        ("bq", "33"),
    ],
)
def test_a_hostile_value_falls_back_alone(key, value):
    query = {"pf": "concatenated", key: value}
    expected = replace(START, features="concatenated")
    assert read_settings(query, START, POSITION_SETTINGS) == (expected, [key])


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(SettingError):
        PositionsSettings(trained_length=0)
    with pytest.raises(SettingError):
        PositionsSettings(order=(0, 0))
