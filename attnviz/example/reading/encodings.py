"""From bytes to text, by the mark at its start or by what it can be."""

import codecs

from attnviz.core.errors import SettingError

# The longer marks first: that of UTF-32 starts with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(content: bytes) -> str:
    """Read bytes as text.

    Parameters
    ----------
    content : bytes
        In UTF-8, or in UTF-16 or UTF-32 with a mark; UTF-16 of plain characters is
        known without one.

    Raises
    ------
    SettingError
        If it is none of them; old national encodings cannot be told apart.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode(content[len(mark) :], encoding, len(mark))
    if content[1:8:2] == b"\0\0\0\0" and b"\0" not in content[:8:2]:
        return _decode(content, "utf-16-le")
    if content[:8:2] == b"\0\0\0\0" and b"\0" not in content[1:8:2]:
        return _decode(content, "utf-16-be")
    return _decode(content, "utf-8")


def _decode(content: bytes, encoding: str, before: int = 0) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        place = before + error.start + 1
        raise SettingError("own_encoding", place=place) from error
