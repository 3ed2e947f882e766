"""Put figures and live sentences on a page, in one message an update."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from htmltools import Tag
from shiny import ui
from shiny.module import resolve_id
from shiny.render.renderer import Jsonifiable, Renderer
from shiny.session import require_active_session

from attnviz.components.page.compact import compact
from attnviz.components.page.stepper import Step
from attnviz.components.page.wire import Packed, news, pack
from attnviz.figures.matrix import FigureSpec
from attnviz.text.cells import Cell
from attnviz.text.formulas import formula


@dataclass(frozen=True, slots=True)
class Live:
    """One sentence or verdict that follows the numbers.

    Attributes
    ----------
    text : str or None
        What to write; None leaves the words as they are.
    state : str or None
        Verdict or other state, for colour and icon.
    formula : str or None
        Name of the formula to set there instead; empty for none.
    size : float or None
        A magnitude that style makes visible: the property ``--size``.
    """

    text: str | None = None
    state: str | None = None
    formula: str | None = None
    size: float | None = None

    def told(self) -> dict[str, Any]:
        """Give what a browser is told of it."""
        told = {"text": self.text, "state": self.state, "size": self.size}
        if self.formula is not None:
            told["formula"] = self.formula and formula(self.formula)
        return {key: value for key, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True)
class View:
    """All that one page shows of a trace.

    Attributes
    ----------
    figures : mapping of str to FigureSpec
        Figures of matrices, and plots, by name.
    live : mapping of str to Live
        Sentences by key.
    head : int or None
        The head on screen, counted from 0; None where heads do not matter.
    editable : tuple of str
        Matrices whose cells a reader may change.
    edited : tuple of Cell
        Cells that a reader has changed, which are marked.
    start : Cell or None
        The cell that is explained until a reader chooses another.
    """

    figures: Mapping[str, FigureSpec]
    live: Mapping[str, Live]
    head: int | None = None
    editable: tuple[str, ...] = ()
    edited: tuple[Cell, ...] = ()
    start: Cell | None = None


def figures_page(
    id: str,
    *content: ui.TagChild,
    steps: Sequence[Step] = (),
    edits: bool = False,
    first: View | None = None,
    derivation: Mapping[str, Any] | None = None,
) -> Tag:
    """Make the element whose figures and live sentences one output feeds.

    Parameters
    ----------
    id : str
        Name of the `render_view` function, without namespace.
    *content : TagChild
        The page, with its `figure` places.
    steps : sequence of Step, optional
        The walk through its stages.
    edits : bool, default=False
        Whether cells can be changed: inputs `edit`, `clear` and `swing`.
    first : View, optional
        What the page shows at once, before the server has been asked.
    derivation : mapping, optional
        The cell that it explains at first, as components.page.inspector writes it.
    """
    page = ui.div(*content, id=resolve_id(id), class_="figures-page")
    if steps:
        page.attrs["data-steps"] = json.dumps([asdict(step) for step in steps])
    if first is not None:
        page.add_class("has-numbers")
        # Nothing in it may end the script.
        begin = {"view": Wire().take(first), "derivation": derivation}
        text = json.dumps(begin, separators=(",", ":")).replace("<", "\\u003c")
        page.append(
            ui.tags.script(ui.HTML(text), {"data-first": ""}, type="application/json")
        )
    if edits:
        for name in ("edit", "clear", "swing"):
            page.attrs[f"data-{name}"] = resolve_id(name)
    return page


def figure_row(*figures: ui.TagChild, class_: str = "") -> Tag:
    """Stand figures side by side on one floor.

    Parameters
    ----------
    *figures : TagChild
        Figures in reading order.
    """
    return ui.div(*figures, class_=f"figure-row {class_}".strip())


def figure(name: str, *notes: ui.TagChild, formulas: Sequence[Tag] = ()) -> Tag:
    """Reserve the place of one figure.

    Parameters
    ----------
    name : str
        Name of the figure in the view.
    *notes : TagChild
        What its caption says below its formulas.
    formulas : sequence of Tag, optional
        What heads it, one a line: `written` ones, or `live` ones that follow the view.
    """
    headings = [ui.div(one, class_="figure-formula") for one in formulas]
    caption = ui.tags.figcaption(*headings, ui.div(*notes, class_="figure-notes"))
    return ui.tags.figure(caption, {"data-graph": name})


def written(name: str) -> Tag:
    """Set a formula that stays as it is."""
    return ui.span(ui.HTML(formula(name)))


def live(key: str, *content: ui.TagChild, class_: str = "") -> Tag:
    """Reserve the place of a sentence that follows the numbers.

    Parameters
    ----------
    key : str
        Its key in the view.
    *content : TagChild
        What stands there until the first update.
    """
    return ui.span(*content, {"data-live": key}, class_=class_ or None)


def sentences(texts: Mapping[str, str]) -> dict[str, Live]:
    """Make live sentences of texts that carry no verdict.

    Parameters
    ----------
    texts : mapping of str to str
        Texts by key.
    """
    return {key: Live(text) for key, text in texts.items()}


class Wire:
    """Remembers what a browser has, and gives what is new to it."""

    def __init__(self) -> None:
        """Begin with a browser that has nothing."""
        self._had: tuple[Packed, Packed, Packed] = ({}, {}, {})
        self._has = self._had

    def take(self, view: View) -> dict[str, Jsonifiable]:
        """Give the message that makes a browser show a view."""
        live: Packed = {key: item.told() for key, item in view.live.items()}
        self._has = (*pack(view.figures), live)
        figures, numbers, words = map(news, self._has, self._had)
        start = view.start
        return {
            "figures": figures,
            "numbers": {
                key: own | {"z": compact(own["z"])} if own and "z" in own else own
                for key, own in numbers.items()
            },
            "live": words,
            "head": view.head,
            "editable": list(view.editable),
            "edited": [[cell.name, cell.row, cell.column] for cell in view.edited],
            "start": None if start is None else [start.name, start.row, start.column],
        }

    def sent(self) -> None:
        """Take note that the last message has left; one before it may not have."""
        self._had = self._has


class render_view(Renderer[View]):  # noqa: N801 - reads like Shiny's own renderers
    """Send a view to the page as plain JSON; plotly.js is already there."""

    _wire: Wire | None = None

    def auto_output_ui(self) -> Tag:
        """Make an empty page, for Shiny Express."""
        return figures_page(self.output_id)

    async def transform(self, value: View) -> Jsonifiable:
        """Say what is new in the view."""
        self._wire = self._wire or Wire()
        message = self._wire.take(value)
        require_active_session(None).on_flushed(self._wire.sent, once=True)
        return message
