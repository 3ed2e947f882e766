"""What the Attention page adds to the example."""

from dataclasses import dataclass
from types import MappingProxyType

from attnviz.example.setting import COUNTED, Setting, Settings, check_settings
from attnviz.example.sources.drawn import MAX_HEADS

ATTENTION_SETTINGS: Settings = MappingProxyType(
    {"head": Setting("head", COUNTED, limits=(0, MAX_HEADS - 1))}
)


@dataclass(frozen=True, slots=True)
class AttentionSettings:
    """What the page shows of the example.

    Attributes
    ----------
    head : int
        The head whose stages are shown, counted from 0.
    """

    head: int = 0

    def __post_init__(self) -> None:
        """Refuse whatever cannot be shown.

        Raises
        ------
        SettingError
            If there can be no such head.
        """
        check_settings(self, ATTENTION_SETTINGS)
