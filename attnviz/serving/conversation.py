"""One reader's WebSocket: what a session hears of it, and what it sends."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.serving.outbox import Outbox
from attnviz.serving.reception import Reception

GONE: Message = {"type": "websocket.disconnect", "code": 1006}


async def converse(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let a session talk to its reader without ever waiting for it.

    Parameters
    ----------
    app : ASGIApp
        What runs the session.
    scope, receive, send : Scope, Receive, Send
        The server's, of one WebSocket.
    """
    outbox = Outbox(send)
    sending = asyncio.create_task(outbox.run())
    hearing = _Hearing(receive, outbox)
    try:
        await app(scope, hearing.next, outbox.put)
    finally:
        hearing.end()
        await outbox.end()
        await sending


class _Hearing:
    """What a session hears: nothing unsound, and nothing that its reader is not due.

    A session that went on hearing a reader who does not read would work for nobody.
    While answers wait, of a control that moves on only the last move counts, and
    everything else stays with the reader.
    """

    def __init__(self, receive: Receive, outbox: Outbox) -> None:
        self._receive = receive
        self._outbox = outbox
        self._reception = Reception()
        self._ahead: asyncio.Task[Message] | None = None

    async def next(self) -> Message:
        """Wait for a message that the session can take now."""
        message = await self._take()
        while self._outbox.is_behind and "text" in message:
            later = await self._look_ahead()
            if later is None:
                break
            if "text" in later and not self._replaces(later, message):
                await self._outbox.caught_up()
                break
            message = await self._take()
        # What a reader had said before they went has nobody any more to answer to.
        return message if self._outbox.is_open else GONE

    def end(self) -> None:
        """Hear nothing any more."""
        if self._ahead is not None:
            self._ahead.cancel()

    async def _take(self) -> Message:
        ahead, self._ahead = self._ahead, None
        return await (ahead or self._admitted())

    async def _look_ahead(self) -> Message | None:
        """Wait for the next message, unless all that waits has left before."""
        self._ahead = self._ahead or asyncio.create_task(self._admitted())
        caught_up = asyncio.create_task(self._outbox.caught_up())
        await asyncio.wait(
            {self._ahead, caught_up}, return_when=asyncio.FIRST_COMPLETED
        )
        caught_up.cancel()
        return self._ahead.result() if self._ahead.done() else None

    def _replaces(self, later: Message, earlier: Message) -> bool:
        return self._reception.replaces(later["text"], earlier["text"])

    async def _admitted(self) -> Message:
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            text = message.get("text")
            admitted = None if text is None else self._reception.admit(text)
            if admitted is not None:
                return {**message, "text": admitted}
