"""Matrices that are made when they are first looked at, such as those of all layers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.layer.naming import Inside, Place


class Lazy(Mapping[str, FloatArray]):
    """Matrices by name, each made once, and only if somebody asks for it."""

    def __init__(
        self,
        found: Mapping[str, FloatArray],
        makers: Mapping[str, Callable[[], FloatArray]],
    ) -> None:
        """Take those that are there, and what makes the others."""
        self._found = dict(found)
        self._makers = makers

    def __getitem__(self, name: str) -> FloatArray:
        """Give a matrix."""
        if name not in self._found:
            self._found[name] = self._makers[name]()
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a matrix of that name, without making it."""
        return name in self._found or name in self._makers

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter({**self._found, **self._makers})

    def __len__(self) -> int:
        """Count the names."""
        return len({**self._found, **self._makers})


class Over(Mapping[str, FloatArray]):
    """Matrices that lie over others: of a name that both have, the upper one counts."""

    def __init__(
        self, above: Mapping[str, FloatArray], below: Mapping[str, FloatArray]
    ) -> None:
        """Take both, and make none."""
        self._layers = above, below

    def __getitem__(self, name: str) -> FloatArray:
        """Give a matrix."""
        above, below = self._layers
        return above[name] if name in above else below[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a matrix of that name, without making it."""
        return any(name in layer for layer in self._layers)

    def __iter__(self) -> Iterator[str]:
        """Go through the names, the lower ones first."""
        above, below = self._layers
        return iter(dict.fromkeys((*below, *above)))

    def __len__(self) -> int:
        """Count the names."""
        return len(dict.fromkeys(self))


def stacks(inside: Inside) -> dict[str, Callable[[], FloatArray]]:
    """Say how the matrices of all layers, and of their norms, are put together.

    Returns
    -------
    makers : dict of str to callable
        By the name on screen; an axis for the layers, and one for their norms, come
        before rows and columns where there are several.
    """
    places: dict[str, list[Place]] = {}
    for place in inside.originals:
        places.setdefault(place.name, []).append(place)
    return {name: partial(_stack, inside, group) for name, group in places.items()}


def _stack(inside: Inside, places: list[Place]) -> FloatArray:
    matrices = [inside.matrix(place) for place in places]
    counts = [1 + place for place in places[-1].first]
    if not counts:
        return matrices[0]
    return np.stack(matrices).reshape(*counts, *matrices[0].shape)
