"""The figures of the Layer norm page: x → x̂ → y, and who feels a disturbance."""

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.norms import NormExampleTrace
from attnviz.figures.matrix import Axis, FigureSpec, Panel, matrix_figure, nice_bound

_FEATURE = Axis("d_model")
_STATISTIC = Axis("statistic")


def norm_figures(trace: NormExampleTrace) -> dict[str, FigureSpec]:
    """Draw the stages of Layer Normalization and the comparison with BatchNorm.

    Parameters
    ----------
    trace : NormExampleTrace
        The normalization on screen.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "norm", "norm_output" and "disturbance".
    """
    position = Axis("position", trace.tokens)
    return {
        "norm": _normalize(trace, position),
        "norm_output": _scale_and_shift(trace, position),
        "disturbance": _disturbance(trace, position),
    }


def _normalize(trace: NormExampleTrace, position: Axis) -> FigureSpec:
    """Draw x with μ and v as columns, then x̂."""
    norm = trace.norm
    return matrix_figure(
        [
            Panel(
                "norm_input",
                norm.x,
                ("x", "", ""),
                "x",
                position,
                _FEATURE,
                shows_rows=True,
            ),
            _column("norm_mean", norm.mean, "μ", position, 1, like=norm.x),
            _column("norm_variance", norm.variance, "v", position, 2),
            Panel(
                "norm_normalized",
                norm.normalized,
                ("x̂", "", ""),
                "n",
                position,
                _FEATURE,
                track=3,
            ),
        ]
    )


def _scale_and_shift(trace: NormExampleTrace, position: Axis) -> FigureSpec:
    """Draw γ and β as rows over y, with the mean and the variance of y as columns."""
    norm = trace.norm
    return matrix_figure(
        [
            _parameter("gamma", norm.gamma, "γ", 0),
            _parameter("beta", norm.beta, "β", 1),
            Panel(
                "norm_output",
                norm.output,
                ("y", "", ""),
                "n",
                position,
                _FEATURE,
                band=2,
                shows_rows=True,
            ),
            _column(
                "output_mean",
                trace.output_mean,
                "μ",
                position,
                1,
                2,
                sub="y",
                like=norm.output,
            ),
            _column(
                "output_variance", trace.output_variance, "v", position, 2, 2, sub="y"
            ),
        ]
    )


def _disturbance(trace: NormExampleTrace, position: Axis) -> FigureSpec:
    """Draw what a disturbance changed in the first sample, LayerNorm and BatchNorm."""
    shared = max(trace.largest_layer_change, trace.largest_batch_change) or 1.0
    layer = Panel(
        "layer_change",
        trace.layer_change,
        ("Δ", "LN", ""),
        "n",
        position,
        _FEATURE,
        shows_rows=True,
        bound=shared,
    )
    batch = Panel(
        "batch_change",
        trace.batch_change,
        ("Δ", "BN", ""),
        "n",
        position,
        _FEATURE,
        track=1,
        bound=shared,
    )
    return matrix_figure([layer, batch])


def _parameter(name: str, numbers: FloatArray, symbol: str, band: int) -> Panel:
    """Draw one row of γ or β; a scale of 1 stays pale."""
    return Panel(
        name,
        numbers[None],
        (symbol, "", ""),
        "n",
        _STATISTIC,
        _FEATURE,
        band=band,
        bound=2 * nice_bound(numbers),
    )


def _column(
    name: str,
    numbers: FloatArray,
    symbol: str,
    position: Axis,
    track: int,
    band: int = 0,
    *,
    sub: str = "",
    like: FloatArray | None = None,
) -> Panel:
    """Draw one number a position as a column.

    A mean has the colours of what it is the mean of, or rounding would look like more
    than it is.
    """
    return Panel(
        name,
        numbers[:, None],
        (symbol, sub, ""),
        "x",
        position,
        _STATISTIC,
        track,
        band,
        bound=2 * nice_bound(numbers) if like is None else nice_bound(like),
    )
