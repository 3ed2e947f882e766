"""A script computes the numbers on screen again, from nothing but itself."""

import ast
import re

import numpy as np
import pytest

from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.edits import Edit
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown
from attnviz.export.dialect import NUMPY, TORCH
from attnviz.text.catalog import translator
from tests.pages.cases import (
    ATTENTION,
    NORMS,
    POSITIONS,
    WEIGHTS_ALONE,
    positions_trace,
    write_script,
)

HAN = re.compile(r"[\u4e00-\u9fff]")
EN, ZH = translator("en"), translator("zh")


def numpy_script(trace, words):
    return write_script(trace, NUMPY, words)


def torch_script(trace, words):
    return write_script(trace, TORCH, words)


def run(script):
    names = {"__name__": "__main__"}
    exec(compile(script, "script", "exec"), names)
    return names


def imports(script):
    return {
        getattr(node, "module", None) or node.names[0].name
        for node in ast.walk(ast.parse(script))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }


@pytest.mark.parametrize("name", ATTENTION)
def test_numpy_gives_the_numbers_of_every_attention(name):
    trace = compute(ATTENTION[name])
    names = run(numpy_script(trace, ZH))
    close = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(names["weights"], trace.attention.weights, **close)
    np.testing.assert_allclose(names["context"], trace.attention.context, **close)


