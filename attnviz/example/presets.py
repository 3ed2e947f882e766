"""The examples that are ready to be shown, each with where it comes from."""

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from attnviz.core.cost import (
    LayerSizes,
    array_bytes,
    attention_parameters,
    score_elements,
)
from attnviz.example.settings import Example
from attnviz.example.sources.written import fixed_matrices

Source = Literal["chapter", "articles", "point", "practice"]
SOURCES: tuple[Source, ...] = get_args(Source)


@dataclass(frozen=True, slots=True)
class Counted:
    """A layer too large to draw, of which only the counts are shown.

    Attributes
    ----------
    sizes : LayerSizes
        Sizes of the layer.
    length : int
        Number of positions T.
    batch : int
        Number of samples m.
    """

    sizes: LayerSizes
    length: int = 1
    batch: int = 1

    @property
    def divisor(self) -> float:
        """What dot products are divided by, √d_k."""
        return math.sqrt(self.sizes.d_k)

    @property
    def parameters(self) -> int:
        """Parameters of the four projections, without biases."""
        return attention_parameters(self.sizes)

    @property
    def parameters_with_biases(self) -> int:
        """The same with biases."""
        return attention_parameters(self.sizes, bias=True)

    @property
    def score_elements(self) -> int:
        """Scores of all samples and heads, m·H·T²."""
        return score_elements(
            batch=self.batch,
            n_heads=self.sizes.n_heads,
            len_q=self.length,
            len_k=self.length,
        )

    @property
    def score_bytes(self) -> int:
        """Bytes of these scores in float32."""
        return array_bytes(self.score_elements)


@dataclass(frozen=True, slots=True)
class Preset:
    """An example that is ready to be shown.

    Attributes
    ----------
    example : Example
        Its settings.
    source : Source
        What it comes from: the chapter, an article, or made here to make a point or
        to practise.
    is_constructed : bool
        Whether its weights were constructed by hand: nothing learned them.
    counted : Counted or None
        The sizes it is about, if those are too large to draw; the example is then
        a smaller one of the same proportions.
    about : tuple of str
        Settings that its point depends on; whatever else changes, the point holds.
    """

    example: Example
    source: Source
    is_constructed: bool = False
    counted: Counted | None = None
    about: tuple[str, ...] = ()

    def changed(self, example: Example) -> tuple[str, ...]:
        """Name the settings that its point depends on and that are others now."""
        return tuple(
            name
            for name in self.about
            if getattr(example, name) != getattr(self.example, name)
        )


def _constructed(name: str, **settings: Any) -> Example:  # noqa: ANN401 - as Example
    """Show matrices that are written down, at the sizes they have."""
    sizes = fixed_matrices(name).sizes
    return Example(
        length=sizes.n_queries,
        key_length=sizes.key_length,
        n_heads=sizes.n_heads,
        d_model=sizes.d_model,
        d_k=sizes.d_k,
        d_v=sizes.d_v,
        matrices=name,
        **settings,
    )


