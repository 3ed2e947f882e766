"""Public docstrings follow numpydoc, name what is raised, and tell true shapes."""

import ast
import dataclasses
import importlib
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc, NumpyDocString
from numpydoc.validate import validate

import attnviz.core
from attnviz.core.attention.heads import (
    merge_heads,
    project_heads,
    share_heads,
    split_fused,
    split_heads,
)
from attnviz.core.attention.masks import padding_mask
from attnviz.core.attention.multi_head import MultiHeadParameters, multi_head_attend
from attnviz.core.attention.scaled_dot_product import attend
from attnviz.core.attention.weights import softmax_stages
from attnviz.core.layers.norms import layer_norm
from attnviz.core.layers.rms import rms_norm

WAIVED = {
    "GL01",  # the summary stands on the first line, beside the quotes
    "RT04",  # a description may start with a symbol, such as x̂
    "PR08",
    "RT02",  # a single result has a name, as an argument has
    "SA01",  # "See Also" only where it helps
    "EX01",  # examples only where they help: the tests are full of them
    "ES01",  # one line often says it all
}
# A class describes its fields as attributes; a test below compares them.
WAIVED_FOR_CLASSES = WAIVED | {"PR01"}


# Rooms whose offers are mathematics; what is offered elsewhere may need but a line.
MATHEMATICS = [
    "attention",
    "positions",
    "layers",
    "fast",
    "cost",
    "gradients",
    "checks",
    "faults",
    "diagnosis",
]


def public_names() -> Iterator[str]:
    """Find the functions and classes of the library's face and of its mathematics."""
    rooms = [importlib.import_module(f"attnviz.core.{name}") for name in MATHEMATICS]
    offers = [
        getattr(room, name) for room in (attnviz.core, *rooms) for name in room.__all__
    ]
    modules = [thing for thing in offers if inspect.ismodule(thing)]
    offers += [
        thing
        for module in modules
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__
        and not name.startswith("_")
    ]
    for thing in offers:
        if inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing)):
            yield f"{thing.__module__}.{thing.__qualname__}"


