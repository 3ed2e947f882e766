"""Read the numbers back out of the figures, as a browser does."""

import base64

import numpy as np


def decode(typed):
    """Unpack one array of a figure."""
    if "bits" in typed:
        return _expand(typed)
    flat = np.frombuffer(base64.b64decode(typed["bdata"]), typed["dtype"])
    return flat.reshape([int(size) for size in typed["shape"].split(",")])


def _expand(typed):
    """Take a large array apart, bit by bit."""
    data, bits = base64.b64decode(typed["bdata"]), typed["bits"]
    stream = "".join(f"{byte:08b}" for byte in data)
    shape = [int(size) for size in typed["shape"].split(",")]
    places = [
        int(stream[at * bits : (at + 1) * bits] or "0", 2)
        for at in range(np.prod(shape))
    ]
    numbers = (typed["least"] + np.array(places)) * typed["step"]
    return numbers.astype("f4").reshape(shape)


def heatmaps(figures):
    """List the heatmap of every matrix by its name, copies left out."""
    return {
        trace["name"]: trace
        for spec in figures.values()
        for trace in spec["data"]
        if "z" in trace
        and not trace["meta"].get("hides")
        and not trace["meta"]["is_copy"]
    }


def matrices(figures):
    """Decode every matrix by its name."""
    return {name: decode(trace["z"]) for name, trace in heatmaps(figures).items()}


def received(view):
    """Decode every matrix of a view that a browser has received, by its name."""
    return {
        panel["name"]: decode(view["numbers"][panel["key"]]["z"])
        for frame in view["figures"].values()
        for panel in frame["panels"]
        if not panel.get("is_copy")
    }


def hidden_cells(figures, name):
    """Decode the layer of a matrix's hidden cells; all False where there is none."""
    layers = [
        decode(trace["z"]).astype(bool)
        for spec in figures.values()
        for trace in spec["data"]
        if trace["meta"].get("hides") == name
    ]
    return layers[0] if layers else np.zeros_like(matrices(figures)[name], dtype=bool)
