"""Run a few lines of NumPy, and remember of every matrix how it was made.

The lines that a page shows are the lines that make its numbers and their derivations:
nothing is told twice.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.derivation.pieces import Rule
from attnviz.example.matrices import FAULTY, MATRICES
from attnviz.example.mistakes.tracing import (
    Scope,
    derive_laid,
    is_reduction,
    laid_shape,
)

# What variables are called on screen, assignment by assignment.
_STAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "q": ("q",),
        "k": ("k",),
        "v": ("v",),
        "m": ("mask",),
        "top": ("row_max",),
        "s": ("scores", "masked_scores"),
        "e": ("exp_scores", "second_exp"),
        "z": ("row_sum",),
        "a": ("first_weights", "weights"),
        "o": ("first_context",),
        "c": ("context",),
        "mu": ("norm_mean",),
        "var": ("norm_variance",),
        "xhat": ("norm_normalized",),
        "y": ("norm_output",),
        "angle": ("angles",),
        "p": ("code",),
        "turned": ("turned",),
        "slopes": ("slopes",),
        "counts": ("counts",),
        "tokens": ("by_token",),
        "heads": ("split",),
        "joined": ("merged",),
    }
)
# What no figure shows, and a derivation goes through.
_PASSING = ("first_weights",)
# Of these the last assignment counts, of the others the first.
_FINAL = ("a",)
# What variables that are given stand for; all others enter as plain numbers.
_GIVEN: Mapping[str, str] = MappingProxyType(
    {
        "q": "q",
        "k": "k",
        "v": "v",
        "x": "norm_input",
        "gamma": "gamma",
        "beta": "beta",
        "eps": "eps",
        "whole": "whole",
        "parts": "parts",
        "rows": "rows",
    }
)


@dataclass(frozen=True, slots=True)
class Run:
    """What some lines have made.

    Attributes
    ----------
    values : mapping of str to FloatArray
        Matrices by their names on screen.
    rules : mapping of str to Rule
        How the cells of each come about.
    variables : mapping of str to Any
        The variables in the end.
    """

    values: Mapping[str, FloatArray]
    rules: Mapping[str, Rule]
    variables: Mapping[str, Any]


def run(text: str, given: Mapping[str, Any], prefix: str = FAULTY) -> Run:
    """Run lines of NumPy, one assignment a line.

    Parameters
    ----------
    text : str
        The lines. They come from this package, never from a reader.
    given : mapping of str to Any
        Variables that they find.
    prefix : str, default="faulty_"
        What the names on screen begin with.

    Returns
    -------
    run : Run
        All that they made.
    """
    names = {name: _GIVEN[name] for name in given if name in _GIVEN}
    now = _Running({"np": np, **given}, names, prefix)
    body = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    targets = [ast.unparse(node.targets[0]) for node in body]
    for place, node in enumerate(body):
        inner: dict[str, str] = {}
        for each, name in _reductions(node.value, now):
            now.keep(name, each, inner={})
            inner[ast.unparse(each)] = name
        stage = _stage(targets, place)
        scope = now.scope(inner)
        if stage:
            now.keep(f"{prefix}{stage}", node.value, inner)
            now.names[targets[place]] = f"{prefix}{stage}"
        now.passing.pop(targets[place], None)
        if stage in _PASSING:
            now.passing[targets[place]] = scope, node.value
        now.env[targets[place]] = scope.value(node.value)
    return Run(now.values, now.rules, now.env)


@dataclass(slots=True)
class _Running:
    """What has been made so far."""

    env: dict[str, Any]
    names: dict[str, str]
    prefix: str
    values: dict[str, FloatArray] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    passing: dict[str, tuple[Scope, ast.expr]] = field(default_factory=dict)

    def scope(self, inner: Mapping[str, str]) -> Scope:
        """Say what names mean at this line."""
        return Scope(dict(self.env), dict(self.names), inner, dict(self.passing))

    def keep(self, name: str, node: ast.expr, inner: Mapping[str, str]) -> None:
        """Remember a matrix, with the axes it has on screen, and its rule."""
        scope = self.scope(inner)
        value = np.asarray(scope.value(node), dtype=float)
        shape = laid_shape(value.shape, len(MATRICES[name].axes))
        self.values[name] = value.reshape(shape)
        self.rules[name] = partial(derive_laid, scope, node)


def _stage(targets: list[str], place: int) -> str:
    """Name what an assignment makes; empty where no figure or derivation shows it."""
    target = targets[place]
    stages = _STAGES.get(target, ())
    number = targets[:place].count(target)
    if target in _FINAL:
        number += len(stages) - targets.count(target)
    return stages[number] if 0 <= number < len(stages) else ""


def _reductions(node: ast.expr, now: _Running) -> Iterator[tuple[ast.expr, str]]:
    """Find sums and maxima within an expression, which have names of their own."""
    for each in ast.walk(node):
        if each is node or not is_reduction(each):
            continue
        assert isinstance(each, ast.Call)
        assert isinstance(each.func, ast.Attribute)
        kind = each.func.attr
        if kind == "mean":
            continue
        value = np.asarray(now.scope({}).value(each))
        is_row = value.ndim > 2 and value.shape[-1] == 1
        name = f"{now.prefix}{'row' if is_row else 'column'}_{kind}"
        yield each, f"{now.prefix}second_{kind}" if name in now.values else name
