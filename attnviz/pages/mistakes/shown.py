"""What any section of the page puts on screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shiny import ui

from attnviz.components.page.view import Live, View, sentences
from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.derivation.stages import LaidOut
from attnviz.example.matrices import Matrix
from attnviz.example.mistakes.settings import SECTIONS
from attnviz.example.screen import Screen
from attnviz.figures.matrix import FigureSpec
from attnviz.text.catalog import Translate
from attnviz.text.cells import Cell

# The choices of the rounds so far, by seed and round.
Answers = Mapping[tuple[int, int], int]
Told = Callable[[Translate, str], ui.TagChild]
Sentences = Callable[[Translate, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of NumPy that make what is on screen.

    Attributes
    ----------
    given : mapping of str to Any
        Variables that they find.
    parts : tuple of (str, str, mapping of str to FloatArray)
        Title key, lines, and what stands on screen of the variables they make.
    """

    given: Mapping[str, Any]
    parts: tuple[tuple[str, str, Mapping[str, FloatArray]], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a section shows.

    Attributes
    ----------
    section : str
        Its name.
    trace : LaidOut
        Where its numbers come from.
    screen : Screen
        Its matrices by name.
    figures : mapping of str to FigureSpec
        Its figures.
    start : Cell
        The cell that is explained at first.
    say : callable
        Gives its sentences, by key.
    told : callable
        Makes what stands below the figures.
    code : Code
        Lines that compute the numbers.
    file_name : str
        What files are named after.
    tables : tuple of str
        Matrices that it offers as tables and on paper.
    head : int or None
        The head on screen, where there are heads.
    states : mapping of str to str
        States of its places, by key.
    editable : tuple of str
        Matrices whose cells can be changed by hand.
    edited : tuple of Cell
        Cells that were.
    """

    section: str
    trace: LaidOut
    screen: Screen
    figures: Mapping[str, FigureSpec]
    start: Cell
    say: Sentences
    told: Told
    code: Code
    file_name: str
    tables: tuple[str, ...]
    head: int | None = None
    states: Mapping[str, str] = field(default_factory=dict)
    editable: tuple[str, ...] = ()
    edited: tuple[Cell, ...] = ()

    @property
    def names(self) -> Mapping[str, Matrix]:
        """The catalogue, as this section has it."""
        return self.screen.names

    def view(self, tr: Translate, language: str) -> View:
        """Gather what the browser draws."""
        states = {
            f"section.{name}": Live(state="on" if name == self.section else "off")
            for name in SECTIONS
        }
        marks = {key: Live(state=state) for key, state in self.states.items()}
        said = sentences(self.say(tr, language))
        return View(
            figures=self.figures,
            live={**states, **marks, **said},
            head=self.head,
            start=self.start,
            editable=self.editable,
            edited=self.edited,
        )


def explanation(*keys: str) -> Told:
    """Set a sentence or more below the figures."""

    def told(tr: Translate, language: str) -> ui.TagChild:
        return ui.div(*[ui.p(tr(key)) for key in keys], class_="mistake-model")

    return told
