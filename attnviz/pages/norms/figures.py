"""The figures of the Layer norm page: x → x̂ → y, and who feels a disturbance."""

from attnviz.example.norms import NormExampleTrace
from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec, Panel, matrix_figure, nice_bound
from attnviz.figures.panels import panel


def norm_figures(trace: NormExampleTrace) -> dict[str, FigureSpec]:
    """Draw the stages of Layer Normalization and the comparison with BatchNorm.

    Returns
    -------
    figures : dict of str to FigureSpec
        Figures "norm", "norm_output" and "disturbance".
    """
    screen = trace.screen()
    # A mean has the colours of what it is the mean of, or rounding would look like
    # more than it is.
    mean = panel(screen, "norm_mean", track=1, bound=_bound(screen, "norm_input"))
    output_mean = panel(
        screen, "output_mean", track=1, band=2, bound=_bound(screen, "norm_output")
    )
    shared = max(trace.largest_layer_change, trace.largest_batch_change) or 1.0
    return {
        "norm": matrix_figure(
            [
                panel(screen, "norm_input", shows_rows=True),
                mean,
                _pale(screen, "norm_variance", track=2),
                panel(screen, "norm_normalized", track=3),
            ]
        ),
        "norm_output": matrix_figure(
            [
                _pale(screen, "gamma"),
                _pale(screen, "beta", band=1),
                panel(screen, "norm_output", band=2, shows_rows=True),
                output_mean,
                _pale(screen, "output_variance", track=2, band=2),
            ]
        ),
        "disturbance": matrix_figure(
            [
                panel(screen, "layer_change", shows_rows=True, bound=shared),
                panel(screen, "batch_change", track=1, bound=shared),
            ]
        ),
    }


def _bound(screen: Screen, name: str) -> float:
    return nice_bound(screen.table(name))


def _pale(screen: Screen, name: str, *, track: int = 0, band: int = 0) -> Panel:
    """Draw numbers around 1 so that a 1 stays pale."""
    bound = 2 * _bound(screen, name)
    return panel(screen, name, track=track, band=band, bound=bound)
