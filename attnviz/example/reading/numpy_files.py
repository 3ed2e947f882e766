"""Read matrices from NumPy's files without running or believing anything in them."""

import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.errors import SettingError
from attnviz.example.reading.labels import LABELLED, read_labels
from attnviz.example.reading.names import TOKENS, known_name
from attnviz.example.reading.result import Read, Table
from attnviz.example.sources.drawn import MAX_LENGTH

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
MAX_ENTRIES = 64
# No matrix that can be shown takes more: weights of 64 layers of 32 heads, 32×32 each,
# in double precision.
MAX_UNPACKED = 17_000_000
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


def read_npy(content: bytes) -> Read:
    """Read one array.

    Parameters
    ----------
    content : bytes
        A file as ``numpy.save`` writes it; from anyone.

    Returns
    -------
    read : Read
        One table without a title.
    """
    return Read((Table("", Packed(lambda: content)),))


def read_npz(content: bytes) -> Read:
    """Read an archive of arrays; an entry is unpacked when it is asked for.

    Parameters
    ----------
    content : bytes
        A file as ``numpy.savez`` writes it; from anyone.

    Returns
    -------
    read : Read
        Tables, and the labels and settings of an export of this app.

    Raises
    ------
    SettingError
        If the archive is damaged or holds too many entries.
    """
    with _healing(), zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise SettingError("own_entries", got=len(entries), most=MAX_ENTRIES)
        texts: dict[str, Any] = {}
        tables = []
        for entry in entries:
            title = entry.filename.removesuffix(_SUFFIX)
            axis = title.removeprefix(_LABELS)
            if title == _ABOUT or axis in LABELLED:
                texts[title] = _words(_unpack(content, entry))
            elif known_name(title, TOKENS) is not None:
                texts[f"{_LABELS}query"] = _words(_unpack(content, entry))
            else:
                tables.append(Table(title, Packed(partial(_unpack, content, entry))))
    labels = {axis: texts.get(f"{_LABELS}{axis}") for axis in LABELLED}
    return Read(tuple(tables), read_labels(labels), _settings(texts))


@contextmanager
def _healing() -> Iterator[None]:
    """Say of a damaged archive that it is one."""
    try:
        yield
    except SettingError:
        raise
    except _DAMAGE as error:
        raise SettingError("own_archive") from error


def _unpack(content: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack an entry, but never more than a matrix can take.

    Other ways to compress, which NumPy does not use, are unpacked by the block, however
    much comes out of it.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SettingError("own_archive")
    size = entry.file_size
    if size <= MAX_UNPACKED:
        with (
            _healing(),
            zipfile.ZipFile(io.BytesIO(content)) as archive,
            archive.open(entry) as opened,
        ):
            unpacked = opened.read(MAX_UNPACKED + 1)
        size = len(unpacked)
    if size > MAX_UNPACKED:
        raise SettingError("own_unpacked", got=size, most=MAX_UNPACKED)
    return unpacked


@dataclass(frozen=True, slots=True)
class Packed:
    """An array as NumPy writes it.

    Attributes
    ----------
    content : callable
        Gives its bytes; from anyone.
    """

    content: Callable[[], bytes]

    def shape(self, symbol: str) -> tuple[int, ...]:
        """Give the shape that it says it has.

        Raises
        ------
        SettingError
            If this is no such array, or it holds objects or no real numbers.
        """
        kind, _, shape, _ = _head(symbol, self.content())
        if kind.kind not in "iufb":
            raise SettingError("own_kind", matrix=symbol, got=str(kind))
        return shape

    def numbers(self, symbol: str) -> FloatArray:
        """Give its numbers; True is 1.

        Raises
        ------
        SettingError
            As `shape`, and if numbers are missing or it has too many axes.
        """
        content = self.content()
        kind, order, shape, start = _head(symbol, content)
        wanted = math.prod(shape) * kind.itemsize
        if len(content) - start < wanted:
            raise SettingError(
                "own_cut", matrix=symbol, wanted=wanted, got=len(content) - start
            )
        flat = np.frombuffer(content, kind, math.prod(shape), start)
        with np.errstate(all="ignore"):
            return flat.astype(np.float64).reshape(shape, order=order)


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
