"""Share what is on screen: a link for a class, its QR code, a frame for a page."""

from htmltools import Tag, svg
from shiny import ui

from attnviz.text.catalog import LANGUAGES, Translate

# The parts of the app that a link may hide, in the order of the dialog; those with
# controls may be locked instead.
LOCKABLE = (
    "preset",
    "positions",
    "sizes",
    "mask",
    "scores",
    "more",
    "own",
    "random",
    "norms",
    "check",
    "scaling",
    "mistakes",
    "cost",
    "place",
    "layer",
    "edits",
    "history",
    "compare",
    "stepper",
    "sidebar",
)
PARTS = (
    *LOCKABLE,
    "checks",
    "inspector",
    "tables",
    "reading",
    "export",
    "pages",
    "language",
    "theme",
    "share",
    "bar",
)
# What surrounds the numbers: a frame of another page needs none of it.
AROUND = (
    "bar",
    "sidebar",
    "stepper",
    "compare",
    "history",
    "checks",
    "inspector",
    "tables",
    "reading",
    "export",
)
LONGEST_TASK = 300
FRAME_HEIGHT = 420


def share_button(tr: Translate) -> Tag:
    """Make the button that opens the dialog."""
    return ui.tags.button(
        tr("share.title"),
        {
            "data-action": "share",
            "data-part": "share",
            "data-longest-task": LONGEST_TASK,
        },
        type="button",
        class_="nav-tool share-button",
        aria_haspopup="dialog",
    )


def share_dialog(tr: Translate) -> Tag:
    """Lay out the dialog; the browser builds the link and draws the code.

    Returns
    -------
    dialog : Tag
        A native dialog, closed; it stands once on the page.
    """
    return ui.tags.dialog(
        ui.div(
            ui.h2(tr("share.heading"), id="share-heading"),
            _button("close", "×", aria_label=tr("share.close")),
            class_="share-head",
        ),
        ui.div(
            ui.div(
                _link(tr), _options(tr), _parts(tr), _frame(tr), class_="share-form"
            ),
            _code(tr),
            class_="share-body",
        ),
        class_="share",
        aria_labelledby="share-heading",
    )


def _button(action: str, text: str, **attributes: str) -> Tag:
    return ui.tags.button(
        text,
        {"data-share": action},
        type="button",
        class_="button-quiet",
        **attributes,
    )


def _note(name: str, tr: Translate) -> Tag:
    """Write what holds for some links only; the browser shows it for those."""
    return ui.p(
        tr(f"share.{name}"), {"data-share": name, "hidden": ""}, class_="share-note"
    )


def _link(tr: Translate) -> Tag:
    return ui.div(
        ui.p(tr("share.holds"), class_="hint"),
        ui.tags.label(
            ui.span(tr("share.link")),
            ui.tags.input(
                {"data-share": "link", "readonly": ""},
                type="text",
                class_="form-control",
            ),
        ),
        ui.div(
            _button("copy", tr("browser.tables.copy"), autofocus=""),
            ui.tags.a(
                tr("share.open"),
                {"data-share": "open"},
                href="",
                target="_blank",
                class_="button-quiet",
            ),
            class_="share-actions",
        ),
        _note("local", tr),
        _note("own", tr),
    )


def _options(tr: Translate) -> Tag:
    languages = {
        "": tr("share.language.any"),
        **{language: tr(f"language.{language}") for language in LANGUAGES},
    }
    return ui.tags.fieldset(
        ui.tags.legend(tr("share.class")),
        ui.tags.label(
            ui.span(tr("share.task")),
            ui.tags.textarea(
                {"data-share": "task", "maxlength": LONGEST_TASK},
                rows=2,
                class_="form-control",
            ),
        ),
        ui.tags.label(
            ui.span(tr("share.language")),
            ui.tags.select(
                *[ui.tags.option(text, value=key) for key, text in languages.items()],
                {"data-share": "lang"},
                class_="form-select",
            ),
            class_="share-line",
        ),
        ui.tags.label(
            _box("cover", "1"), ui.span(tr("share.cover")), class_="share-line"
        ),
        ui.tags.label(
            _box("projector", "1"), ui.span(tr("share.projector")), class_="share-line"
        ),
    )


def _parts(tr: Translate) -> Tag:
    actions = {action: tr(f"share.{action}") for action in ("hide", "lock")}

    def cell(action: str, part: str) -> Tag:
        name = tr("share.choice", action=actions[action], part=tr(f"teacher.{part}"))
        is_offered = action == "hide" or part in LOCKABLE
        return ui.tags.td(_box(action, part, aria_label=name) if is_offered else "")

    return ui.tags.details(
        ui.tags.summary(tr("share.parts")),
        ui.p(tr("share.parts_note"), class_="hint"),
        ui.tags.table(
            ui.tags.thead(
                ui.tags.tr(
                    ui.tags.th(tr("share.part"), scope="col"),
                    *[ui.tags.th(name, scope="col") for name in actions.values()],
                )
            ),
            ui.tags.tbody(
                *[
                    ui.tags.tr(
                        ui.tags.th(tr(f"teacher.{part}"), scope="row"),
                        *[cell(action, part) for action in actions],
                    )
                    for part in PARTS
                ]
            ),
        ),
        class_="fold",
    )


def _frame(tr: Translate) -> Tag:
    """Offer the code that shows the link in a frame of another page."""
    return ui.tags.details(
        ui.tags.summary(tr("share.embed")),
        ui.p(tr("share.embed_note"), class_="hint"),
        ui.tags.label(
            _box("around", ",".join(AROUND), checked=""),
            ui.span(tr("share.around")),
            class_="share-line",
        ),
        ui.tags.label(
            ui.span(tr("share.height")),
            ui.tags.input(
                {"data-share": "height"},
                type="number",
                value=FRAME_HEIGHT,
                min=200,
                max=2000,
                step=10,
                class_="form-control",
            ),
            class_="share-line",
        ),
        ui.tags.label(
            ui.span(tr("share.snippet")),
            ui.tags.textarea(
                {"data-share": "snippet", "readonly": ""},
                rows=4,
                class_="form-control",
            ),
        ),
        ui.div(
            _button("copy-snippet", tr("browser.tables.copy")), class_="share-actions"
        ),
        class_="fold",
    )


def _box(name: str, value: str, **attributes: str) -> Tag:
    return ui.tags.input(
        type="checkbox",
        name=name,
        value=value,
        class_="form-check-input",
        **attributes,
    )


def _code(tr: Translate) -> Tag:
    return ui.div(
        ui.tags.button(
            svg.svg(svg.path(), aria_hidden="true"),
            {"data-share": "qr"},
            type="button",
            class_="share-code",
            aria_label=tr("share.code"),
            title=tr("share.code"),
        ),
        _note("long", tr),
    )
