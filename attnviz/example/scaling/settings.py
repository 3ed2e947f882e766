"""The settings of the Scaling lab, and their limits."""

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.example.setting import (
    REAL,
    TEXT,
    WHOLE,
    Setting,
    Settings,
    check_settings,
)
from attnviz.example.settings import MAX_SEED

Law = Literal["components", "inverse", "unit"]
LAWS: tuple[Law, ...] = get_args(Law)
Other = Literal["d_model", "power"]
OTHERS: tuple[Other, ...] = get_args(Other)
Loss = Literal["cell", "mean"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
# Sizes of a key, as the curves go over them.
SIZES = tuple(2**power for power in range(11))
MAX_KEYS = 64
ROWS = (250, 500, 1000, 2000)
WIDTHS = (8, 64, 256, 512)
# At these the weights of three scores are shown.
TEMPERATURES = (0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
# Distinct sizes of the example through which a gradient goes back: queries, keys,
# features of a value.
LENGTHS = (4, 5, 3)
_PART = "scaling"
SCALING_SETTINGS: Settings = MappingProxyType(
    {
        "d_k": Setting(
            "zd", WHOLE, _PART, "d_k", choices=SIZES, control="size", look="stops"
        ),
        "keys": Setting("zk", WHOLE, _PART, "T_k", limits=(2, MAX_KEYS)),
        "n_drawn": Setting("zn", WHOLE, _PART, "n", choices=ROWS, look="stops"),
        "law": Setting("zl", TEXT, _PART, choices=LAWS),
        "correlation": Setting("zr", REAL, _PART, "ρ", limits=(0, 0.9), step=0.05),
        "mean": Setting("zm", REAL, _PART, "μ", limits=(0, 2), step=0.1),
        "width": Setting("zw", WHOLE, _PART, "d", choices=WIDTHS, look="stops"),
        "other": Setting("zo", TEXT, _PART, choices=OTHERS),
        "power": Setting("zp", REAL, _PART, "p", limits=(0, 1), step=0.05),
        "row": Setting("zi", WHOLE, _PART, "i", limits=(0, ROWS[-1])),
        "temperature": Setting(
            "zt", REAL, _PART, "τ", choices=TEMPERATURES, control="heat", look="stops"
        ),
        "gradient_size": Setting("zg", WHOLE, _PART, "d_k", limits=(2, 16)),
        "loss": Setting("zc", TEXT, _PART, choices=LOSSES),
        "loss_row": Setting("zx", WHOLE, _PART, "i", limits=(1, LENGTHS[0])),
        "loss_feature": Setting("zy", WHOLE, _PART, "j", limits=(1, LENGTHS[2])),
        "seed": Setting("zs", WHOLE, _PART, limits=(0, MAX_SEED), control="own_seed"),
    }
)


@dataclass(frozen=True, slots=True)
class Scaling:
    """Everything the Scaling lab depends on.

    Attributes
    ----------
    d_k : int
        Size of a key, one of SIZES.
    keys : int
        T_k, which is also the number of queries that share these keys.
    n_drawn : int
        How many queries are drawn, up to whole sequences of them.
    law : {"components", "inverse", "unit"}
        What is drawn: the components of q and k; or X and W, with a variance of 1/d or
        1 of each entry of W.
    correlation, mean : float
        Correlation of the components of a vector, and their mean, where these are
        drawn.
    width : int
        The model's width d: of X, and in the divisor √d that is wrong.
    other : {"d_model", "power"}
        The fourth divisor: √d, or a power of d_k.
    power : float
        That power.
    row : int
        The query whose weights are shown, counted from 1; 0 for the one that is
        nearest to the means.
    temperature : float
        Temperature at which three scores are shown, one of TEMPERATURES.
    gradient_size : int
        Size of a key in the example through which a gradient goes back.
    loss : {"cell", "mean"}
        What that gradient is of: one cell of C, or the mean of all.
    loss_row, loss_feature : int
        That cell, counted from 1.
    seed : int
        Seed of everything that is drawn.
    """

    d_k: int = 64
    keys: int = 16
    n_drawn: int = 2000
    law: Law = "components"
    correlation: float = 0.0
    mean: float = 0.0
    width: int = 512
    other: Other = "d_model"
    power: float = 0.25
    row: int = 0
    temperature: float = 1.0
    gradient_size: int = 16
    loss: Loss = "cell"
    loss_row: int = 2
    loss_feature: int = 1
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            As `Setting.check`.
        """
        check_settings(self, SCALING_SETTINGS)

    @property
    def divisors(self) -> tuple[float, float, float, float]:
        """What scores are divided by, the chapter's in the second place."""
        root = math.sqrt(self.width)
        other = root if self.other == "d_model" else self.d_k**self.power
        return 1.0, math.sqrt(self.d_k), float(self.d_k), other


def scaling_start(preset: str) -> Scaling:
    """Give the settings with which the page starts, whatever the example is."""
    return Scaling()
