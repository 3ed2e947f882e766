"""What the Layer page adds to the example, and where each preset starts."""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

from attnviz.core.errors import SettingError
from attnviz.core.layers.network import Activation
from attnviz.core.layers.norms import NormPlace
from attnviz.example.setting import (
    COUNTED,
    FLAG,
    TEXT,
    WHOLE,
    Setting,
    Settings,
    check_settings,
)
from attnviz.example.sources.drawn import MAX_LENGTH, MAX_WIDTH
from attnviz.example.sources.tokens import split_tokens

Kind = Literal["encoder", "decoder"]
Sublayer = Literal["attention", "cross", "network"]
Zeroed = Literal["nothing", "attention", "cross", "network", "all"]
Loss = Literal["number", "length", "next"]
Station = Literal[
    "input",
    "attention_before",
    "attention",
    "attention_sum",
    "attention_after",
    "cross_before",
    "cross",
    "cross_sum",
    "cross_after",
    "network_before",
    "network",
    "network_sum",
    "network_after",
    "final",
    "vocabulary",
    "stream",
]
STATIONS: tuple[Station, ...] = get_args(Station)
SUBLAYERS: dict[Kind, tuple[Sublayer, ...]] = {
    "encoder": ("attention", "network"),
    "decoder": ("attention", "cross", "network"),
}
MAX_LAYERS = 6
MAX_WORDS = MAX_LENGTH
_PART = "layer"
_FLAGS = (False, True)
LAYER_SETTINGS: Settings = MappingProxyType(
    {
        "architecture": Setting("lk", TEXT, _PART, choices=get_args(Kind)),
        "place": Setting("lp", TEXT, _PART, choices=get_args(NormPlace)),
        "activation": Setting("la", TEXT, _PART, "φ", choices=get_args(Activation)),
        "d_ff": Setting("lf", WHOLE, _PART, "d_ff", limits=(1, MAX_WIDTH)),
        "n_layers": Setting("ln", WHOLE, _PART, "N", limits=(1, MAX_LAYERS)),
        "zeroed": Setting("lz", TEXT, _PART, choices=get_args(Zeroed)),
        "has_final_norm": Setting("lx", FLAG, _PART, choices=_FLAGS),
        "has_vocabulary": Setting("lv", FLAG, _PART, choices=_FLAGS),
        "ties_vocabulary": Setting("lt", FLAG, _PART, choices=_FLAGS),
        "words": Setting("lw", TEXT, _PART),
        "token": Setting("lo", COUNTED, limits=(0, MAX_LENGTH - 1)),
        "layer": Setting("ll", COUNTED, limits=(0, MAX_LAYERS - 1)),
        "station": Setting("ls", TEXT, choices=STATIONS),
        "shows_gradients": Setting("lg", FLAG, _PART, choices=_FLAGS),
        "shows_depth": Setting("ld", FLAG, _PART, choices=_FLAGS),
        "objective": Setting("lc", TEXT, _PART, choices=get_args(Loss)),
    }
)
# What is looked at; no number depends on it.
_LOOK = ("token", "layer", "station", "shows_gradients", "shows_depth", "objective")


@dataclass(frozen=True, slots=True)
class LayerExample:
    """Everything the layers on screen depend on besides the example.

    Attributes
    ----------
    architecture : {"encoder", "decoder"}
        Which layers: a decoder asks a memory too.
    place : {"post", "pre"}
        Where their norms stand.
    activation : {"relu", "gelu", "gelu_tanh"}
        φ of the networks.
    d_ff : int
        Width of their hidden layers.
    n_layers : int
        Number of layers N.
    zeroed : {"nothing", "attention", "cross", "network", "all"}
        Sublayers that give 0, in every layer.
    has_final_norm : bool
        Whether one more norm follows the last layer.
    has_vocabulary : bool
        Whether the projection onto the vocabulary follows.
    ties_vocabulary : bool
        Whether its matrix is that of the embeddings.
    words : str
        Words of the vocabulary besides the tokens of the example.
    token : int
        The position whose way is told, counted from 0.
    layer : int
        The layer that is looked at, counted from 0.
    station : Station
        What is opened of it.
    shows_gradients : bool
        Whether gradients stand in place of the numbers.
    shows_depth : bool
        Whether the stream is followed through as many layers as there can be.
    objective : {"number", "length", "next"}
        Of what: the first feature of the token's output, half its squared length, or
        the cross-entropy of the next tokens.
    """

    architecture: Kind = "encoder"
    place: NormPlace = "post"
    activation: Activation = "relu"
    d_ff: int = 16
    n_layers: int = 1
    zeroed: Zeroed = "nothing"
    has_final_norm: bool = False
    has_vocabulary: bool = False
    ties_vocabulary: bool = False
    words: str = ""
    token: int = 1
    layer: int = 0
    station: Station = "attention"
    shows_gradients: bool = False
    shows_depth: bool = False
    objective: Loss = "number"

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a number is out of its limits, a choice is unknown, or there are too many
            words.
        """
        check_settings(self, LAYER_SETTINGS)
        n_words = len(split_tokens(self.words))
        if n_words > MAX_WORDS:
            raise SettingError("many_tokens", got=n_words, most=MAX_WORDS)

    @property
    def sublayers(self) -> tuple[Sublayer, ...]:
        """The sublayers of each layer, in order."""
        return SUBLAYERS[self.architecture]

    @property
    def numbers(self) -> "LayerExample":
        """The same layers, whatever is looked at."""
        plain = LayerExample()
        return replace(self, **{name: getattr(plain, name) for name in _LOOK})

    def is_zeroed(self, sublayer: Sublayer) -> bool:
        """Tell whether a sublayer gives 0."""
        return self.zeroed in ("all", sublayer)


_GOLDEN = LayerExample(d_ff=8, token=0, has_vocabulary=True, words="w₄ w₅")
# Settings that belong to a preset of the example; all others start from the default.
LAYER_EXAMPLES = MappingProxyType(
    {
        "transformer_layer": _GOLDEN,
        "transformer_layer_pre": replace(_GOLDEN, place="pre"),
        "two_layers": replace(_GOLDEN, place="pre", n_layers=2, has_final_norm=True),
        "decoder_memory": LayerExample(architecture="decoder", station="cross"),
        "translation": LayerExample(
            architecture="decoder",
            station="cross",
            has_vocabulary=True,
            words="dogs you <eos>",
        ),
        "gpt_stack": LayerExample(
            place="pre",
            activation="gelu_tanh",
            n_layers=3,
            has_final_norm=True,
            has_vocabulary=True,
            ties_vocabulary=True,
            words="dog on mat .",
            station="vocabulary",
            token=3,
        ),
    }
)


def layer_start(preset: str) -> LayerExample:
    """Give the settings of the Layer page that a preset starts with.

    Parameters
    ----------
    preset : str
        Name of the preset.

    Returns
    -------
    settings : LayerExample
        The preset's own, or the default.
    """
    return LAYER_EXAMPLES.get(preset, LayerExample())
