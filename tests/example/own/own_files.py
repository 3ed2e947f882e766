"""Files as somebody might bring them: NumPy's own, and broken ones."""

import io
import json
import zipfile

import numpy as np

Q = np.arange(6.0).reshape(2, 3) / 8
K = (1 - np.arange(15.0).reshape(5, 3)) / 4
V = np.arange(10.0).reshape(5, 2)
QKV = {"q": Q, "k": K, "v": V}
# Two heads of everything, and a projection back.
WIDE = {
    "x": np.sin(np.arange(21.0)).reshape(3, 7),
    "w_q": np.cos(np.arange(70.0)).reshape(2, 7, 5),
    "w_k": np.cos(np.arange(70.0) + 1).reshape(2, 7, 5),
    "w_v": np.cos(np.arange(154.0) + 2).reshape(2, 7, 11),
    "w_o": np.sin(np.arange(154.0)).reshape(22, 7),
}


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def archive(entries, *, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def named_lists(arrays):
    return json.dumps({name: array.tolist() for name, array in arrays.items()})


def headed(header, numbers=b""):
    """Write an NPY file whose head says whatever it says."""
    text = header.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + numbers
