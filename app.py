"""Start the app: ``shiny run app.py``."""

import os

# Threads wait for each other longer than they work on the few numbers of a page; see
# tests/benchmarks/core_threads.py. NumPy's libraries read this when they are loaded.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from shiny import App

from attnviz.pages.frame import Frame
from attnviz.pages.registry import PAGES
from attnviz.serving.assets import WWW
from attnviz.serving.delivery import Delivery
from attnviz.serving.economy import economize
from attnviz.serving.framework import note_version
from attnviz.serving.uploads import bound_uploads

note_version()
economize()
bound_uploads()
frame = Frame(PAGES)
app = App(frame.ui, frame.server, static_assets=WWW)
app.starlette_app.add_middleware(Delivery)
