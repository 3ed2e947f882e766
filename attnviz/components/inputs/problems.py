"""Put what cannot be into a sentence beside the control."""

from attnviz.core.errors import SettingError
from attnviz.text.catalog import Translate


def problem_sentence(error: SettingError | None, tr: Translate) -> str:
    """Word a setting that cannot be.

    Parameters
    ----------
    error : SettingError or None
        What is wrong, if anything.

    Returns
    -------
    sentence : str
        What is wrong and what would be right; empty if all is well.
    """
    if error is None:
        return ""
    values = dict(error.values)
    if "name" in values:
        values["name"] = tr(f"setting.{values['name']}")
    return tr(f"problem.{error.reason}", **values)
