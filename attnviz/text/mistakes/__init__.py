"""Words for the mistakes and conventions that the core can name."""

import json
from functools import cache
from pathlib import Path
from types import MappingProxyType

_HERE = Path(__file__).parent


@cache
def load_mistakes(language: str) -> MappingProxyType[str, str]:
    """Read the sentences of a language: "P02.unscaled" says what was done."""
    text = (_HERE / f"{language}.json").read_text("utf-8")
    return MappingProxyType(json.loads(text))


def mistake_sentence(fault: str, variant: str, *, language: str) -> str:
    """Say what a mistake does.

    Parameters
    ----------
    fault : str
        Number in the catalogue, such as "P02".
    variant : str
        Which variant of it.
    language : str
        Language of the reader.

    Examples
    --------
    >>> mistake_sentence("P02", "unscaled", language="en")
    'The scores are not divided by √d_k.'
    """
    return load_mistakes(language)[f"{fault}.{variant}"]
