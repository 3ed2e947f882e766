"""How NumPy and PyTorch write the same things, and how numbers become source."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

# Gives the comments: takes a key and the values of its placeholders.
Words = Callable[..., str]

# Agreement to twelve digits, or fewer where large numbers leave fewer to the small.
_TOLERANCE, _LOOSEST = 1e-12, 1e-6
_ROUNDING = 1e-14

_NUMPY_SAME = """\
def same(name, computed, shown):
    \"\"\"{same}\"\"\"
    np.testing.assert_allclose(
        computed, shown, rtol=TOLERANCE, atol=TOLERANCE, err_msg=name
    )
    print(name, "{agrees}")
"""
_TORCH_SAME = """\
def same(name, computed, shown):
    \"\"\"{same}\"\"\"
    torch.testing.assert_close(
        computed, torch.tensor(shown), rtol=TOLERANCE, atol=TOLERANCE
    )
    print(name, "{agrees}")
"""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One of the two libraries.

    Attributes
    ----------
    library : str
        Its name.
    start : str
        Imports and settings.
    same : str
        Definition of the function that compares.
    array : str
        What makes an array of nested lists.
    is_torch : bool
        Whether it brings attention and LayerNorm as functions of its own.
    terms : mapping of str to str
        What stands for the placeholders of a piece of source.
    """

    library: str
    start: str
    same: str
    array: str
    is_torch: bool
    terms: Mapping[str, str]

    def speak(self, source: str) -> str:
        """Put the library's own words into a piece of source."""
        for placeholder, term in self.terms.items():
            source = source.replace(placeholder, term)
        return source

    def assign(self, name: str, values: npt.NDArray[Any]) -> str:
        """Write an array with all its digits."""
        return f"{name} = {self.array}({literal(values, self.terms['LIB'])})"


NUMPY = Dialect(
    library="NumPy",
    start="import numpy as np",
    same=_NUMPY_SAME,
    array="np.array",
    is_torch=False,
    terms=MappingProxyType(
        {
            "LIB": "np",
            "ALONG": "axis=-1, keepdims=True",
            "LAST": "axis=-1",
            "LARGEST": "max",
            "JOIN": "np.concatenate",
        }
    ),
)
TORCH = Dialect(
    library="PyTorch",
    start=(
        "import torch\nfrom torch.nn import functional as F\n\n"
        "torch.set_default_dtype(torch.float64)"
    ),
    same=_TORCH_SAME,
    array="torch.tensor",
    is_torch=True,
    terms=MappingProxyType(
        {
            "LIB": "torch",
            "ALONG": "dim=-1, keepdim=True",
            "LAST": "dim=-1",
            "LARGEST": "amax",
            "JOIN": "torch.cat",
        }
    ),
)


def literal(values: npt.NDArray[Any], library: str) -> str:
    """Write nested lists, one row a line.

    Parameters
    ----------
    values : ndarray
        Numbers of any rank.
    library : str
        Module that knows infinity.
    """
    return _nested(values.tolist(), library, "")


def shown(dialect: Dialect, title: str, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Write the comparisons with the numbers on screen.

    Parameters
    ----------
    title : str
        Comment that heads them.
    arrays : mapping of str to ndarray
        What the screen shows, by the name of what was computed.
    """
    calls = [
        f'same("{name}", {name}, {literal(values, dialect.terms["LIB"])})'
        for name, values in arrays.items()
    ]
    return section(title, *calls)


def section(title: str, *source: str) -> str:
    """Put a comment above pieces of source."""
    return "\n".join([f"# {title}", *(piece.rstrip("\n") for piece in source)])


def assemble(
    dialect: Dialect,
    words: Words,
    title: str,
    largest: float,
    sections: Iterable[str],
) -> str:
    """Put a whole script together.

    Parameters
    ----------
    title : str
        What the script computes.
    largest : float
        Largest magnitude on the way, of which rounding is a share.
    sections : iterable of str
        What stands between the head and the end; empty ones are left out.
    """
    needs = words("export.script.needs", library=dialect.library)
    warnings = f"{words('warning.random')}\n{words('warning.causes')}"
    head = f'"""{title}\n\n{needs}\n{warnings}\n"""\n\n{dialect.start}'
    tolerance = min(max(_TOLERANCE, _ROUNDING * largest), _LOOSEST)
    same = dialect.same.format(
        same=words("export.script.same"), agrees=words("export.script.agrees")
    )
    body = "\n\n".join(part for part in sections if part)
    return f"{head}\n\nTOLERANCE = {tolerance:.0e}\n\n\n{same}\n\n{body}\n"


def magnitude(*arrays: npt.NDArray[Any]) -> float:
    """Find the largest finite magnitude in arrays."""
    return max(
        float(np.abs(array[np.isfinite(array)]).max(initial=0)) for array in arrays
    )


def _nested(values: Any, library: str, indent: str) -> str:  # noqa: ANN401 - any depth
    """Write a row on one line, and what holds rows over several."""
    if not isinstance(values, list):
        text = repr(values)
        return re.sub("inf|nan", lambda found: f"{library}.{found[0]}", text)
    inner = indent + "    "
    parts = [_nested(value, library, inner) for value in values]
    if not isinstance(values[0], list):
        return f"[{', '.join(parts)}]"
    lines = "".join(f"{inner}{part},\n" for part in parts)
    return f"[\n{lines}{indent}]"
