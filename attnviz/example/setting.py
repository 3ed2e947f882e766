"""What a setting is: its limits, its place in an address, its control, its owner."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from attnviz.core.errors import SettingError


@dataclass(frozen=True, slots=True)
class Form:
    """How the values of a setting stand in an address.

    Attributes
    ----------
    write : callable
        Takes a value and gives its text.
    read : callable
        The way back; may raise a ValueError or a SettingError.
    """

    write: Callable[[Any], str]
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything there is to know of one setting besides its words.

    Attributes
    ----------
    key : str
        Its name in an address.
    form : Form
        How its values stand there.
    part : str
        The part of a teacher's link that hides or locks it.
    symbol : str
        What its control is labelled with, such as "d_k"; its name in words if empty.
    limits : tuple of float, or None
        Least and greatest value of a number.
    step : float
        Distance between two stops of its control.
    choices : tuple
        What it chooses among, if it does.
    control : str
        Name of its control, if that is another than its own.
    look : {"", "field", "stops"}
        How its control looks, if not as usual: a field to type in, for numbers over
        many powers of ten; a slider over its choices.
    decided : {"", "shape", "numbers"}
        What settles it where matrices are written down instead of drawn.
    """

    key: str
    form: Form
    part: str = ""
    symbol: str = ""
    limits: tuple[float, float] | None = None
    step: float = 1
    choices: tuple[object, ...] = ()
    control: str = ""
    look: Literal["", "field", "stops"] = ""
    decided: Literal["", "shape", "numbers"] = ""

    def read(self, text: str) -> Any:  # noqa: ANN401 - the type follows the form
        """Read a value of an address.

        Raises
        ------
        SettingError
            If the form refuses the text.
        ValueError
            If it is no such value, or one that the control would move to its next stop.
        """
        value = self.form.read(text)
        if self.limits is not None and abs(value) <= self.limits[1]:
            stops = value / self.step
            if not math.isclose(stops, round(stops), rel_tol=1e-9):
                raise ValueError
        return value

    def check(self, name: str, value: Any) -> Any:  # noqa: ANN401 - whatever was sent
        """Require a value that can be.

        Raises
        ------
        SettingError
            If a number is none or out of its limits, or a choice is unknown.
        """
        if self.choices and value not in self.choices:
            raise SettingError("unknown_choice", name=name)
        return value if self.limits is None else self._number(name, value)

    def _number(self, name: str, value: object) -> float:
        """Require a number of the right kind within its limits."""
        assert self.limits is not None
        least, most = self.limits
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise SettingError("not_a_number", name=name, least=least, most=most)
        if not least <= value <= most:
            raise SettingError(
                "out_of_range", name=name, got=value, least=least, most=most
            )
        if self.form is not WHOLE:
            return value
        if value != int(value):
            raise SettingError("not_a_number", name=name, least=least, most=most)
        return int(value)


Settings = Mapping[str, Setting]
"""Settings by name, which is that of the field they stand in."""


def check_settings(owner: object, settings: Settings) -> None:
    """Require values that can be, and put numbers into their usual type.

    Parameters
    ----------
    owner : object
        A frozen dataclass with a field for each setting.
    settings : mapping of str to Setting
        What each field takes.

    Raises
    ------
    SettingError
        As `Setting.check`.
    """
    for name, setting in settings.items():
        object.__setattr__(owner, name, setting.check(name, getattr(owner, name)))


def shortest(value: float) -> str:
    """Write a number in as few digits as give the same number back.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    text : str
        For ``float``.

    Examples
    --------
    >>> shortest(2.0), shortest(0.1 + 0.2)
    ('2', '0.30000000000000004')
    """
    return repr(float(value)).removesuffix(".0")


TEXT = Form(str, str)
WHOLE = Form(str, int)
REAL = Form(shortest, float)
COUNTED = Form(lambda place: str(place + 1), lambda text: int(text) - 1)
FLAG = Form(lambda on: str(int(on)), lambda text: bool(("0", "1").index(text)))