_KEYS = ("key_text", "key_length")
_MASK = ("mask", "n_padding", "window_left", "window_right")
_SCORES = ("scoring", "positions", "is_scaled", "temperature")
_ALL = (*_MASK, *_SCORES, "edits")
_WIDTHS = ("d_model", "d_k", "d_v", "n_heads")
PRESETS = MappingProxyType(
    {
        "five": Preset(Example(), "chapter", about=_KEYS),
        "identity": Preset(
            _constructed("identity"),
            "chapter",
            True,
            about=("scoring", "positions", "temperature", "edits"),
        ),
        "constant_values": Preset(
            _constructed("constant_values"),
            "chapter",
            True,
            about=("positions", "edits"),
        ),
        "cross": Preset(_constructed("cross"), "chapter", True, about=("n_padding",)),
        "exercise_7": Preset(
            _constructed("exercise_7"),
            "chapter",
            about=("is_scaled", "temperature", "edits"),
        ),
        "recurrent": Preset(
            _constructed("recurrent", scoring="additive", is_scaled=False),
            "chapter",
            True,
            about=("is_scaled",),
        ),
        "size_calculator": Preset(
            Example(length=16, d_model=32, d_k=4, d_v=4, n_heads=8),
            "chapter",
            counted=Counted(LayerSizes.usual(256, 8), length=128, batch=8),
            about=(*_KEYS, *_WIDTHS),
        ),
        "norm_rows": Preset(
            _constructed("norm_rows"), "chapter", True, about=("edits",)
        ),
        "cat_videos": Preset(
            _constructed(
                "zero_scores",
                text="People like watching funny cat videos",
                mask="causal",
            ),
            "articles",
            True,
            about=("mask", "scoring", "positions", "edits"),
        ),
        "tired_animal": Preset(
            _constructed(
                "tired_animal",
                text="The animal didn't cross the street because it was too tired",
            ),
            "articles",
            True,
            about=("text", *_MASK, *_SCORES, "edits"),
        ),
        "its_law": Preset(
            _constructed(
                "its_law",
                text="The Law will never be perfect , but its application should be "
                "just",
            ),
            "articles",
            True,
            about=("text", *_MASK, *_SCORES, "edits"),
        ),
        "one_head": Preset(
            Example(length=6, d_model=16, d_k=4, d_v=4, n_heads=1),
            "articles",
            about=_WIDTHS,
        ),
        "batch": Preset(
            Example(length=6, d_model=12, d_k=3, d_v=3, n_heads=1), "articles"
        ),
        "caption": Preset(
            Example(
                text="a dog catches the ball",
                key_text="r₁₁ r₁₂ r₁₃ r₂₁ r₂₂ r₂₃ r₃₁ r₃₂ r₃₃",
                n_heads=1,
            ),
            "articles",
            about=("text", *_KEYS),
        ),
        "apple": Preset(
            _constructed("apple"),
            "articles",
            True,
            about=("text", *_MASK, *_SCORES, "edits"),
        ),
        "model_sizes": Preset(
            Example(length=8, d_model=64, d_k=8, d_v=8, n_heads=8),
            "articles",
            counted=Counted(LayerSizes.usual(768, 12)),
            about=_WIDTHS,
        ),
        "side_by_side": Preset(_constructed("side_by_side"), "articles", True),
        "einsum": Preset(_constructed("einsum"), "articles", True, about=("scoring",)),
        "list_and_vector": Preset(
            _constructed("list_and_vector"),
            "articles",
            True,
            about=(*_SCORES, "edits"),
        ),
        "fractions": Preset(
            _constructed("fractions"), "point", True, about=(*_SCORES, "edits")
        ),
        "same_output": Preset(
            _constructed("same_output"),
            "point",
            True,
            about=(*_MASK, *_SCORES, "edits"),
        ),
        "left_padding": Preset(
            _constructed("left_padding", mask="causal_left_padding", n_padding=2),
            "point",
            True,
            about=("mask", "n_padding", "edits"),
        ),
        "chinese": Preset(
            Example(text="小猫追着自己的影子跑"), "practice", about=("text", "edits")
        ),
        "sequence": Preset(
            Example(text="the cat saw the dog", positions="sinusoidal", n_heads=1),
            "practice",
            about=("text", *_KEYS, *_MASK, "positions", "edits"),
        ),
        **{
            name: Preset(_constructed("transformer_layer"), "chapter", True, about=_ALL)
            for name in ("transformer_layer", "transformer_layer_pre", "two_layers")
        },
        "decoder_memory": Preset(Example(key_length=4), "chapter", about=_KEYS),
        "translation": Preset(
            Example(text="I like cats", key_text="我 喜 欢 猫"),
            "practice",
            about=("text", *_KEYS),
        ),
        "gpt_stack": Preset(
            Example(text="the cat sat", mask="causal", positions="sinusoidal"),
            "practice",
            about=("text", *_KEYS, *_MASK),
        ),
    }
)
