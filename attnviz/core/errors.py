"""What the core says when it cannot compute."""


class ShapeError(ValueError):
    """Two arguments disagree about a size, or one has the wrong rank."""


class MaskError(ValueError):
    """A mask is not boolean, or does not say which table it covers."""


class EmptyRowError(MaskError):
    """A query that counts has no key it may see, so its softmax has no value."""
