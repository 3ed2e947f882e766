"""The pages of the app, in reading order."""

from attnviz.pages.attention.page import ATTENTION
from attnviz.pages.norms.page import NORMS
from attnviz.pages.page import Page
from attnviz.pages.positions.page import POSITIONS

PAGES: tuple[Page, ...] = (ATTENTION, NORMS, POSITIONS)
