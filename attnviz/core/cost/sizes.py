"""The sizes that say what a Transformer layer costs."""

from dataclasses import dataclass, fields

from attnviz.core.arrays.shapes import count
from attnviz.core.errors import ShapeError


@dataclass(frozen=True, slots=True)
class LayerSizes:
    """The sizes of one Transformer layer.

    Attributes
    ----------
    d_model : int
        Width d of the layer.
    n_heads : int
        Number of query heads H.
    d_k, d_v : int
        Width of keys and values of *one* head.
    d_ff : int
        Width of the feed-forward network's hidden layer.
    n_kv_heads : int
        Number of key–value heads; as many as query heads unless they are shared.
    """

    d_model: int
    n_heads: int
    d_k: int
    d_v: int
    d_ff: int
    n_kv_heads: int

    def __post_init__(self) -> None:
        """Check that each size is a number of things.

        Raises
        ------
        ValueError
            If a size is not a whole number of at least 1.
        ShapeError
            If query heads cannot share key–value heads evenly.
        """
        for field in fields(self):
            count("LayerSizes", field.name, getattr(self, field.name), least=1)
        if self.n_heads % self.n_kv_heads:
            raise ShapeError(
                "LayerSizes: `n_kv_heads` needs a number that divides "
                f"H={self.n_heads}; got {self.n_kv_heads}"
            )

    @classmethod
    def usual(cls, d_model: int, n_heads: int) -> "LayerSizes":
        """Take the usual sizes: heads share the width, the network is 4 times as wide.

        Parameters
        ----------
        d_model : int
            Width d of the layer.
        n_heads : int
            Number of heads H.

        Returns
        -------
        sizes : LayerSizes
            With d_k = d_v = d/H, d_ff = 4d and no shared heads.

        Raises
        ------
        ValueError
            If a number is not a whole number of at least 1.
        ShapeError
            If H does not divide d; nothing is rounded down.

        References
        ----------
        .. [1] Vaswani et al., "Attention Is All You Need", 2017, sections 3.2.2, 3.3.
        """
        width = count("LayerSizes.usual", "d_model", d_model, least=1)
        heads = count("LayerSizes.usual", "n_heads", n_heads, least=1)
        if width % heads:
            raise ShapeError(
                f"LayerSizes.usual: `d_model` needs a width that H={heads} divides; "
                f"got {width}"
            )
        return cls(
            d_model=width,
            n_heads=heads,
            d_k=width // heads,
            d_v=width // heads,
            d_ff=4 * width,
            n_kv_heads=heads,
        )
