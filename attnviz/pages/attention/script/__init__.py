"""Scripts that compute the Attention page's numbers again."""

from attnviz.example.weights_alone import Shown, WeightsTrace
from attnviz.export.dialect import Dialect, Words
from attnviz.pages.attention.script.weights import weights_script
from attnviz.pages.attention.script.whole import whole_script


def attention_script(trace: Shown, dialect: Dialect, words: Words) -> str:
    """Write a script that computes what is on screen, and says when it differs.

    Parameters
    ----------
    words : callable
        Gives the comments in the reader's language: takes a key and the values of
        its placeholders.

    Returns
    -------
    script : str
        Python source that holds the inputs with all their digits, computes every
        stage, and raises an error where a number differs from the one on screen.
    """
    if isinstance(trace, WeightsTrace):
        return weights_script(trace, dialect, words)
    return whole_script(trace, dialect, words)
