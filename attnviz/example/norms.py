"""The Layer Normalization on screen: its settings, and all computed from them."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attnviz.core.arrays.randomness import draw
from attnviz.core.arrays.remembering import remember
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.arrays.sheet import Sheet
from attnviz.core.errors import SettingError
from attnviz.core.layers.norms import NormTrace, batch_norm, layer_norm, standardize
from attnviz.example.compute import ExampleTrace
from attnviz.example.derivation_norms import lay_out_norm
from attnviz.example.reading.typed_numbers import ROWS, numbers_form
from attnviz.example.screen import Screen
from attnviz.example.setting import (
    REAL,
    TEXT,
    WHOLE,
    Setting,
    Settings,
    check_settings,
)
from attnviz.example.settings import Example
from attnviz.example.weights_alone import WeightsTrace, compute_shown

NormSource = Literal["input", "residual", "context", "rows"]
NORM_SOURCES: tuple[NormSource, ...] = get_args(NormSource)
Disturbance = Literal["nothing", "samples", "positions"]
DISTURBANCES: tuple[Disturbance, ...] = get_args(Disturbance)
MAX_SAMPLES = 8
# Any ε that float64 holds; 0 leaves equal numbers without an answer.
EPS_LIMITS = (0.0, 1e300)
# How far a disturbance moves a number, in standard deviations of the inputs.
DISTURBANCE_SIZE = 3.0
# A feature may be the same everywhere, which batch normalization without ε cannot.
_NEARLY_NONE = 1e-300
_PART = "norms"
NORM_SETTINGS: Settings = MappingProxyType(
    {
        "source": Setting("ns", TEXT, _PART, choices=NORM_SOURCES),
        "rows": Setting("nr", ROWS, _PART),
        "gamma": Setting("ng", numbers_form("gamma"), _PART, "γ"),
        "beta": Setting("nb", numbers_form("beta"), _PART, "β"),
        "eps": Setting("ne", REAL, _PART, "ε"),
        "n_samples": Setting("nm", WHOLE, _PART, "m", limits=(2, MAX_SAMPLES)),
        "disturbance": Setting("nd", TEXT, _PART, choices=DISTURBANCES),
    }
)


@dataclass(frozen=True, slots=True)
class NormExample:
    """Everything the Layer Normalization on screen depends on.

    Attributes
    ----------
    source : NormSource
        What is normalized: the inputs X, X plus the attention output, the context of
        the first head, or typed rows.
    rows : tuple of tuple of float
        The typed rows.
    gamma, beta : tuple of float
        Scale and shift: one number for all features, or one for each.
    eps : float
        ε inside the root.
    n_samples : int
        Samples m in the batch; the first is the one on screen.
    disturbance : Disturbance
        What is changed to see who feels it: the other samples, or the last position
        of the first sample.
    """

    source: NormSource = "input"
    rows: tuple[tuple[float, ...], ...] = ((1, 2, 3, 4), (2, 2, 2, 2), (-1, 0, 0, 5))
    gamma: tuple[float, ...] = (1.0,)
    beta: tuple[float, ...] = (0.0,)
    eps: float = 1e-5
    n_samples: int = 3
    disturbance: Disturbance = "nothing"

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If a choice is unknown, or ε or the number of samples is out of its limits.
        """
        check_settings(self, NORM_SETTINGS)
        # Typed, not dragged: its control has no stops.
        typed = Setting("", REAL, limits=EPS_LIMITS)
        object.__setattr__(self, "eps", typed.check("eps", self.eps))


@dataclass(frozen=True, slots=True)
class NormExampleTrace:
    """All arrays of the Layer Normalization on screen; read-only.

    Attributes
    ----------
    tokens : tuple of str
        One label a position.
    source : ExampleTrace or None
        Where X and the attention output were added to be normalized.
    norm : NormTrace
        Every stage of the first sample.
    output_mean, output_variance : FloatArray of shape (T,)
        Mean and variance of y at each position.
    batch, disturbed : FloatArray of shape (m, T, d)
        The samples before and after the disturbance.
    layer_after, batch_before, batch_after : NormTrace
        All samples under LayerNorm after the disturbance, and under BatchNorm with
        training statistics before and after it.
    layer_change, batch_change : FloatArray of shape (T, d)
        What the disturbance changed in the first sample's normalized numbers, under
        LayerNorm and under BatchNorm. Positions that were themselves disturbed are
        left out (0).
    largest_layer_change, largest_batch_change : float
        Largest magnitude of those changes.
    """

    tokens: tuple[str, ...]
    source: ExampleTrace | None
    norm: NormTrace
    output_mean: FloatArray
    output_variance: FloatArray
    batch: FloatArray
    disturbed: FloatArray
    layer_after: NormTrace
    batch_before: NormTrace
    batch_after: NormTrace
    layer_change: FloatArray
    batch_change: FloatArray
    largest_layer_change: float
    largest_batch_change: float

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return lay_out_norm(self)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        labels = {"position": self.tokens}
        if self.source is None:
            return Screen(self.sheet().matrices, labels)
        behind = self.source.screen()
        own = {
            name: matrix
            for name, matrix in self.sheet().matrices.items()
            if name not in behind.matrices
        }
        return Screen(own, labels, names=behind.names)


