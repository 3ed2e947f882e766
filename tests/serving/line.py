"""The server's end of one WebSocket, whose reader reads when a test lets them."""

import asyncio
import json


class Line:
    """What a server offers an app: `receive`, `send`, and the transport behind it."""

    def __init__(self):
        self.sent = []
        self.is_aborted = self.is_ended = False
        self.transport = self
        self._said = asyncio.Queue()
        self._reads = asyncio.Event()

    # ---- what the reader does -----------------------------------------------------

    def say(self, text):
        self._said.put_nowait({"type": "websocket.receive", "text": text})

    def begin(self, **inputs):
        self.say(json.dumps({"method": "init", "data": inputs}))

    def move(self, **inputs):
        self.say(json.dumps({"method": "update", "data": inputs}))

    def leave(self):
        self._said.put_nowait({"type": "websocket.disconnect", "code": 1001})

    def read(self):
        self._reads.set()

    # ---- what the server does -----------------------------------------------------

    async def receive(self):
        return await self._said.get()

    async def send(self, message):
        await self._reads.wait()
        if self.is_aborted:
            raise OSError
        self.sent.append(message["text"])

    def abort(self):
        self.is_aborted = True
        self._reads.set()

    def is_closing(self):
        return self.is_ended

    def get_extra_info(self, _name):
        return self

    def setsockopt(self, *_option):
        raise OSError
