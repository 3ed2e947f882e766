"""A mistake about widths: the model's where one head's belongs."""

from dataclasses import replace

from attnviz.core.cost.sizes import LayerSizes
from attnviz.core.cost.work import attention_parameters


def model_width_for_each_head(d_model: int, n_heads: int) -> int:
    """Give each head the width of the whole model.

    Parameters
    ----------
    d_model : int
        Width d of the model.
    n_heads : int
        Number of heads H.

    Returns
    -------
    n_parameters : int
        Parameters of the layer, biases included: about H times as many as are right.

    Examples
    --------
    >>> model_width_for_each_head(8, 2)
    568
    """
    sizes = LayerSizes.usual(d_model, n_heads)
    widened = replace(sizes, d_k=d_model, d_v=d_model)
    return attention_parameters(widened, bias=True)
