"""Freeze the example on screen, and see what is changed since beside it."""

from collections.abc import Callable
from urllib.parse import urlencode

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui
from shiny.module import resolve_id

from attnviz.components.page.view import Live, figure, figure_row, live
from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.example.address import parse_query, read_example, write_example
from attnviz.example.comparison import COMPARED, Comparison, compare
from attnviz.example.weights_alone import compute_shown
from attnviz.text.catalog import Translate
from attnviz.text.settings import setting_names


def compare_buttons(tr: Translate) -> Tag:
    """Make the buttons that freeze an example and release it.

    Returns
    -------
    buttons : Tag
        Inputs `freeze` and `release` and, from what the browser has kept, `frozen`.
    """
    return ui.div(
        ui.input_action_button("freeze", tr("compare.freeze"), class_="button-quiet"),
        ui.input_action_button("release", tr("compare.release"), class_="button-quiet"),
        {"data-live": "compare.state", "data-frozen": resolve_id("frozen")},
        {"data-part": "compare"},
        class_="compare-buttons",
        role="group",
        aria_label=tr("compare.title"),
    )


def compare_section(tr: Translate) -> Tag:
    """Reserve the place of the comparison; it shows while something is frozen.

    Returns
    -------
    section : Tag
        Heading, what was set differently, and one figure a matrix.
    """
    return ui.tags.section(
        ui.h2(tr("compare.title"), class_="section"),
        ui.p(live("compare.changed"), class_="finding", role="status"),
        ui.p(tr("compare.unkept"), class_="hint unkept"),
        figure_row(
            *[figure(f"compare_{name}") for name in COMPARED], class_="is-extra"
        ),
        {"data-live": "compare.section"},
        {"data-part": "compare"},
        class_="compare",
    )


def compare_live(comparison: Comparison | None, tr: Translate) -> dict[str, Live]:
    """Say what is set differently in the two examples.

    Parameters
    ----------
    comparison : Comparison or None
        None while nothing is frozen.
    """
    state = "off" if comparison is None else "on"
    states = {key: Live(state=state) for key in ("compare.state", "compare.section")}
    if comparison is None:
        return states
    lacking = comparison.first.n_heads
    if comparison.head >= lacking:
        head = comparison.second.example.first_head + comparison.head + 1
        sentence = tr("compare.no_head", count=lacking, head=head)
        return {**states, "compare.changed": Live(sentence)}
    if not comparison.changed:
        return {**states, "compare.changed": Live(tr("compare.same"))}
    sentence = tr("compare.differ", names=setting_names(comparison.changed, tr))
    if any(pair.difference is None for pair in comparison.pairs.values()):
        sentence = f"{sentence} {tr('compare.shapes')}"
    return {**states, "compare.changed": Live(sentence)}


def follow_comparison(
    input: Inputs, session: Session, controls: Controls, head: Callable[[], int]
) -> Callable[[], Comparison | None]:
    """Freeze the example when asked, and compare it with what comes after.

    Parameters
    ----------
    input, session
        Shiny's own, of the page.

    Returns
    -------
    comparison : callable
        Reads the comparison; None while nothing is frozen.
    """
    frozen: reactive.Value[Chosen | None] = reactive.value(None, name="frozen")

    async def keep(chosen: Chosen | None) -> None:
        frozen.set(chosen)
        search = None if chosen is None else _search(chosen)
        await session.send_custom_message("attnviz-frozen", {"search": search})

    @reactive.effect
    @reactive.event(input.freeze)
    async def freeze() -> None:
        await keep(controls.chosen())

    @reactive.effect
    @reactive.event(input.release)
    async def release() -> None:
        await keep(None)

    @reactive.effect
    @reactive.event(input.frozen)
    async def freeze_again() -> None:
        query = parse_query(str(input.frozen()))
        preset, example, dropped = read_example(query, controls.brought())
        if not dropped:
            await keep(Chosen(preset, example))

    @reactive.calc
    def comparison() -> Comparison | None:
        before = frozen()
        if before is None:
            return None
        now = compute_shown(controls.chosen().example)
        return compare(compute_shown(before.example), now, head())

    return comparison


def _search(chosen: Chosen) -> str:
    """Write an example as the query of an address."""
    return urlencode(write_example(chosen.example, chosen.preset))
