"""The Layer page: figures, sentences, files and sheets of every preset and station."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from attnviz.components.page.inspector import explain, inspector_words
from attnviz.core.derivation import derive, replay
from attnviz.example.compute import EXAMPLES
from attnviz.example.layer.settings import (
    LAYER_EXAMPLES,
    STATIONS,
    LayerExample,
    layer_start,
)
from attnviz.example.layer.view import look_at
from attnviz.example.settings import Example
from attnviz.export.derivation import (
    derivation_as_latex,
    derivation_as_numpy,
    derivation_as_text,
)
from attnviz.export.dialect import NUMPY, TORCH
from attnviz.export.formats import as_csv, as_json, as_npz
from attnviz.pages.layer.captions import answer, layer_live, likeliest, untrained
from attnviz.pages.layer.data import layer_data
from attnviz.pages.layer.figures import KINDS, first_name, layer_figures, station_names
from attnviz.pages.layer.line import line_live
from attnviz.pages.layer.script import layer_script
from attnviz.pages.layer.steps import LAYER_STEPS
from attnviz.pages.layer.tables import layer_tables
from attnviz.pages.layer.worksheet import layer_worksheet
from attnviz.text.catalog import LANGUAGES, load, translator
from attnviz.text.cells import Cell
from tests.pages.sheets import Sheet, writer
from tests.pages.test_terms import listed

EN, ZH = translator("en"), translator("zh")
ENDS = {"has_final_norm": True, "has_vocabulary": True, "words": "a b"}
KINDS_OF = {
    "post": LayerExample(**ENDS),
    "pre": LayerExample(place="pre", activation="gelu", n_layers=2, layer=1, **ENDS),
    "decoder": LayerExample(architecture="decoder", **ENDS),
    "decoder, pre": LayerExample(architecture="decoder", place="pre", **ENDS),
    "gradients, post": LayerExample(shows_gradients=True, objective="next", **ENDS),
    "gradients, pre": LayerExample(
        architecture="decoder", place="pre", shows_gradients=True, token=3, **ENDS
    ),
}
OPENED = [
    (name, station)
    for name, settings in KINDS_OF.items()
    for station in STATIONS
    if look_at(Example(), replace(settings, station=station)).settings.station
    == station
]


def opened(name, station):
    return look_at(Example(), replace(KINDS_OF[name], station=station))


def panels(figures):
    for spec in figures.values():
        for part in spec["data"]:
            if "hides" not in part["meta"]:
                yield part


def test_every_kind_of_station_can_be_opened():
    assert {station for _, station in OPENED} == set(STATIONS)


@pytest.mark.parametrize(("name", "station"), OPENED)
def test_every_cell_of_an_open_station_is_explained(name, station):
    view = opened(name, station)
    names, layer = view.screen().names, view.settings.layer
    for part in panels(layer_figures(view, EN)):
        rows, columns = map(int, part["z"]["shape"].split(","))
        if part["meta"]["is_turned"]:
            rows, columns = columns, rows
        cell = Cell(part["name"], rows - 1, columns - 1, layer)
        work = explain(cell, partial(derive, view), names)
        assert work is not None, cell
        words = inspector_words(work, names, head=layer)
        assert (words["cell"]["name"], words["cell"]["head"]) in (
            (cell.name, layer),
            (cell.name, None),
        )
        found = {}
        exec(derivation_as_numpy(work), found)
        assert replay(work) == work.value == float(found["value"])
        assert derivation_as_text(work, names=names)
        assert derivation_as_latex(work, names=names)


@pytest.mark.parametrize(("name", "station"), OPENED)
def test_only_the_way_and_the_open_station_are_sent(name, station):
    figures = layer_figures(opened(name, station), EN)
    assert next(iter(figures)) == "way"
    assert len(figures) == 2
    assert set(figures) - {"way"} < set(KINDS)


@pytest.mark.parametrize(("name", "station"), OPENED)
def test_every_matrix_of_a_station_has_its_words_and_its_table(name, station):
    view = opened(name, station)
    names = {part["name"] for part in panels(layer_figures(view, EN))}
    for language in LANGUAGES:
        assert {f"browser.matrix.{one}" for one in names} <= load(language).keys()
    tables = layer_tables(view)
    assert {name for name in names if "way" not in name} <= set(tables)
    assert first_name(view) in names


@pytest.mark.parametrize(
    ("layer", "names"), [(0, ["x", "positions", "stream_0"]), (1, ["stream_2"])]
)
def test_positions_enter_the_first_layer_only(layer, names):
    settings = LayerExample(n_layers=2, layer=layer, station="input")
    view = look_at(Example(positions="sinusoidal"), settings)
    assert station_names(view) == names


def test_the_figures_have_the_names_that_are_promised():
    found = set()
    for name, station in OPENED:
        figures = layer_figures(opened(name, station), EN)
        found |= {part["name"] for part in panels(figures)}
    assert {f"stream_{place}" for place in range(5)} <= found
    assert {
        "ffn_hidden",
        "ffn_active",
        "ffn_output",
        "logits",
        "probabilities",
    } <= found
    assert {"weights_1", "context_2", "v_1", "output", "norm_mean_1"} <= found


def test_the_line_tells_each_stage_of_the_way_with_its_length():
    view = opened("post", "attention")
    told = line_live(view, EN)
    assert told["line"].state == "encoder post final vocabulary"
    assert told["line.attention"].text == "② attention"
    row = view.trace.layers[0].attention.output[1]
    assert told["line.attention.length"].text == f"+ {np.linalg.norm(row):.2f}"
    assert "line.cross" not in told
    assert "line.attention_before" not in told


def test_the_answer_tells_what_is_added_and_what_becomes_of_the_length():
    post = answer(look_at(Example(), LayerExample()), EN)
    assert "√8 = 2.83" in post
    pre = answer(look_at(Example(), LayerExample(place="pre")), ZH)
    assert "3.36 → 4.12 → " in pre
    end = answer(opened("pre", "attention"), EN)
    assert end.endswith("The norm behind the last layer brings it to √8 = 2.83.")
    single = answer(look_at(Example(d_model=1), LayerExample()), EN)
    assert "leaves nothing of x₂" in single
    back = answer(opened("gradients, pre", "network"), EN)
    assert back.startswith("Length of the gradient at x₄")
    assert likeliest(look_at(Example(), LayerExample()), EN) == ""
    assert likeliest(opened("post", "vocabulary"), EN).count("0.") == 5


def test_only_probabilities_of_drawn_matrices_are_called_random():
    drawn, written = opened("post", "vocabulary"), EXAMPLES["transformer_layer"]
    assert untrained(drawn, EN) == EN("layer.random")
    assert untrained(look_at(written, layer_start("transformer_layer")), EN) == ""


def test_the_likeliest_words_are_told_once():
    at_the_end = layer_live(opened("post", "vocabulary"), "five", EN)
    assert at_the_end["layer.answer"].text.endswith(EN("layer.random"))
    assert at_the_end["layer.likeliest"].text == ""
    assert at_the_end["layer.random"].text == ""
    before = layer_live(opened("post", "network"), "five", EN)
    assert before["layer.likeliest"].text
    assert before["layer.random"].text


@pytest.mark.parametrize("case", [*LAYER_EXAMPLES, "rotary", "alibi"])
@pytest.mark.parametrize("place", ["post", "pre"])
def test_the_script_computes_what_is_on_screen(case, place, capsys):
    if case in LAYER_EXAMPLES:
        example, settings = EXAMPLES[case], layer_start(case)
    else:
        example = Example(positions=case, mask="padding", n_padding=2, temperature=0.7)
        settings = LayerExample(n_layers=2, activation="gelu", has_vocabulary=True)
    view = look_at(example, replace(settings, place=place))
    exec(layer_script(view.trace, NUMPY, EN), {})
    assert capsys.readouterr().out.count(EN("export.script.agrees")) in (1, 3)
    compile(layer_script(view.trace, TORCH, ZH), "script", "exec")


def test_a_script_notices_another_number():
    view = look_at(Example(), LayerExample())
    source = layer_script(view.trace, NUMPY, EN)
    wrong = source.replace("1e-5", "1e-2")
    assert wrong != source
    with pytest.raises(AssertionError):
        exec(wrong, {})


def test_the_files_hold_every_layer():
    view = opened("pre", "attention")
    data = layer_data(view)
    layers = view.trace.layers
    found = {name: matrix.values for name, matrix in data.matrices.items()}
    np.testing.assert_array_equal(
        found["weights"], layers[1].attention.attention.weights
    )
    np.testing.assert_array_equal(
        found["layer_1_ffn_hidden"], layers[0].feed_forward.hidden
    )
    assert found["stream_4"].shape == (5, 8)
    assert all(write(data) for write in (as_csv, as_json, as_npz))


@pytest.mark.parametrize("preset", LAYER_EXAMPLES)
def test_the_key_of_the_worksheet_fills_what_is_left_open(preset):
    view = look_at(EXAMPLES[preset], layer_start(preset))
    sheet = Sheet(layer_worksheet(view, writer()))
    key = Sheet(layer_worksheet(view, writer("zh", is_key=True)))
    assert len(key.cells("answer")) == len(sheet.cells("blank")) > 0
    assert "NaN" not in key.text


@pytest.mark.parametrize(
    ("preset", "sum_of", "after"),
    [
        ("transformer_layer", "x + f", "residual_2"),
        ("transformer_layer_pre", "x_1 + f", "stream_2"),
        ("two_layers", "x_3 + f", "stream_4"),
    ],
)
def test_the_worksheet_adds_the_network_to_the_stream_of_the_layer(
    preset, sum_of, after
):
    settings = layer_start(preset)
    view = look_at(EXAMPLES[preset], replace(settings, layer=settings.n_layers - 1))
    key = Sheet(layer_worksheet(view, writer(is_key=True)))
    on_screen = view.screen().table(after, view.settings.layer)
    # What is given has been rounded.
    np.testing.assert_allclose(key.row(sum_of), on_screen[settings.token], atol=0.05)
    asks_for_a_norm = EN("export.sheet.norm", row=settings.token + 1) in key.text
    assert asks_for_a_norm == (settings.place == "post")


def test_a_large_example_is_too_much_for_paper():
    view = look_at(Example(d_model=32), LayerExample())
    assert EN("export.sheet.large", most=12) in layer_worksheet(view, writer())


def test_the_walk_names_matrices_that_are_drawn():
    found = {
        part["name"]
        for name, station in OPENED
        for part in panels(layer_figures(opened(name, station), EN))
    }
    leads = [step.results[0] for step in LAYER_STEPS]
    assert set(leads) <= found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_symbol_of_the_page_is_in_the_table_of_symbols(language):
    drawn = {
        tuple(part["meta"]["symbol"][:2])
        for name, station in OPENED
        for part in panels(layer_figures(opened(name, station), EN))
    }
    # Numbered ones stand there by their letter, gradients by what they belong to.
    symbols = {
        f"{base}{sub and f'_{sub}'}".removeprefix("∂").rstrip("0123456789").rstrip("_")
        for base, sub in drawn
    }
    told = {one.rstrip("0123456789").rstrip("_") for one in listed(language)}
    assert symbols <= told
