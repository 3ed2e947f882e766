"""The numbers and tables that change scores on their way to the softmax."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz.core.arrays.shapes import FloatArray, as_floats, finite, positive
from attnviz.core.attention.scores import default_scale
from attnviz.core.errors import ShapeError


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers of one call, checked.

    Attributes
    ----------
    scale : float
        Factor of the raw scores.
    softcap : float or None
        Bound c of c·tanh(s / c).
    temperature : float
        Divisor just before the softmax.
    """

    scale: float
    softcap: float | None
    temperature: float

    @classmethod
    def checked(
        cls,
        operation: str,
        q: FloatArray,
        *,
        scale: float | None,
        softcap: float | None,
        temperature: float,
    ) -> "Settings":
        """Check the numbers, and fill in the scale of queries of shape (..., d_k)."""
        if softcap is not None:
            softcap = positive(operation, "softcap", softcap)
        factor = default_scale(q) if scale is None else scale
        settings = cls(
            scale=finite(operation, "scale", factor),
            softcap=softcap,
            temperature=positive(operation, "temperature", temperature),
        )
        settings._refuse_beyond(operation, q.dtype)
        return settings

    def _refuse_beyond(self, operation: str, dtype: np.dtype[Any]) -> None:
        """Refuse numbers that are 0 or ∞ in the type of the scores, or have no inverse.

        Scores are never computed in less than float32.

        Raises
        ------
        ValueError
            If there is one.
        """
        if self.softcap is None and self.temperature == 1 and abs(self.scale) <= 1:
            return
        limits = np.finfo(np.promote_types(dtype, np.float32))
        low, high = float(limits.tiny), float(limits.max)
        for name in ("scale", "softcap", "temperature"):
            value = getattr(self, name)
            is_lost = value and not (low <= value or name == "scale")
            if is_lost or abs(value or 0) > high:
                raise ValueError(
                    f"{operation}: `{name}` needs a number that {limits.dtype} holds "
                    f"to full precision; got {value}"
                )

    def score(self, raw: FloatArray, bias: FloatArray | None) -> FloatArray:
        """Scale, soft-cap and bias raw scores."""
        scores = raw * self.scale
        if self.softcap is not None:
            scores = self.softcap * np.tanh(scores / self.softcap)
        return scores if bias is None else scores + bias


def table_of(
    operation: str,
    name: str,
    value: npt.ArrayLike | None,
    shape: tuple[int, ...],
    dtype: npt.DTypeLike,
) -> FloatArray | None:
    """Take an optional float table that must cover every query and key.

    Raises
    ------
    ShapeError
        If it does not.
    """
    if value is None:
        return None
    (table,) = as_floats(operation, **{name: value})
    fits = (
        2 <= table.ndim <= len(shape)
        and table.shape[-1] == shape[-1]
        and all(
            size in (1, full)
            for size, full in zip(table.shape, shape[-table.ndim :], strict=True)
        )
    )
    if not fits:
        raise ShapeError(
            f"{operation}: `{name}` needs shape (..., T_q, T_k) that broadcasts to "
            f"{shape}; got {table.shape}"
        )
    return table.astype(dtype, copy=False)
