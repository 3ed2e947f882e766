"""What a reader can take along: numbers, code, pictures, a sheet of paper."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from htmltools import Tag
from shiny import Inputs, Outputs, Session, module, render, ui
from shiny.module import resolve_id
from shiny.types import SilentException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from attnviz.core.norm_example import NormExampleTrace
from attnviz.core.weights_alone import Shown
from attnviz.export.data import PageData
from attnviz.export.formats import as_csv, as_json, as_npz
from attnviz.export.paper import HEADERS, Writer
from attnviz.export.scripts import numpy_script, torch_script
from attnviz.text.catalog import Translate
from attnviz.text.formulas import formula

_NUMBERS = {
    "csv": (as_csv, "text/csv"),
    "npz": (as_npz, "application/octet-stream"),
    "json": (as_json, "application/json"),
}
_CODE = {"numpy": numpy_script, "torch": torch_script}
_PAPER = {"worksheet": False, "key": True}
_PICTURES = ("png", "svg")
Exported = Shown | NormExampleTrace


@dataclass(frozen=True, slots=True)
class Exports:
    """What a page has to offer, as it is at the moment of asking.

    A page that shows nothing yet may answer with a SilentException.

    Attributes
    ----------
    preset : callable
        Reads the name of the preset.
    trace : callable
        Reads the trace on screen.
    data : callable
        Collects the numbers of the page.
    worksheet : callable
        Takes a Writer; writes the sheet.
    """

    preset: Callable[[], str]
    trace: Callable[[], Exported]
    data: Callable[[], PageData]
    worksheet: Callable[[Writer], str]


@module.ui
def export_menu(tr: Translate) -> Tag:
    """Make the button that unfolds everything there is to take along.

    Parameters
    ----------
    tr : Translate
        Words of the reader's language.

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
            _group("data", tr, [_download(name, tr) for name in _NUMBERS]),
            _group("code", tr, [_download(name, tr) for name in _CODE]),
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
            _group("paper", tr, [_sheet(name, tr) for name in _PAPER]),
            class_="check-body",
        ),
        {"data-caption": caption},
        class_="export",
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
    input, output, session
        Shiny's own.
    page : str
        Name of the page, for the names of files.
    exports : Exports
        What the page has to offer.
    tr : Translate
        Words of the reader's language.
    """

    def file_name(ending: str) -> str:
        return f"attnviz-{page}-{exports.preset()}{ending}"

    def offer(
        name: str,
        ending: str,
        media_type: str,
        prepare: Callable[[], Callable[[], bytes]],
    ) -> None:
        async def download() -> AsyncIterator[bytes]:
            # Large matrices take a second to write: other readers do not wait for it.
            with suppress(SilentException):
                yield await asyncio.to_thread(prepare())

        download.__name__ = name
        render.download_button(
            filename=partial(file_name, ending), media_type=media_type
        )(download)

    for name, (write, media_type) in _NUMBERS.items():
        offer(name, f".{name}", media_type, partial(_numbers, write, exports.data))
    for name, write_script in _CODE.items():
        prepare = partial(_code, write_script, exports.trace, tr)
        offer(name, f"-{name}.py", "text/x-python", prepare)
    for name, is_key in _PAPER.items():
        writer = Writer(tr, formula, is_key)
        _serve(session, name, partial(exports.worksheet, writer))


def _serve(session: Session, name: str, write: Callable[[], str]) -> None:
    """Answer at an address of the session's own, and tell the browser which."""

    def answer(request: Request) -> HTMLResponse:
        try:
            return HTMLResponse(write(), headers=HEADERS)
        except SilentException:
            return HTMLResponse(status_code=404)

    route = session.dynamic_route(name, answer)

    def address() -> str:
        return route

    address.__name__ = name
    render.text(address)


def _numbers(
    write: Callable[[PageData], bytes], data: Callable[[], PageData]
) -> Callable[[], bytes]:
    """Read the numbers now, to be written later."""
    return partial(write, data())


def _code(
    write: Callable[[Exported, Translate], str],
    trace: Callable[[], Exported],
    tr: Translate,
) -> Callable[[], bytes]:
    """Read the trace now, to be written as a script later."""
    now = trace()
    return lambda: write(now, tr).encode()


def _group(name: str, tr: Translate, choices: list[Tag]) -> Tag:
    return ui.div(
        ui.h3(tr(f"export.{name}")),
        ui.div(*choices, class_="export-choices"),
        role="group",
        aria_label=tr(f"export.{name}"),
    )


def _download(name: str, tr: Translate) -> Tag:
    return ui.download_button(name, tr(f"export.{name}"), class_="button")


def _sheet(name: str, tr: Translate) -> Tag:
    """Make a link whose address comes as an output, as that of a download does."""
    return ui.tags.a(
        tr(f"export.{name}"),
        id=resolve_id(name),
        target="_blank",
        rel="noopener",
        class_="btn button shiny-download-link disabled",
    )
