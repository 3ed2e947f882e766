"""Which cells of a table are numbers, and which are words or counts at its edges."""

from dataclasses import dataclass

from attnviz.example.reading.numbers import as_number, is_whole

Row = list[str]
# So many counts are no chance; fewer may as well be numbers of the matrix.
_SURE_COUNTS = 3
# All rows below are looked at to tell whether one stands over them.
_MOST_HEADS = 8


@dataclass(frozen=True, slots=True)
class Body:
    """A table without its edges.

    Attributes
    ----------
    cells : list of list of str
        What should be numbers.
    rows, columns : tuple of str
        Words at them; empty if there are none.
    left_out : tuple of str
        What stood at the edges besides.
    """

    cells: list[Row]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def take_edges(rows: list[Row]) -> Body:
    """Tell the edges of a table from its numbers.

    Parameters
    ----------
    rows : list of list of str
        Cells of each row, at least one.

    Returns
    -------
    body : Body
        Words at rows and columns; positions 0, 1, 2, … or 1, 2, 3, … at an edge are
        left out where the numbers beside them are no such counts.

    Examples
    --------
    >>> take_edges([["", "a", "b"], ["a", "1", "0"], ["b", "0.5", "0.5"]]).columns
    ('a', 'b')
    >>> take_edges([["0", "1", "2"], ["0.5", "0.25", "0.25"]]).left_out
    ('0 1 2',)
    """
    heads, rows = _take_heads(rows)
    left_out = [" ".join(head) for head in heads[:-1]]
    head = heads[-1] if heads else []
    width = max(map(len, rows))
    edge = [row[0] for row in rows]
    is_corner = bool(head) and (
        not head[0] or (len(head) == width - 1 and _are_names(edge))
    )
    has_labels = width > 1 and (is_corner or _are_words(edge))
    labels: Row = []
    beside = [row[1:] for row in rows]
    if has_labels or _are_counts(edge, beside):
        labels = [word.removesuffix(":") or word for word in edge]
        rows = beside
        width -= 1
    if labels and len(head) == width + 1:
        left_out += [head[0]] if head[0] else []
        head = head[1:]
    if not head and _are_counts(rows[0], rows[1:]):
        head, rows = rows[0], rows[1:]
    if head and len(head) != width:
        left_out.append(" ".join(head))
        head = []
    names: list[tuple[str, ...]] = []
    for words in (labels, head):
        are_words = not all(map(_is_count, words))
        names.append(tuple(words) if are_words else ())
        left_out += [] if are_words else [" ".join(words)]
    told = tuple(text for text in left_out if text.strip())
    return Body(rows, names[0], names[1], told)


def is_head(row: Row) -> bool:
    """Recognize a row of words, or one that leaves a corner free."""
    return not any(map(_is_number, row)) or (not row[0] and any(row))


def _take_heads(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """Take off the rows of words at the top."""
    count = 0
    while count < len(rows) - 1 and (
        is_head(rows[count])
        or (count < _MOST_HEADS and _is_over(rows[count], rows[count + 1 :]))
    ):
        count += 1
    return rows[:count], rows[count:]


def _is_over(row: Row, others: list[Row]) -> bool:
    """Recognize a row with numbers that stands over all others, as words do."""
    return _is_short(row, others) or _is_mixed(row, others)


def _is_short(row: Row, others: list[Row]) -> bool:
    """Recognize names or counts over all columns but that of the labels."""
    widths = {len(other) for other in others}
    labels = [other[0] for other in others]
    are_counts = all(map(_is_count, labels))
    return (
        widths == {len(row) + 1}
        and _are_names(labels)
        and (not are_counts or all(map(_is_count, row)))
    )


def _is_mixed(row: Row, others: list[Row]) -> bool:
    """Recognize words among which some are written in digits, such as a year."""
    words = [cell for cell in row if not _is_number(cell)]
    return (
        2 * len(words) >= len(row)
        and all(is_whole(cell) for cell in row if _is_number(cell))
        and len({len(other) for other in others} | {len(row)}) == 1
        and all(_is_number(cell) for other in others for cell in other[1:])
        and (len(others) > 1 or _is_number(others[0][0]))
    )


def _are_names(edge: Row) -> bool:
    """Recognize nothing but words, or nothing but counts."""
    return not any(map(_is_number, edge)) or all(map(_is_count, edge))


def _are_words(edge: Row) -> bool:
    """Tell words from numbers; among words may be some in digits."""
    numbers = [cell for cell in edge if _is_number(cell)]
    return len(numbers) < len(edge) and all(map(is_whole, numbers))


def _are_counts(edge: Row, body: list[Row]) -> bool:
    """Recognize 0, 1, 2, … or 1, 2, 3, … beside numbers that are not whole.

    Two of them count where a square of nothing but fractions is left.
    """
    whole = [_is_integer(cell) for row in body for cell in row]
    square = len(edge) > 1 and {len(edge)} == {len(body), *map(len, body)}
    return (
        (len(edge) >= _SURE_COUNTS or (square and not any(whole)))
        and all(map(_is_count, edge))
        and [int(cell) - int(edge[0]) for cell in edge] == list(range(len(edge)))
        and int(edge[0]) in (0, 1)
        and not all(whole)
    )


def _is_count(cell: str) -> bool:
    return is_whole(cell) and len(cell) < 6


def _is_integer(cell: str) -> bool:
    number = as_number(cell)
    return number is None or number == round(number, 0)


def _is_number(cell: str) -> bool:
    return as_number(cell) is not None
