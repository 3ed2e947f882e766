"""What the core says when it cannot compute."""


class ShapeError(ValueError):
    """Two arguments disagree about a size, or one has the wrong rank.

    Examples
    --------
    >>> from attnviz.core import attend
    >>> attend([[1.0]], [[1.0, 2.0]], [[1.0]])
    Traceback (most recent call last):
    attnviz.core.errors.ShapeError: attend: `k` needs shape (..., T_k, d_k) with ...
    """


class MaskError(ValueError):
    """A mask is not boolean, or does not say which table it covers.

    Examples
    --------
    >>> from attnviz.core import attend
    >>> attend([[1.0]], [[1.0]], [[1.0]], visible=[[1]])
    Traceback (most recent call last):
    attnviz.core.errors.MaskError: attend: `visible` needs booleans (True = may ...
    """


class EmptyRowError(MaskError):
    """A query that counts has no key it may see, so its softmax has no value.

    Examples
    --------
    >>> from attnviz.core import attend
    >>> attend([[1.0]], [[1.0]], [[1.0]], visible=[[False]])
    Traceback (most recent call last):
    attnviz.core.errors.EmptyRowError: attend: `visible` needs at least one key ...
    """


class SettingError(ValueError):
    """A setting on screen that cannot be; a page puts it into words.

    Parameters
    ----------
    reason : str
        What is wrong, as the last part of a key in the locale files.
    **values : object
        The names, places and numbers the sentence needs.
    """

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(f"{reason}: {values}")
        self.reason = reason
        self.values = values
