"""The gradient that comes from above, and the axes a gradient is summed over."""

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, float_views
from attnviz.core.errors import ShapeError


def bind_upstream(
    operation: str, name: str, value: npt.ArrayLike, result: FloatArray
) -> FloatArray:
    """Take the gradient with respect to a result, which has its shape.

    It comes back in float32 at least, and in no less than the result's precision.
    """
    (upstream,) = float_views(operation, **{name: value})
    if upstream.shape != result.shape:
        raise ShapeError(
            f"{operation}: `{name}` needs the shape of the result, {result.shape}; "
            f"got {upstream.shape}"
        )
    return upstream.astype(np.promote_types(result.dtype, np.float32), copy=False)


def sum_to_shape(gradient: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Sum a gradient over the axes along which its argument was repeated.

    Examples
    --------
    >>> sum_to_shape(np.ones((2, 3, 5)), (3, 1))
    array([[10.],
           [10.],
           [10.]])
    """
    n_new = gradient.ndim - len(shape)
    repeated = tuple(
        n_new + axis
        for axis, size in enumerate(shape)
        if size == 1 and gradient.shape[n_new + axis] != 1
    )
    summed: FloatArray = gradient.sum(axis=(*range(n_new), *repeated), keepdims=True)
    return summed.reshape(shape)
