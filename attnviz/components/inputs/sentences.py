"""Sentences that are told again only when their words change."""

from collections.abc import Callable
from functools import wraps

from shiny import reactive


def heard(words: Callable[[], str]) -> Callable[[], str]:
    """Follow words without stirring up what shows them while they stay the same.

    An output costs a class a dozen messages a change, even if it says the same again.

    Parameters
    ----------
    words : callable
        Puts the sentence together from reactive values.

    Returns
    -------
    heard : callable
        Reads the sentence; depends on its words alone.
    """
    now = reactive.value("", name=words.__name__)

    @reactive.effect
    def listen() -> None:
        said = words()
        with reactive.isolate():
            is_new = said != now()
        if is_new:
            now.set(said)

    @wraps(words)
    def repeat() -> str:
        return now()

    return repeat
