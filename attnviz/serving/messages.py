"""Fewer and shorter messages than Shiny writes by itself.

Around every change it tells that it is busy, which outputs are about to be made, which
one is being made, and that each of them has been: eight messages of their own before
the one that matters, and each costs both sides as much as a large one. Here they wait
for it and travel in one, which www/shell/together.js takes apart.
"""

import json
from weakref import WeakKeyDictionary

from shiny.session._session import AppSession

TOGETHER = "attnviz-together"
# What tells how work goes along, and nothing of what comes of it.
_PROGRESS = {"busy", "progress", "recalculating"}
# Shiny puts a space behind every comma and colon.
_write = json.JSONEncoder(separators=(",", ":")).encode

_waiting: WeakKeyDictionary[AppSession, list[object]] = WeakKeyDictionary()


def is_waiting(session: AppSession) -> bool:
    """Tell whether messages wait for another one."""
    return session in _waiting


async def send(session: AppSession, message: dict[str, object]) -> None:
    """Send a message in place of Shiny's own `_send_message`."""
    if message.keys() <= _PROGRESS:
        _waiting.setdefault(session, []).append(message)
        return
    if (before := _waiting.pop(session, None)) is not None:
        await session._conn.send(_write({"custom": {TOGETHER: before}}))
    await session._conn.send(_write(message))
