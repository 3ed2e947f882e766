import shutil
from xml.etree import ElementTree as ET

import pytest
from fontTools.ttLib import TTFont

from attnviz.text.formulas import FOLDER, NAMES, formula
from build_font import FONT
from build_formulas import build, out_of_step, plain_latex


@pytest.fixture
def copied(tmp_path):
    return shutil.copytree(FOLDER, tmp_path / "formulas")


def parsed(name):
    return ET.fromstring(formula(name))


def values(name, attribute):
    return {element.get(attribute) for element in parsed(name).iter()} - {None}


def symbols(name, role):
    return {
        "".join(element.itertext())
        for element in parsed(name).iter()
        if element.get("class") == role
    }


def test_every_mathml_file_is_the_conversion_of_its_source():
    assert out_of_step(FOLDER) == set()


def test_edited_source_is_out_of_step(copied):
    (copied / "key.tex").write_text(r"\mathbf{K} = \mathbf{X}\mathbf{W}_Q", "utf-8")
    assert out_of_step(copied) == {"key"}


def test_missing_and_forgotten_files_are_out_of_step(copied):
    (copied / "key.mathml").unlink()
    (copied / "value.tex").unlink()
    assert out_of_step(copied) == {"key", "value"}


def test_build_brings_a_folder_into_step(copied):
    (copied / "key.tex").write_text(r"\mathbf{K} = \mathbf{X}", "utf-8")
    build(copied)
    assert out_of_step(copied) == set()


def test_formula_is_a_math_element_that_flows_in_a_line_at_full_size():
    math = parsed("attention")
    assert math.tag == "{http://www.w3.org/1998/Math/MathML}math"
    assert (math.get("display"), math.get("displaystyle")) == ("inline", "true")


def test_alttext_is_the_latex_without_groups():
    assert parsed("key").get("alttext") == r"\mathbf{K} = \mathbf{X}\mathbf{W}_K"
    assert plain_latex("\\class{stage-a}{\n  x_{1} \\class{stage-b}{y}}z") == "x_{1} yz"


def test_plain_latex_refuses_an_open_group():
    with pytest.raises(ValueError, match="every group needs a closing brace; got"):
        plain_latex(r"\class{stage-a}{x")


@pytest.mark.parametrize(
    ("name", "role", "coloured"),
    [
        ("query", "role-x", {"𝐗"}),
        ("query", "role-q", {"𝐐", "𝐖Q"}),
        ("key", "role-k", {"𝐊", "𝐖K"}),
        ("value", "role-v", {"𝐕", "𝐖V"}),
        ("scores", "role-s", {"𝐒"}),
        ("weights", "role-a", {"A"}),
        ("weights", "role-s", {"S"}),
        ("context", "role-a", {"𝐀"}),
        ("output", "role-c", {"𝐂"}),
        ("scores_additive", "role-q", {"𝐪"}),
        ("norm_output", "role-x", {"x", "xˆ"}),
    ],
)
def test_symbols_carry_the_class_of_their_role(name, role, coloured):
    assert symbols(name, role) == coloured


def test_variance_is_not_coloured_as_a_value():
    assert symbols("norm", "role-v") == set()


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        (
            "attention",
            {"query", "key", "value", "scores", "mask", "weights", "context"},
        ),
        ("weights", {"row_max", "exp_scores", "row_sum"}),
        ("norm", {"mean", "variance", "normalized", "output"}),
    ],
)
def test_parts_of_a_formula_are_grouped_by_stage(name, stages):
    assert values(name, "data-stage") == stages


def test_bold_greek_is_a_character_since_browsers_ignore_the_attribute():
    assert "𝜸" in formula("norm")
    assert "𝜷" in formula("norm")
    assert "mathvariant" not in "".join(map(formula, NAMES))


def test_words_and_signs_are_no_operators():
    assert "<mi>softmax</mi>" in formula("attention")
    assert "<mi>⊤</mi>" in formula("scores")
    assert "<mi>…</mi>" in formula("output")


def test_unknown_formula_is_refused_by_name():
    with pytest.raises(ValueError, match="`name` needs one of additive, attention, "):
        formula("../locales/en/frame")


def test_font_draws_every_symbol_of_every_formula():
    drawn = {chr(code) for code in TTFont(FONT).getBestCmap()}
    used = {char for name in NAMES for char in "".join(parsed(name).itertext())}
    assert used - drawn == set()


def test_font_draws_italic_letters_which_browsers_put_for_plain_ones():
    drawn = {chr(code) for code in TTFont(FONT).getBestCmap()}
    assert set("𝑄𝐾𝑉𝑆𝐴𝑀𝑇𝑑𝑘𝑖𝑗ℎ𝑚𝑡𝑥𝑦𝑣𝑝𝜇𝜀𝛾𝛽𝜏𝜑𝜎") - drawn == set()


def test_font_can_stretch_brackets_roots_and_sums_and_stays_small():
    font = TTFont(FONT)
    glyphs = font.getBestCmap()
    stretching = set(font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs)
    assert {glyphs[ord(sign)] for sign in "()[]{}√∑"} <= stretching
    assert FONT.stat().st_size <= 100_000


def test_font_comes_with_its_licence():
    licence = FONT.with_name("stix-two-math-OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
