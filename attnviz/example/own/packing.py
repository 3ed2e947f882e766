"""Matrices of one's own as a text that a browser can keep."""

import base64
import binascii
import io

import numpy as np

from attnviz.core.errors import SettingError
from attnviz.example.own.data import OwnData, choose_own
from attnviz.example.own.found import read_own


def pack_own(own: OwnData) -> str:
    """Write matrices and labels as text.

    Parameters
    ----------
    own : OwnData
        The matrices.

    Returns
    -------
    packed : str
        A NumPy archive in base64.
    """
    arrays = {matrix.name: matrix.stored for matrix in own.matrices}
    labels = {"labels_query": own.labels, "labels_key": own.key_labels}
    texts = {name: np.array(words) for name, words in labels.items() if words}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **texts, **arrays)
    return base64.b64encode(buffer.getvalue()).decode()


def unpack_own(packed: str) -> OwnData:
    """Read what `pack_own` has written, or anyone else.

    Parameters
    ----------
    packed : str
        From a browser.

    Returns
    -------
    own : OwnData
        Equal to what was packed.

    Raises
    ------
    SettingError
        If the text holds no matrices that can be shown.
    """
    try:
        content = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError) as error:
        raise SettingError("own_archive") from error
    return choose_own(read_own(content))
