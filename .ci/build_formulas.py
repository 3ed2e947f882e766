"""Convert the LaTeX sources of the formulas into the MathML that the pages show.

Run ``PYTHONPATH=. python .ci/build_formulas.py`` after a change to a source.
"""

from pathlib import Path
from xml.etree import ElementTree as ET

from latex2mathml.converter import convert

from attnviz.text.formulas import FOLDER

MATHML = "http://www.w3.org/1998/Math/MathML"
STAGE = "stage-"
# A matrix, its vectors and its elements share the colour of their role.
SYMBOLS = {
    "role-x": "𝐗𝐱x",
    "role-q": "𝐐𝐪",
    "role-k": "𝐊𝐤",
    "role-v": "𝐕𝐯",
    "role-s": "𝐒S",
    "role-a": "𝐀A",
    "role-c": "𝐂𝐜",
}
ROLES = {symbol: role for role, symbols in SYMBOLS.items() for symbol in symbols}
PROJECTIONS = {"Q": "role-q", "K": "role-k", "V": "role-v"}
# Browsers follow no `mathvariant` but "normal", so bold symbols are characters.
BOLD = {"γ": "𝜸", "β": "𝜷"}
# Read as operators, these would get the space of a plus sign around them.
NOT_OPERATORS = "⊤…"
SCRIPTED = ("msub", "msup", "msubsup", "munder", "mover", "munderover")


def to_mathml(latex: str) -> str:
    """Turn one LaTeX source into one line of MathML."""
    ET.register_namespace("", MATHML)
    math = ET.fromstring(convert(latex, display="block"))
    math.attrib.update(
        display="inline", displaystyle="true", alttext=plain_latex(latex)
    )
    for element in math.iter():
        _name_stage(element)
        _use_plain_markup(element)
    for element in math.iter():
        _close_up_scripts(element)
        _colour(element)
    return ET.tostring(math, encoding="unicode") + "\n"


def plain_latex(latex: str) -> str:
    """Write a source on one line and without its stage groups."""
    line = " ".join(latex.split())
    while (start := line.find(r"\class{")) >= 0:
        opening = line.index("{", line.index("}", start))
        closing = _matching_brace(line, opening)
        inside = line[opening + 1 : closing].strip()
        line = f"{line[:start]}{inside}{line[closing + 1 :]}"
    return line


def build(folder: Path) -> None:
    """Write the MathML of every source in a folder beside it."""
    for source in folder.glob("*.tex"):
        mathml = to_mathml(source.read_text("utf-8"))
        source.with_suffix(".mathml").write_text(mathml, "utf-8", newline="\n")


def out_of_step(folder: Path) -> set[str]:
    """Name the formulas of a folder whose source and MathML do not agree."""
    sources = {path.stem: path.read_text("utf-8") for path in folder.glob("*.tex")}
    wanted = {(name, to_mathml(latex)) for name, latex in sources.items()}
    present = {(path.stem, path.read_text("utf-8")) for path in folder.glob("*.mathml")}
    return {name for name, _ in wanted ^ present}


def _matching_brace(text: str, opening: int) -> int:
    depth = 0
    for position in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise ValueError(f"plain_latex: every group needs a closing brace; got {text}")


def _name_stage(element: ET.Element) -> None:
    group = element.get("class", "")
    if group.startswith(STAGE):
        del element.attrib["class"]
        element.set("data-stage", group.removeprefix(STAGE))


def _use_plain_markup(element: ET.Element) -> None:
    text = element.text or ""
    if element.get("mathvariant", "").startswith("bold"):
        del element.attrib["mathvariant"]
        element.text = BOLD[text]
    if element.tag == _tag("mo") and (text.isalpha() or text in NOT_OPERATORS):
        element.tag = _tag("mi")
    if element.tag == _tag("msup") and element[1].text == "′":
        # The font draws primes raised already.
        element.tag = _tag("mrow")
    if text == "^":
        element.text = "ˆ"


def _close_up_scripts(element: ET.Element) -> None:
    if element.tag in map(_tag, SCRIPTED):
        for script in element[1:]:
            for operator in script.iter(_tag("mo")):
                operator.attrib.update(lspace="0", rspace="0")


def _colour(element: ET.Element) -> None:
    role = None
    if element.tag == _tag("mi"):
        role = ROLES.get(element.text or "")
    elif element.tag == _tag("mover"):
        role = ROLES.get("".join(element[0].itertext()))
    elif element.tag == _tag("msub") and element[0].text == "𝐖":
        role = PROJECTIONS.get(element[1].text or "")
    if role:
        element.set("class", role)


def _tag(name: str) -> str:
    return f"{{{MATHML}}}{name}"


if __name__ == "__main__":
    build(FOLDER)
