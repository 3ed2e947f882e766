"""The frame around the pages: navigation, sidebar, language, theme, address."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from htmltools import Tag
from shiny import Inputs, Outputs, Session, reactive, ui
from shiny.types import NavSetArg
from shiny.ui._navs import NavPanel
from starlette.requests import Request

from attnviz.components.inputs.steering import Steering, steered, steering_mark
from attnviz.components.page.later import bring_later, later
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
from attnviz.example.document import PAGE_KEY, Codecs, Document
from attnviz.pages.opening import open_pages, panel_id
from attnviz.pages.page import Opening, Page
from attnviz.serving.assets import page_assets
from attnviz.text.catalog import LANGUAGES, Translate, language_of, translator


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds the pages of an app.

    Attributes
    ----------
    pages : sequence of Page
        In reading order.
    """

    pages: Sequence[Page]

    @property
    def codecs(self) -> Codecs:
        """What each page adds to the address."""
        return {page.id: page.codec for page in self.pages}

    def ui(self, request: Request) -> Tag:
        """Build the document in the reader's language, set as the address asks.

        Of the pages, only the one that is asked for comes with it.
        """
        language = language_of(
            request.url.query, request.headers.get("accept-language", "")
        )
        tr = translator(language)
        start, dropped = read_address(request.url.query, self.codecs)
        return ui.page_navbar(
            *self._entries(Opening(language, tr, start)),
            ui.nav_spacer(),
            *_tools(language, tr),
            id=PAGE_KEY,
            selected=start.page,
            sidebar=ui.sidebar(
                example_controls_ui("example", Chosen(start.preset, start.example), tr),
                width=292,
                open={"desktop": "open", "mobile": "closed"},
                title=None,
            ),
            header=ui.TagList(
                page_assets(language),
                _skip_links(tr),
                steering_mark(),
                later("share"),
                address_notices(dropped, tr),
            ),
            title=ui.span(tr("app.title"), class_="brand"),
            window_title=tr("app.window"),
            lang=language,
            fluid=True,
        )

    def server(self, input: Inputs, output: Outputs, session: Session) -> None:
        """Wire the sidebar to the pages, and the example to the address."""
        with reactive.isolate():
            search = session.clientdata.url_search()
        # A session that serves a page has the request it came with.
        accepted = session.http_conn.headers.get("accept-language", "")  # type: ignore[attr-defined]
        language = language_of(search, accepted)
        tr = translator(language)
        start, dropped = read_address(search, self.codecs)
        bring_later(input, {"share": lambda: share_dialog(tr)})
        steering = Steering(session)
        controls = example_controls_server(
            "example",
            start=Chosen(start.preset, start.example),
            steering=steering,
            tr=tr,
        )
        restored: reactive.Value[Document | None] = reactive.value(
            None, name="restored"
        )
        page, steer = steered(input[PAGE_KEY], steering)
        first = Opening(language, tr, start)
        opened = open_pages(self.pages, page, controls, restored, first)

        def document() -> Document | None:
            chosen = controls.chosen()
            if opened.is_swinging():
                return None
            return Document(chosen.preset, chosen.example, page(), opened.settings())

        def turn_to(name: str) -> None:
            steer(name)
            ui.update_navset(PAGE_KEY, selected=name)

        follow_address(
            input,
            session,
            self.codecs,
            dropped=dropped,
            controls=controls,
            write=document,
            restored=restored,
            turn_to=turn_to,
            tr=tr,
        )

    def _entries(self, opening: Opening) -> list[NavSetArg]:
        """Make the entries of the navigation: pages, and menus of pages."""
        entries: list[NavSetArg] = []
        for group, pages in groupby(self.pages, key=lambda page: page.group):
            panels = [_panel(page, opening) for page in pages]
            if group == "pages":
                entries += panels
            else:
                entries.append(ui.nav_menu(opening.tr(f"group.{group}"), *panels))
        return entries


def _panel(page: Page, opening: Opening) -> NavPanel:
    """Make the place of a page, filled if it is the one on screen."""
    is_shown = page.id == opening.document.page
    content = page.content(opening) if is_shown else None
    place = ui.div(content, id=panel_id(page))
    if page.own_controls:
        place.add_class("own-controls")
    return ui.nav_panel(opening.tr(page.title_key), place, value=page.id)


def _skip_links(tr: Translate) -> Tag:
    """Make the way past the navigation, which the browser puts before it."""
    links = [
        ui.tags.button(tr(f"frame.skip.{place}"), {"data-skip": place}, type="button")
        for place in ("picture", "controls")
    ]
    return ui.tags.nav(*links, class_="skip-links", aria_label=tr("frame.skip.title"))


def _tools(language: str, tr: Translate) -> list[NavSetArg]:
    """Make what stands at the right of the navigation."""
    languages = [
        ui.tags.a(
            tr(f"language.{other}"),
            {"data-language": other, "data-part": "language"},
            href=f"?lang={other}",
            lang=other,
            class_="nav-tool language",
            aria_current="true" if other == language else None,
        )
        for other in LANGUAGES
    ]
    switches = [
        _switch("projector", tr("projector.switch"), "projector-switch"),
        _switch("theme", tr("theme.switch"), "theme"),
    ]
    return [ui.nav_control(tool) for tool in (*languages, share_button(tr), *switches)]


def _switch(action: str, name: str, class_: str) -> Tag:
    return ui.tags.button(
        {
            "data-action": action,
            "data-part": "theme" if action == "theme" else None,
            "aria-pressed": "false" if action == "projector" else None,
        },
        type="button",
        class_=f"nav-tool {class_}",
        aria_label=name,
        title=name,
    )
