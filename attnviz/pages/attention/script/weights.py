"""The script of weights that came alone."""

from attnviz.example.weights_alone import WeightsTrace
from attnviz.export.dialect import Dialect, Words, assemble, section, shown
from attnviz.pages.attention.script.inputs import token_lines


def weights_script(trace: WeightsTrace, dialect: Dialect, words: Words) -> str:
    """Write the script that sums the weights of each query.

    Parameters
    ----------
    trace : WeightsTrace
        The weights on screen.
    """
    return assemble(
        dialect,
        words,
        words("export.script.weights"),
        0.0,
        [
            section(
                words("export.script.given_weights"),
                *token_lines(trace),
                dialect.assign("weights", trace.weights),
            ),
            section(
                words("export.script.weight_sum"),
                dialect.speak("weight_sum = weights.sum(ALONG)"),
            ),
            shown(
                dialect, words("export.script.shown"), {"weight_sum": trace.weight_sum}
            ),
        ],
    )
