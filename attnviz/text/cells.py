"""What the cells of every matrix are called, and where they stand on the pages."""

from dataclasses import dataclass, replace
from types import MappingProxyType

from attnviz.example.weights_alone import Shown, WeightsTrace

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Symbol:
    """How one cell of a matrix, or a single setting, is written.

    Attributes
    ----------
    base, sub, sup : str
        Letter, subscript and superscript.
    role : str
        Colour of the quantity.
    """

    base: str
    sub: str = ""
    sup: str = ""
    role: str = "x"


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

    Parameters
    ----------
    shown : ExampleTrace or WeightsTrace
        What is on screen.

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


SYMBOLS = MappingProxyType(
    {
        "x": Symbol("x"),
        "x_k": Symbol("x", "K"),
        "inputs": Symbol("x", "", "+p"),
        "positions": Symbol("p"),
        "key_positions": Symbol("p", "K"),
        "key_inputs": Symbol("x", "K", "+p"),
        "w_q": Symbol("W", "Q", role="q"),
        "w_k": Symbol("W", "K", role="k"),
        "w_v": Symbol("W", "V", role="v"),
        "w_o": Symbol("W", "O", role="c"),
        "q": Symbol("q", role="q"),
        "k": Symbol("k", role="k"),
        "v": Symbol("v", role="v"),
        "q_turned": Symbol("q′", role="q"),
        "k_turned": Symbol("k′", role="k"),
        "cos": Symbol("cos"),
        "sin": Symbol("sin"),
        "q_w": Symbol("qW", role="q"),
        "score_w": Symbol("W", role="s"),
        "score_w_q": Symbol("W", "q", role="s"),
        "score_w_k": Symbol("W", "k", role="s"),
        "score_v": Symbol("v", role="s"),
        "score_hidden": Symbol("u", role="s"),
        "raw_scores": Symbol("q·k", role="s"),
        "scores": Symbol("S", role="s"),
        "bias": Symbol("b", role="s"),
        "mask": Symbol("M", role="s"),
        "masked_scores": Symbol("S", "M", role="s"),
        "row_max": Symbol("max", role="s"),
        "exp": Symbol("e", role="s"),
        "row_sum": Symbol("Σ", role="s"),
        "weights": Symbol("A", role="s"),
        "context": Symbol("C", role="c"),
        "joined": Symbol("[C]", role="c"),
        "output": Symbol("O", role="c"),
        "norm_input": Symbol("x"),
        "mean": Symbol("μ"),
        "variance": Symbol("v"),
        "norm_normalized": Symbol("x̂", role="n"),
        "gamma": Symbol("γ", role="n"),
        "beta": Symbol("β", role="n"),
        "norm_output": Symbol("y", role="n"),
        "scale": Symbol("scale"),
        "softcap": Symbol("cap"),
        "temperature": Symbol("τ"),
        "eps": Symbol("ε"),
        "d": Symbol("d"),
        "base": Symbol("base"),
        "2i": Symbol("2i"),
        "position": Symbol("p"),
        "rounding": Symbol("rounding"),
    }
)

# Matrices of which every head has its own.
_BY_HEAD = frozenset(
    {
        "w_q",
        "w_k",
        "w_v",
        "q",
        "k",
        "v",
        "q_turned",
        "k_turned",
        "q_w",
        "raw_scores",
        "scores",
        "mask",
        "masked_scores",
        "row_max",
        "exp",
        "row_sum",
        "weights",
        "context",
    }
)
# Vectors that a page draws as a column or a row, with their names there.
_COLUMNS = MappingProxyType({"norm_mean": "mean", "norm_variance": "variance"})
_SINGLE_COLUMNS = frozenset({*_COLUMNS, "row_max", "row_sum"})
_ROWS = frozenset({"gamma", "beta"})
_COLUMN_NAMES = MappingProxyType({stage: name for name, stage in _COLUMNS.items()})
_HEAD_PREFIX = "weights_"
# The hidden layer of the additive score: a table of keys and units for each query.
_HIDDEN = "score_hidden"
_QUERY_PREFIX = f"{_HIDDEN}_"


def stage_of(cell: Cell) -> tuple[str, Index]:
    """Name the stage and the index from which a cell's derivation starts.

    Parameters
    ----------
    cell : Cell
        A cell of a page.

    Returns
    -------
    stage : str
        As `core.derivation.derive` takes it.
    index : tuple of int
        Place in that stage.

    Examples
    --------
    >>> stage_of(Cell("scores", 2, 3, head=1)), stage_of(Cell("norm_mean", 4, 0))
    (('scores', (1, 2, 3)), ('mean', (4,)))
    """
    if cell.name.startswith(_HEAD_PREFIX):
        head = int(cell.name.removeprefix(_HEAD_PREFIX)) - 1
        return "weights", (head, cell.row, cell.column)
    if cell.name.startswith(_QUERY_PREFIX):
        query = int(cell.name.removeprefix(_QUERY_PREFIX)) - 1
        return _HIDDEN, (cell.head or 0, query, cell.row, cell.column)
    if cell.name in _COLUMNS:
        return _COLUMNS[cell.name], (cell.row,)
    if cell.name in _ROWS:
        return cell.name, (cell.column,)
    if cell.name in _BY_HEAD:
        return cell.name, (cell.head or 0, cell.row, cell.column)
    return cell.name, (cell.row, cell.column)


def cell_of(stage: str, index: Index) -> Cell | None:
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
    if stage in _COLUMN_NAMES:
        return Cell(_COLUMN_NAMES[stage], index[0], 0)
    if stage in _ROWS:
        return Cell(stage, 0, index[0])
    if stage == _HIDDEN:
        head, query, key, unit = index
        return Cell(f"{_QUERY_PREFIX}{query + 1}", key, unit, head)
    if stage in _BY_HEAD and len(index) == 3:
        return Cell(stage, index[1], index[2], index[0])
    return Cell(stage, index[-2], index[-1])


def places_of(cell: Cell) -> list[int]:
    """Give the places that stand beside the symbol of a cell, counted from 1.

    Parameters
    ----------
    cell : Cell
        A cell of a page.

    Returns
    -------
    places : list of int
        Row and column; one of them for what is a column or a row, and the query too
        for what each pair of query and key has.

    Examples
    --------
    >>> places_of(Cell("row_max", 2, 0)), places_of(Cell("score_hidden_3", 0, 1))
    ([3], [3, 1, 2])
    """
    if cell.name in _SINGLE_COLUMNS:
        return [cell.row + 1]
    if cell.name in _ROWS:
        return [cell.column + 1]
    places = [cell.row + 1, cell.column + 1]
    if cell.name.startswith(_QUERY_PREFIX):
        places.insert(0, int(cell.name.removeprefix(_QUERY_PREFIX)))
    return places
