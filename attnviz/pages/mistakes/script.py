"""The script of the page: the lines on screen, and what they should give."""

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.export.dialect import NUMPY, Dialect, Words, assemble, literal, section
from attnviz.pages.mistakes.shown import Code, Shown

# Half and single precision have fewer digits to agree in.
_LARGEST, _USUAL = 1e8, 10.0
_NARROW = (np.float16, np.float32)


def shown_script(shown: Shown, dialect: Dialect, words: Words) -> str:
    """Write the lines of the open section, with the numbers they start from.

    The lines are NumPy, as they stand on the page; PyTorch compares what they give.
    """
    code = shown.code
    parts = [
        section(
            words(title),
            *_given(code, lines),
            lines,
            *[_same(name, value, dialect) for name, value in results.items()],
        )
        for title, lines, results in code.parts
    ]
    head = [section(words("mistakes.script.numpy"), NUMPY.start)]
    title = words("mistakes.script.title")
    return assemble(dialect, words, title, _size(code), [*head, *parts])


def _given(code: Code, lines: str) -> list[str]:
    """Write the variables that lines find."""
    wanted = {
        node.id for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name)
    }
    return [
        f"{name} = {_literal(value)}"
        for name, value in code.given.items()
        if name in wanted
    ]


def _literal(value: Any) -> str:  # noqa: ANN401 - an array or a number
    array = np.asarray(value)
    if array.ndim == 0 and array.dtype == np.float64:
        return repr(array.item())
    text = literal(array, "np")
    narrow = array.dtype in _NARROW
    return (
        f"np.array({text}, dtype=np.{array.dtype})"
        if narrow
        else (f"np.array({text})" if array.ndim else text)
    )


def _same(name: str, value: FloatArray, dialect: Dialect) -> str:
    wanted = f"np.array({literal(value, 'np')})"
    made = f"np.broadcast_to({name}, {value.shape})"
    if value.dtype in _NARROW:
        made = f"{made}.astype(np.{value.dtype})"
    if dialect.is_torch:
        return (
            f'same("{name}", torch.nan_to_num(torch.tensor({made}).double()), '
            f"torch.nan_to_num(torch.tensor({wanted})).tolist())"
        )
    return f'same("{name}", {made}, {wanted})'


def _size(code: Code) -> float:
    found: list[Mapping[str, FloatArray]] = [results for _, _, results in code.parts]
    arrays = [np.asarray(value) for results in found for value in results.values()]
    is_narrow = any(array.dtype != np.float64 for array in arrays)
    return _LARGEST if is_narrow else _USUAL
