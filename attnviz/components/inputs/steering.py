"""Inputs that the server moves, and the echo with which the browser says so."""

from collections.abc import Callable

from htmltools import Tag
from shiny import Session, reactive, ui

Read = Callable[[], str]
Steer = Callable[[str], None]
_MARK = "moved"


def steering_mark() -> Tag:
    """Make the input that a browser sends when it has moved all controls."""
    return ui.span(id=_MARK, hidden="")


class Steering:
    """Tell whether the controls of a session stand where the server has put them.

    Moving a control from the server takes a way to the browser and back. What it says
    meanwhile may be the echo of an earlier move: it is no wish of the reader. A mark
    travels behind the moves, and comes back behind their echoes.

    Parameters
    ----------
    session : Session
        Shiny's own. Who sends no marks is taken at their word.
    """

    def __init__(self, session: Session) -> None:
        """Begin with nothing moved."""
        self._session = session.root_scope()
        self._count = 0
        self._is_planned = False

    def moved(self) -> None:
        """Take note that controls are moved in this round."""
        self._count += 1
        if not self._is_planned:
            self._is_planned = True
            self._session.on_flush(self._send, once=True)

    def is_done(self) -> bool:
        """Tell whether the browser has followed; whoever asks hears when it has."""
        if _MARK not in self._session.input:
            return True
        came = self._session.input[_MARK]()
        return isinstance(came, int) and came >= self._count

    def _send(self) -> None:
        self._is_planned = False
        self._session.send_input_message(_MARK, {"count": self._count})


def steered(read: Read, steering: Steering) -> tuple[Read, Steer]:
    """Let an input stand where it is about to be moved.

    Parameters
    ----------
    read : callable
        Reads the input.
    steering : Steering
        Of the session.

    Returns
    -------
    value : callable
        Reads where the input stands, or is about to.
    steer : callable
        Takes where it is moved to; when it has been, the word of the browser counts
        again.
    """
    ahead: reactive.Value[str | None] = reactive.value(None, name="ahead")

    @reactive.effect
    def follow() -> None:
        read()
        if steering.is_done():
            ahead.set(None)

    def value() -> str:
        now = ahead()
        return str(read()) if now is None else now

    def steer(there: str) -> None:
        ahead.set(there)
        steering.moved()

    return value, steer
