"""What a multi-head layer projects, fitted to its matrices."""

import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats, bind_shapes, read_only


def fit_inputs(
    w_q: FloatArray,
    x_q: npt.ArrayLike,
    x_k: npt.ArrayLike | None,
    x_v: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lock copies of the inputs; one that is left out is the one before it."""
    others = {"x_k": x_k, "x_v": x_v}
    present = {"x_q": x_q} | {n: x for n, x in others.items() if x is not None}
    copies = as_floats("multi_head_attend", **present)
    found = dict(zip(present, map(read_only, copies), strict=True))
    asking = found["x_q"]
    asked = found.get("x_k", asking)
    mixed = found.get("x_v", asked)
    bind_shapes(
        "multi_head_attend",
        w_q=(w_q[0], "d d_k"),
        x_q=(asking, "T_q d"),
        x_k=(asked, "T_k d"),
        x_v=(mixed, "T_k d"),
    )
    return asking, asked, mixed
