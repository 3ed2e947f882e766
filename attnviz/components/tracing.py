"""Spare the search for a tracing library that is not there.

Shiny looks for OpenTelemetry's SDK some twenty times a change. A module that cannot be
found is looked for on the disk each time, which is a tenth of the server's work.
"""

import sys
from importlib.util import find_spec

PACKAGE = "opentelemetry.sdk"


def spare_search() -> None:
    """Remember that the SDK is missing, if it is; where it is there, it is used."""
    if find_spec(PACKAGE) is None:
        sys.modules[f"{PACKAGE}.trace"] = None  # type: ignore[assignment]
