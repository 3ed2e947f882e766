"""Start the app: ``shiny run app.py``."""

from shiny import App

from attnviz.pages.frame import frame_server, frame_ui
from attnviz.serving.assets import WWW
from attnviz.serving.delivery import Delivery
from attnviz.serving.economy import economize

economize()
app = App(frame_ui, frame_server, static_assets=WWW)
app.starlette_app.add_middleware(Delivery)
