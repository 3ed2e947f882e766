"""What is looked at of the layers on screen: one layer, one token, one station."""

from dataclasses import dataclass, replace
from functools import lru_cache

from attnviz.core.arrays.sheet import Sheet
from attnviz.example.layer.catalogue import layer_names
from attnviz.example.layer.compute import LayersTrace, compute_layers
from attnviz.example.layer.gradients import lay_out_gradients
from attnviz.example.layer.loss import next_words
from attnviz.example.layer.settings import LayerExample, Station
from attnviz.example.layer.stacking import Over
from attnviz.example.layer.way import Stage, lay_out_way, stages_of
from attnviz.example.matrices import GRADIENT
from attnviz.example.screen import Screen
from attnviz.example.settings import Example


@dataclass(frozen=True, slots=True, eq=False)
class LayerView:
    """The layers, and what a reader looks at.

    Attributes
    ----------
    trace : LayersTrace
        All numbers.
    settings : LayerExample
        The token, the layer and the station, each of which is there.
    stages : tuple of Stage
        The token's way through the layer.
    """

    trace: LayersTrace
    settings: LayerExample
    stages: tuple[Stage, ...]

    def sheet(self) -> Sheet:
        """Lay out all matrices for derivations."""
        return _lay_out(self)

    def screen(self) -> Screen:
        """Name all matrices as they stand on screen."""
        vocabulary = self.trace.vocabulary
        labels = {
            "query": self.trace.tokens,
            "key": self.trace.tokens,
            "source": self.trace.memory_tokens,
            "word": vocabulary.words if vocabulary else (),
        }
        return Screen(self.sheet().matrices, labels, names=layer_names())


# Line, captions, figures and inspector of one picture lay it out in turn.
@lru_cache(maxsize=4)
def _lay_out(view: LayerView) -> Sheet:
    whole, settings = view.trace.sheet(), view.settings
    matrices, rules, prefix = whole.matrices, dict(whole.rules), ""
    if settings.shows_gradients:
        back = lay_out_gradients(view.trace, settings.objective, settings.token)
        matrices = Over(back.matrices, matrices)
        rules, prefix = rules | dict(back.rules), GRADIENT
    way = lay_out_way(Sheet(matrices), view.stages, settings.token, prefix)
    return Sheet(Over(way.matrices, matrices), rules={**rules, **way.rules})


def look_at(example: Example, settings: LayerExample) -> LayerView:
    """Compute the layers, and look at what there is of what was asked for.

    Raises
    ------
    SettingError
        As `compute_layers`, or if a loss needs a vocabulary that is not there.
    """
    trace = compute_layers(example, settings)
    layer = min(settings.layer, len(trace.layers) - 1)
    token = min(settings.token, len(trace.tokens) - 1)
    station = _station(trace, settings.station)
    if station in ("final", "vocabulary"):
        layer = len(trace.layers) - 1
    now = replace(settings, layer=layer, token=token, station=station)
    stages = stages_of(trace, layer)
    if now.shows_gradients:
        if now.objective == "next":
            next_words(trace)
        stages = tuple(
            stage._replace(name=f"{GRADIENT}{stage.name}") for stage in stages
        )
    return LayerView(trace, now, stages)


def _station(trace: LayersTrace, wanted: Station) -> Station:
    """Give the attention where there is no such station; a norm may stand elsewhere."""
    place = trace.settings.place
    here, elsewhere = ("before", "after") if place == "pre" else ("after", "before")
    if wanted.endswith(elsewhere):
        wanted = wanted.removesuffix(elsewhere) + here  # type: ignore[assignment]
    is_there = {
        "cross": trace.memory is not None,
        "final": trace.final is not None,
        "vocabulary": trace.vocabulary is not None,
    }
    return wanted if is_there.get(wanted.partition("_")[0], True) else "attention"
