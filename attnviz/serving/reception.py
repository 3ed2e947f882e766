"""What a session hears over its socket: nothing that would end it."""

import json
from typing import Any

from attnviz.serving.uploads import MAX_ENTRIES

MAX_MESSAGE = 4_000_000
# Characters that one session may make the server keep, over all its inputs, and what
# an input takes besides its name and its value.
MAX_KEPT = 8_000_000
OVERHEAD = 1_000
MAX_DEPTH = 16
SEARCH = ".clientdata_url_search"
# Types of inputs that take any value; all others but "shiny.action" are left out.
PLAIN_TYPES = ("", "shiny.number", "shiny.password")


class Reception:
    """Judge the messages of one connection, in their order."""

    def __init__(self) -> None:
        self._has_begun = False
        self._controls: frozenset[str] = frozenset()
        self._sizes: dict[str, int] = {}

    def admit(self, text: str) -> str | None:
        """Give the message as the session may see it.

        Parameters
        ----------
        text : str
            What came.

        Returns
        -------
        admitted : str or None
            The message without inputs that cannot be; None if nothing is left to say.

        Examples
        --------
        >>> Reception().admit("{}") is None
        True
        """
        if len(text) > MAX_MESSAGE:
            return None
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(message, dict) or _is_deep(message, MAX_DEPTH):
            return None
        method, data = message.get("method"), message.get("data")
        if method not in ("init", "update"):
            return self._admit_call(text, message)
        if not isinstance(data, dict) or (method == "update") != self._has_begun:
            return None
        self._has_begun = True
        sound = {name: value for name, value in data.items() if _is_sound(name, value)}
        if method == "init":
            sound.setdefault(SEARCH, "")
            self._controls = frozenset(name for name in sound if _is_state(name))
        if not self._has_room(sound):
            return None
        return text if sound == data else json.dumps({**message, "data": sound})

    def _admit_call(self, text: str, message: dict[str, Any]) -> str | None:
        """Let a call in, with as much of a long list as shows that it is too long."""
        args = message.get("args")
        if not isinstance(args, list) or not isinstance(message.get("method"), str):
            return None
        if "tag" not in message or not self._has_begun:
            return None
        cut = [arg[: MAX_ENTRIES + 1] if isinstance(arg, list) else arg for arg in args]
        return text if cut == args else json.dumps({**message, "args": cut})

    def replaces(self, later: str, earlier: str) -> bool:
        """Tell whether of two messages the later one makes the earlier one idle.

        It does if both move the same controls. What has no state, as a press of a
        button, was not among the inputs that a session began with.

        Parameters
        ----------
        later, earlier : str
            Both as admitted, one behind the other.
        """
        moved = [json.loads(text).get("data", {}).keys() for text in (later, earlier)]
        return moved[0] == moved[1] and bool(moved[0]) and moved[0] <= self._controls

    def _has_room(self, data: dict[str, Any]) -> bool:
        """Count what the session keeps; the newest value of an input replaces it."""
        kept = self._sizes | {name: _size(name, data[name]) for name in data}
        if sum(kept.values()) > MAX_KEPT:
            return False
        self._sizes = kept
        return True


def _is_sound(name: str, value: object) -> bool:
    """Tell whether Shiny can take an input."""
    if name == SEARCH:
        return isinstance(value, str)
    _, _, kind = name.partition(":")
    if kind == "shiny.action":
        return isinstance(value, int) and not isinstance(value, bool)
    return kind in PLAIN_TYPES and not name.endswith(":")


def _is_state(name: str) -> bool:
    """Tell whether an input stands somewhere, and does not just happen."""
    return not name.endswith(":shiny.action")


def _size(name: str, value: object) -> int:
    """Count characters; what stands in braces or brackets is written out for that."""
    if isinstance(value, list | dict):
        return len(name) + len(json.dumps(value)) + OVERHEAD
    return len(name) + len(str(value)) + OVERHEAD


def _is_deep(value: object, room: int) -> bool:
    """Tell whether lists and objects are nested beyond any need."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return room == 0 or any(_is_deep(part, room - 1) for part in inner)
