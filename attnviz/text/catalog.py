"""Look up the words of the app by key, in the language of the reader."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import MappingProxyType
from urllib.parse import parse_qs

_HERE = Path(__file__).parent
LOCALES = _HERE / "locales"
PROSE = _HERE / "prose"
LANGUAGES = ("en", "zh")
FALLBACK = "en"
BROWSER_PREFIX = "browser."
# Rooms of words that no page has for itself.
SHARED = (
    "attention",
    "browser",
    "checks",
    "export",
    "frame",
    "norms",
    "own",
    "presets",
    "problems",
    "settings",
    "share",
)
Translate = Callable[..., str]
"""Words of the reader's language: takes a key and the values of its placeholders."""


@cache
def load(language: str) -> MappingProxyType[str, str]:
    """Read all short strings of a language, which stand in one file a room."""
    words: dict[str, str] = {}
    for path in sorted((LOCALES / language).glob("*.json")):
        words |= _room(language, path.stem)
    return MappingProxyType(words)


def language_of(query: str, accept_language: str = "") -> str:
    """Choose the language: the address first, then the browser, then English.

    Parameters
    ----------
    query : str
        Query part of the address.
    accept_language : str, default=""
        The browser's header of that name.

    Examples
    --------
    >>> language_of("?lang=zh"), language_of("?lang=xx", "zh-CN,zh;q=0.9,en;q=0.8")
    ('zh', 'zh')
    >>> language_of("", "fr;q=0.9, en;q=0.3, zh;q=0.2"), language_of("")
    ('en', 'en')
    """
    wanted = parse_qs(query.lstrip("?")).get("lang", [""])[0]
    if wanted in LANGUAGES:
        return wanted
    for tag in _preferred(accept_language):
        language = tag.split("-")[0]
        if language in LANGUAGES:
            return language
    return FALLBACK


def translator(language: str) -> Translate:
    """Make the function that turns a key into text of one language."""
    strings = load(language)

    def translate(key: str, /, **values: object) -> str:
        return strings[key].format(**values)

    return translate


@cache
def prose(language: str, name: str) -> str:
    """Read a longer text, in Markdown.

    Parameters
    ----------
    name : str
        Name of the file without its ending, such as "attention" or
        "checks/row_sums".
    """
    return (PROSE / language / f"{name}.md").read_text("utf-8")


@cache
def browser_words(language: str, page: str = "") -> str:
    """Collect the strings that the browser puts together by itself.

    Parameters
    ----------
    page : str, default=""
        Those of the room of one page; of the rooms that all pages share if left out.

    Returns
    -------
    words : str
        JSON object without the common prefix of its keys, safe inside a script tag.
    """
    words = {
        key.removeprefix(BROWSER_PREFIX): text
        for room in ((page,) if page else SHARED)
        for key, text in _room(language, room).items()
        if key.startswith(BROWSER_PREFIX)
    }
    return json.dumps(words, ensure_ascii=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )


def _room(language: str, name: str) -> dict[str, str]:
    """Read the strings of one room; none if it has none."""
    path = LOCALES / language / f"{name}.json"
    words: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return words


def _preferred(accept_language: str) -> list[str]:
    """Sort the tags of an Accept-Language header by their weight."""
    weighted = []
    for part in accept_language.split(","):
        tag, _, weight = part.partition(";q=")
        try:
            weighted.append((-float(weight or 1), tag.strip().lower()))
        except ValueError:
            continue
    return [tag for _, tag in sorted(weighted, key=lambda pair: pair[0])]
