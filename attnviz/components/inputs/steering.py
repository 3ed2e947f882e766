"""An input that the server may set before the browser has said so."""

from collections.abc import Callable

from shiny import reactive

Read = Callable[[], str]
Steer = Callable[[str], None]


def steered(read: Read) -> tuple[Read, Steer]:
    """Let an input stand where it is about to be moved.

    Moving a control from the server takes a way to the browser and back. Whoever writes
    the address down meanwhile would write where the control was.

    Parameters
    ----------
    read : callable
        Reads the input.

    Returns
    -------
    value : callable
        Reads where the input stands, or is about to.
    steer : callable
        Takes where it is moved to; the next word of the browser counts again.
    """
    ahead: reactive.Value[str | None] = reactive.value(None, name="ahead")

    @reactive.effect
    @reactive.event(read, ignore_init=True)
    def follow() -> None:
        ahead.set(None)

    def value() -> str:
        now = ahead()
        return str(read()) if now is None else now

    def steer(there: str) -> None:
        ahead.set(there)

    return value, steer
