"""What the stages of a layer are called and numbered, on the line and on the way."""

from attnviz.example.layer.view import LayerView
from attnviz.text.catalog import Translate

_FIRST_CIRCLED = ord("①")


def circled(number: int) -> str:
    """Write a number in a circle.

    Examples
    --------
    >>> circled(3)
    '③'
    """
    return chr(_FIRST_CIRCLED + number - 1)


def stage_names(view: LayerView, tr: Translate) -> list[str]:
    """Name every stage of the token's way, with its number and its sign."""
    return [
        " ".join(filter(None, (circled(at), stage.sign, tr(stage_key(stage.station)))))
        for at, stage in enumerate(view.stages, start=1)
    ]


def stage_key(station: str) -> str:
    """Give the key of a stage's name: all norms share one, and all sums."""
    kind = station.rpartition("_")[2]
    return f"layer.stage.{'norm' if kind in ('before', 'after') else kind}"
