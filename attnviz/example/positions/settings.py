"""What the Positions page adds to the example."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.core.errors import SettingError
from attnviz.core.positions import Order
from attnviz.example.choices.positions import MOST_POSITIONS, Encoding
from attnviz.example.setting import (
    COUNTED,
    FLAG,
    TEXT,
    WHOLE,
    Form,
    Setting,
    Settings,
    check_settings,
)
from attnviz.example.settings import MAX_SEED, Example
from attnviz.example.sources.drawn import MAX_HEADS, MAX_LENGTH, MAX_WIDTH

TableKind = Literal["sinusoidal", "learned"]
BiasKind = Literal["alibi", "relative"]
Turning = Literal["interleaved", "half", "mixed"]
BASES = ("10", "100", "1000", "10000", "100000", "500000")
_PART = "place"


def _read_order(text: str) -> tuple[int, ...]:
    """Read which token stands at each place, counted from 1."""
    order = tuple(int(place) - 1 for place in text.split("-"))
    _check_order(order)
    return order


def _check_order(order: tuple[int, ...]) -> None:
    if sorted(order) != list(range(len(order))) or len(order) > MAX_LENGTH:
        raise SettingError("no_order", name="order")


_ORDER = Form(lambda order: "-".join(str(token + 1) for token in order), _read_order)
POSITION_SETTINGS: Settings = MappingProxyType(
    {
        "head": Setting("ph", COUNTED, limits=(0, MAX_HEADS - 1)),
        "order": Setting("po", _ORDER, _PART),
        "order_seed": Setting("ps", WHOLE, _PART, limits=(0, MAX_SEED)),
        "table": Setting("pt", TEXT, _PART, choices=get_args(TableKind)),
        "features": Setting("pf", TEXT, _PART, choices=get_args(Order)),
        "n_positions": Setting("pn", WHOLE, _PART, "p", limits=(1, MOST_POSITIONS)),
        "base": Setting("pb", TEXT, _PART, choices=BASES),
        "scales_inputs": Setting("pr", FLAG, _PART, "√d", choices=(False, True)),
        "column": Setting("pc", COUNTED, limits=(0, MAX_WIDTH - 1)),
        "trained_length": Setting("pl", WHOLE, _PART, "L", limits=(1, MOST_POSITIONS)),
        "turning": Setting("pp", TEXT, _PART, choices=get_args(Turning)),
        "pair": Setting("pi", WHOLE, _PART, "i", limits=(0, MAX_WIDTH // 2 - 1)),
        "place_m": Setting("pm", WHOLE, _PART, "m", limits=(0, MOST_POSITIONS - 1)),
        "place_n": Setting("pk", WHOLE, _PART, "n", limits=(0, MOST_POSITIONS - 1)),
        "bias_kind": Setting("bk", TEXT, _PART, choices=get_args(BiasKind)),
        "last_queries": Setting("bq", WHOLE, _PART, "T_q", limits=(1, MAX_LENGTH)),
    }
)


@dataclass(frozen=True, slots=True)
class PositionsSettings:
    """Everything the page depends on besides the example.

    Attributes
    ----------
    head : int
        The head whose stages are shown, counted from 0.
    order : tuple of int
        Which token stands at each place; empty for the shuffle of `order_seed`. Tokens
        that came since stand behind, those that have gone are passed over.
    order_seed : int
        Number of the shuffle.
    table : {"sinusoidal", "learned"}
        The table P that is shown.
    features : Order
        Whether sines and cosines alternate or stand in two blocks.
    n_positions : int
        Rows of the table, and places that rotations are shown for.
    base : str
        Sets the rates base^(−2i/d) of sinusoids and rotations.
    scales_inputs : bool
        Whether inputs are multiplied by √d before positions are added.
    column : int
        Feature of the table that is drawn as a curve, counted from 0.
    trained_length : int
        Positions that a learned table has rows for.
    turning : {"interleaved", "half", "mixed"}
        Which features turn together; "mixed" pairs those of queries as neighbours and
        those of keys by halves.
    pair : int
        Pair of features drawn as arrows, counted from 0.
    place_m, place_n : int
        Places at which query and key are drawn.
    bias_kind : {"alibi", "relative"}
        The bias that is shown.
    last_queries : int
        How many of the last positions ask; all, where there are fewer.
    """

    head: int = 0
    order: tuple[int, ...] = ()
    order_seed: int = 11
    table: TableKind = "sinusoidal"
    features: Order = "interleaved"
    n_positions: int = 8
    base: str = "10000"
    scales_inputs: bool = False
    column: int = 2
    trained_length: int = 32
    turning: Turning = "interleaved"
    pair: int = 0
    place_m: int = 2
    place_n: int = 1
    bias_kind: BiasKind = "alibi"
    last_queries: int = MAX_LENGTH

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a choice is unknown, a number is out of its limits, or an order does not
            name each token once.
        """
        check_settings(self, POSITION_SETTINGS)
        _check_order(self.order)

    @property
    def theta(self) -> float:
        """The base as a number."""
        return float(self.base)

    def encoding(self, example: Example) -> Encoding:
        """Say how positions become numbers."""
        return Encoding(
            example.first_position, self.theta, self.features, self.scales_inputs
        )


# Settings that belong to a preset of the example; all others start from the default.
_STARTS = MappingProxyType({"exercise_7": PositionsSettings(order=(3, 0, 5, 1, 4, 2))})


def positions_start(preset: str) -> PositionsSettings:
    """Give the settings with which the page starts at a preset."""
    return _STARTS.get(preset, PositionsSettings())
