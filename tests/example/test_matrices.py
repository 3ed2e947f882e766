"""One catalogue says what every matrix is called, along which axes, in which colour."""

import pytest

from attnviz.core.derivation import derive
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.matrices import AXES, MATRICES, catalogue, find
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.own import choose_own, read_own
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.export.data import page_data
from attnviz.export.derivation import derivation_as_latex, derivation_as_text
from attnviz.figures.panels import panel
from attnviz.figures.theme import ROLES
from attnviz.text.catalog import LANGUAGES, load
from attnviz.text.cells import Cell, stage_of
from attnviz.text.derivation import derivation_words

# Between them, everything that a screen can hold.
SCREENS = {
    "dot": compute(Example(mask="causal")).screen(),
    "cross, added": compute(Example(key_length=7, positions="sinusoidal")).screen(),
    "rotary, bilinear": compute(
        Example(scoring="bilinear", positions="rotary")
    ).screen(),
    "alibi, additive": compute(Example(scoring="additive", positions="alibi")).screen(),
    "relative": compute(Example(positions="relative")).screen(),
    "given": compute(EXAMPLES["fractions"]).screen(),
    "alone": compute_shown(own_example(choose_own(read_own("A\n1 0\n.5 .5")))).screen(),
    "norms": compute_norm(Example(), NormExample(disturbance="samples")).screen(),
}
DRAWN = {
    f"{place}: {name}": (screen, name)
    for place, screen in SCREENS.items()
    for name in screen.matrices
    if screen.names[name].axes and len(screen.names[name].axes) < 4
}


@pytest.mark.parametrize("place", SCREENS)
def test_every_matrix_on_screen_is_in_the_catalogue_with_its_axes(place):
    screen = SCREENS[place]
    shapes = {name: len(matrix.shape) for name, matrix in screen.matrices.items()}
    assert shapes == {name: len(screen.names[name].axes) for name in shapes}


def test_every_axis_and_every_colour_of_the_catalogue_exists():
    axes = {axis for matrix in MATRICES.values() for axis in matrix.axes}
    assert axes <= AXES.keys()
    assert {matrix.role for matrix in MATRICES.values()} <= ROLES.keys()


@pytest.mark.parametrize("place", DRAWN)
def test_one_symbol_stands_in_figure_export_inspector_text_and_latex(place):
    screen, name = DRAWN[place]
    matrix = screen.names[name]
    drawn = panel(screen, name)
    assert (*drawn.symbol, drawn.role) == (
        matrix.base,
        matrix.sub,
        matrix.sup,
        matrix.role,
    )
    assert (drawn.rows.meaning, drawn.columns.meaning) == matrix.sides
    exported = "visible" if name == "mask" else name
    assert page_data("page", screen, {}).matrices[exported].axes == matrix.axes


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi", "sinusoidal"])
@pytest.mark.parametrize("scoring", ["dot", "bilinear", "additive"])
@pytest.mark.parametrize("key_length", [0, 7])
def test_words_and_copies_of_a_cell_follow_the_example(positions, scoring, key_length):
    example = Example(positions=positions, scoring=scoring, key_length=key_length)
    trace = compute(example)
    names = trace.screen().names
    for stage in ("q", "scores", "bias", "q_w"):
        if stage not in trace.screen():
            continue
        work = derive(trace, *stage_of(Cell(stage, 1, 1, 0)))
        symbol = names[stage].cell
        assert derivation_words(work, names=names)["symbol"] == [
            symbol.base,
            symbol.sub,
            symbol.sup,
            symbol.role,
        ]
        assert derivation_as_text(work, names=names).startswith(f"{symbol.plain}(")
        assert "&=" in derivation_as_latex(work, names=names)


def test_keys_from_elsewhere_leave_the_queries_their_own_letter():
    assert catalogue()["x"].plain == "X"
    assert catalogue(is_cross=True)["x"].plain == "X_Q"
    assert catalogue(is_cross=True)["inputs"].cell.plain == "(x+p)_Q"
    assert catalogue(is_turned=True)["q_w"].plain == "Q′W"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_matrix_that_is_drawn_has_a_name_in_words(language):
    names = {name for _, name in DRAWN.values()}
    words = load(language)
    unnamed = {name for name in names if f"browser.matrix.{name}" not in words}
    # What no figure shows needs none.
    assert unnamed <= {
        *("raw_scores", "masked_scores", "exp_scores", "cos", "sin"),
        *("batch", "disturbed", "layer_after", "layer_after_mean"),
        *("layer_after_variance", "batch_mean", "batch_variance", "batch_before"),
        *("batch_after", "batch_after_mean", "batch_after_variance"),
    }


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("weights_2", ("weights", 1)),
        ("score_hidden_3", ("score_hidden", 2)),
        ("w_o", ("w_o", None)),
        ("nothing_2", ("nothing_2", None)),
        ("exp", ("exp_scores", None)),
    ],
)
def test_a_slice_is_found_by_its_number(name, found):
    assert find(name) == found
