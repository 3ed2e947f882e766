"""A derivation that is taken along says the same as the page."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from latex2mathml.converter import convert

from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.derivation import derive, derive_sinusoid
from attnviz.core.layers.network import FeedForwardParameters
from attnviz.core.layers.norms import layer_norm
from attnviz.example.matrices import MATRICES, Matrix
from attnviz.export.derivation import (
    derivation_as_latex,
    derivation_as_numpy,
    derivation_as_text,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 7))
LAYER = MultiHeadParameters(
    w_q=RNG.normal(size=(2, 7, 3)),
    w_k=RNG.normal(size=(2, 7, 3)),
    w_v=RNG.normal(size=(2, 7, 11)),
    w_o=RNG.normal(size=(22, 7)),
    b_q=RNG.normal(size=(2, 3)),
)
HEADS = multi_head_attend(
    X,
    parameters=LAYER,
    visible=np.tri(5, dtype=bool),
    bias=RNG.normal(size=(2, 5, 5)),
    softcap=13.0,
    temperature=0.7,
)
NORM = layer_norm(1e3 * X, gamma=RNG.normal(size=7), beta=RNG.normal(size=7))
CANCELLED = attend(
    [[-0.4, 0.3, 0.6, 0.4, -0.3, -0.6]], [[-1.0, 0.8, 0.3, -1.0, 0.8, 0.3]], [[1.0]]
)
OVERFLOWN = attend(*np.float16([[[300]], [[300]], [[1]]]), scale=0.5)
DERIVATIONS = {
    **{
        name: derive(HEADS, name, place)
        for name, place in {
            "x": (4, 6),
            "w_k": (1, 6, 2),
            "scale": (),
            "q": (1, 4, 2),
            "v": (0, 4, 10),
            "raw_scores": (1, 4, 3),
            "scores": (1, 4, 3),
            "masked_scores": (1, 4, 3),
            "row_max": (1, 4, 0),
            "exp_scores": (1, 4, 3),
            "row_sum": (1, 4, 0),
            "weights": (1, 4, 3),
            "context": (1, 3, 10),
            "joined": (4, 21),
            "output": (4, 6),
        }.items()
    },
    "mask": derive(HEADS, "mask", (0, 1, 4)),
    "hidden score": derive(HEADS, "masked_scores", (0, 1, 4)),
    "hidden weight": derive(HEADS, "weights", (0, 1, 4)),
    "mean": derive(NORM, "mean", (4,)),
    "variance": derive(NORM, "variance", (4,)),
    "normalized": derive(NORM, "normalized", (4, 6)),
    "norm output": derive(NORM, "output", (4, 6)),
    "cancelled": derive(CANCELLED, "raw_scores", (0, 0)),
    "beyond half precision": derive(OVERFLOWN, "scores", (0, 0)),
    "sine": derive_sinusoid(3, 2, d_model=7),
    "cosine": derive_sinusoid(3, 5, d_model=7),
}
EACH = pytest.mark.parametrize("name", DERIVATIONS)


def run(code):
    names = {}
    exec(code, names)  # The code is what is tested.
    return names["value"]


@EACH
def test_numpy_code_gives_exactly_the_cell(name):
    assert run(derivation_as_numpy(DERIVATIONS[name])) == DERIVATIONS[name].value


@pytest.mark.parametrize("place", [(4, 0), (4, 6)])
@pytest.mark.parametrize(
    ("activation", "text", "latex"),
    [
        ("relu", "max(h(5, {}), 0)", r"\max\left(h_{{5, {}}}, 0\right)"),
        ("gelu", "GELU(h(5, {}))", r"\mathrm{{GELU}}\left(h_{{5, {}}}\right)"),
        (
            "gelu_tanh",
            "GELU_tanh(h(5, {}))",
            r"\mathrm{{GELU}}_{{\tanh}}\left(h_{{5, {}}}\right)",
        ),
    ],
)
def test_what_a_network_does_to_each_number_is_written_and_run(
    activation, text, latex, place
):
    network = FeedForwardParameters(
        w_1=np.eye(7), b_1=np.zeros(7), w_2=np.eye(7), b_2=np.zeros(7)
    )
    work = derive(network.apply(X, activation), "activated", place)
    assert run(derivation_as_numpy(work)) == work.value
    names = MATRICES | {name: Matrix(name[0]) for name in ("hidden", "activated")}
    column = place[1] + 1
    assert text.format(column) in derivation_as_text(work, names=names)
    assert latex.format(column) in derivation_as_latex(work, names=names)


@EACH
def test_latex_is_well_formed(name):
    latex = derivation_as_latex(DERIVATIONS[name])
    # The converter knows the block by the name it has outside of maths mode.
    ElementTree.fromstring(convert(latex.replace("aligned", "align*")))
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")


@EACH
def test_text_starts_with_the_cell_and_ends_with_its_value(name):
    lines = derivation_as_text(DERIVATIONS[name], digits=17).split("\n  = ")
    assert "=" not in "".join(lines)
    assert len(lines) >= 2
    value = lines[-1].replace("−", "-").replace("∞", "inf").replace("·10^", "e")
    assert float(value) == DERIVATIONS[name].value


def test_text_shows_symbols_numbers_and_the_sum():
    trace = attend([[3.0, -4.0]], [[1.0, 2.0], [0.5, 1.5]], [[1.0], [1.0]], scale=0.5)
    assert derivation_as_text(derive(trace, "scores", (0, 1))) == (
        "S(1, 2)\n"
        "  = (q(1, 1) · k(2, 1) + q(1, 2) · k(2, 2)) · scale\n"
        "  = (3 · 0.5 + (−4) · 1.5) · 0.5\n"
        "  = (−4.5) · 0.5\n"
        "  = −2.25"
    )


def test_text_shows_each_operation_in_its_brackets():
    lines = [
        derivation_as_text(DERIVATIONS[name]).split("\n  = ")[:2]
        for name in ("exp_scores", "hidden weight", "normalized", "variance", "cosine")
    ]
    assert lines[:3] == [
        ["e(2, 5, 4)", "exp(S^M(2, 5, 4) − max(2, 5, 1))"],
        ["A(1, 2, 5)", "exp(S^M(1, 2, 5))"],
        ["x̂(5, 7)", "(x(5, 7) − μ(5)) / √(v(5) + ε)"],
    ]
    assert lines[3][1].startswith("((x(5, 1) − μ(5))² + (x(5, 2) − μ(5))² + ")
    assert lines[3][1].endswith(") / d")
    assert lines[4][1] == "cos(p / base^(2i / d))"


def test_text_of_softcap_and_bias_keeps_the_order():
    text = derivation_as_text(DERIVATIONS["scores"])
    assert "= cap · tanh((q(2, 5, 1) · k(2, 4, 1) + " in text
    assert " · scale / cap) + B(2, 5, 4)\n" in text


def test_latex_has_one_aligned_line_for_each_equals_sign():
    trace = attend([[1.0]], np.ones((3, 1)), np.ones((3, 1)))
    assert derivation_as_latex(derive(trace, "weights", (0, 1))) == (
        "\\begin{aligned}\n"
        "A_{1, 2} &= \\frac{e_{1, 2}}{(\\Sigma e)_{1, 1}} \\\\\n"
        "&= \\frac{1}{3} \\\\\n"
        "&= 0.3333\n"
        "\\end{aligned}"
    )


def test_hidden_terms_are_left_out():
    text = derivation_as_text(DERIVATIONS["context"])
    assert "v(2, 4, 11)" in text
    assert "v(2, 5, 11)" not in text


def test_nothing_visible_reads_as_zero():
    trace = attend([[1.0]], [[1.0]], [[7.0]], query_valid=np.array([False]))
    assert derivation_as_text(derive(trace, "context", (0, 0))) == "C(1, 1)\n  = 0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.12345678, "−0.1235"),
        (12345.678, "12346"),
        (100.0, "100"),
        (1.5e-7, "1.5·10^-7"),
        (-2e6, "−2·10^6"),
        (math.inf, "∞"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_keep_four_digits(value, text):
    trace = attend([[value]], [[1.0]], [[1.0]])
    assert derivation_as_text(derive(trace, "q", (0, 0))) == f"q(1, 1)\n  = {text}"


def test_negative_and_scientific_operands_stand_in_brackets():
    trace = attend([[-2.0, 1e-9]], [[-3.0, 1.0]], [[1.0]], scale=1.0)
    text = derivation_as_text(derive(trace, "raw_scores", (0, 0)))
    assert "  = (−2) · (−3) + (1·10^-9) · 1\n" in text


def test_numpy_code_names_the_cells_it_reads():
    trace = attend([[3.0]], [[2.0]], [[1.0]], scale=0.5)
    assert derivation_as_numpy(derive(trace, "scores", (0, 0))) == (
        "import numpy as np\n"
        "\n"
        "value = 0.0  # scores[0, 0]\n"
        "value += 3.0 * 2.0  # q[0, 0], k[0, 0]\n"
        "value = value * 0.5  # scale\n"
    )
