"""The settings of the page on masks and mistakes."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.setting import TEXT, Setting, Settings, check_settings

Section = Literal["mistakes"]
SECTIONS: tuple[Section, ...] = get_args(Section)
ShownOn = Literal["own", "example"]
SHOWN_ON: tuple[ShownOn, ...] = get_args(ShownOn)
_PART = "mistakes"

MISTAKE_SETTINGS: Settings = MappingProxyType(
    {
        "section": Setting("sec", TEXT, _PART, choices=SECTIONS),
        "mistake": Setting("mistake", TEXT, _PART, choices=tuple(PROGRAMS)),
        "shown_on": Setting("on", TEXT, _PART, choices=SHOWN_ON),
    }
)


@dataclass(frozen=True, slots=True)
class MistakeSettings:
    """What the page shows.

    Attributes
    ----------
    section : Section
        Part of the page that is open.
    mistake : str
        The mistake, as in PROGRAMS.
    shown_on : ShownOn
        Whether it is shown on numbers of its own, or on the example.
    """

    section: Section = "mistakes"
    mistake: str = "P03"
    shown_on: ShownOn = "own"

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a choice is unknown, or a number is out of its limits.
        """
        check_settings(self, MISTAKE_SETTINGS)
