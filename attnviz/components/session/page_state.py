"""What a page adds to the address."""

from dataclasses import dataclass

from attnviz.example.norms import NormExample


@dataclass(frozen=True, slots=True)
class PageState:
    """What one page shows beyond the example; None where it has nothing to say.

    Attributes
    ----------
    head : int or None
        Head on screen, counted from 0.
    norm : NormExample or None
        Settings of the Layer norm page.
    is_swinging : bool
        Whether a number moves by itself, which no address follows.
    """

    head: int | None = None
    norm: NormExample | None = None
    is_swinging: bool = False
