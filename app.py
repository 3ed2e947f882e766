"""Start the app: ``shiny run app.py``."""

from shiny import App

from attnviz.pages.frame import Frame
from attnviz.pages.registry import PAGES
from attnviz.serving.assets import WWW
from attnviz.serving.delivery import Delivery
from attnviz.serving.economy import economize

economize()
frame = Frame(PAGES)
app = App(frame.ui, frame.server, static_assets=WWW)
app.starlette_app.add_middleware(Delivery)
