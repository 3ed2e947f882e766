"""What every part of the library asks of arrays: shapes, spread, randomness."""

from attnviz.core.arrays.randomness import draw, stream
from attnviz.core.arrays.record import Record
from attnviz.core.arrays.remembering import bytes_of, remember
from attnviz.core.arrays.shapes import (
    Array,
    BoolArray,
    FloatArray,
    IntArray,
    as_floats,
    as_mask,
    bind_parameter,
    bind_shapes,
    choice,
    count,
    expect,
    finite,
    float_views,
    positive,
    quiet,
    read_only,
)
from attnviz.core.arrays.sheet import Index, Operand, Sheet, numbers_of
from attnviz.core.arrays.spread import Spread, normalize, spread_of

__all__ = [
    "Array",
    "BoolArray",
    "FloatArray",
    "Index",
    "IntArray",
    "Operand",
    "Record",
    "Sheet",
    "Spread",
    "as_floats",
    "as_mask",
    "bind_parameter",
    "bind_shapes",
    "bytes_of",
    "choice",
    "count",
    "draw",
    "expect",
    "finite",
    "float_views",
    "normalize",
    "numbers_of",
    "positive",
    "quiet",
    "read_only",
    "remember",
    "spread_of",
    "stream",
]
