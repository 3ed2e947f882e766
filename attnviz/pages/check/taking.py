"""The menu of inputs to take along, and the address they come from."""

import asyncio
from collections.abc import Callable

from htmltools import Tag
from shiny import Session, render, ui
from starlette.requests import Request
from starlette.responses import Response

from attnviz.components.sidebar.controls import Chosen
from attnviz.core.errors import SettingError
from attnviz.example.check.settings import CheckSettings
from attnviz.export.paper import HEADERS
from attnviz.pages.check.inputs import FORMS, write_inputs
from attnviz.text.catalog import Translate

_ENDINGS = {"npz": ".npz", "csv": ".csv", "numpy": "-numpy.py", "torch": "-torch.py"}


def inputs_menu(tr: Translate) -> Tag:
    """Reserve the menu; its links come when it is opened."""
    return ui.tags.details(
        ui.tags.summary(tr("mine.take"), class_="button-quiet"),
        ui.div(
            ui.p(tr("mine.take.what")),
            ui.output_ui("taken"),
            class_="check-body",
        ),
        {"data-part": "export"},
        class_="menu inputs-menu",
    )


def offer_inputs(
    session: Session,
    chosen: Callable[[], Chosen],
    settings: Callable[[], CheckSettings],
    tr: Translate,
) -> None:
    """Write the inputs that are on screen when they are asked for."""

    async def answer(request: Request) -> Response:
        form = request.query_params.get("form", "")
        nonce = request.query_params.get("nonce", "")
        if form not in FORMS or not route.endswith(f"?nonce={nonce}"):
            return Response(status_code=404)
        now = chosen()
        write = write_inputs(form, now.example, settings(), tr)
        try:
            content = await asyncio.to_thread(write)
        except SettingError:
            return Response(status_code=404)
        name = f"attnviz-inputs-{now.name}{_ENDINGS[form]}"
        disposition = f'attachment; filename="{name}"'
        return Response(
            content,
            headers={**HEADERS, "content-disposition": disposition},
            media_type="application/octet-stream",
        )

    # Shiny awaits the answer, although its type does not say so.
    route = session.dynamic_route("inputs", answer)  # type: ignore[arg-type]

    @render.ui
    def taken() -> ui.TagChild:
        return ui.div(
            *[
                ui.tags.a(
                    tr(f"mine.form.{form}"),
                    {"data-inputs": form, "download": ""},
                    href=f"{route}&form={form}",
                    class_="btn button",
                )
                for form in FORMS
            ],
            class_="export-choices",
        )
