"""The frame around the pages: navigation, sidebar, language, theme, address."""

from htmltools import Tag
from shiny import Inputs, Outputs, Session, reactive, ui
from starlette.requests import Request

from attnviz.components.session.address import (
    address_notices,
    follow_address,
    read_address,
)
from attnviz.components.session.share import share_button, share_dialog
from attnviz.components.sidebar.controls import (
    Chosen,
    example_controls_server,
    example_controls_ui,
)
from attnviz.example.document import PAGE_KEY, Document
from attnviz.pages.registry import PAGE_IDS, PAGES, start_pages
from attnviz.serving.assets import page_assets
from attnviz.text.catalog import LANGUAGES, language_of, translator


def frame_ui(request: Request) -> Tag:
    """Build the whole page in the reader's language, set as the address asks.

    Parameters
    ----------
    request : Request
        The request for the page.

    Returns
    -------
    page : Tag
        The document.
    """
    language = language_of(
        request.url.query, request.headers.get("accept-language", "")
    )
    tr = translator(language)
    start, dropped = read_address(request.url.query, pages=PAGE_IDS)
    return ui.page_navbar(
        *[
            ui.nav_panel(
                tr(page.title_key),
                page.layout(
                    page.id, tr, language, start, is_shown=page.id == start.page
                ),
                value=page.id,
            )
            for page in PAGES
        ],
        ui.nav_spacer(),
        *[
            ui.nav_control(
                ui.tags.a(
                    tr(f"language.{other}"),
                    {"data-language": other},
                    href=f"?lang={other}",
                    lang=other,
                    class_="nav-tool language",
                    aria_current="true" if other == language else None,
                )
            )
            for other in LANGUAGES
        ],
        ui.nav_control(share_button(tr)),
        ui.nav_control(
            ui.tags.button(
                {"data-action": "projector", "aria-pressed": "false"},
                type="button",
                class_="nav-tool projector-switch",
                aria_label=tr("projector.switch"),
                title=tr("projector.switch"),
            )
        ),
        ui.nav_control(
            ui.tags.button(
                {"data-action": "theme"},
                type="button",
                class_="nav-tool theme",
                aria_label=tr("theme.switch"),
                title=tr("theme.switch"),
            )
        ),
        id=PAGE_KEY,
        selected=start.page,
        sidebar=ui.sidebar(
            example_controls_ui("example", Chosen(start.preset, start.example), tr),
            width=292,
            open={"desktop": "open", "mobile": "closed"},
            title=None,
        ),
        header=ui.TagList(
            page_assets(language), share_dialog(tr), address_notices(dropped, tr)
        ),
        title=ui.span(tr("app.title"), class_="brand"),
        window_title=tr("app.window"),
        lang=language,
        fluid=True,
    )


def frame_server(input: Inputs, output: Outputs, session: Session) -> None:
    """Wire the sidebar to the pages, and the example to the address.

    Parameters
    ----------
    input, output, session
        Shiny's own.
    """
    with reactive.isolate():
        search = session.clientdata.url_search()
    # A session that serves a page has the request it came with.
    accepted = session.http_conn.headers.get("accept-language", "")  # type: ignore[attr-defined]
    tr = translator(language_of(search, accepted))
    start, dropped = read_address(search, pages=PAGE_IDS)
    controls = example_controls_server(
        "example", start=Chosen(start.preset, start.example), tr=tr
    )
    restored: reactive.Value[Document | None] = reactive.value(None, name="restored")
    states = start_pages(controls, start, restored, tr)
    follow_address(
        input,
        session,
        pages=PAGE_IDS,
        dropped=dropped,
        controls=controls,
        states=states,
        restored=restored,
        tr=tr,
    )
