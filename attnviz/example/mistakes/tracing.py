"""Where one number of an expression in NumPy comes from."""

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation.arithmetic import carry, collect, then
from attnviz.core.derivation.pieces import Derivation, Operator
from attnviz.example.matrices import MATRICES

Place = tuple[int, ...]
_SIGNS: Mapping[type[ast.operator], Operator] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}
_CALLS: Mapping[str, Operator] = {"exp": "exp", "sin": "sine", "cos": "cosine"}
_REDUCTIONS = ("sum", "max", "mean")
# What only puts numbers elsewhere.
_MOVES = ("reshape", "swapaxes", "transpose", "mT", "T")
_MOVERS = ("repeat", "tile", "stack", "concatenate", "swapaxes", "array")


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names in an expression mean.

    Attributes
    ----------
    env : mapping of str to Any
        Values of the variables.
    names : mapping of str to str
        Matrices that variables stand for.
    inner : mapping of str to str
        Matrices that sums and maxima within the expression stand for, by their source.
    passing : mapping of str to (Scope, expr)
        Variables that hold something on its way alone, and what they were assigned.
    """

    env: Mapping[str, Any]
    names: Mapping[str, str]
    inner: Mapping[str, str]
    passing: "Mapping[str, tuple[Scope, ast.expr]]"

    def value(self, node: ast.expr, **more: Any) -> Any:  # noqa: ANN401 - any value
        """Evaluate an expression."""
        code = compile(ast.Expression(node), "<shown>", "eval")
        with np.errstate(all="ignore"):
            return eval(code, {**self.env, **more})

    def name_of(self, node: ast.expr) -> str:
        """Name the matrix that an expression stands for, if it does."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, "")
        return self.inner.get(ast.unparse(node), "")


def is_reduction(node: ast.AST) -> bool:
    """Tell whether an expression is a sum, a maximum or a mean along an axis."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _REDUCTIONS
    )


def laid_shape(shape: tuple[int, ...], n_axes: int) -> tuple[int, ...]:
    """Give the shape a value has on screen: axes of size 1 come and go."""
    laid = [1] * (n_axes - len(shape)) + list(shape)
    while len(laid) > n_axes and 1 in laid:
        laid.remove(1)
    return tuple(laid)


def explain(
    scope: Scope, node: ast.expr, at: Place, stage: str, index: Index
) -> Derivation:
    """Derive one number of an expression.

    Parameters
    ----------
    scope : Scope
        What its names mean.
    node : expr
        The expression.
    at : tuple of int
        Place of the number in the value of the expression.
    stage, index : str, tuple of int
        The cell whose derivation this is.

    Returns
    -------
    derivation : Derivation
        Terms and steps; whatever has no name on screen enters as a plain number.
    """
    return _Tracer(scope, stage, index).work(node, at)


def derive_laid(
    scope: Scope, node: ast.expr, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    """Derive one cell of what a matrix on screen was assigned; a `Rule`."""
    shape = np.shape(scope.value(node))
    laid = laid_shape(shape, len(MATRICES[stage].axes))
    own = tuple(min(at, size - 1) for at, size in zip(index, laid, strict=True))
    return explain(scope, node, _moved(own, laid, shape), stage, index)


@dataclass(frozen=True, slots=True)
class _Tracer:
    scope: Scope
    stage: str
    index: Index

    def work(self, node: ast.expr, at: Place) -> Derivation:
        """Derive the number at a place."""
        if isinstance(node, ast.Name) and node.id in self.scope.passing:
            scope, behind = self.scope.passing[node.id]
            own = _own(at, np.shape(scope.value(behind)))
            return explain(scope, behind, own, self.stage, self.index)
        if self.scope.name_of(node) or not self._leads_on(node):
            return carry(self.stage, self.index, self.operand(node, at))
        if isinstance(node, ast.BinOp):
            return self._operation(node, at)
        assert isinstance(node, ast.Call | ast.Attribute | ast.Subscript)
        if _is_move(node):
            return self.work(*self._source(node, at))
        assert isinstance(node, ast.Call)
        if is_reduction(node):
            return self._reduction(node, at)
        called = cast(ast.Attribute, node.func).attr
        if called == "where":
            chosen = self._at(node.args[0], at)
            return self.work(node.args[1 if chosen else 2], at)
        return then(self.work(node.args[0], at), _CALLS[called])

    def operand(self, node: ast.expr, at: Place) -> Operand:
        """Read a number, with the cell it stands in if it stands in one."""
        name = self.scope.name_of(node)
        if not name and _is_move(node):
            return self.operand(*self._source(node, at))
        value = float(self._at(node, at))
        if not name:
            return Operand("number", (), value)
        shape = np.shape(self.scope.value(node))
        if not shape:
            return Operand(name, (), value)
        laid = laid_shape(shape, len(MATRICES[name].axes))
        place = _moved(_own(at, shape), shape, laid)
        return Operand(name, place, value)

    def _leads_on(self, node: ast.expr) -> bool:
        """Tell whether an expression is made of something that has a name."""
        if isinstance(node, ast.BinOp):
            return isinstance(
                node.op, ast.MatMult | ast.Add | ast.Sub | ast.Mult | ast.Div
            )
        if is_reduction(node) or _is_move(node):
            return True
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return node.func.attr in (*_CALLS, "where")

    def _operation(self, node: ast.BinOp, at: Place) -> Derivation:
        if isinstance(node.op, ast.MatMult):
            *leading, row, column = at
            width = np.shape(self.scope.value(node.left))[-1]
            pairs = [
                (
                    self.operand(node.left, (*leading, row, each)),
                    self.operand(node.right, (*leading, each, column)),
                )
                for each in range(width)
            ]
            return collect(self.stage, self.index, "sum_of_products", pairs)
        work = self.work(node.left, self._inner(node.left, at))
        root = _root(node)
        if root:
            first, second = (self.operand(part, at) for part in root)
            return then(work, "divide_by_root", first, second)
        return then(work, _SIGNS[type(node.op)], self.operand(node.right, at))

    def _reduction(self, node: ast.Call, at: Place) -> Derivation:
        """Go along the axis that is summed over, or searched."""
        assert isinstance(node.func, ast.Attribute)
        whole, kind = node.func.value, node.func.attr
        shape = np.shape(self.scope.value(whole))
        (axis,) = (ast.literal_eval(each) for each in node.args[:1])
        keeps = any(word.arg == "keepdims" for word in node.keywords)
        axis %= len(shape)
        behind = at[axis + 1 :] if keeps else at[axis:]
        places = [(*at[:axis], each, *behind) for each in range(shape[axis])]
        if kind == "max":
            terms = [(self.operand(whole, place),) for place in places]
            return collect(self.stage, self.index, "maximum", terms)
        squared = _squared(whole)
        if squared:
            pairs = [
                tuple(self.operand(part, place) for part in squared) for place in places
            ]
            work = collect(self.stage, self.index, "sum_of_squares", pairs)
        else:
            terms = [(self.operand(whole, place),) for place in places]
            work = collect(self.stage, self.index, "sum", terms)
        if kind == "mean":
            return then(work, "divide", Operand("number", (), float(shape[axis])))
        return work

    def _at(self, node: ast.expr, at: Place) -> Any:  # noqa: ANN401 - number or flag
        value = np.asarray(self.scope.value(node))
        return value[_own(at, value.shape)]

    def _inner(self, node: ast.expr, at: Place) -> Place:
        return _own(at, np.shape(self.scope.value(node)))

    def _source(self, node: ast.expr, at: Place) -> tuple[ast.expr, Place]:
        """Find which number was put at a place, by moving their numbers instead."""
        moved = copy.deepcopy(node)
        parts = list(_bases(moved))
        stand_ins, first, shapes = {}, 0, []
        for number, part in enumerate(parts):
            shape = np.shape(self.scope.value(part))
            size = int(np.prod(shape))
            stand_ins[f"_{number}"] = np.arange(first, first + size).reshape(shape)
            shapes.append((first, shape))
            first += size
        replaced = _Replace({id(part): f"_{n}" for n, part in enumerate(parts)})
        ids = self.scope.value(_located(replaced.visit(moved)), **stand_ins)
        found = int(np.asarray(ids)[_own(at, np.shape(ids))])
        number = max(n for n, (start, _) in enumerate(shapes) if start <= found)
        start, shape = shapes[number]
        place = tuple(map(int, np.unravel_index(found - start, shape)))
        return list(_bases(node))[number], place


class _Replace(ast.NodeTransformer):
    """Put names in place of some parts of an expression."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> Any:  # noqa: ANN401 - as the class it extends
        """Replace a part, or look into it."""
        if id(node) in self._names:
            return ast.Name(self._names[id(node)], ast.Load())
        return self.generic_visit(node)


