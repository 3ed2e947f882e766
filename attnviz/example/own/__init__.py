"""Matrices of one's own: read from files or text, checked, ready to be shown."""

from attnviz.example.own.data import OwnData, OwnMatrix, choose_own
from attnviz.example.own.found import Found, join_found, read_all, read_own
from attnviz.example.own.packing import pack_own, unpack_own
from attnviz.example.reading.names import NAMES
from attnviz.example.reading.reading import MAX_BYTES

__all__ = [
    "MAX_BYTES",
    "NAMES",
    "Found",
    "OwnData",
    "OwnMatrix",
    "choose_own",
    "join_found",
    "pack_own",
    "read_all",
    "read_own",
    "unpack_own",
]
