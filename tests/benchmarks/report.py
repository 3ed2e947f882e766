"""Print measurements as one aligned table."""

from collections.abc import Sequence


def print_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print rows under their heads.

    Parameters
    ----------
    title : str
        What was measured.
    heads : sequence of str
        One head a column.
    rows : sequence of sequence of str
        Cells; the first of each row is its name.
    """
    lines = [list(heads), *[list(row) for row in rows]]
    widths = [max(len(line[j]) for line in lines) for j in range(len(heads))]
    print(f"\n{title}")
    for number, line in enumerate(lines):
        name, *cells = line
        padded = [
            cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)
        ]
        print("  ".join([name.ljust(widths[0]), *padded]).rstrip())
        if number == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))


def share(times: Sequence[float], percent: int) -> float:
    """Find the value below which a percentage of the times lies.

    Parameters
    ----------
    times : sequence of float
        Measurements.
    percent : int
        From 0 to 100.

    Returns
    -------
    time : float
        One of the times.
    """
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))]
