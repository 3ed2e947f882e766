"""What a reader can take along: numbers, code, pictures, a sheet of paper."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, ui
from shiny.module import resolve_id
from shiny.types import SilentException
from starlette.requests import Request
from starlette.responses import Response

from attnviz.components.page.view import live
from attnviz.export.data import PageData
from attnviz.export.dialect import NUMPY, TORCH, Dialect, Words
from attnviz.export.formats import as_csv, as_json, as_npz
from attnviz.export.paper import HEADERS, Writer
from attnviz.text.catalog import Translate
from attnviz.text.formulas import formula

_NUMBERS = {
    "csv": (as_csv, "text/csv"),
    "npz": (as_npz, "application/octet-stream"),
    "json": (as_json, "application/json"),
}
_CODE = {"numpy": NUMPY, "torch": TORCH}
_SCRIPT = "text/x-python"
_PAPER = {"worksheet": False, "key": True}
_TAB = {"target": "_blank", "rel": "noopener"}
_PICTURES = ("png", "svg")
Script = Callable[[Dialect, Words], str]


@dataclass(frozen=True, slots=True)
class Exports:
    """What a page has to offer, as it is at the moment of asking.

    A page that shows nothing yet may answer with a SilentException.

    Attributes
    ----------
    name : callable
        Reads what the files are named after.
    script : callable
        Reads what is on screen; gives what writes it as a script, from a dialect and
        the reader's words.
    data : callable
        Collects the numbers of the page.
    worksheet : callable
        Takes a Writer; writes the sheet.
    """

    name: Callable[[], str]
    script: Callable[[], Script]
    data: Callable[[], PageData]
    worksheet: Callable[[Writer], str]


@module.ui
def export_menu(tr: Translate) -> Tag:
    """Make the button that unfolds everything there is to take along.

    Returns
    -------
    menu : Tag
        A native disclosure element; the browser makes the pictures.
    """
    caption = tr(
        "export.caption", random=tr("warning.random"), causes=tr("warning.causes")
    )
    return ui.tags.details(
        ui.tags.summary(tr("export.title"), class_="button-quiet"),
        ui.div(
            _group("data", tr, [_link(name, tr, download="") for name in _NUMBERS]),
            _group("code", tr, [_link(name, tr, download="") for name in _CODE]),
            _group(
                "picture",
                tr,
                [
                    ui.tags.select(
                        {"data-picture-of": ""},
                        id=resolve_id("picture"),
                        class_="form-select",
                        aria_label=tr("export.picture"),
                    ),
                    *[
                        ui.tags.button(
                            tr(f"export.{form}"),
                            {"data-picture": form},
                            type="button",
                            class_="button-quiet",
                        )
                        for form in _PICTURES
                    ],
                ],
            ),
            ui.tags.label(
                ui.tags.input({"data-as-shown": ""}, type="checkbox"),
                tr("export.as_shown"),
                class_="export-colours",
            ),
            ui.p(live("export.of"), class_="hint"),
            _group("paper", tr, [_link(name, tr, **_TAB) for name in _PAPER]),
            ui.p(
                tr("export.covered"),
                {"data-covered": "", "role": "status"},
                hidden="",
                class_="hint",
            ),
            class_="check-body",
        ),
        {"data-caption": caption, "data-part": "export"},
        id=resolve_id("menu"),
        class_="menu export",
    )


@module.server
def export_server(
    input: Inputs,
    output: Outputs,
    session: Session,
    *,
    page: str,
    exports: Exports,
    tr: Translate,
) -> None:
    """Write what is asked for, when it is asked for; no file touches the disk.

    Parameters
    ----------
    page : str
        Name of the page, for the names of files.
    exports : Exports
        What the page has to offer.
    """
    forms = {
        **{
            name: _Form(_numbers(write, exports.data), media_type, f".{name}")
            for name, (write, media_type) in _NUMBERS.items()
        },
        **{
            name: _Form(_code(exports.script, dialect, tr), _SCRIPT, f"-{name}.py")
            for name, dialect in _CODE.items()
        },
        **{
            name: _Form(_sheet(exports.worksheet, Writer(tr, formula, is_key)))
            for name, is_key in _PAPER.items()
        },
    }

    async def answer(request: Request) -> Response:
        form = forms.get(request.query_params.get("form", ""))
        # Shiny gives the route a nonce, and does not ask for it.
        nonce = request.query_params.get("nonce", "")
        if form is None or not route.endswith(f"?nonce={nonce}"):
            return Response(status_code=404)
        try:
            write = form.prepare()
        except SilentException:
            return Response(status_code=404)
        headers = dict(HEADERS)
        if form.ending:
            name = f"attnviz-{page}-{exports.name()}{form.ending}"
            headers["content-disposition"] = f'attachment; filename="{name}"'
        # Large matrices take a second to write: other readers do not wait for it.
        content = await asyncio.to_thread(write)
        return Response(content, headers=headers, media_type=form.media_type)

    # Shiny awaits the answer, although its type does not say so.
    route = session.dynamic_route("form", answer)  # type: ignore[arg-type]

    async def tell() -> None:
        await session.send_custom_message(
            "attnviz-export", {"menu": session.ns("menu"), "route": route}
        )

    session.on_flushed(tell, once=True)


@dataclass(frozen=True, slots=True)
class _Form:
    """One thing that a link of the menu leads to.

    Attributes
    ----------
    prepare : callable
        Reads what is on screen now; gives what writes it.
    media_type : str
        Of the answer.
    ending : str
        End of the file's name; empty for a page to look at.
    """

    prepare: Callable[[], Callable[[], bytes | str]]
    media_type: str = "text/html"
    ending: str = ""


def _numbers(
    write: Callable[[PageData], bytes], data: Callable[[], PageData]
) -> Callable[[], Callable[[], bytes]]:
    return lambda: partial(write, data())


def _code(
    script: Callable[[], Script], dialect: Dialect, tr: Translate
) -> Callable[[], Callable[[], str]]:
    return lambda: partial(script(), dialect, tr)


def _sheet(
    worksheet: Callable[[Writer], str], writer: Writer
) -> Callable[[], Callable[[], str]]:
    """Write a sheet at once: it reads what is on screen itself."""

    def prepare() -> Callable[[], str]:
        text = worksheet(writer)
        return lambda: text

    return prepare


def _group(name: str, tr: Translate, choices: list[Tag]) -> Tag:
    return ui.div(
        ui.h3(tr(f"export.{name}")),
        ui.div(*choices, class_="export-choices"),
        role="group",
        aria_label=tr(f"export.{name}"),
    )


def _link(name: str, tr: Translate, **attributes: str) -> Tag:
    """Make a link that leads somewhere once the session has told its address."""
    return ui.tags.a(
        tr(f"export.{name}"),
        {"data-form": name, **attributes},
        id=resolve_id(name),
        class_="btn button disabled",
    )
