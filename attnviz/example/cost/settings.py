"""The settings of the Cost lab, and their limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.core.cost import LayerSizes
from attnviz.core.errors import SettingError
from attnviz.example.setting import TEXT, WHOLE, Setting, Settings, check_settings

Dtype = Literal["float16", "float32", "float64"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
MOST_POSITIONS = 10_000_000
_PART = "cost"


def _number(key: str, symbol: str, most: int, least: int = 1) -> Setting:
    return Setting(key, WHOLE, _PART, symbol, limits=(least, most), look="field")


COST_SETTINGS: Settings = MappingProxyType(
    {
        "length": _number("ct", "T", MOST_POSITIONS),
        "samples": _number("cmb", "m", 4096),
        "d_model": _number("cd", "d", 65_536),
        "n_heads": _number("ch", "H", 256),
        "n_kv_heads": _number("ckv", "H_kv", 256),
        "d_ff": _number("cf", "d_ff", 262_144),
        "layers": _number("cl", "L", 256),
        "window": _number("cw", "w", MOST_POSITIONS, least=0),
        "dtype": Setting("cy", TEXT, _PART, choices=DTYPES),
    }
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Everything the calculator depends on.

    Attributes
    ----------
    length : int
        Number of positions T.
    samples : int
        Number of samples m.
    d_model : int
        Width d.
    n_heads, n_kv_heads : int
        Heads of queries H, and of keys and values H_kv.
    d_ff : int
        Width of the network's hidden layer.
    layers : int
        Number of layers L, each with a cache of its own.
    window : int
        Reach of a local window on both sides; 0 for none.
    dtype : {"float16", "float32", "float64"}
        Type of every number.
    """

    length: int = 128
    samples: int = 8
    d_model: int = 256
    n_heads: int = 8
    n_kv_heads: int = 8
    d_ff: int = 1024
    layers: int = 1
    window: int = 64
    dtype: Dtype = "float32"

    def __post_init__(self) -> None:
        """Refuse sizes that fit no layer.

        Raises
        ------
        SettingError
            As `Setting.check`; if heads do not share the width, or each other, evenly.
        """
        check_settings(self, COST_SETTINGS)
        if self.d_model % self.n_heads:
            raise SettingError("heads_of_width", d=self.d_model, heads=self.n_heads)
        if self.n_heads % self.n_kv_heads:
            raise SettingError(
                "heads_of_heads", heads=self.n_heads, kv_heads=self.n_kv_heads
            )

    @property
    def sizes(self) -> LayerSizes:
        """The sizes of one layer, whose heads share its width."""
        width = self.d_model // self.n_heads
        return LayerSizes(
            d_model=self.d_model,
            n_heads=self.n_heads,
            d_k=width,
            d_v=width,
            d_ff=self.d_ff,
            n_kv_heads=self.n_kv_heads,
        )


# Published sizes: Vaswani et al. 2017 (base); Radford et al. 2019 (GPT-2 small); Jiang
# et al. 2023 (Mistral 7B, whose eight pairs of keys and values serve 32 heads).
COST_PRESETS: Mapping[str, Cost] = MappingProxyType(
    {
        "exercise_4": Cost(),
        "base": Cost(64, 1, 768, 12, 12, 3072, 12, window=16, dtype="float32"),
        "gpt2": Cost(1024, 1, 768, 12, 12, 3072, 12, window=256, dtype="float16"),
        "grouped": Cost(8192, 1, 4096, 32, 8, 14_336, 32, window=4096, dtype="float16"),
    }
)


def preset_of(cost: Cost) -> str:
    """Name the preset that these settings are, if they are one."""
    found = (name for name, preset in COST_PRESETS.items() if preset == cost)
    return next(found, "")
