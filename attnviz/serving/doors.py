"""Who may come in, and what guards every answer."""

import os
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Send

METHODS = ("GET", "HEAD", "POST")
# Set to anything, it lets pages of other hosts open connections.
ANY_ORIGIN = "ATTNVIZ_ANY_ORIGIN"
# Requests that come through a hosting service carry one of these. Such a service may
# write scripts of its own into the page, which it must be able to read and to run; it
# also decides by itself who may connect, and under what name.
HOSTS = (
    "shiny-shared-secret",
    "x-redx-frontend-name",
    "x-rsc-request",
    "rstudio-connect-app-base-url",
)
GUARDS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
# What is no page runs nothing, should somebody open it as one.
NO_PAGE = "default-src 'none'; style-src 'unsafe-inline'"


def is_hosted(headers: Headers) -> bool:
    """Tell whether a hosting service stands before the app."""
    return any(name in headers for name in HOSTS)


def is_foreign(headers: Headers) -> bool:
    """Tell whether a page of another host wants to open a connection.

    Behind a login such a page would speak in its reader's name. Names are compared
    without ports, which proxies leave out and cookies do not know either.

    Parameters
    ----------
    headers : Headers
        Of the request; who sends no origin is no browser.
    """
    origin = headers.get("origin")
    if origin is None or is_hosted(headers) or os.environ.get(ANY_ORIGIN):
        return False
    told = headers.get("x-forwarded-host") or headers.get("host", "")
    try:
        names = {urlsplit(origin).hostname, urlsplit(f"//{_first(told)}").hostname}
    except ValueError:
        return True
    return len(names) > 1 or None in names


class Guarded:
    """Sends an answer, and with it what guards it.

    Parameters
    ----------
    send : Send
        The server's.

    Attributes
    ----------
    has_begun : bool
        Whether some of the answer has left.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer; a policy that it has already stays."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            headers.update(GUARDS)
            headers.setdefault("content-security-policy", NO_PAGE)
        self.has_begun = True
        await self._send(message)


def _first(told: str) -> str:
    """Give the first of several hosts: each proxy adds its own behind."""
    return told.partition(",")[0].strip()
