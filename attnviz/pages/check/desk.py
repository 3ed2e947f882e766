"""Where a reader puts a result down, and says what it was meant to be."""

from typing import Any, get_args

from htmltools import Tag
from shiny import Inputs, Session, ui

from attnviz.components.inputs.controls import control, in_part, move_control
from attnviz.components.sidebar.own_data import FORMS, READ
from attnviz.core.errors import SettingError
from attnviz.example.check.kinds import KINDS
from attnviz.example.check.settings import ANY, CHECK_SETTINGS, CheckSettings
from attnviz.example.reading.result import Comma
from attnviz.example.reading.typed_numbers import read_numbers, write_numbers
from attnviz.text.catalog import Translate
from attnviz.text.symbols import symbol

# The buttons that take one of two readings of the commas.
COMMAS: tuple[Comma, ...] = get_args(Comma)
TYPED = ("gamma", "beta", "eps")


def desk(start: CheckSettings, text: str, tr: Translate) -> Tag:
    """Lay out the field, what was read, and what was meant.

    Parameters
    ----------
    text : str
        What stands in the field at first.

    Returns
    -------
    desk : Tag
        Inputs `text`, `file`, `use`, `clear`, `kind`, `source`, `gamma`, `beta`, `eps`
        and the buttons of both readings.
    """
    return ui.div(
        ui.input_text_area(
            "text",
            tr("mine.field"),
            text,
            placeholder="[[0.6698 0.3302]\n [0.3302 0.6698]]",
            rows=5,
            spellcheck="false",
        ),
        ui.div(
            ui.input_action_button("use", tr("mine.use"), class_="button is-first"),
            ui.input_file(
                "file",
                ui.span(tr("mine.file"), class_="visually-hidden"),
                multiple=True,
                accept=list(FORMS),
                button_label=tr("mine.file"),
                placeholder="",
            ),
            ui.input_action_button("clear", tr("mine.clear"), class_="button"),
            class_="buttons",
        ),
        ui.output_ui("read"),
        ui.div(
            ui.output_text("problem"),
            class_="problem",
            role="status",
            aria_live="polite",
        ),
        ui.div(
            in_part(
                "check",
                ui.input_select(
                    "kind",
                    tr("mine.kind"),
                    {one: tr(f"mine.kind.{one}") for one in (ANY, *KINDS)},
                    selected=start.kind,
                ),
            ),
            ui.div(
                control(
                    "source",
                    CHECK_SETTINGS["source"],
                    start.source,
                    tr,
                    words="mine.source",
                ),
                *[_typed(name, getattr(start, name), tr) for name in TYPED],
                class_="for-norm",
            ),
            class_="meant",
        ),
        ui.tags.details(
            ui.tags.summary(tr("own.understood")),
            ui.tags.ul(*(ui.tags.li(tr(f"own.form.{form}")) for form in READ)),
            ui.p(tr("mine.kept"), class_="hint"),
            class_="own-forms",
        ),
        class_="desk",
    )


def _typed(name: str, value: Any, tr: Translate) -> Tag:  # noqa: ANN401 - one or many
    field = ui.input_text(
        name,
        ui.TagList(
            symbol(CHECK_SETTINGS[name].symbol),
            ui.span(tr(f"norms.{name}"), class_="visually-hidden"),
        ),
        _line(value),
        spellcheck="false",
    )
    return in_part("check", field)


def _line(value: Any) -> str:  # noqa: ANN401 - one or many
    numbers = value if isinstance(value, tuple) else (value,)
    return write_numbers(numbers, between=", ")


def read_desk(input: Inputs, made: str) -> CheckSettings:
    """Read what was meant.

    Raises
    ------
    SettingError
        If a typed number is none.
    """
    eps = read_numbers(str(input.eps()), name="eps")
    if len(eps) != 1:
        raise SettingError("check_one_eps", got=len(eps))
    return CheckSettings(
        kind=input.kind(),
        made=made,
        source=input.source(),
        gamma=read_numbers(str(input.gamma()), name="gamma"),
        beta=read_numbers(str(input.beta()), name="beta"),
        eps=eps[0],
    )


def move_desk(session: Session, settings: CheckSettings) -> None:
    """Move the controls where an address has them."""
    ui.update_select("kind", selected=settings.kind, session=session)
    move_control(session, "source", CHECK_SETTINGS["source"], settings.source)
    for name in TYPED:
        ui.update_text(name, value=_line(getattr(settings, name)), session=session)


def comma_buttons(tr: Translate) -> Tag:
    """Let a reader say how commas are meant that can be read in two ways."""
    return ui.div(
        ui.p(tr("own.two_readings"), class_="problem"),
        *[
            ui.input_action_button(
                f"comma_{comma}", tr(f"own.comma.{comma}"), class_="button"
            )
            for comma in COMMAS
        ],
        class_="buttons",
    )