@remember(8_000_000)
def compute_norm(example: Example, settings: NormExample) -> NormExampleTrace:
    """Compute everything the Layer norm page shows.

    Parameters
    ----------
    example : Example
        The example that gives X and the attention output.
    settings : NormExample
        What is normalized, and how.

    Returns
    -------
    trace : NormExampleTrace
        The same object for equal settings while it is remembered.

    Raises
    ------
    SettingError
        If γ or β has neither one number nor one for each feature, or the example has
        no inputs, or no output, or ε is 0 where the numbers of a row are all equal.
    """
    tokens, x, source = _source(example, settings)
    gamma = _spread("gamma", settings.gamma, x.shape[-1])
    beta = _spread("beta", settings.beta, x.shape[-1])
    norm = _normalize(x, settings.eps, gamma=gamma, beta=beta)
    batch = _batch(example.seed, x, settings.n_samples)
    disturbed = _disturb(example.seed, batch, settings.disturbance)
    untouched = (batch[0] == disturbed[0]).all(axis=-1, keepdims=True)

    def change(before: NormTrace, after: NormTrace) -> FloatArray:
        difference = after.normalized[0] - before.normalized[0]
        return read_only(np.where(untouched, difference, 0.0))

    layer_after = _normalize(disturbed, settings.eps)
    layer_change = change(_normalize(batch, settings.eps), layer_after)
    batch_before, batch_after = (
        batch_norm(samples, eps=settings.eps or _NEARLY_NONE)
        for samples in (batch, disturbed)
    )
    batch_change = change(batch_before, batch_after)
    return NormExampleTrace(
        tokens=tokens,
        source=source,
        norm=norm,
        output_mean=read_only(norm.output.mean(axis=-1)),
        output_variance=read_only(norm.output.var(axis=-1)),
        batch=batch,
        disturbed=disturbed,
        layer_after=layer_after,
        batch_before=batch_before,
        batch_after=batch_after,
        layer_change=layer_change,
        batch_change=batch_change,
        largest_layer_change=float(np.abs(layer_change).max()),
        largest_batch_change=float(np.abs(batch_change).max()),
    )


def sources_of(example: Example) -> tuple[NormSource, ...]:
    """Name what an example has that can be normalized; rows can always be typed."""
    trace = compute_shown(example)
    if isinstance(trace, WeightsTrace):
        return ("rows",)
    has = {"input": trace.x is not None, "residual": trace.heads is not None}
    return tuple(source for source in NORM_SOURCES if has.get(source, True))


def _source(
    example: Example, settings: NormExample
) -> tuple[tuple[str, ...], FloatArray, ExampleTrace | None]:
    """Pick the tensor to normalize, with its labels and the example behind a sum."""
    if settings.source == "rows":
        rows = np.array(settings.rows, dtype=float)
        return Example(length=len(rows)).tokens, read_only(rows), None
    trace = compute_shown(example)
    if isinstance(trace, WeightsTrace):
        raise SettingError("no_inputs")
    if settings.source == "context":
        return trace.tokens, trace.attention.context[0], None
    if trace.x is None:
        raise SettingError("no_inputs")
    if settings.source == "input":
        return trace.tokens, trace.x, None
    if trace.heads is None:
        raise SettingError("no_output")
    return trace.tokens, read_only(trace.x + trace.heads.output), trace


def _normalize(
    x: FloatArray,
    eps: float,
    *,
    gamma: FloatArray | None = None,
    beta: FloatArray | None = None,
) -> NormTrace:
    """Normalize each position; without ε, positions of equal numbers are refused."""
    if eps > 0:
        return layer_norm(x, gamma=gamma, beta=beta, eps=eps)
    try:
        return standardize(x, gamma=gamma, beta=beta)
    except ValueError as refused:
        row = int(np.ptp(x, axis=-1).argmin()) % x.shape[-2] + 1
        raise SettingError("flat_row", row=row) from refused


def _spread(name: str, numbers: tuple[float, ...], width: int) -> FloatArray:
    """Give every feature its number."""
    if len(numbers) not in (1, width):
        raise SettingError("parameter_count", name=name, got=len(numbers), wanted=width)
    return np.broadcast_to(np.array(numbers, dtype=float), (width,))


def _batch(seed: int, x: FloatArray, n_samples: int) -> FloatArray:
    """Put other samples of the same spread behind the one on screen."""
    others = [
        draw(seed, f"sample.{i}", (32, 64))[: x.shape[0], : x.shape[1]]
        for i in range(1, n_samples)
    ]
    return read_only(np.stack([x, *others]))


def _disturb(seed: int, batch: FloatArray, disturbance: Disturbance) -> FloatArray:
    """Change the other samples, or the last position of the first one."""
    if disturbance == "nothing":
        return batch
    noise = draw(seed, "disturbance", (MAX_SAMPLES, 32, 64))
    m, length, width = batch.shape
    changed = batch + DISTURBANCE_SIZE * noise[:m, :length, :width]
    if disturbance == "samples":
        changed[0] = batch[0]
    else:
        changed[1:] = batch[1:]
        changed[0, :-1] = batch[0, :-1]
    return read_only(changed)


# Settings that belong to a preset of the example; all others start from the default.
NORM_EXAMPLES = MappingProxyType(
    {"norm_rows": NormExample(gamma=(1, 0.5, 2, 1), beta=(0, 1, -1, 0.5))}
)


def norm_start(preset: str) -> NormExample:
    """Give the settings of the Layer norm page that a preset starts with.

    Parameters
    ----------
    preset : str
        Name of the preset.

    Returns
    -------
    settings : NormExample
        The preset's own, or the default.
    """
    return NORM_EXAMPLES.get(preset, NormExample())
