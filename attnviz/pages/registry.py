"""The pages of the app, in reading order."""

from attnviz.pages.attention.page import ATTENTION
from attnviz.pages.layer.page import LAYER
from attnviz.pages.norms.page import NORMS
from attnviz.pages.page import Page

PAGES: tuple[Page, ...] = (ATTENTION, NORMS, LAYER)
