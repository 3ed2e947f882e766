"""Settings of a page that has controls of its own: the last that could be used."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from shiny import Inputs, Session, reactive
from shiny.session import session_context

from attnviz.components.inputs.controls import move_control, read_control
from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.setting import Setting

S = TypeVar("S")


class OwnSettings(Generic[S]):
    """Keeps the last settings that could be used, and why others cannot be.

    Parameters
    ----------
    input, session : Inputs, Session
        Of the module with the controls.
    records : mapping of str to Setting
        The fields of the settings, each with a control.
    make : callable
        Makes the settings of one value a field; raises a SettingError.
    start : S
        The settings with which the page starts.
    restored : callable
        Reads the settings that back or forward brought, if any.
    steering : Steering
        Knows whether the browser has moved its controls.
    """

    def __init__(
        self,
        input: Inputs,
        session: Session,
        records: Mapping[str, Setting],
        make: Callable[..., S],
        *,
        start: S,
        restored: Callable[[], S | None],
        steering: Steering,
    ) -> None:
        """Follow the controls."""
        self._session, self._steering, self._records = session, steering, records
        self._now = reactive.value(start, name="settings")
        self._wrong: reactive.Value[SettingError | None]
        self._wrong = reactive.value(None, name="wrong")

        @reactive.effect
        def follow_controls() -> None:
            if not steering.is_done():
                return
            values = {
                name: read_control(input, name, records[name]) for name in records
            }
            try:
                self._now.set(make(**values))
                self._wrong.set(None)
            except SettingError as error:
                self._wrong.set(error)

        @reactive.effect
        @reactive.event(restored)
        def restore() -> None:
            back = restored()
            if back is not None:
                self.show(back)

    def __call__(self) -> S:
        """Read the settings."""
        return self._now()

    def wrong(self) -> SettingError | None:
        """Read why the controls as they stand cannot be used, if they cannot."""
        return self._wrong()

    def show(self, settings: S) -> None:
        """Take settings that do not come from the controls, and move these."""
        self._now.set(settings)
        self._wrong.set(None)
        with session_context(self._session):
            for name, record in self._records.items():
                value: Any = getattr(settings, name)
                move_control(self._session, name, record, value)
        self._steering.moved()
