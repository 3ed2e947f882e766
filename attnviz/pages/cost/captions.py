"""The sentences and the numbers of the table of the Cost lab."""

from attnviz.core.cost import LINES, layer_work, score_elements
from attnviz.example.cost.calculator import CostTrace
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief, counted, grouped

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_KIBI = 1024


def cost_sentences(trace: CostTrace, tr: Translate) -> dict[str, str]:
    """Write everything that follows the sizes.

    Returns
    -------
    sentences : dict of str to str
        By their keys on the page: cells of the table, the sentence above it, and the
        two below.
    """
    told = {"cost.counted": _counted(trace, tr), "export.of": _origin(trace, tr)}
    total = sum(trace.work)
    for line, elements, work in zip(LINES, trace.elements, trace.work, strict=True):
        shape = ", ".join(grouped(trace.named[axis]) for axis in line.shape)
        told |= {
            f"cost.shape.{line.name}": f"({shape})",
            f"cost.elements.{line.name}": counted(elements),
            f"cost.bytes.{line.name}": bytes_text(trace.bytes(elements)),
            f"cost.work.{line.name}": counted(work) if line.work else "–",
            f"cost.share.{line.name}": _percent(work, total) if line.work else "",
        }
    return told | {
        "cost.elements.all": counted(sum(trace.elements)),
        "cost.bytes.all": bytes_text(trace.bytes(sum(trace.elements))),
        "cost.work.all": counted(total),
        "cost.parameters": tr(
            "cost.parameters_told", parameters=counted(trace.parameters)
        ),
        "cost.cache": tr(
            "cost.cache_told",
            layers=trace.cost.layers,
            size=bytes_text(trace.cache),
        ),
        "cost.bytes_title": tr("cost.bytes_over", dtype=trace.cost.dtype),
    }


def bytes_text(size: int) -> str:
    """Write a number of bytes in the unit that people use.

    Examples
    --------
    >>> bytes_text(4 * 2**20), bytes_text(1000)
    ('4 MiB', '1000 B')
    """
    scaled, unit = float(size), 0
    while scaled >= _KIBI and unit < len(_UNITS) - 1:
        scaled, unit = scaled / _KIBI, unit + 1
    return f"{brief(float(f'{scaled:.4g}'))} {_UNITS[unit]}"


def _counted(trace: CostTrace, tr: Translate) -> str:
    """Compare the work of the scores with that of the projections."""
    cost = trace.cost
    elements = trace.line("scores")[1]
    work = layer_work(cost.sizes, cost.length, batch=cost.samples)
    doubled = score_elements(
        len_q=2 * cost.length,
        len_k=2 * cost.length,
        n_heads=cost.n_heads,
        batch=cost.samples,
    )
    return tr(
        "cost.counted",
        length=grouped(cost.length),
        scores=counted(elements),
        size=bytes_text(trace.bytes(elements)),
        share=_percent(work.scores + work.mixing, work.projections),
        crossing=grouped(round(trace.crossing)),
        doubled=bytes_text(trace.bytes(doubled)),
    )


def _origin(trace: CostTrace, tr: Translate) -> str:
    cost = trace.cost
    return tr(
        "cost.origin",
        samples=cost.samples,
        length=grouped(cost.length),
        width=cost.d_model,
        heads=cost.n_heads,
        dtype=cost.dtype,
    )


def _percent(part: int, whole: int) -> str:
    return f"{brief(float(f'{100 * part / whole:.2g}'))} %" if whole else ""
