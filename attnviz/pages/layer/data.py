"""The numbers of the Layer page, ready to be written to a file."""

from dataclasses import asdict

from attnviz.core.arrays.shapes import FloatArray
from attnviz.example.layer.view import LayerView
from attnviz.export.data import Matrix, PageData, page_data, plain_settings


def layer_data(view: LayerView) -> PageData:
    """Collect the numbers of every layer, with all that they depend on.

    Returns
    -------
    data : PageData
        What the layer on screen has goes by its name alone; what another one has, by
        that of its layer too: "layer_2_weights".
    """
    screen = view.screen()
    example = plain_settings(view.trace.source.example)
    data = page_data("layer", screen, {**asdict(view.settings), "example": example})
    found = {
        name: matrix
        for name, matrix in data.matrices.items()
        if not screen.names[_plain(name)].is_per_head
    }
    for name, matrix in screen.names.items():
        if matrix.is_per_head and name in screen.matrices:
            for layer, values in enumerate(screen.matrices[name]):
                own, shown = _told(name, values)
                is_here = layer == view.settings.layer
                place = own if is_here else f"layer_{layer + 1}_{own}"
                found[place] = Matrix(shown, matrix.axes[1:])
    return PageData(data.page, data.settings, data.labels, found)


def _plain(name: str) -> str:
    return "mask" if name == "visible" else name


def _told(name: str, values: FloatArray) -> tuple[str, FloatArray]:
    """Tell a mask as what each query sees: no file format has a word for −∞."""
    if name.endswith("mask"):
        return name.replace("mask", "visible"), values == 0
    return name, values
