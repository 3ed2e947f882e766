"""What one reader is sent: it waits here for its socket, and no session waits for it.

Shiny sends while it holds the one lock of all sessions. A reader who stops reading,
or reads slowly, would hold up everyone.
"""

import asyncio
import logging
import socket
import sys
from collections import deque
from contextlib import suppress

from starlette.types import Message, Send

# Characters that may wait for one reader, and seconds that one message may wait.
MAX_WAITING = 16_000_000
MAX_SECONDS = 60
# Seconds for which a connection that closes may still send.
GRACE = 1
# Bytes that Linux takes in for a reader besides those on their way, and its name for
# that. Left alone it takes megabytes: old pictures that newer ones have to follow.
MAX_UNSENT = 131_072
TCP_NOTSENT_LOWAT = 25

logger = logging.getLogger(__name__)


class Outbox:
    """The messages that wait for one WebSocket, in their order.

    Parameters
    ----------
    send : Send
        The server's; it may wait for as long as the reader likes.

    Attributes
    ----------
    is_open : bool
        Whether what is put in can still leave.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        # Uvicorn's; no message of ASGI tells a server to forget what it has taken.
        self._transport: asyncio.Transport | None = getattr(
            getattr(send, "__self__", None), "transport", None
        )
        self._waiting: deque[Message] = deque()
        self._size = 0
        self.is_open = True
        self._is_ending = False
        self._has_come = asyncio.Event()
        self._has_left = asyncio.Event()
        self._has_left.set()
        if self._transport is not None and sys.platform == "linux":
            _take_little_ahead(self._transport)

    @property
    def is_behind(self) -> bool:
        """Whether something still waits."""
        return not self._has_left.is_set()

    async def caught_up(self) -> None:
        """Wait until nothing waits any more, or never will leave."""
        while self.is_behind:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._has_left.wait()
                return
            if self._transport is not None and self._transport.is_closing():
                self._drop("it closes, and does not read what is left")

    async def put(self, message: Message) -> None:
        """Take a message, without waiting; one for a reader who is gone is lost."""
        if not self.is_open:
            return
        self._size += _size(message)
        if self._size > MAX_WAITING:
            self._drop(f"{self._size} characters wait for it")
            return
        self._waiting.append(message)
        self._has_left.clear()
        self._has_come.set()

    async def end(self) -> None:
        """Wait until all that was put in has left, and send nothing any more."""
        self._is_ending = True
        self._has_come.set()
        await self.caught_up()

    async def run(self) -> None:
        """Send what comes, as fast as the reader takes it."""
        try:
            while await self._more():
                async with asyncio.timeout(MAX_SECONDS):
                    await self._send(self._waiting[0])
                # Who drops the reader meanwhile leaves nothing.
                if self._waiting:
                    self._size -= _size(self._waiting.popleft())
        except TimeoutError:
            self._drop(f"it has read nothing for {MAX_SECONDS} s")
        except (OSError, RuntimeError):
            # The reader is gone, of which the session hears by itself.
            self._close()

    async def _more(self) -> bool:
        """Wait for a message; tell whether there will be one."""
        while not self._waiting:
            self._has_left.set()
            if self._is_ending or not self.is_open:
                return False
            self._has_come.clear()
            await self._has_come.wait()
        return True

    def _drop(self, reason: str) -> None:
        """Part from a reader, whose page comes back by its address if it still is."""
        logger.warning("A reader's connection is dropped: %s", reason)
        self._close()
        if self._transport is not None:
            self._transport.abort()

    def _close(self) -> None:
        self.is_open = False
        self._waiting.clear()
        self._size = 0
        self._has_left.set()
        self._has_come.set()


def _take_little_ahead(transport: asyncio.Transport) -> None:
    # A socket of another kind than TCP has no such bound.
    with suppress(OSError):
        transport.get_extra_info("socket").setsockopt(
            socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, MAX_UNSENT
        )


def _size(message: Message) -> int:
    return len(message.get("text") or "")
