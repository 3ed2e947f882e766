"""Freeze the example on screen as A, and see what is changed since beside it."""

from collections.abc import Callable

from htmltools import Tag
from shiny import Inputs, reactive, ui

from attnviz.components.figures import Live, figure, figure_row, live
from attnviz.core.comparison import COMPARED, Comparison, compare
from attnviz.core.weights_alone import Shown
from attnviz.text.catalog import Translate


def compare_buttons(tr: Translate) -> Tag:
    """Make the buttons that freeze and release A.

    Parameters
    ----------
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    buttons : Tag
        Inputs `freeze` and `release`.
    """
    return ui.div(
        ui.input_action_button("freeze", tr("compare.freeze"), class_="button-quiet"),
        ui.input_action_button("release", tr("compare.release"), class_="button-quiet"),
        {"data-live": "compare.state"},
        class_="compare-buttons",
        role="group",
        aria_label=tr("compare.title"),
    )


def compare_section(tr: Translate) -> Tag:
    """Reserve the place of the comparison; it shows while something is frozen.

    Parameters
    ----------
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    section : Tag
        Heading, what was set differently, and one figure a matrix.
    """
    return ui.tags.section(
        ui.h2(tr("compare.title"), class_="section"),
        ui.p(live("compare.changed"), class_="finding", role="status"),
        figure_row(
            *[figure(f"compare_{name}", None) for name in COMPARED], class_="is-extra"
        ),
        {"data-live": "compare.section"},
        class_="compare",
    )


def compare_live(comparison: Comparison | None, tr: Translate) -> dict[str, Live]:
    """Say what is set differently in A and B.

    Parameters
    ----------
    comparison : Comparison or None
        None while nothing is frozen.
    tr : Translate
        Words of the reader's language.

    Returns
    -------
    live : dict of str to Live
        States of section and buttons, and the sentence.
    """
    state = "off" if comparison is None else "on"
    states = {key: Live(state=state) for key in ("compare.state", "compare.section")}
    if comparison is None:
        return states
    if not comparison.changed:
        return {**states, "compare.changed": Live(tr("compare.same"))}
    names = tr("compare.and").join(tr(f"setting.{name}") for name in comparison.changed)
    sentence = tr("compare.differ", names=names)
    if any(pair.difference is None for pair in comparison.pairs.values()):
        sentence = f"{sentence} {tr('compare.shapes')}"
    return {**states, "compare.changed": Live(sentence)}


def follow_comparison(
    input: Inputs, trace: Callable[[], Shown], head: Callable[[], int]
) -> Callable[[], Comparison | None]:
    """Freeze the example when asked, and compare it with what comes after.

    Parameters
    ----------
    input : Inputs
        The page's inputs `freeze` and `release`.
    trace, head : callable
        Read the example and the head on screen.

    Returns
    -------
    comparison : callable
        Reads the comparison; None while nothing is frozen.
    """
    frozen: reactive.Value[Shown | None] = reactive.value(None, name="frozen")

    @reactive.effect
    @reactive.event(input.freeze)
    def freeze() -> None:
        frozen.set(trace())

    @reactive.effect
    @reactive.event(input.release)
    def release() -> None:
        frozen.set(None)

    @reactive.calc
    def comparison() -> Comparison | None:
        before = frozen()
        return None if before is None else compare(before, trace(), head())

    return comparison
