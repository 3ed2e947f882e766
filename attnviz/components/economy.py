"""Spare what Shiny does over and over, or keeps for good, and what nobody notices.

For every session it reads the source of every reactive function, to tell a tracing
library where each stands. Some twenty times a change it looks for that library on the
disk. After a change of one session it writes an empty message to each other one. And
until it changes, a value remembers everyone who has read it in isolation, by which a
session grows ten kilobytes a change. A class of a hundred waits for all of it. A later
Shiny may go about this differently: it is left alone then.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from inspect import unwrap
from types import CodeType
from typing import Any

from shiny.reactive import _core, _reactives
from shiny.session import _session, get_current_session
from shiny.session._session import AppSession

LIBRARY = "opentelemetry.sdk"
_Place = Callable[[Callable[..., Any]], dict[str, Any]]


def economize() -> None:
    """Make every session of this process cheaper; once is enough."""
    _forget_missing_library()
    with suppress(KeyError):
        place_of = _remembering(vars(_session)["extract_source_ref"])
        for module in (_reactives, _session):
            vars(module)["extract_source_ref"] = place_of
    with suppress(AttributeError):
        _leave_others_alone()
    with suppress(AttributeError):
        _forget_isolated_readers()
    _collect_less_often()


def _collect_less_often() -> None:
    """Let a full collection, which stops every session, come once in many changes."""
    gc.freeze()
    gc.set_threshold(2_000, 10, 100)


def _forget_missing_library() -> None:
    """Say where modules are known that there is no such module, if there is none."""
    if find_spec(LIBRARY) is None:
        sys.modules[f"{LIBRARY}.trace"] = None  # type: ignore[assignment]


def _remembering(place_of: _Place) -> _Place:
    """Find the place of a function's code once, however many sessions run it."""
    places: dict[CodeType, dict[str, Any]] = {}

    def remembered(function: Callable[..., Any]) -> dict[str, Any]:
        code = getattr(unwrap(function), "__code__", None)
        if code is None:
            return place_of(function)
        if code not in places:
            places[code] = place_of(function)
        return places[code]

    return remembered


def _leave_others_alone() -> None:
    """Flush the session that has spoken, and those that have something to say."""
    flush = AppSession._flush

    async def flush_if_due(session: AppSession) -> None:
        queues = session._outbound_message_queues
        is_due = (
            get_current_session() is session
            or queues.values
            or queues.errors
            or queues.input_messages
            or session._flush_callbacks.count()
            or session._flushed_callbacks.count()
        )
        if is_due:
            await flush(session)

    AppSession._flush = flush_if_due  # type: ignore[assignment, method-assign]


class _Isolated(_core.Context):
    """What reads values without wanting to hear of their changes."""


def _forget_isolated_readers() -> None:
    """Let values remember those alone who are to be told when they change."""
    register = _core.Dependents.register

    def register_if_told(dependents: _core.Dependents) -> None:
        if not isinstance(_core.get_current_context(), _Isolated):
            register(dependents)

    @contextmanager
    def isolate(environment: _core.ReactiveEnvironment) -> Iterator[None]:
        token = environment._current_context.set(_Isolated())
        try:
            yield
        finally:
            environment._current_context.reset(token)

    _core.Dependents.register = register_if_told  # type: ignore[assignment, method-assign]
    _core.ReactiveEnvironment.isolate = isolate  # type: ignore[assignment, method-assign]
