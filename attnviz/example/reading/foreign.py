"""Files of other programs: what they are, and the line that turns them into numbers."""

import io
import zipfile
from collections.abc import Mapping
from types import MappingProxyType

from attnviz.core.errors import SettingError

_NUMPY = "import numpy as np; "
# By kind: what a person calls it, and one line of Python.
LINES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "torch": (
            "PyTorch (.pt)",
            "import torch; "
            + _NUMPY
            + "np.savez('own.npz', **{k: v.numpy() for k, v in "
            "torch.load('FILE', map_location='cpu').items()})",
        ),
        "safetensors": (
            "safetensors",
            "from safetensors.numpy import load_file; "
            + _NUMPY
            + "np.savez('own.npz', **load_file('FILE'))",
        ),
        "matlab": (
            "MATLAB (.mat)",
            "from scipy.io import loadmat; "
            + _NUMPY
            + "np.savez('own.npz', **{k: v for k, v in loadmat('FILE').items() "
            "if k[0] != '_'})",
        ),
        "excel": (
            "Excel (.xlsx)",
            "import pandas as pd; pd.read_excel('FILE').to_csv('own.csv', index=False)",
        ),
        "parquet": (
            "Parquet",
            "import pandas as pd; pd.read_parquet('FILE').to_csv('own.csv')",
        ),
        "hdf5": (
            "HDF5 (.h5, .mat 7.3)",
            "import h5py; " + _NUMPY + "f = h5py.File('FILE'); np.savez('own.npz', "
            "**{k: f[k][()] for k in f if hasattr(f[k], 'shape')})",
        ),
        "rds": (
            "gzip / RDS",
            'R: write.table(readRDS("FILE"), "own.txt", col.names = FALSE, '
            "row.names = FALSE)",
        ),
    }
)
_PICKLE = "pickle"
_STARTS = (
    (b"PAR1", "parquet"),
    (b"MATLAB 5.0 MAT-file", "matlab"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"\x1f\x8b", "rds"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "excel"),
    # How every pickle since Python 2.3 starts, and torch.save before 1.6.
    (b"\x80", _PICKLE),
)


def refuse_foreign(content: bytes) -> None:
    """Say what a file of another program is, and how to get at its numbers.

    Raises
    ------
    SettingError
        If it is one.
    """
    kind = _kind(content)
    if kind == _PICKLE:
        raise SettingError("own_objects")
    if kind is not None:
        title, line = LINES[kind]
        raise SettingError("own_foreign", kind=title, line=line)


def _kind(content: bytes) -> str | None:
    for start, kind in _STARTS:
        if content.startswith(start):
            return "torch" if b"torch" in content[:200] else kind
    # The length of a JSON head, and then the head.
    if content[8:10] == b'{"' and int.from_bytes(content[:8], "little") < 10**8:
        return "safetensors"
    return _kind_of_archive(content) if content.startswith(b"PK\x03\x04") else None


def _kind_of_archive(content: bytes) -> str | None:
    try:
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None  # a damaged one is told of by who reads archives
    if any(name.endswith("data.pkl") for name in names):
        return "torch"
    return "excel" if "xl/workbook.xml" in names else None
