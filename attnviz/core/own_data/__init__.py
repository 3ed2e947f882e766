"""Matrices of one's own: read from files or text, checked, ready to be shown."""

from attnviz.core.own_data.found import Found, join_found
from attnviz.core.own_data.names import AXES, NAMES, SYMBOLS
from attnviz.core.own_data.own import OwnData, OwnMatrix, choose_own
from attnviz.core.own_data.packing import pack_own, unpack_own
from attnviz.core.own_data.reading import MAX_BYTES, read_own

__all__ = [
    "AXES",
    "MAX_BYTES",
    "NAMES",
    "SYMBOLS",
    "Found",
    "OwnData",
    "OwnMatrix",
    "choose_own",
    "join_found",
    "pack_own",
    "read_own",
    "unpack_own",
]
