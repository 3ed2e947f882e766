"""Spare what Shiny does over and over, or keeps for good, and what nobody notices.

For every session it reads the source of every reactive function, to tell a tracing
library where each stands. Some twenty times a change it looks for that library on the
disk, and as often it gives the event loop a turn, to send what is sent already. With
every input it looks for outputs that have been shown or hidden. After a change of one
session it writes an empty message to each other one, and to that one eight that only
say how work goes along. And until it changes, a value remembers everyone who has read
it in isolation, by which a session grows ten kilobytes a change. A class of a hundred
waits for all of it. A later Shiny may go about this differently: it is left alone then.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from inspect import unwrap
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

    from shiny.reactive._core import Dependents, ReactiveEnvironment
    from shiny.session._session import AppSession

LIBRARY = "opentelemetry.sdk"
# What inputs that tell of an output begin with.
HIDDEN = ".clientdata_output_"


def economize() -> None:
    """Make every session of this process cheaper; once is enough."""
    for spare in (
        _forget_missing_library,
        _remember_places,
        _go_straight_on,
        _look_when_told,
        _send_together,
        _leave_others_alone,
        _forget_isolated_readers,
    ):
        with suppress(ImportError, AttributeError):
            spare()
    # What is loaded by now stays: collections, which stop all sessions, pass it by.
    gc.freeze()


def _forget_missing_library() -> None:
    """Say where modules are known that there is no such module, if there is none.

    Nothing is measured for it then.
    """
    if find_spec(LIBRARY) is not None:
        return
    sys.modules[f"{LIBRARY}.trace"] = None  # type: ignore[assignment]
    from shiny.reactive import _core, _reactives
    from shiny.session import _session

    unmeasured = nullcontext()
    for module in (_core, _reactives, _session):
        if hasattr(module, "shiny_otel_span"):
            vars(module)["shiny_otel_span"] = lambda *names, **settings: unmeasured


def _remember_places() -> None:
    """Find the place of a function's code once, however many sessions run it."""
    from shiny.otel._attributes import extract_source_ref
    from shiny.reactive import _reactives
    from shiny.session import _session

    places: dict[CodeType, Any] = {}

    def remembered(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - Shiny's own
        code = getattr(unwrap(function), "__code__", None)
        if code is None:
            return extract_source_ref(function)
        if code not in places:
            places[code] = extract_source_ref(function)
        return places[code]

    for module in (_reactives, _session):
        vars(module)["extract_source_ref"] = remembered


def _go_straight_on() -> None:
    """Run one effect behind the other, without a turn of the event loop between."""
    from shiny.reactive import _reactives

    async def pause(seconds: float) -> None:
        if seconds:
            await asyncio.sleep(seconds)

    vars(_reactives)["asyncio"] = SimpleNamespace(**{**vars(asyncio), "sleep": pause})


def _look_when_told() -> None:
    """Look for outputs to suspend or to resume when a browser says that there are."""
    from shiny.session._session import AppSession, Outputs

    manage_inputs, manage_hidden = AppSession._manage_inputs, Outputs._manage_hidden
    is_told = True

    def take(session: AppSession, data: dict[str, object]) -> None:
        nonlocal is_told
        is_told = any(name.startswith(HIDDEN) for name in data)
        manage_inputs(session, data)

    def look(outputs: Outputs) -> None:
        if is_told:
            manage_hidden(outputs)

    AppSession._manage_inputs = take  # type: ignore[assignment, method-assign]
    Outputs._manage_hidden = look  # type: ignore[assignment, method-assign]


def _send_together() -> None:
    """Let messages about progress travel together."""
    from shiny.session._session import AppSession

    from attnviz.serving.messages import send

    if hasattr(AppSession, "_send_message"):
        AppSession._send_message = send  # type: ignore[assignment, method-assign]


def _leave_others_alone() -> None:
    """Flush the session that has spoken, and those that have something to say."""
    from shiny.session._session import AppSession

    flush = AppSession._flush

    async def flush_if_due(session: AppSession) -> None:
        if _is_due(session):
            await flush(session)

    AppSession._flush = flush_if_due  # type: ignore[assignment, method-assign]


def _is_due(session: AppSession) -> bool:
    from shiny.session import get_current_session

    from attnviz.serving.messages import is_waiting

    if get_current_session() is session or is_waiting(session):
        return True
    try:
        queues = session._outbound_message_queues
        callbacks = session._flush_callbacks, session._flushed_callbacks
        return bool(
            queues.values
            or queues.errors
            or queues.input_messages
            or any(one.count() for one in callbacks)
        )
    except AttributeError:
        return True


def _forget_isolated_readers() -> None:
    """Let values remember those alone who are to be told when they change."""
    from shiny.reactive import _core

    register = _core.Dependents.register

    class Isolated(_core.Context):
        """What reads values without wanting to hear of their changes."""

    def register_if_told(dependents: Dependents) -> None:
        if not isinstance(_core.get_current_context(), Isolated):
            register(dependents)

    @contextmanager
    def isolate(environment: ReactiveEnvironment) -> Iterator[None]:
        token = environment._current_context.set(Isolated())
        try:
            yield
        finally:
            environment._current_context.reset(token)

    _core.Dependents.register = register_if_told  # type: ignore[assignment, method-assign]
    _core.ReactiveEnvironment.isolate = isolate  # type: ignore[assignment, method-assign]
