"""The pages of the app, in reading order."""

from attnviz.pages.attention.page import ATTENTION
from attnviz.pages.check.page import CHECK
from attnviz.pages.cost.page import COST
from attnviz.pages.layer.page import LAYER
from attnviz.pages.mistakes.page import MISTAKES
from attnviz.pages.norms.page import NORMS
from attnviz.pages.page import Page
from attnviz.pages.positions.page import POSITIONS
from attnviz.pages.scaling.page import SCALING

PAGES: tuple[Page, ...] = (
    ATTENTION,
    NORMS,
    POSITIONS,
    LAYER,
    SCALING,
    MISTAKES,
    COST,
    CHECK,
)
