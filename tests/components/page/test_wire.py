"""A browser is told what it does not have, and nothing twice."""

from dataclasses import replace

import numpy as np

from attnviz.components.page.view import Live, View, Wire
from attnviz.components.page.wire import news, pack
from attnviz.figures.matrix import Axis, Panel, matrix_figure
from attnviz.figures.plot import Scale, Series, plot_figure
from tests.figures.decoding import decode, received

ROWS, COLUMNS = Axis("query", ("a", "b", "c")), Axis("d", ())
VALUES = np.arange(6.0).reshape(3, 2)


def panel(name, values=VALUES, **look):
    return Panel(name, values, (name, "", ""), "q", ROWS, COLUMNS, **look)


def view(values=VALUES, text="1", **figures):
    drawn = {"one": matrix_figure([panel("q", values)]), **figures}
    return View(figures=drawn, live={"check": Live(text)})


def begun(first):
    """Begin with a browser that has a view already."""
    wire = Wire()
    wire.take(first)
    wire.sent()
    return wire


def test_a_matrix_of_two_figures_travels_once():
    other = matrix_figure([panel("q", is_copy=True), panel("k", 2 * VALUES, track=1)])
    frames, numbers = pack({"one": matrix_figure([panel("q")]), "two": other})
    assert list(numbers) == ["q", "k"]
    keys = [one["key"] for frame in frames.values() for one in frame["panels"]]
    assert keys == ["q", "q", "k"]


def test_a_matrix_on_its_side_keeps_numbers_of_its_own():
    turned = replace(panel("q", VALUES.T), rows=COLUMNS, columns=ROWS)
    frames, numbers = pack(
        {"one": matrix_figure([panel("q")]), "two": matrix_figure([turned])}
    )
    [one], [two] = (frame["panels"] for frame in frames.values())
    assert one["key"] != two["key"]
    np.testing.assert_array_equal(decode(numbers[two["key"]]["z"]), VALUES.T)


def test_hidden_cells_come_with_their_matrix():
    hidden = np.eye(3, 2, dtype=bool)
    frames, numbers = pack({"one": matrix_figure([panel("q", hidden=hidden)])})
    [one] = frames["one"]["panels"]
    np.testing.assert_array_equal(decode(numbers[one["hidden"]]["z"]), hidden)


def test_at_first_everything_is_told():
    assert received(Wire().take(view()))["q"].tolist() == VALUES.tolist()


def test_what_stays_is_not_told_again():
    wire = begun(view())
    again = wire.take(view())
    assert (again["figures"], again["numbers"], again["live"]) == ({}, {}, {})


def test_other_numbers_leave_the_frame_alone():
    wire = begun(view())
    told = wire.take(view(VALUES - 3, "2"))
    assert (told["figures"], list(told["numbers"])) == ({}, ["q"])
    assert told["live"] == {"check": {"text": "2"}}


def test_other_words_leave_the_numbers_alone():
    wire = begun(view())
    named = replace(panel("q"), rows=Axis("query", ("d", "e", "f")))
    told = wire.take(view(one=matrix_figure([named])))
    assert (list(told["figures"]), told["numbers"]) == (["one"], {})


def test_what_is_gone_is_taken_back():
    assert news({"a": 1}, {"a": 1, "b": 2}) == {"b": None}
    wire = begun(view(two=matrix_figure([panel("k", 2 * VALUES)])))
    told = wire.take(view())
    assert told["figures"] == {"two": None}
    assert told["numbers"] == {"k": None}


def test_what_never_left_is_told_again():
    wire = begun(view())
    wire.take(view(VALUES - 3))
    assert wire.take(view())["numbers"] == {}
    assert list(wire.take(view(VALUES - 3))["numbers"]) == ["q"]


def test_of_a_plot_only_the_series_that_changed_travels():
    def plotted(height):
        fixed = Series("theory", VALUES[0], VALUES[1], spread=VALUES[0])
        moving = Series("measured", VALUES[0], np.array([height, 5.0]))
        return view(plot=plot_figure([fixed, moving], y=Scale(least=0, most=7)))

    wire = begun(plotted(1.0))
    told = wire.take(plotted(2.0))
    assert (told["figures"], list(told["numbers"])) == ({}, ["measured"])
    assert decode(told["numbers"]["measured"]["y"]).tolist() == [2, 5]
