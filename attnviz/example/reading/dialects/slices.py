"""The sign of a table that is a slice of a larger one."""

# No text has it: characters that cannot be seen are dropped before.
SLICE = "\x02"


def slice_line(places: str) -> str:
    """Write the place of a slice, counted by the last axes of R, MATLAB and Julia.

    Examples
    --------
    >>> slice_line("3, 1") == SLICE + "1 3"
    True
    """
    return SLICE + " ".join(reversed(places.replace(",", " ").split()))