def _located(node: ast.expr) -> ast.expr:
    return ast.fix_missing_locations(node)


def _is_move(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr in _MOVES
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in (_MOVERS if _is_numpy(node.func.value) else _MOVES)


def _bases(node: ast.expr) -> Iterator[ast.expr]:
    """Give the parts whose numbers are moved."""
    if not _is_move(node):
        yield node
    elif isinstance(node, ast.Subscript | ast.Attribute):
        yield from _bases(node.value)
    elif isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Attribute)
        first = node.args[0] if _is_numpy(node.func.value) else node.func.value
        parts = first.elts if isinstance(first, ast.List) else [first]
        for part in parts:
            yield from _bases(part)


def _is_numpy(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "np"


def _root(node: ast.BinOp) -> tuple[ast.expr, ast.expr] | None:
    """Recognize a division by the root of a sum."""
    if not isinstance(node.op, ast.Div) or not isinstance(node.right, ast.Call):
        return None
    (inside,) = node.right.args[:1] or (None,)
    is_sum = isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Add)
    if not is_sum or ast.unparse(node.right.func) != "np.sqrt":
        return None
    assert isinstance(inside, ast.BinOp)
    return inside.left, inside.right


def _squared(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Recognize the square of a difference."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        inside = node.left
        if isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Sub):
            return inside.left, inside.right
    return None


def _moved(place: Place, shape: tuple[int, ...], other: tuple[int, ...]) -> Place:
    """Find the same number in an array of another shape."""
    flat = int(np.ravel_multi_index(place, shape))
    return tuple(map(int, np.unravel_index(flat, other)))


def _own(at: Place, shape: tuple[int, ...]) -> Place:
    """Find the place that broadcasting reads."""
    last = at[len(at) - len(shape) :] if shape else ()
    return tuple(
        0 if size == 1 else place for place, size in zip(last, shape, strict=True)
    )
