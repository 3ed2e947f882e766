"""Read matrices from NumPy's files without running or believing anything in them."""

import io
import json
import math
import re
import zipfile
import zlib
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.reading.found import LABELLED, Found, keep, read_labels
from attnviz.example.reading.matrix import from_array
from attnviz.example.reading.names import fitting_shape, known_name, written_name
from attnviz.example.sources.drawn import MAX_LENGTH

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
MAX_ENTRIES = 64
# No matrix that can be shown takes more: 512 rows of 64 numbers of 16 bytes.
MAX_UNPACKED = 1_000_000
_LONGEST_HEAD = 10_000
_SUFFIX = ".npy"
_LABELS = "labels_"
_ABOUT = "about"
_KIND = re.compile(r"'descr'\s*:\s*'([<>|=]?)([A-Za-z])(\d*)'")
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False)")
_SHAPE = re.compile(r"'shape'\s*:\s*\(([\d\s,]*)\)")
# All that zipfile is known to raise on bytes that are no archive, or a broken one.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


def read_npy(content: bytes, name: str) -> Found:
    """Read one array.

    Parameters
    ----------
    content : bytes
        A file as ``numpy.save`` writes it; from anyone.
    name : str
        What the array is, one of NAMES.

    Returns
    -------
    found : Found
        That matrix.

    Raises
    ------
    SettingError
        If the file is damaged or cut, holds objects or no real numbers, or the
        matrix cannot be shown.
    """
    return Found({name: _matrix(name, content)})


def read_npz(content: bytes) -> Found:
    """Read an archive of arrays; only entries with a known name are unpacked.

    Parameters
    ----------
    content : bytes
        A file as ``numpy.savez`` writes it; from anyone.

    Returns
    -------
    found : Found
        Matrices, and the labels and settings of an export of this app.

    Raises
    ------
    SettingError
        If the archive is damaged, holds too many entries or one that unpacks to too
        much, or a matrix cannot be read or shown.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read_entries(archive)
    except _DAMAGE as error:
        if isinstance(error, SettingError):
            raise
        raise SettingError("own_archive") from error


def _read_entries(archive: zipfile.ZipFile) -> Found:
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise SettingError("own_entries", got=len(entries), most=MAX_ENTRIES)
    arrays: dict[str, FloatArray] = {}
    texts: dict[str, Any] = {}
    others = []
    for entry in entries:
        title = entry.filename.removesuffix(_SUFFIX)
        name = known_name(title)
        if name is not None:
            keep(arrays, name, _matrix(name, _unpack(archive, entry)))
        elif title == _ABOUT or title.removeprefix(_LABELS) in LABELLED:
            texts[title] = _words(_unpack(archive, entry))
        else:
            others.append(title)
    labels = {axis: texts.get(f"{_LABELS}{axis}") for axis in LABELLED}
    return Found(arrays, tuple(others), read_labels(labels), _settings(texts))


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Unpack an entry, but never more than a matrix can take.

    Other ways to compress, which NumPy does not use, are unpacked by the block, however
    much comes out of it.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SettingError("own_archive")
    size = entry.file_size
    if size <= MAX_UNPACKED:
        with archive.open(entry) as unpacked:
            content = unpacked.read(MAX_UNPACKED + 1)
        size = len(content)
    if size > MAX_UNPACKED:
        raise SettingError("own_unpacked", got=size, most=MAX_UNPACKED)
    return content


def _matrix(name: str, content: bytes) -> FloatArray:
    """Read an array of real numbers."""
    kind, order, shape, start = _head(written_name(name), content)
    if kind.kind not in "iuf":
        raise SettingError("own_kind", matrix=written_name(name), got=str(kind))
    fitting_shape(name, shape)
    wanted = math.prod(shape) * kind.itemsize
    if len(content) - start < wanted:
        raise SettingError(
            "own_cut",
            matrix=written_name(name),
            wanted=wanted,
            got=len(content) - start,
        )
    flat = np.frombuffer(content, kind, math.prod(shape), start)
    return from_array(name, flat.reshape(shape, order=order))


def _head(
    symbol: str, content: bytes
) -> tuple[np.dtype[Any], Any, tuple[int, ...], int]:
    """Read what an array says of itself: its kind, its order, its shape.

    NumPy's own reader makes room for the numbers before it looks whether they came.
    """
    width = 2 if content[6:7] == b"\x01" else 4
    start = 8 + width
    size = int.from_bytes(content[8:start], "little")
    head = content[start : start + min(size, _LONGEST_HEAD)].decode("latin-1")
    kind, order, shape = (part.search(head) for part in (_KIND, _ORDER, _SHAPE))
    if kind is not None and kind[2] == "O":
        raise SettingError("own_objects")
    if not content.startswith(NPY) or kind is None or order is None or shape is None:
        raise SettingError("own_npy", matrix=symbol)
    try:
        sizes = tuple(int(part) for part in shape[1].split(",") if part.strip())
        dtype = np.dtype("".join(kind.groups()))
    except (TypeError, ValueError) as error:
        raise SettingError("own_npy", matrix=symbol) from error
    letter = "F" if order[1] == "True" else "C"
    return dtype, letter, sizes, start + size


def _words(content: bytes) -> Any:  # noqa: ANN401 - one text, or a list of them
    """Read an array of texts; what cannot be read is left out."""
    try:
        kind, _, shape, start = _head("", content)
        if kind.kind != "U" or len(shape) > 1 or math.prod(shape) > MAX_LENGTH:
            return None
        count = math.prod(shape)
        return np.frombuffer(content, kind, count, start).reshape(shape).tolist()
    except ValueError:
        return None


def _settings(texts: dict[str, Any]) -> dict[str, Any]:
    """Take the settings out of what an export says about itself."""
    try:
        about = json.loads(texts.get(_ABOUT) or "{}")
    except (TypeError, ValueError, RecursionError):
        return {}
    settings = about.get("settings") if isinstance(about, dict) else None
    return settings if isinstance(settings, dict) else {}
