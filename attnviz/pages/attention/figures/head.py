"""What every figure of one head of the Attention page needs."""

from dataclasses import dataclass

from attnviz.core.attention.scaled_dot_product import AttentionTrace, slice_head
from attnviz.example.compute import ExampleTrace
from attnviz.figures.matrix import Axis

MODEL = Axis("d_model")
D_K = Axis("d_k")
D_V = Axis("d_v")
STATISTIC = Axis("statistic")


@dataclass(frozen=True, slots=True)
class Stage:
    """One head of an example, with the axes of its matrices.

    Attributes
    ----------
    trace : ExampleTrace
        The example on screen.
    head : int
        The head that is shown, counted from 0.
    attention : AttentionTrace
        All stages of that head.
    query, key : Axis
        What the rows and the columns of the scores stand for.
    """

    trace: ExampleTrace
    head: int
    attention: AttentionTrace
    query: Axis
    key: Axis

    @property
    def is_cross(self) -> bool:
        """Whether keys and values come from elsewhere."""
        return self.trace.example.is_cross


def stage_of(trace: ExampleTrace, head: int) -> Stage:
    """Take one head of an example.

    Parameters
    ----------
    trace : ExampleTrace
        The example on screen.
    head : int
        The head that is shown, counted from 0.

    Returns
    -------
    stage : Stage
        Its stages and axes.
    """
    padding = ~trace.key_valid
    return Stage(
        trace=trace,
        head=head,
        attention=slice_head(trace.attention, head),
        query=Axis("query", trace.tokens, None if trace.example.is_cross else padding),
        key=Axis("key", trace.key_tokens, padding),
    )
