"""What is taken along: the inputs of a task, a script that checks itself, a sheet."""

import ast
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import rotate, sinusoidal_positions
from attnviz.example.check.settings import CheckSettings
from attnviz.example.check.trace import empty_trace, judged_trace
from attnviz.example.compute import EXAMPLES
from attnviz.export.data import page_data
from attnviz.export.dialect import NUMPY, TORCH
from attnviz.export.formats import as_json
from attnviz.pages.check.inputs import FORMS, write_inputs
from attnviz.pages.check.script import check_script
from attnviz.pages.check.worksheet import check_worksheet
from attnviz.text.catalog import LANGUAGES, translator
from tests.example.check.results import (
    CAUSAL,
    EVEN,
    TRACE,
    TURNED,
    attended,
    judged,
    written,
)
from tests.pages.sheets import Sheet, writer

EN = translator("en")
NAN = np.where(np.eye(5), np.nan, 0.25)
ALIBI = replace(CAUSAL, positions="alibi", is_scaled=False)
CASES = {
    "A": (written(attended(scale=1.0).weights), CAUSAL, {}),
    "A of one head": (written(TRACE.attention.weights[1]), CAUSAL, {}),
    "A with NaN": (written(NAN), CAUSAL, {}),
    "C": (written(TRACE.attention.context), CAUSAL, {}),
    "O": (written(TRACE.heads.output, name="O"), CAUSAL, {}),
    "y": (written(TRACE.x, name="y"), CAUSAL, {"gamma": (2.0,), "eps": 1e-3}),
    "P": (written(sinusoidal_positions(5, 8), name="pe"), EVEN, {}),
    "Q′": (written(rotate(TURNED.q[1], np.arange(5))), EVEN, {"kind": "q_turned"}),
    "K′": (written(TURNED.k, name="k_rot"), EVEN, {}),
    "dQ": (written(TRACE.q, name="dQ"), CAUSAL, {}),
    "dK of one head": (written(TRACE.k[1], name="dK"), CAUSAL, {}),
    "dV": (written(TRACE.v, name="dV"), CAUSAL, {}),
    "dS": (written(TRACE.attention.weights, name="dS"), CAUSAL, {}),
    "dA": (written(TRACE.attention.weights, name="dA"), ALIBI, {}),
    "left padding": (
        written(np.full((4, 4), 0.25)),
        EXAMPLES["left_padding"],
        {"kind": "weights"},
    ),
}
TASKS = {
    "attention": {},
    "O": {"kind": "output"},
    "y": {"kind": "norm_output", "eps": 1e-12},
    "P": {"kind": "positions"},
    "Q′": {"kind": "q_turned"},
    "dQ": {"kind": "grad_q"},
}


def trace(case):
    text, example, settings = CASES[case]
    return judged_trace(judged(text, example, **settings))


def run(source):
    names = {}
    # It prints all digits, which is no affair of others.
    with np.printoptions():
        exec(compile(source, "script", "exec"), names)
    return names


@pytest.mark.parametrize("case", CASES)
def test_the_script_computes_what_should_come_out_and_subtracts(case, capsys):
    shown = trace(case)
    names = run(check_script(shown, NUMPY, EN))
    np.testing.assert_allclose(names["expected"], shown.expected, rtol=1e-9, atol=1e-9)
    if shown.difference is not None:
        np.testing.assert_allclose(names["difference"], shown.difference, atol=1e-9)
    assert "expected agrees" in capsys.readouterr().out


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_torch_script_is_python_that_needs_torch_alone(case, language):
    tree = ast.parse(check_script(trace(case), TORCH, translator(language)))
    imports = [
        getattr(node, "module", None) or node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert set(imports) == {"torch", "torch.nn"}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("is_key", [False, True])
def test_a_sheet_asks_and_its_key_answers(case, is_key):
    sheet = Sheet(check_worksheet(trace(case), 0, writer("en", is_key=is_key)))
    assert bool(sheet.cells("answer")) == is_key
    assert bool(sheet.cells("blank")) != is_key


def test_numbers_that_are_none_travel_as_words():
    data = page_data("check", trace("A with NaN").screen(), {})
    given = json.loads(as_json(data))["matrices"]["given"]["values"]
    assert given[0][0][0] == "NaN"
    assert given[0][0][1] == 0.25


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("form", FORMS)
def test_inputs_tell_no_result(task, form):
    settings = CheckSettings(**TASKS[task])
    content = write_inputs(form, EVEN, settings, EN)()
    text = content if isinstance(content, str) else content.decode("latin-1")
    for name in ("weights", "context", "expected", "norm_output"):
        assert f"\n{name} =" not in text
        assert f"\n{name}," not in text
    assert content


def test_inputs_are_those_on_screen_bit_by_bit():
    archive = np.load(io.BytesIO(write_inputs("npz", EVEN, CheckSettings(), EN)()))
    assert {"x", "w_q", "w_k", "w_v", "visible"} <= set(archive)
    np.testing.assert_array_equal(archive["x"], TURNED.x)
    names = run(write_inputs("numpy", EVEN, CheckSettings(), EN)())
    np.testing.assert_array_equal(names["w_q"], TURNED.parameters.w_q)
    assert names["scale"] == 0.5


@pytest.mark.parametrize("task", TASKS)
def test_the_lines_hold_the_function_to_fill_in(task, capsys):
    settings = CheckSettings(**TASKS[task])
    run(write_inputs("numpy", EVEN, settings, EN)())
    assert capsys.readouterr().out == "None\n"
    ast.parse(write_inputs("torch", EVEN, settings, EN)())


def test_a_function_that_is_filled_in_prints_what_is_right(capsys):
    source = write_inputs("numpy", EVEN, CheckSettings(), EN)()
    answer = (
        "q, k = x @ w_q, x @ w_k\n"
        "    s = np.where(visible, q @ k.swapaxes(-1, -2) * scale, -np.inf)\n"
        "    e = np.exp(s)\n"
        "    return e / e.sum(-1, keepdims=True)"
    )
    run(source.replace("...", answer, 1))
    assert judged(capsys.readouterr().out, EVEN).diagnosis.verdict == "right"


def test_a_gradient_that_is_filled_in_is_right(capsys):
    asked = CheckSettings(kind="grad_v")
    source = write_inputs("numpy", EVEN, asked, EN)()
    answer = (
        "s = np.where(visible, q @ k.swapaxes(-1, -2) * scale, -np.inf)\n"
        "    e = np.exp(s)\n"
        "    return (e / e.sum(-1, keepdims=True)).swapaxes(-1, -2) @ d_context"
    )
    run(source.replace("...", answer, 1))
    found = judged(capsys.readouterr().out, EVEN, kind="grad_v")
    assert found.diagnosis.verdict == "right"


def test_before_a_result_a_page_takes_its_inputs_along():
    data = page_data("check", empty_trace(CAUSAL, CheckSettings()).screen(), {})
    assert list(data.matrices) == ["q", "k", "v"]
