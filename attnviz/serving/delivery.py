"""What is sent to a browser: small, kept for good where it may be, and guarded.

Shiny serves its files as they lie on the disk: five megabytes of plotly.js to every
reader. Here each file is compressed once a process, and its versioned address lets
browsers keep it. Pages go out under a policy that runs no script but the app's own.
"""

import asyncio
import base64
import gzip
import hashlib
import logging
import posixpath
import re
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.serving.conversation import converse
from attnviz.serving.doors import METHODS, Guarded, is_foreign, is_hosted
from attnviz.serving.ending import end_soon
from attnviz.serving.uploads import MAX_UPLOAD, TOO_LONG

LIBRARY = "/lib/"
MAX_FILES = 128
MAX_PAGES = 32
ONE_YEAR = "public, max-age=31536000, immutable"
COMPRESSIBLE = ("text/", "application/javascript", "application/json", "image/svg")

# Shiny and browser tests compile conditions that they were given as text; plotly.js and
# Bootstrap set style attributes, and plotly.js draws heat maps as data addresses.
# Nothing else needs leave. Other sites may show the app in a frame.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval' {scripts}; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
INLINE_SCRIPT = re.compile(
    rb"<script(?![^>]*\b(?:src|type)=)[^>]*>(.*?)</script>", re.S
)

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Answer:
    """One whole answer to a request.

    Attributes
    ----------
    status : int
        Its status code.
    headers : MutableHeaders
        Its headers.
    body : bytes
        Its content.
    """

    status: int
    headers: MutableHeaders
    body: bytes

    def compress(self) -> None:
        """Shrink the content for a reader who said they can expand it."""
        if self.headers.get("content-type", "").startswith(COMPRESSIBLE):
            self.body = gzip.compress(self.body, 6, mtime=0)
            self.headers["content-encoding"] = "gzip"
            self.headers["content-length"] = str(len(self.body))
            self.headers.add_vary_header("Accept-Encoding")

    async def send_by(self, send: Send) -> None:
        """Send the answer in one piece."""
        raw = self.headers.raw
        await send(
            {"type": "http.response.start", "status": self.status, "headers": raw}
        )
        await send({"type": "http.response.body", "body": self.body})


class Delivery:
    """ASGI middleware between an app and its readers.

    Parameters
    ----------
    app : ASGIApp
        The app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._files: dict[str, Answer] = {}
        self._pages: dict[tuple[object, ...], Answer] = {}
        self._making = asyncio.Lock()
        self._policy = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, Guarded(send))
        else:
            end_soon()
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a session talk to its reader, if their page is the app's own."""
        if is_foreign(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await converse(self._app, scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Guarded) -> None:
        """Answer a request, whatever goes wrong."""
        try:
            await self._answer(scope, receive, send)
        except ClientDisconnect:
            pass  # nobody is there to be answered
        except Exception:
            if send.has_begun:
                raise
            logger.exception("no answer to %s", scope["path"])
            await Answer(500, MutableHeaders(), b"").send_by(send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if scope["method"] not in METHODS:
            answer = Answer(405, MutableHeaders({"allow": ", ".join(METHODS)}), b"")
        elif _is_large_upload(scope, headers):
            answer = Answer(413, MutableHeaders(), TOO_LONG.encode())
        elif _is_file(scope, headers):
            answer = await self._file(scope)
        elif scope["method"] == "GET" and posixpath.basename(scope["path"]) == "":
            answer = await self._page(scope, headers)
        else:
            await self._app(scope, receive, send)
            return
        await answer.send_by(send)

    async def _file(self, scope: Scope) -> Answer:
        """Compress a file when it is first asked for, and remember it."""
        path = scope["path"]
        if path in self._files:
            return self._files[path]
        async with self._making:
            if path in self._files:
                return self._files[path]
            answer = await self._ask(scope)
            if answer.status != 200:
                return answer
            answer.headers["cache-control"] = ONE_YEAR
            await asyncio.to_thread(answer.compress)
            if len(self._files) < MAX_FILES:
                self._files[path] = answer
        return answer

    async def _page(self, scope: Scope, headers: Headers) -> Answer:
        """Guard a page by the policy, and compress it if nobody reads it on its way.

        A page follows from its address and the reader's languages, so that a class
        that opens one link shares one page.
        """
        hosted = is_hosted(headers)
        is_small = not hosted and "gzip" in headers.get("accept-encoding", "")
        languages = headers.get("accept-language")
        key = (scope["path"], scope["query_string"], languages, hosted, is_small)
        if key in self._pages:
            return self._pages[key]
        scripts = "'unsafe-inline'"
        if not hosted:
            scripts = await self._own_scripts(scope)
        answer = await self._ask(scope)
        answer.headers["cache-control"] = "no-cache"
        answer.headers["content-security-policy"] = POLICY.format(scripts=scripts)
        if is_small:
            answer.compress()
        if answer.status == 200:
            self._pages[key] = answer
            if len(self._pages) > MAX_PAGES:
                del self._pages[next(iter(self._pages))]
        return answer

    async def _own_scripts(self, scope: Scope) -> str:
        """List the scripts that stand in a page which no reader has shaped."""
        if not self._policy:
            neutral = {**scope, "query_string": b"", "headers": []}
            page = await self._ask(neutral)
            hashes = {
                base64.b64encode(hashlib.sha256(script).digest()).decode()
                for script in INLINE_SCRIPT.findall(page.body)
            }
            self._policy = " ".join(f"'sha256-{text}'" for text in sorted(hashes))
        return self._policy

    async def _ask(self, scope: Scope) -> Answer:
        """Take the app's whole answer, whether its reader waits for it or not.

        What is made for one reader is kept for others: who leaves early must not leave
        half of it behind.
        """
        answer = Answer(500, MutableHeaders(), b"")

        async def take(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = MutableHeaders(raw=list(message["headers"]))
            elif message["type"] == "http.response.body":
                answer.body += message.get("body", b"")

        await self._app(scope, _stay, take)
        return answer


async def _stay() -> Message:
    """Receive nothing more, not even that the reader has gone."""
    never: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    return await never


def _is_file(scope: Scope, headers: Headers) -> bool:
    """Recognize a versioned file, by the one plain spelling of its address."""
    path = scope["path"]
    return (
        scope["method"] == "GET"
        and LIBRARY in path
        and posixpath.normpath(path) == path
        and "range" not in headers
        and "gzip" in headers.get("accept-encoding", "")
    )


def _is_large_upload(scope: Scope, headers: Headers) -> bool:
    """Recognize what is too much to take in; a length must be told beforehand."""
    if scope["method"] != "POST":
        return False
    length = headers.get("content-length", "")
    return not length.isdecimal() or int(length) > MAX_UPLOAD
