"""Words for people live in the locale files, not in the code of pages."""

import ast
import re
from pathlib import Path

import pytest

import attnviz

ROOT = Path(attnviz.__file__).parent
# Arguments that no person reads.
MARKUP = {"class_", "style", "id", "rel", "href", "src", "type", "content", "name"}
PROSE = re.compile(
    r"[^\W\d_]{2,}\s+[^\W\d_]{2,}|^[A-Z][a-z]{2,}\b(?!-)|[^\x00-\x7f]{2,}"
)
# A verdict that is looked up by its name, and a sign that needs no words.
SAME = {"not applicable", "−∞", "‖∂‖"}
# Pieces of Python, which is written in no other language.
SOURCE = "script"
TAG = re.compile(r"<[^>]*>")


def unread(tree):
    """Find the strings that are documentation or markup."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.keyword) and node.arg in MARKUP:
            yield from ast.walk(node.value)


def words_in(source):
    tree = ast.parse(source)
    passed_over = set(map(id, unread(tree)))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in passed_over
        and node.value not in SAME
        and PROSE.search(TAG.sub("", node.value))
    ]


@pytest.mark.parametrize(
    "path",
    sorted(
        path
        for folder in ("pages", "components")
        for path in ROOT.glob(f"{folder}/**/*.py")
        if path.parent.name != SOURCE
    ),
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_page_code_has_no_words(path):
    assert words_in(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        'ui.p("Move the slider.")',
        'ui.h2("Weights")',
        'x = "注意力"',
        'f"rows of {x}"',
        'HTML("<b>two words</b>")',
    ],
)
def test_the_probe_sees_words(code):
    assert words_in(code)


@pytest.mark.parametrize(
    "code",
    [
        '"""A docstring."""',
        'ui.div(class_="figure page")',
        'tr("norms.rows")',
        '"H"',
        '"Accept-Language"',
        """HTML('<svg viewBox="0 0 16 16"></svg>')""",
    ],
)
def test_the_probe_passes_over_markup_and_keys(code):
    assert words_in(code) == []
