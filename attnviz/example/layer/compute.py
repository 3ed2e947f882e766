"""Layers one after the other, the last norm, and the words they end in."""

from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import BoolArray, FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.attention.masks import causal_mask
from attnviz.core.errors import SettingError
from attnviz.core.layers import (
    DecoderLayerParameters,
    DecoderLayerTrace,
    EncoderLayerTrace,
    NormPlace,
    NormTrace,
    decoder_layer,
    encoder_layer,
    layer_norm,
)
from attnviz.example.choices.positions import (
    POSITION_RULES,
    Encoding,
    bias_of,
    turn_of,
)
from attnviz.example.compute import ExampleTrace
from attnviz.example.layer.layout import lay_out_layers
from attnviz.example.layer.parameters import LayerParameters, layer_parameters, silence
from attnviz.example.layer.settings import LayerExample
from attnviz.example.layer.vocabulary import VocabularyTrace, project
from attnviz.example.settings import Example
from attnviz.example.sources.drawn import random_inputs
from attnviz.example.weights_alone import WeightsTrace, compute_shown

LayerTrace = EncoderLayerTrace | DecoderLayerTrace
# What stands for an encoder's output where the example has no keys from elsewhere.
_MEMORY = Example(key_length=4).key_tokens


@dataclass(frozen=True, slots=True, eq=False)
class LayersTrace:
    """All arrays of the layers on screen; read-only.

    Two traces are equal if they are one.

    Attributes
    ----------
    source : ExampleTrace
        The example, which gives the inputs and the attention of the first layer.
    settings : LayerExample
        Which layers; of what is looked at it says nothing.
    tokens, memory_tokens : tuple of str
        One label a position, and one a row of the memory.
    memory : FloatArray of shape (T_k, d), or None
        What a decoder asks besides.
    parameters : tuple of EncoderLayerParameters or DecoderLayerParameters
        Of as many layers as there can be.
    layers : tuple of EncoderLayerTrace or DecoderLayerTrace
        Every stage of each layer.
    final : NormTrace or None
        The norm behind the last layer.
    vocabulary : VocabularyTrace or None
        The projection onto the vocabulary and its softmax.
    """

    source: ExampleTrace
    settings: LayerExample
    tokens: tuple[str, ...]
    memory_tokens: tuple[str, ...]
    memory: FloatArray | None
    parameters: tuple[LayerParameters, ...]
    layers: tuple[LayerTrace, ...]
    final: NormTrace | None
    vocabulary: VocabularyTrace | None

    @property
    def x(self) -> FloatArray:
        """What enters the first layer, of shape (T, d)."""
        return self.layers[0].x

    @property
    def streams(self) -> tuple[FloatArray, ...]:
        """The stream before the first step and after each one, of all layers."""
        found = [self.x]
        for layer in self.layers:
            for step in range(1, len(self.settings.sublayers) + 1):
                if layer.norm == "pre":
                    found.append(getattr(layer, f"residual_{step}"))
                else:
                    found.append(getattr(layer, f"norm_{step}").output)
        return tuple(found)

    @property
    def output(self) -> FloatArray:
        """What leaves the last layer and the norm behind it, of shape (T, d)."""
        return self.layers[-1].output if self.final is None else self.final.output

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return lay_out_layers(self)