@pytest.mark.parametrize("name", NORMS)
def test_numpy_gives_the_numbers_of_every_normalization(name):
    trace = compute_norm(Example(), NORMS[name])
    names = run(numpy_script(trace, EN))
    np.testing.assert_allclose(names["output"], trace.norm.output, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", POSITIONS)
def test_numpy_gives_the_numbers_of_every_order(name):
    trace = positions_trace(name)
    names = run(numpy_script(trace, ZH))
    np.testing.assert_allclose(names["position_table"], trace.table.table, atol=1e-12)
    if "elsewhere" not in name:
        for stage in ("order_permuted", "rotary_scores", "position_bias"):
            np.testing.assert_allclose(names[stage], trace.sheet().matrix(stage))


def test_every_stage_on_screen_is_compared(capsys):
    run(numpy_script(compute(Example()), EN))
    assert capsys.readouterr().out.split("\n") == [
        "q agrees",
        "k agrees",
        "v agrees",
        "scores agrees",
        "row_max agrees",
        "row_sum agrees",
        "weights agrees",
        "context agrees",
        "output agrees",
        "",
    ]


def test_every_stage_of_a_normalization_is_compared(capsys):
    run(numpy_script(compute_norm(Example(), NormExample()), EN))
    assert capsys.readouterr().out.split("\n") == [
        "mean agrees",
        "variance agrees",
        "normalized agrees",
        "output agrees",
        "",
    ]


def test_inputs_come_back_bit_by_bit():
    trace = compute(Example(length=3, d_model=5, d_k=2, d_v=7))
    names = run(numpy_script(trace, EN))
    np.testing.assert_array_equal(names["x"], trace.x)
    np.testing.assert_array_equal(names["w_q"], trace.parameters.w_q)
    np.testing.assert_array_equal(names["w_k"], trace.parameters.w_k)
    np.testing.assert_array_equal(names["w_v"], trace.parameters.w_v)
    np.testing.assert_array_equal(names["w_o"], trace.parameters.w_o)


def test_a_number_changed_by_hand_is_among_the_inputs():
    edited = Example(edits=(Edit("x", (1, 2), -7.5),))
    assert run(numpy_script(compute(edited), EN))["x"][1, 2] == -7.5


@pytest.mark.parametrize("name", ["five", "left_padding", "alibi", "edits"])
def test_the_mask_is_rebuilt_by_its_rule(name):
    trace = compute(ATTENTION[name])
    visible = run(numpy_script(trace, EN))["visible"]
    np.testing.assert_array_equal(visible, trace.visible)


@pytest.mark.parametrize("stage", ["q", "scores", "row_max", "weights", "output"])
def test_a_wrong_number_on_screen_is_found(stage):
    script = numpy_script(compute(Example()), EN)
    call = script.index(f'same("{stage}"')
    digit = call + re.search(r"\d\.\d{3}", script[call:]).start()
    wrong = f"{script[:digit]}7{script[digit:]}"
    with pytest.raises(AssertionError, match=stage):
        run(wrong)


def test_another_input_is_found():
    script = numpy_script(compute(Example()), EN)
    with pytest.raises(AssertionError):
        run(script.replace("q = x @ w_q", "q = x @ w_k"))


def test_a_wrong_number_of_a_normalization_is_found():
    script = numpy_script(compute_norm(Example(), NormExample()), EN)
    with pytest.raises(AssertionError):
        run(script.replace("eps = 1e-05", "eps = 1e-04"))


def test_agreement_goes_to_twelve_digits_and_never_below_six():
    assert "TOLERANCE = 1e-12" in numpy_script(compute(Example()), EN)
    wild = Example(edits=(Edit("x", (0, 0), 1e6), Edit("w_q", (0, 0, 0), 1e6)))
    assert "TOLERANCE = 1e-06" in numpy_script(compute(wild), EN)


@pytest.mark.parametrize("name", ATTENTION)
def test_a_numpy_script_needs_numpy_alone(name):
    assert imports(numpy_script(compute(ATTENTION[name]), EN)) == {"numpy"}


@pytest.mark.parametrize("name", ATTENTION)
def test_a_torch_script_is_python_that_needs_torch_alone(name):
    script = torch_script(compute(ATTENTION[name]), EN)
    assert imports(script) == {"torch", "torch.nn"}


def test_the_torch_script_of_a_normalization_needs_torch_alone():
    script = torch_script(compute_norm(Example(), NormExample()), EN)
    assert imports(script) == {"torch", "torch.nn"}
    assert "F.layer_norm(" in script


@pytest.mark.parametrize("name", ["five", "causal", "alibi", "rotary and bilinear"])
def test_torch_attends_once_more_with_its_own_function(name):
    script = torch_script(compute(ATTENTION[name]), EN)
    assert "F.scaled_dot_product_attention(" in script


def test_torch_has_no_function_for_the_additive_score():
    script = torch_script(compute(ATTENTION["additive"]), EN)
    assert "F.scaled_dot_product_attention(" not in script


@pytest.mark.parametrize("write", [numpy_script, torch_script])
@pytest.mark.parametrize("name", ATTENTION)
def test_comments_are_in_the_language_of_the_reader(write, name):
    trace = compute(ATTENTION[name])
    english = re.sub(r"^\w*tokens = .*", "", write(trace, EN), flags=re.M)
    assert not HAN.search(english)
    chinese = write(trace, ZH)
    comments = re.findall(r"^ *# (.*)", chinese, flags=re.M)
    assert comments
    assert all(HAN.search(comment) for comment in comments)


@pytest.mark.parametrize("write", [numpy_script, torch_script])
def test_both_warnings_stand_in_a_script(write):
    script = write(compute(Example()), ZH)
    assert ZH("warning.random") in script
    assert ZH("warning.causes") in script


@pytest.mark.parametrize(
    "text", ["\"\"\" ''' \\", "'];raise(SystemExit) #", "小猫 مرحبا 🐈", "{x} %s {}"]
)
def test_tokens_are_words_and_never_code(text):
    trace = compute(Example(text=text))
    names = run(numpy_script(trace, EN))
    assert names["tokens"] == list(trace.tokens)


def test_given_queries_need_no_projection():
    script = numpy_script(compute(EXAMPLES["fractions"]), EN)
    assert "w_q" not in script
    assert "w_o" not in script


def test_weights_alone_are_summed_up(capsys):
    script = numpy_script(compute_shown(WEIGHTS_ALONE), ZH)
    names = run(script)
    np.testing.assert_array_equal(names["weights"], np.full((2, 3, 4), 0.25))
    assert names["tokens"] == ["a", "b", "c"]
    assert capsys.readouterr().out == "weight_sum 一致\n"


def test_a_wrong_weight_is_found():
    script = numpy_script(compute_shown(WEIGHTS_ALONE), EN)
    with pytest.raises(AssertionError, match="weight_sum"):
        run(script.replace("0.25", "0.26", 1))
