"""The controls of the Positions page."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from htmltools import Tag
from shiny import Inputs, Session, reactive, ui
from shiny.module import resolve_id

from attnviz.components.inputs.controls import control, move_control, read_control
from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.inputs.steering import Steering
from attnviz.components.page.view import live
from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.core.errors import SettingError
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.positions.order import TRIED_MASKS
from attnviz.example.positions.settings import (
    POSITION_SETTINGS,
    PositionsSettings,
    positions_start,
)
from attnviz.text.catalog import Translate

TABLE = ("table", "features", "base", "n_positions", "trained_length", "scales_inputs")
ROTARY = ("turning", "place_m", "place_n", "pair")
BIAS = ("bias_kind", "last_queries")
# Parts of others that the table of kinds sets too.
_SETS = ("mask", "more")
# Matrices whose selected column is drawn as a curve.
_CURVED = ("position_table", "sum_positions")


def order_controls(tr: Translate) -> Tag:
    """Make the tools that move tokens; the browser fills in the tokens."""

    def tool(action: str) -> Tag:
        hint = tr(f"positions.order.{action}")
        return ui.tags.button(
            hint, {"data-order": action}, type="button", class_="button-quiet"
        )

    return ui.div(
        ui.h2(tr("positions.order")),
        ui.div(
            {"data-order-chips": resolve_id("order"), "role": "group"},
            class_="order-chips",
            aria_label=tr("positions.order.chips"),
        ),
        ui.div(
            ui.input_action_button(
                "shuffle", tr("positions.order.shuffle"), class_="button-quiet"
            ),
            tool("identity"),
            ui.tags.button(
                "↶",
                {
                    "data-edit-action": "undo",
                    "data-part": "history",
                    "title": tr("edit.undo"),
                },
                type="button",
                class_="button-quiet",
                aria_label=tr("edit.undo"),
            ),
            ui.tags.select(
                {"data-swap": "first"},
                class_="form-select",
                aria_label=tr("positions.order.first"),
            ),
            ui.tags.select(
                {"data-swap": "second"},
                class_="form-select",
                aria_label=tr("positions.order.second"),
            ),
            tool("swap"),
            class_="order-tools",
        ),
        {"data-part": "place"},
        class_="order-controls",
    )


def kinds_table(tr: Translate) -> Tag:
    """Make the table of what each kind of positions does to order: it is a control."""
    heads = ("kind", "acts", *TRIED_MASKS)
    return ui.tags.table(
        ui.tags.caption(tr("positions.kinds")),
        ui.tags.thead(
            ui.tags.tr(
                *[
                    ui.tags.th(tr(f"positions.kinds.{one}"), scope="col")
                    for one in heads
                ]
            )
        ),
        ui.tags.tbody(
            *[
                ui.tags.tr(
                    ui.tags.th(tr(f"positions.kind.{kind}"), scope="row"),
                    ui.tags.td(tr(f"positions.acts.{kind}")),
                    *[ui.tags.td(_choice(kind, mask, tr)) for mask in TRIED_MASKS],
                )
                for kind in POSITION_KINDS
            ]
        ),
        {
            "data-tries": resolve_id("try"),
            "data-part": "place",
            "data-sets": " ".join(_SETS),
        },
        class_="kinds",
    )


def _choice(kind: str, mask: str, tr: Translate) -> Tag:
    said = f"{tr(f'positions.kind.{kind}')}, {tr(f'positions.kinds.{mask}')}"
    return ui.tags.button(
        ui.span(f"{said}: ", class_="visually-hidden"),
        ui.span({"data-live-text": ""}),
        {"data-try": f"{kind} {mask}", "data-live": f"try.{kind}.{mask}"},
        type="button",
        aria_pressed="false",
    )


def facts_table(tr: Translate) -> Tag:
    """Say of each kind where it acts, what it costs, and how far it goes."""
    heads = ("kind", "where", "cost", "beyond")
    return ui.tags.table(
        ui.tags.thead(
            ui.tags.tr(
                *[
                    ui.tags.th(tr(f"positions.facts.{one}"), scope="col")
                    for one in heads
                ]
            )
        ),
        ui.tags.tbody(
            *[
                ui.tags.tr(
                    ui.tags.th(tr(f"positions.kind.{kind}"), scope="row"),
                    *[
                        ui.tags.td(
                            live(f"positions.{one}.{kind}")
                            if one != "where"
                            else tr(f"positions.where.{kind}")
                        )
                        for one in heads[1:]
                    ],
                )
                for kind in POSITION_KINDS
            ]
        ),
        class_="facts",
    )


def part_controls(
    names: tuple[str, ...], start: PositionsSettings, tr: Translate
) -> Tag:
    """Lay out the controls of one part of the page, and a place for what is wrong."""
    return ui.div(
        *[
            control(name, POSITION_SETTINGS[name], getattr(start, name), tr)
            for name in names
        ],
        {"data-part": "place"},
        class_="toolbar",
    )


def follow_settings(
    input: Inputs,
    session: Session,
    controls: Controls,
    head: Callable[[], int],
    restored: Callable[[], PositionsSettings | None],
    start: PositionsSettings,
    tr: Translate,
) -> tuple[Callable[[], PositionsSettings], Callable[[], str]]:
    """Keep the last settings that could be used.

    Parameters
    ----------
    input, session
        Shiny's own, of the page.

    Returns
    -------
    settings, problem : callable
        Read the settings, and why the last wish could not be met.
    """
    kept = reactive.value(start, name="settings")
    problem = reactive.value("", name="problem")

    def show(settings: PositionsSettings) -> None:
        """Take settings that do not come from the controls, and move them."""
        kept.set(settings)
        for name in (*TABLE, *ROTARY, *BIAS):
            setting = POSITION_SETTINGS[name]
            move_control(session, name, setting, getattr(settings, name))
        controls.steering.moved()

    _follow_controls(input, controls.steering, kept)
    _follow_order(input, kept, problem, tr)
    _follow_tries(input, controls, kept, show, problem, tr)
    _follow_others(controls, restored, show, problem)

    @reactive.calc
    def settings() -> PositionsSettings:
        return replace(kept(), head=head())

    return settings, problem


def _follow_controls(
    input: Inputs, steering: Steering, kept: reactive.Value[PositionsSettings]
) -> None:
    @reactive.effect
    def follow_controls() -> None:
        if not steering.is_done():
            return
        values = {
            name: read_control(input, name, POSITION_SETTINGS[name])
            for name in (*TABLE, *ROTARY, *BIAS)
        }
        with reactive.isolate():
            now = kept()
        try:
            kept.set(replace(now, **values))
        except SettingError:
            # Whatever a browser sent beyond its own controls is passed over.
            return

    @reactive.effect
    @reactive.event(input.cell)
    def choose_column() -> None:
        sent: Any = input.cell()
        if not isinstance(sent, dict) or sent.get("name") not in _CURVED:
            return
        try:
            kept.set(replace(kept(), column=sent.get("j", 0)))
        except SettingError:
            return


def _follow_order(
    input: Inputs,
    kept: reactive.Value[PositionsSettings],
    problem: reactive.Value[str],
    tr: Translate,
) -> None:
    @reactive.effect
    @reactive.event(input.order)
    def take_order() -> None:
        try:
            order = POSITION_SETTINGS["order"].read(str(input.order()))
        except (SettingError, ValueError):
            problem.set(tr("problem.no_order"))
            return
        problem.set("")
        kept.set(replace(kept(), order=order))

    @reactive.effect
    @reactive.event(input.shuffle)
    def shuffle() -> None:
        now = kept()
        most = int(POSITION_SETTINGS["order_seed"].limits[1])  # type: ignore[index]
        seed = (now.order_seed + 1) % (most + 1)
        problem.set("")
        kept.set(replace(now, order=(), order_seed=seed))


def _follow_tries(
    input: Inputs,
    controls: Controls,
    kept: reactive.Value[PositionsSettings],
    show: Callable[[PositionsSettings], None],
    problem: reactive.Value[str],
    tr: Translate,
) -> None:
    """Take the kind of positions and the mask of the cell that was pressed."""

    @reactive.effect
    @reactive.event(input["try"])
    def take_try() -> None:
        kind, _, mask = str(input["try"]()).partition(" ")
        now = controls.chosen()
        try:
            example = replace(now.example, positions=kind, mask=mask)  # type: ignore[arg-type]
        except SettingError as error:
            problem.set(problem_sentence(error, tr))
            return
        problem.set("")
        if kind in ("sinusoidal", "learned"):
            show(replace(kept(), table=kind))  # type: ignore[arg-type]
        controls.propose(Chosen(now.preset, example))


def _follow_others(
    controls: Controls,
    restored: Callable[[], PositionsSettings | None],
    show: Callable[[PositionsSettings], None],
    problem: reactive.Value[str],
) -> None:
    """Take the settings that a preset or an address brings."""
    last = reactive.value("", name="last")

    @reactive.effect
    def forget_problem() -> None:
        """Drop what was said of an example that is gone."""
        controls.chosen()
        restored()
        problem.set("")

    @reactive.effect
    def take_preset() -> None:
        now = controls.chosen().preset
        with reactive.isolate():
            before = last()
        last.set(now)
        if before and now != before:
            show(positions_start(now))

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        back = restored()
        if back is not None:
            show(back)