@dataclass(frozen=True, slots=True)
class Runner:
    """Sends inputs through the layers of an example, as often as asked.

    Attributes
    ----------
    example : Example
        Mask, positions, scale and temperature.
    settings : LayerExample
        Which layers.
    parameters : tuple of EncoderLayerParameters or DecoderLayerParameters
        Their learned arrays.
    memory : FloatArray of shape (T_k, d), or None
        What a decoder asks besides.
    """

    example: Example
    settings: LayerExample
    parameters: tuple[LayerParameters, ...]
    memory: FloatArray | None

    def run(
        self,
        x: FloatArray,
        n_layers: int,
        *,
        place: NormPlace | None = None,
    ) -> tuple[LayerTrace, ...]:
        """Go through the first layers; the norms may stand elsewhere."""
        done: list[LayerTrace] = []
        for parameters in self.parameters[:n_layers]:
            entering = done[-1].output if done else x
            done.append(self._layer(entering, parameters, place))
        return tuple(done)

    def run_last(self, x: FloatArray, *, is_silent: bool = False) -> LayerTrace:
        """Go through the last of the layers alone, with its sublayers or without."""
        parameters = self.parameters[self.settings.n_layers - 1]
        if is_silent:
            parameters = silence(parameters, replace(self.settings, zeroed="all"))
        return self._layer(x, parameters, None)

    def _layer(
        self,
        x: FloatArray,
        parameters: LayerParameters,
        place: NormPlace | None,
    ) -> LayerTrace:
        e, s = self.example, self.settings
        norm = place or s.place
        turn = turn_of(e.positions, Encoding(e.first_position))
        turned = turn if e.positions == "rotary" else None
        visible, query_valid = self._visible(len(x))
        if isinstance(parameters, DecoderLayerParameters):
            assert self.memory is not None
            mask = e.choose_mask() if e.is_cross else None
            return decoder_layer(
                x,
                self.memory,
                parameters=parameters,
                norm=norm,
                activation=s.activation,
                visible=visible,
                memory_visible=None if mask is None else mask.visible,
                query_valid=query_valid if mask is None else mask.query_valid,
                scale=e.scale,
                temperature=e.temperature,
                turn=turned,
            )
        return encoder_layer(
            x,
            parameters=parameters,
            norm=norm,
            activation=s.activation,
            visible=visible,
            query_valid=query_valid,
            bias=bias_of(
                e.positions,
                parameters.attention.n_heads,
                len(x),
                len(x),
                seed=e.seed,
            ),
            scale=e.scale,
            temperature=e.temperature,
            turn=turned,
        )

    def _visible(self, length: int) -> tuple[BoolArray | None, BoolArray | None]:
        """Say which position sees which; a mask of keys from elsewhere is not meant."""
        mask = None if self.example.is_cross else self.example.choose_mask()
        if self.settings.architecture == "encoder":
            return (None, None) if mask is None else (mask.visible, mask.query_valid)
        earlier = causal_mask(length)
        if mask is None:
            return earlier, None
        visible = mask.visible & earlier
        empty = np.flatnonzero(mask.query_valid & ~visible.any(axis=-1))
        if empty.size:
            raise SettingError("empty_row", row=int(empty[0]) + 1)
        return visible, mask.query_valid


def compute_layers(example: Example, settings: LayerExample) -> LayersTrace:
    """Compute everything the Layer page shows, but what is only asked about it.

    Parameters
    ----------
    example : Example
        The example that gives the inputs and the attention of the first layer.
    settings : LayerExample
        Which layers.

    Returns
    -------
    trace : LayersTrace
        The same object for equal settings while it is remembered, whatever of it is
        looked at.

    Raises
    ------
    SettingError
        If the example has no inputs or no output, or layers as these have not its score
        or its positions, or the width of a network is written down.
    """
    return _compute(example, settings.numbers)


@remember(24_000_000)
def _compute(example: Example, settings: LayerExample) -> LayersTrace:
    source = compute_shown(example)
    if isinstance(source, WeightsTrace) or source.inputs is None:
        raise SettingError("no_inputs")
    if source.heads is None:
        raise SettingError("no_output")
    if example.scoring != "dot":
        raise SettingError("layer_scoring")
    is_decoder = settings.architecture == "decoder"
    if is_decoder and POSITION_RULES[example.positions].bias is not None:
        raise SettingError("layer_positions")
    x, heads = source.inputs, source.heads.parameters
    parameters = layer_parameters(
        example.matrices, example.seed, heads, settings, is_tied=example.is_tied
    )
    widths = {each.feed_forward.w_1.shape[1] for each in parameters}
    if widths != {settings.d_ff}:
        raise SettingError("layer_width", wanted=widths.pop())
    memory, words = _memory(source) if is_decoder else (None, ())
    runner = Runner(example, settings, parameters, memory)
    layers = runner.run(x, settings.n_layers)
    final = layer_norm(layers[-1].output) if settings.has_final_norm else None
    last = layers[-1].output if final is None else final.output
    return LayersTrace(
        source=source,
        settings=settings,
        tokens=source.tokens,
        memory_tokens=words,
        memory=memory,
        parameters=parameters,
        layers=layers,
        final=final,
        vocabulary=project(source, last, settings) if settings.has_vocabulary else None,
    )


def runner_of(trace: LayersTrace) -> Runner:
    """Make the layers of a trace run again."""
    example = trace.source.example
    return Runner(example, trace.settings, trace.parameters, trace.memory)


def _memory(source: ExampleTrace) -> tuple[FloatArray, tuple[str, ...]]:
    """Take what keys come from, or rows that stand for an encoder's output."""
    if source.example.is_cross and source.key_inputs is not None:
        return source.key_inputs, source.key_tokens
    width = source.example.d_model
    return read_only(random_inputs(source.example.seed, _MEMORY, width)), _MEMORY
