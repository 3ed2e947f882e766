"""The same numbers with less memory or fewer operations."""

from attnviz.core.fast.fused import (
    FusedParameters,
    fast_multi_head_attend,
    fuse_parameters,
)
from attnviz.core.fast.linear import linear_attend
from attnviz.core.fast.tiled import banded_attend, tiled_attend

__all__ = [
    "FusedParameters",
    "banded_attend",
    "fast_multi_head_attend",
    "fuse_parameters",
    "linear_attend",
    "tiled_attend",
]
