"""The frame around the pages: navigation, sidebar, language, theme, address."""

from htmltools import Tag
from shiny import Inputs, Outputs, Session, reactive, ui
from starlette.requests import Request

from attnviz.components.assets import page_assets
from attnviz.components.example_controls import (
    Chosen,
    example_controls_server,
    example_controls_ui,
)
from attnviz.export.address import parse_query, read_example, write_example
from attnviz.pages.registry import PAGES, start_pages
from attnviz.text.catalog import LANGUAGES, language_of, translator

PAGE_KEY = "page"


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
    query = request.query_params
    language = language_of(str(query), request.headers.get("accept-language", ""))
    tr = translator(language)
    preset, example, dropped = read_example(query)
    return ui.page_navbar(
        *[
            ui.nav_panel(
                tr(page.title_key), page.layout(page.id, tr, language), value=page.id
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
                    class_="nav-link language",
                    aria_current="true" if other == language else None,
                )
            )
            for other in LANGUAGES
        ],
        ui.nav_control(
            ui.tags.button(
                {"data-action": "theme"},
                type="button",
                class_="nav-link theme",
                aria_label=tr("theme.switch"),
                title=tr("theme.switch"),
            )
        ),
        id=PAGE_KEY,
        selected=query.get(PAGE_KEY) if query.get(PAGE_KEY) in _ids() else None,
        sidebar=ui.sidebar(
            example_controls_ui("example", Chosen(preset, example), tr),
            _notice(tr("address.dropped", keys=", ".join(dropped)) if dropped else ""),
            width=292,
            open={"desktop": "open", "mobile": "closed"},
            title=None,
        ),
        header=page_assets(language),
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
    preset, example, _ = read_example(parse_query(search))
    controls = example_controls_server("example", start=Chosen(preset, example), tr=tr)
    chosen = controls.chosen
    start_pages(chosen, tr)

    @reactive.effect
    async def keep_address() -> None:
        query = write_example(chosen().example, chosen().preset)
        if input[PAGE_KEY]() != PAGES[0].id:
            query[PAGE_KEY] = input[PAGE_KEY]()
        await session.send_custom_message("attnviz-address", {"query": query})


def _ids() -> list[str]:
    return [page.id for page in PAGES]


def _notice(text: str) -> ui.TagChild:
    return ui.p(text, class_="problem") if text else None
