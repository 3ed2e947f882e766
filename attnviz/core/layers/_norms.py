"""What all normalizations do before and after they normalize."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import (
    FloatArray,
    as_floats,
    bind_parameter,
    bind_shapes,
    read_only,
)
from attnviz.core.arrays.sheet import Sheet, numbers_of
from attnviz.core.errors import ShapeError

_ON_SCREEN: Mapping[str, str] = MappingProxyType(
    {
        "x": "norm_input",
        "mean": "norm_mean",
        "variance": "norm_variance",
        "normalized": "norm_normalized",
        "output": "norm_output",
    }
)


def norm_sheet(trace: Record, x: FloatArray) -> Sheet:
    """Name input, stages and output as they are named on screen."""
    width = {"d": np.array(float(x.shape[-1]))}
    return Sheet(numbers_of(trace, _ON_SCREEN) | width, _ON_SCREEN)


def features(operation: str, x: npt.ArrayLike) -> FloatArray:
    """Copy positions that have at least one feature.

    Raises
    ------
    ShapeError
        If they have none.
    """
    (array,) = as_floats(operation, x=x)
    if bind_shapes(operation, x=(array, "d"))["d"] == 0:
        raise ShapeError(f"{operation}: `x` needs d of at least 1; got {array.shape}")
    return array


def parameter(
    operation: str,
    name: str,
    value: npt.ArrayLike | None,
    x: FloatArray,
    default: float,
) -> FloatArray:
    """Take a scale or a shift of each feature, or one number for all."""
    if value is None:
        return np.full(x.shape[-1], default, dtype=x.dtype)
    return bind_parameter(operation, name, value, (x.shape[-1],))


def narrow(array: FloatArray, dtype: np.dtype[Any]) -> FloatArray:
    """Give a stage the type of the input, and lock it."""
    if array.dtype == dtype:
        return read_only(array)
    with np.errstate(over="ignore"):
        return read_only(array.astype(dtype))
