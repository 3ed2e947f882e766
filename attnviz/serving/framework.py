"""Which Shiny the app was tried with, some of whose private parts it replaces."""

import logging

import shiny

TRIED = (1, 8)

logger = logging.getLogger(__name__)


def note_version() -> None:
    """Say in the log that a later Shiny runs, whose parts may be other ones."""
    minor = tuple(map(int, shiny.__version__.split(".")[:2]))
    if minor > TRIED:
        logger.warning(
            "shiny %s is later than the %d.%d that this app was tried with: what "
            "attnviz.serving spares and bounds may not be in force",
            shiny.__version__,
            *TRIED,
        )
