"""What the cells of every matrix are called, and where they stand on the pages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from attnviz.example.matrices import MATRICES, Matrix, find
from attnviz.example.weights_alone import Shown, WeightsTrace

Index = tuple[int, ...]
Names = Mapping[str, Matrix]
"""The catalogue, as what is on screen has it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a page.

    Attributes
    ----------
    name : str
        Matrix, by its name on the page.
    row, column : int
        Place, counted from 0.
    head : int or None
        Head it belongs to, counted from 0; None where heads do not matter.
    """

    name: str
    row: int
    column: int
    head: int | None = None


# What stands before the name of a matrix of another trace beside the one on screen, on
# the page and in derivations: the first of two, tokens moved, scores biased.
_PARTS = MappingProxyType({"a_": "a.", "moved_": "moved.", "biased_": "biased."})
# Where a preset's matrices have something to show.
_FIRST = MappingProxyType(
    {
        "constant_values": Cell("context", 1, 0),
        "zero_scores": Cell("weights", 2, 1),
        "tired_animal": Cell("weights", 7, 1),
        "its_law": Cell("weights", 8, 1),
        "apple": Cell("weights", 0, 1),
        "fractions": Cell("weights", 0, 1),
        "same_output": Cell("context", 1, 1),
        "left_padding": Cell("weights", 3, 2),
    }
)


def first_cell(shown: Shown) -> Cell:
    """Choose what the Attention page explains at first.

    Returns
    -------
    cell : Cell
        A score, or what the example is about; a weight where there is nothing else.
    """
    name = "weights" if isinstance(shown, WeightsTrace) else "scores"
    cell = _FIRST.get(shown.example.matrices, Cell(name, 1, 2))
    rows, columns = len(shown.tokens), len(shown.key_tokens)
    if cell.name == "context":
        columns = shown.example.d_v
    return replace(
        cell, row=min(cell.row, rows - 1), column=min(cell.column, columns - 1)
    )


def stage_of(cell: Cell, names: Names = MATRICES) -> tuple[str, Index]:
    """Name the stage and the index from which a cell's derivation starts.

    Returns
    -------
    stage : str
        As `core.derivation.derive` takes it.
    index : tuple of int
        Place in that stage.

    Examples
    --------
    >>> stage_of(Cell("scores", 2, 3, head=1)), stage_of(Cell("weights_2", 4, 0))
    (('scores', (1, 2, 3)), ('weights', (1, 4, 0)))
    """
    side, plain = _side_of(cell.name)
    if side:
        stage, index = stage_of(replace(cell, name=plain), names)
        return f"{_PARTS.get(side, side)}{stage}", index
    name, slice_ = find(cell.name)
    matrix = names.get(name)
    if matrix is None:
        return name, (cell.row, cell.column)
    if len(matrix.axes) == 1:
        return name, (cell.column if matrix.is_row else cell.row,)
    place = (cell.row, cell.column)
    if slice_ is not None:
        # One of the heads, or of the queries of one head.
        is_query = len(matrix.axes) > 3
        return name, ((cell.head or 0, slice_) if is_query else (slice_,)) + place
    return name, ((cell.head or 0, *place) if matrix.is_per_head else place)


def cell_of(stage: str, index: Index, names: Names = MATRICES) -> Cell | None:
    """Find the cell of a page from which an operand was read.

    Parameters
    ----------
    stage : str
        Name that an operand carries.
    index : tuple of int
        Its place; empty for a single setting.

    Returns
    -------
    cell : Cell or None
        None for single settings.

    Examples
    --------
    >>> cell_of("weights", (1, 2, 3))
    Cell(name='weights', row=2, column=3, head=1)
    """
    if not index:
        return None
    for side, part in _PARTS.items():
        if stage.startswith(part):
            cell = cell_of(stage.removeprefix(part), index, names)
            return cell and replace(cell, name=f"{side}{cell.name}")
    if len(index) == 1:
        is_row = stage in names and names[stage].is_row
        return Cell(stage, 0, *index) if is_row else Cell(stage, *index, 0)
    *before, row, column = index
    if len(before) == 2:
        head, query = before
        return Cell(f"{stage}_{query + 1}", row, column, head)
    if before and stage in names and not names[stage].is_per_head:
        return Cell(f"{stage}_{before[0] + 1}", row, column)
    return Cell(stage, row, column, *before)


def _side_of(name: str) -> tuple[str, str]:
    """Take away what is put before a name: "a_scores" are the first's of two."""
    for side in (*_PARTS, "b_", "delta_"):
        plain = name.removeprefix(side)
        if plain != name and name not in MATRICES and find(plain)[0] in MATRICES:
            return side, plain
    return "", name


def places_of(cell: Cell, names: Names = MATRICES) -> list[int]:
    """Give the places that stand beside the symbol of a cell, counted from 1.

    Returns
    -------
    places : list of int
        Row and column; one of them for what is a column or a row, and before them what
        else tells its tables apart, unless that is the head.

    Examples
    --------
    >>> places_of(Cell("row_max", 2, 0)), places_of(Cell("score_hidden_3", 0, 1))
    ([3], [3, 1, 2])
    """
    name, slice_ = find(_side_of(cell.name)[1])
    matrix = names[name]
    if matrix.is_column:
        return [cell.row + 1]
    if matrix.is_row:
        return [cell.column + 1]
    is_head = matrix.axes[:-2] == ("head",)
    table = [] if slice_ is None or is_head else [slice_ + 1]
    return [*table, cell.row + 1, cell.column + 1]
