"""Read matrices of one's own from a file or a pasted text, whatever its form."""

from attnviz.core.errors import SettingError
from attnviz.example.reading.found import Found
from attnviz.example.reading.json_text import read_json
from attnviz.example.reading.names import UNNAMED, known_name
from attnviz.example.reading.numpy_files import NPY, ZIP, read_npy, read_npz
from attnviz.example.reading.plain_text import read_plain

# The NPZ export of the largest example has 2.07 MB; other forms of it are longer.
MAX_BYTES = 2_200_000
# How every pickle since Python 2.3 starts.
_PICKLE = b"\x80"


def read_own(content: bytes | str, *, name: str = "") -> Found:
    r"""Read matrices; the content itself tells its form, not the name of a file.

    Parameters
    ----------
    content : bytes or str
        NPY, NPZ, JSON, CSV or plain rows of numbers, up to 2.2 MB; from anyone.
    name : str, optional
        What a single matrix without a name is, such as the stem of a file "w_q.csv".
        It counts as attention weights if this is no name of a matrix.

    Returns
    -------
    found : Found
        Matrices in float64 with an axis for heads, and what goes with them.

    Raises
    ------
    SettingError
        If the content cannot be read, or a matrix in it cannot be shown: "own_…",
        with what is wrong and where.

    Examples
    --------
    >>> found = read_own("Q\n1 0\n0 1\n\nK\n1 2\n3 4")
    >>> {name: matrix.shape for name, matrix in found.arrays.items()}
    {'q': (1, 2, 2), 'k': (1, 2, 2)}
    """
    unnamed = known_name(name) or UNNAMED
    if len(content) > MAX_BYTES:
        raise SettingError("own_large", most=MAX_BYTES)
    if isinstance(content, bytes):
        if content.startswith(NPY):
            return read_npy(content, unnamed)
        if content.startswith(ZIP):
            return read_npz(content)
        if content.startswith(_PICKLE):
            raise SettingError("own_objects")
        content = _decode(content)
    if content.lstrip().startswith("{"):
        return read_json(content)
    return read_plain(content, unnamed=unnamed)


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingError("own_encoding", place=error.start + 1) from error
