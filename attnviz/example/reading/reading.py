"""The one reader of matrices, from a file or a pasted text, whatever its form.

Bytes become text, dialects are taken off, lists and lines become tables of cells, and
the edges of a table become labels. What is no number that is used and no label is named
in `Read.left_out`. Nothing here knows a page, or which matrices it wants.
"""

from attnviz.core.errors import SettingError
from attnviz.example.reading.encodings import decode
from attnviz.example.reading.foreign import refuse_foreign
from attnviz.example.reading.json_text import read_json
from attnviz.example.reading.numpy_files import NPY, ZIP, read_npy, read_npz
from attnviz.example.reading.result import Comma, Read
from attnviz.example.reading.text import read_text

# Weights of 64 layers of 32 heads, 30×30 each, in single precision.
MAX_BYTES = 8_000_000
# The longest export as text.
MAX_CHARACTERS = 2_200_000


def read(content: bytes | str, *, comma: Comma | None = None) -> Read:
    r"""Read everything in a file or a text; the content itself tells its form.

    Parameters
    ----------
    content : bytes or str
        NPY, NPZ, JSON, CSV, or whatever a program prints; from anyone.
    comma : Comma, optional
        What commas are; found out if it is not said.

    Returns
    -------
    read : Read
        Tables under the titles they have, labels, and what was left out.

    Raises
    ------
    SettingError
        If the content cannot be read: "own_…", with what is wrong and where. Nothing
        else is ever raised.

    Examples
    --------
    >>> read("Q =\n1 0\n0 1\n").tables[0].title
    'Q'
    """
    try:
        return _read(content, comma)
    except SettingError:
        raise
    except Exception as error:  # whatever comes next, a reader is told of it
        raise SettingError("own_unreadable", kind=type(error).__name__) from error


def _read(content: bytes | str, comma: Comma | None) -> Read:
    if len(content) > MAX_BYTES:
        raise SettingError("own_large", most=MAX_BYTES)
    if isinstance(content, bytes):
        if content.startswith(NPY):
            return read_npy(content)
        refuse_foreign(content)
        if content.startswith(ZIP):
            return read_npz(content)
        content = decode(content)
    if len(content) > MAX_CHARACTERS:
        raise SettingError("own_large", most=MAX_CHARACTERS)
    bare = content.lstrip(" \t\r\n\ufeff")
    if bare.startswith("{") and _is_json(bare):
        return read_json(bare)
    return read_text(content, comma=comma)


def _is_json(text: str) -> bool:
    """Tell an object from braces around numbers, and from a dictionary of Python."""
    inside = text[1:].lstrip()
    return inside[:1] in ('"', "}", "")
