"""Choose a layer, and eight of its heads, of weights that came from a whole model."""

from collections.abc import Callable

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui

from attnviz.components.inputs.steering import Steering
from attnviz.core.errors import SettingError
from attnviz.example.own import OwnData
from attnviz.example.own.data import MEAN
from attnviz.example.own.example import own_example
from attnviz.example.settings import Example
from attnviz.example.sources.drawn import MAX_HEADS
from attnviz.text.catalog import Translate


def layer_controls(example: Example, tr: Translate) -> Tag:
    """Lay out both controls; style shows those that there is a choice for.

    Returns
    -------
    controls : Tag
        Inputs `layer` and `head_group`.
    """
    return ui.div(
        ui.div(
            ui.input_select(
                "layer",
                tr("setting.layer"),
                _layers(example.own, tr),
                selected=str(example.layer),
            ),
            class_="own-layer",
        ),
        ui.div(
            ui.input_select(
                "head_group",
                tr("setting.head_group"),
                _groups(example.own, tr),
                selected=example.head_group,
            ),
            class_="own-heads",
        ),
        {"data-part": "own"},
        class_="own-layers",
    )


def follow_layers(
    input: Inputs,
    example: Callable[[], Example],
    show: Callable[[Example], None],
    steering: Steering,
) -> None:
    """Show what is chosen."""

    @reactive.effect
    @reactive.event(input.layer, input.head_group, steering.is_done, ignore_init=True)
    def choose() -> None:
        if not steering.is_done():
            return
        now = example()
        if now.own is None or now.own.n_layers * len(now.own.groups) == 1:
            return
        layer, group = str(input.layer()), str(input.head_group())
        if not layer.isdecimal() or (layer, group) == (str(now.layer), now.head_group):
            return
        try:
            show(own_example(now.own, layer=int(layer), group=group))
        except SettingError:  # what a control no longer offers
            return


def set_layers(session: Session, example: Example, tr: Translate) -> None:
    """Move both controls to where an example has them."""
    ui.update_select(
        "layer",
        choices=_layers(example.own, tr),
        selected=str(example.layer),
        session=session,
    )
    ui.update_select(
        "head_group",
        choices=_groups(example.own, tr),
        selected=example.head_group,
        session=session,
    )


def picks(own: OwnData | None) -> str:
    """Name the controls that there is a choice for, for the style."""
    if own is None:
        return ""
    shown = {"layer": own.n_layers > 1, "heads": len(own.groups) > 1}
    return " ".join(name for name, is_shown in shown.items() if is_shown)


def _layers(own: OwnData | None, tr: Translate) -> dict[str, str]:
    count = 1 if own is None else own.n_layers
    samples = 1 if own is None else own.n_samples
    written = {}
    for place in range(count):
        layer, sample = divmod(place, samples)
        of_layer = f"{layer + 1} / {count // samples}"
        of_sample = tr("own.sample", sample=sample + 1, samples=samples)
        written[str(place)] = of_layer if samples == 1 else f"{of_layer} · {of_sample}"
    return written


def _groups(own: OwnData | None, tr: Translate) -> dict[str, str]:
    groups = ("1",) if own is None else own.groups
    count = 1 if own is None else own.n_heads
    return {
        group: tr("own.mean", heads=count)
        if group == MEAN
        else tr(
            "own.heads",
            first=(int(group) - 1) * MAX_HEADS + 1,
            last=min(int(group) * MAX_HEADS, count),
        )
        for group in groups
    }
