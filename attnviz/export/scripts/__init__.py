"""Scripts that compute the numbers on screen again, and say when they differ."""

from attnviz.core.norm_example import NormExampleTrace
from attnviz.core.weights_alone import Shown, WeightsTrace
from attnviz.export.scripts.attention import attention_script
from attnviz.export.scripts.dialect import NUMPY, TORCH, Dialect, Words
from attnviz.export.scripts.norms import norm_script
from attnviz.export.scripts.weights import weights_script

__all__ = ["numpy_script", "torch_script"]


def numpy_script(trace: Shown | NormExampleTrace, words: Words) -> str:
    """Write a script in plain NumPy.

    Parameters
    ----------
    trace : ExampleTrace, WeightsTrace or NormExampleTrace
        The numbers on screen.
    words : callable
        Gives the comments in the reader's language: takes a key and the values of
        its placeholders.

    Returns
    -------
    script : str
        Python source that needs NumPy alone. It holds the inputs with all their
        digits, computes every stage, and raises an error where a number differs from
        the one on screen.
    """
    return _script(trace, NUMPY, words)


def torch_script(trace: Shown | NormExampleTrace, words: Words) -> str:
    """Write a script in PyTorch, in float64.

    Parameters
    ----------
    trace : ExampleTrace, WeightsTrace or NormExampleTrace
        The numbers on screen.
    words : callable
        As in `numpy_script`.

    Returns
    -------
    script : str
        The stages of `numpy_script` in PyTorch, and the same once more with
        PyTorch's own function.
    """
    return _script(trace, TORCH, words)


def _script(trace: Shown | NormExampleTrace, dialect: Dialect, words: Words) -> str:
    if isinstance(trace, WeightsTrace):
        return weights_script(trace, dialect, words)
    if isinstance(trace, NormExampleTrace):
        return norm_script(trace, dialect, words)
    return attention_script(trace, dialect, words)
