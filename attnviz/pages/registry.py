"""The pages of the app, in reading order."""

from attnviz.pages.attention.page import ATTENTION
from attnviz.pages.check.page import CHECK
from attnviz.pages.norms.page import NORMS
from attnviz.pages.page import Page

PAGES: tuple[Page, ...] = (ATTENTION, NORMS, CHECK)
