"""Start the app: ``shiny run app.py``."""

from shiny import App

from attnviz.components.assets import WWW
from attnviz.components.delivery import Delivery
from attnviz.components.economy import economize
from attnviz.pages.frame import frame_server, frame_ui

economize()
app = App(frame_ui, frame_server, static_assets=WWW)
app.starlette_app.add_middleware(Delivery)
