"""How a process ends: soon, whatever its readers do."""

import signal

from uvicorn import Server

# Seconds that readers have to take what they were sent.
GRACE = 5


def end_soon() -> None:
    """Let the server that has just started end within seconds of a signal.

    Uvicorn waits for its readers without end, unless it was told when to stop waiting;
    ``shiny run`` has no option for that. Other servers have bounds of their own.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if isinstance(server, Server) and server.config.timeout_graceful_shutdown is None:
        server.config.timeout_graceful_shutdown = GRACE
