"""Everything that the Positions page shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TypeVar

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.errors import SettingError
from attnviz.example.compute import ExampleTrace
from attnviz.example.matrices import Matrix, catalogue
from attnviz.example.positions.bias import BiasTrace, compute_bias
from attnviz.example.positions.derivation import lay_out_positions
from attnviz.example.positions.order import OrderTrace, compute_order
from attnviz.example.positions.rotary import RotaryTrace, compute_rotary
from attnviz.example.positions.settings import PositionsSettings
from attnviz.example.positions.table import TableTrace, compute_table
from attnviz.example.screen import Screen
from attnviz.example.settings import Example
from attnviz.example.weights_alone import compute_shown

Part = TypeVar("Part")
# What stands at places, and not at tokens, where these have been moved.
_MOVED_AXES = MappingProxyType({"query": "place", "key": "key_place"})
_LAST_AXES = MappingProxyType({"query": "last_query"})


@dataclass(frozen=True, slots=True, eq=False)
class PositionsTrace:
    """All arrays of the page; what cannot be is an error that says why.

    Attributes
    ----------
    example : Example
        The settings of the sidebar.
    settings : PositionsSettings
        Those of the page.
    head : int
        The shown head, counted from 0.
    x : FloatArray of shape (T, d), or None
        Inputs of the example, if it has any.
    order : OrderTrace or SettingError
        Does order matter?
    table : TableTrace or SettingError
        The table P.
    rotary : RotaryTrace or SettingError
        A query and a key, turned.
    bias : BiasTrace or SettingError
        A bias on the scores.
    """

    example: Example
    settings: PositionsSettings
    head: int
    x: FloatArray | None
    order: OrderTrace | SettingError
    table: TableTrace | SettingError
    rotary: RotaryTrace | SettingError
    bias: BiasTrace | SettingError

    @property
    def rotary_places(self) -> tuple[int, int]:
        """The places of query and key that are looked at, as far as there are any."""
        last = self.settings.n_positions - 1
        return min(self.settings.place_m, last), min(self.settings.place_n, last)

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return lay_out_positions(self)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        sheet = self.sheet()
        tokens = self.example.tokens
        moved, order = tokens, tuple(range(len(tokens)))
        if isinstance(self.order, OrderTrace):
            moved, order = self.order.moved.tokens, self.order.order
        names = _names(is_turned=self.example.positions == "rotary")
        found = dict(sheet.matrices)
        for part, inner in sheet.parts.items():
            found |= {f"{part}_{name}": rows for name, rows in inner.matrices.items()}
        return Screen(
            {name: rows for name, rows in found.items() if name in names},
            {
                "query": tokens,
                "key": tokens,
                "place": moved,
                "key_place": moved,
                "last_query": tokens[-self.settings.last_queries :],
                **_places(self),
            },
            moved={"place": ("query", order), "key_place": ("key", order)},
            names=names,
            first_head=self.example.first_head,
        )


# Its parts are remembered by themselves.
@lru_cache(maxsize=8)
def compute_positions(example: Example, settings: PositionsSettings) -> PositionsTrace:
    """Compute everything the page shows.

    Parameters
    ----------
    example : Example
        The settings of the sidebar.
    settings : PositionsSettings
        Those of the page.

    Returns
    -------
    trace : PositionsTrace
        The same object for equal settings while it is remembered.
    """
    head = min(settings.head, example.n_heads - 1)
    order = _try(lambda: compute_order(example, settings, head))
    x = _inputs(example, order)
    table = _try(lambda: compute_table(example, settings, x))
    rotary: RotaryTrace | SettingError
    bias: BiasTrace | SettingError
    if isinstance(order, SettingError):
        rotary = bias = order
    else:
        original = order.original
        rotary = _try(
            lambda: compute_rotary(original.q[head], original.k[head], settings)
        )
        bias = compute_bias(original, settings)
    return PositionsTrace(example, settings, head, x, order, table, rotary, bias)


def _try(make: Callable[[], Part]) -> Part | SettingError:
    try:
        return make()
    except SettingError as error:
        return error


def _inputs(example: Example, order: OrderTrace | SettingError) -> FloatArray | None:
    """Find X, whether or not its order can be asked about."""
    if isinstance(order, OrderTrace):
        return order.original.x
    plain = compute_shown(replace(example, positions="none"))
    return plain.x if isinstance(plain, ExampleTrace) else None


def _places(trace: PositionsTrace) -> dict[str, tuple[str, ...]]:
    """Label places and positions by their numbers, features by sine and cosine."""
    settings, first = trace.settings, trace.example.first_position
    counted = tuple(str(first + at) for at in range(settings.n_positions))
    turned = tuple(map(str, range(settings.n_positions)))
    labels = {"p": counted, "other_p": counted, "m": turned, "n": turned}
    if settings.table == "sinusoidal":
        half = trace.example.d_model // 2
        is_mixed = settings.features == "interleaved"
        labels["feature"] = (
            ("sin", "cos") * half if is_mixed else ("sin",) * half + ("cos",) * half
        )
    return labels


@cache
def _names(*, is_turned: bool) -> Mapping[str, Matrix]:
    """Name the matrices of the page, of the moved tokens and of biased attention."""
    found = dict(catalogue(is_turned=is_turned))
    for name, matrix in catalogue(is_turned=is_turned).items():
        moved = _along(matrix, _MOVED_AXES)
        if not name.startswith("w_"):
            moved = replace(moved, sub=f"{matrix.sub} π".strip())
        if name in ("x", "inputs"):
            moved = replace(moved, base=f"Π{matrix.base}", sub=matrix.sub)
        found |= {f"moved.{name}": moved, f"moved_{name}": moved}
        biased = _along(matrix, _LAST_AXES)
        found |= {f"biased.{name}": biased}
        found.setdefault(f"biased_{name}", biased)
    return MappingProxyType(found)


def _along(matrix: Matrix, axes: Mapping[str, str]) -> Matrix:
    return replace(matrix, axes=tuple(axes.get(axis, axis) for axis in matrix.axes))
