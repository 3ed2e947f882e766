"""The settings of the page on masks and mistakes."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.core.errors import SettingError
from attnviz.example.mistakes.programs import PROGRAMS
from attnviz.example.setting import (
    REAL,
    TEXT,
    WHOLE,
    Form,
    Setting,
    Settings,
    check_settings,
)

Section = Literal["mistakes", "guess", "masks", "heads", "split", "batch"]
SECTIONS: tuple[Section, ...] = get_args(Section)
ShownOn = Literal["own", "example"]
SHOWN_ON: tuple[ShownOn, ...] = get_args(ShownOn)
MaskView = Literal["conventions", "padding", "ways", "sums"]
MASK_VIEWS: tuple[MaskView, ...] = get_args(MaskView)
MaskKind = Literal["causal_last", "causal_first", "padding", "window", "none"]
DRAWN_KINDS: tuple[MaskKind, ...] = get_args(MaskKind)
HeadView = Literal["patterns", "contribution", "mean", "same", "dropout"]
HEAD_VIEWS: tuple[HeadView, ...] = get_args(HeadView)
HeadSource = Literal["constructed", "example"]
HEAD_SOURCES: tuple[HeadSource, ...] = get_args(HeadSource)
SplitView = Literal["split", "merge", "output"]
SPLIT_VIEWS: tuple[SplitView, ...] = get_args(SplitView)
MAX_SIDE, MAX_PADS, N_ROUNDS = 8, 4, 10
Places = tuple[tuple[int, int], ...]
_PART = "mistakes"
_FLIP = re.compile(r"([1-8])-([1-8])")


def _read_flips(text: str) -> Places:
    """Read places such as "1-2.3-4", counted from 1."""
    found = [_FLIP.fullmatch(part) for part in text.split(".") if part]
    places = [(int(one[1]) - 1, int(one[2]) - 1) for one in found if one]
    if len(places) != len(found):
        raise ValueError
    return tuple(sorted(set(places)))


def _write_flips(places: Places) -> str:
    return ".".join(f"{row + 1}-{column + 1}" for row, column in places)


MISTAKE_SETTINGS: Settings = MappingProxyType(
    {
        "section": Setting("sec", TEXT, _PART, choices=SECTIONS),
        "mistake": Setting("mistake", TEXT, _PART, choices=tuple(PROGRAMS)),
        "shown_on": Setting("on", TEXT, _PART, choices=SHOWN_ON),
        "guess_seed": Setting("gs", WHOLE, _PART, "seed", limits=(0, 9999)),
        "guess_round": Setting("gr", WHOLE, _PART, "i", limits=(1, N_ROUNDS)),
        "mask_view": Setting("mv", TEXT, _PART, choices=MASK_VIEWS),
        "kind": Setting("dm", TEXT, _PART, choices=DRAWN_KINDS),
        "n_queries": Setting("mq", WHOLE, _PART, "T_q", limits=(1, MAX_SIDE)),
        "n_keys": Setting("mk", WHOLE, _PART, "T_k", limits=(1, MAX_SIDE)),
        "flips": Setting("mf", Form(_write_flips, _read_flips), _PART),
        "n_pads": Setting("mp", WHOLE, _PART, "pad", limits=(0, MAX_PADS)),
        "head_view": Setting("hv", TEXT, _PART, choices=HEAD_VIEWS),
        "head_source": Setting("ho", TEXT, _PART, choices=HEAD_SOURCES),
        "rate": Setting("hp", REAL, _PART, "p", limits=(0.1, 0.9), step=0.1),
        "split_view": Setting("sv", TEXT, _PART, choices=SPLIT_VIEWS),
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
    guess_seed, guess_round : int
        Sequence of results to guess, and which of them is asked.
    mask_view : MaskView
        What the section on masks shows.
    kind : MaskKind
        Kind of the drawn mask.
    n_queries, n_keys : int
        Its sizes.
    flips : tuple of (int, int)
        Cells that were changed by hand, counted from 0.
    n_pads : int
        How much padding is put behind a sentence.
    head_view, head_source : HeadView, HeadSource
        What the section on heads shows, and of which heads.
    rate : float
        Probability of dropping a weight.
    split_view : SplitView
        What the section on splitting shows.
    """

    section: Section = "mistakes"
    mistake: str = "P03"
    shown_on: ShownOn = "own"
    guess_seed: int = 7
    guess_round: int = 1
    mask_view: MaskView = "conventions"
    kind: MaskKind = "causal_last"
    n_queries: int = 4
    n_keys: int = 4
    flips: Places = ()
    n_pads: int = 2
    head_view: HeadView = "patterns"
    head_source: HeadSource = "constructed"
    rate: float = 0.5
    split_view: SplitView = "split"

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a choice is unknown, or a number is out of its limits.
        """
        check_settings(self, MISTAKE_SETTINGS)
        if any(not 0 <= at < MAX_SIDE for place in self.flips for at in place):
            raise SettingError("edit_place", name="flips")