def find(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def fields(thing: Any) -> tuple[str, ...]:
    """Name the fields of a dataclass or named tuple."""
    if dataclasses.is_dataclass(thing):
        return tuple(field.name for field in dataclasses.fields(thing))
    return getattr(thing, "_fields", ())


PUBLIC = sorted(set(public_names()))
FUNCTIONS = [name for name in PUBLIC if not inspect.isclass(find(name))]
CLASSES = [name for name in PUBLIC if inspect.isclass(find(name))]
RECORDS = [name for name in CLASSES if fields(find(name))]


def complaints(name: str, waived: set[str]) -> list[tuple[str, str]]:
    return [error for error in validate(name)["errors"] if error[0] not in waived]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_docstring_of_a_function_follows_numpydoc(name):
    assert complaints(name, WAIVED) == []


@pytest.mark.parametrize("name", CLASSES)
def test_the_docstring_of_a_class_follows_numpydoc(name):
    assert complaints(name, WAIVED_FOR_CLASSES) == []


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_describes_each_of_its_fields(name):
    described = NumpyDocString(inspect.getdoc(find(name)))["Attributes"]
    names = tuple(one for entry in described for one in entry.name.split(", "))
    assert names == fields(find(name))


def test_face_and_mathematics_are_found():
    assert {
        "attnviz.core.attention.scaled_dot_product.attend",
        "attnviz.core.derivation.stages.derive",
        "attnviz.core.faults.masks.filled",
    } < set(FUNCTIONS)
    assert "attnviz.core.layers.norms.NormTrace" in RECORDS


def raised(
    function: Callable[..., Any], seen: frozenset[str] = frozenset()
) -> set[str]:
    """Name the errors of a function's own `raise` lines and of its private helpers."""
    function = inspect.unwrap(function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    errors = {
        node.exc.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id[0].isupper()
    }
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for name in sorted(names - seen):
        helper = inspect.getmodule(function).__dict__.get(name)
        if name.startswith("_") and inspect.isfunction(helper):
            errors |= raised(helper, seen | names)
    return errors


def documented_errors(function: Callable[..., Any]) -> set[str]:
    text = NumpyDocString(inspect.getdoc(function))
    return {entry.type for entry in text["Raises"]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_a_function_raises_is_documented(name):
    assert raised(find(name)) <= documented_errors(find(name))


def _helper() -> None:
    raise KeyError("deep inside")


def careless() -> None:
    """Raise something that no section mentions."""
    if not _helper():
        raise TypeError("right here")


def test_an_undocumented_error_is_found():
    assert raised(careless) == {"TypeError", "KeyError"}
    assert documented_errors(careless) == set()


# Distinct primes, so that no size can stand in for another; H is a multiple of H_kv.
SIZES = {
    "T": 3,
    "T_q": 3,
    "T_k": 5,
    "d": 13,
    "d_k": 7,
    "d_v": 11,
    "n": 17,
    "H": 4,
    "H_kv": 2,
}
LEADING = (19,)


def shape_in(text: str) -> tuple[int, ...]:
    """Read a shape such as (..., T_q, H·d_v)."""
    inside = re.search(r"of shape \(([^)]*)\)", text)[1]
    axes = [axis.strip() for axis in inside.split(",") if axis.strip()]
    shape: tuple[int, ...] = ()
    for axis in axes:
        shape += LEADING if axis == "..." else (size(axis),)
    return shape


def size(axis: str) -> int:
    """Read an axis such as 1, T_q or H·d_v."""
    return math.prod(SIZES.get(factor) or int(factor) for factor in axis.split("·"))


def shapes(entries: list[Any]) -> dict[str, tuple[int, ...]]:
    """Read the documented shape of every name that has one."""
    return {
        name: shape_in(entry.type)
        for entry in entries
        for name in entry.name.split(", ")
        if "of shape (" in entry.type
    }


def arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """Make arrays of the documented shapes and kinds."""
    rng = np.random.default_rng(0)
    entries = FunctionDoc(function)["Parameters"]
    kinds = {n: e.type for e in entries for n in e.name.split(", ")}
    return {
        name: np.ones(shape, bool)
        if "bool" in kinds[name].lower()
        else rng.random(shape)
        for name, shape in shapes(entries).items()
    }


def real_and_documented(
    function: Callable[..., Any], result: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    if dataclasses.is_dataclass(result):
        documented = shapes(ClassDoc(type(result))["Attributes"])
        return {name: getattr(result, name).shape for name in documented}, documented
    documented = shapes(FunctionDoc(function)["Returns"])
    results = result if isinstance(result, tuple) else (result,)
    return dict(zip(documented, (r.shape for r in results), strict=True)), documented


LAYER = MultiHeadParameters(
    **{
        name: np.ones(shape)
        for name, shape in shapes(ClassDoc(MultiHeadParameters)["Attributes"]).items()
        if name.startswith("w_")
    }
)


@pytest.mark.parametrize(
    ("function", "others"),
    [
        (attend, {}),
        (multi_head_attend, {"parameters": LAYER}),
        (layer_norm, {}),
        (rms_norm, {}),
        (softmax_stages, {}),
        (padding_mask, {}),
        (project_heads, {}),
        (split_heads, {"n_heads": SIZES["H"]}),
        (merge_heads, {}),
        (share_heads, {"n_heads": SIZES["H"]}),
        (split_fused, {"n_heads": SIZES["H"]}),
    ],
)
def test_documented_shapes_are_the_real_ones(function, others):
    result = function(**arguments(function), **others)
    real, documented = real_and_documented(function, result)
    assert real == documented
    assert documented


def outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Multiply every entry with every other.

    Parameters
    ----------
    a : FloatArray of shape (T_q,)
        Rows.
    b : FloatArray of shape (T_k,)
        Columns.

    Returns
    -------
    product : FloatArray of shape (T_k, T_q)
        The wrong way round.
    """
    return np.outer(a, b)


def test_a_documented_shape_that_is_wrong_is_found():
    real, documented = real_and_documented(outer, outer(**arguments(outer)))
    assert real == {"product": (3, 5)}
    assert documented == {"product": (5, 3)}
