import re
from pathlib import Path
from string import Formatter

import pytest

import attnviz
from attnviz.example.layer.checks import CHECKS as LAYER_CHECKS

PROSE = Path(attnviz.__file__).parent / "text" / "prose"
FILES = sorted(path.relative_to(PROSE / "en") for path in PROSE.glob("en/**/*.md"))
TOPICS = ["attention", "norms", "positions", "layer", "masks", "symbols"]
CHECKS = [
    "row_sums",
    "hidden_weights",
    "constant_values",
    "visible_keys",
    "divisor",
    "max_subtracted",
    "score_table",
    "loop",
    "norm_mean",
    "norm_mean_square",
    "norm_own_position",
    "norm_loop",
    "order_kept",
    "pair_norm",
    "gram_diagonals",
    "gram_order",
    "rotary_norm",
    "rotary_diagonals",
    "bias_diagonals",
    *(f"layer_{name}" for name in LAYER_CHECKS),
]
HAN = re.compile(r"[\u4e00-\u9fff]")
LINK = re.compile(r"\]\(\s*<?([^)\s>]*)|(?:href|src)\s*=\s*[\"']?([^\"'\s>]*)|(\w+://)")
ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/", re.IGNORECASE)
OUTLINE = re.compile(r"^(#+|-|\d+\.|\|) ", re.MULTILINE)


def read(language, file):
    return (PROSE / language / file).read_text("utf-8")


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def absolute_links(text):
    targets = ("".join(found) for found in LINK.findall(text))
    return [target for target in targets if ABSOLUTE.match(target)]


def test_every_topic_and_every_check_has_its_text():
    assert {file.as_posix() for file in FILES} >= {f"{name}.md" for name in TOPICS}
    assert {file.stem for file in FILES if file.parent.name == "checks"} == set(CHECKS)


def test_both_languages_have_the_same_files():
    chinese = sorted(
        path.relative_to(PROSE / "zh") for path in PROSE.glob("zh/**/*.md")
    )
    assert chinese == FILES


@pytest.mark.parametrize("file", FILES, ids=str)
def test_both_languages_have_the_same_placeholders(file):
    assert placeholders(read("zh", file)) == placeholders(read("en", file))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_both_languages_have_the_same_headings_items_and_rows(file):
    assert OUTLINE.findall(read("zh", file)) == OUTLINE.findall(read("en", file))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_no_file_is_empty_and_each_is_in_its_language(file):
    assert read("en", file).strip()
    assert not HAN.search(read("en", file))
    assert HAN.search(read("zh", file))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_no_link_leaves_the_app(file):
    assert absolute_links(read("en", file) + read("zh", file)) == []


@pytest.mark.parametrize("file", [f"checks/{name}.md" for name in CHECKS])
def test_check_says_what_it_proves_and_what_it_cannot_see(file):
    assert read("en", file).count("**What it proves.**") == 1
    assert read("en", file).count("**What it cannot see.**") == 1
    assert read("zh", file).count("**能证明什么**") == 1
    assert read("zh", file).count("**看不出什么**") == 1


def test_placeholders_are_found():
    assert placeholders("{size} of {T}, {{T}}") == {"size", "T"}


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://a.org)",
        "[a](//a.org/x.js)",
        "[a](/x)",
        '<img src="http://a.org/b.png">',
        "see https://a.org",
        "[a](mailto:a@b.org)",
    ],
)
def test_absolute_links_are_found(text):
    assert absolute_links(text)


def test_relative_links_are_allowed():
    assert absolute_links("[a](#symbols) [b](masks.md)") == []
