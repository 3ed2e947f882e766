"""What is asked on the page Check mine: which result, and how it was meant."""

from dataclasses import dataclass
from types import MappingProxyType

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.faults import FAULTS
from attnviz.example.check.kinds import KINDS
from attnviz.example.norms import NormExample, NormSource
from attnviz.example.reading.typed_numbers import numbers_form
from attnviz.example.setting import REAL, TEXT, Setting, Settings, check_settings

# The result itself tells which it is: by its name, else by its shape and its numbers.
ANY = "any"
SOURCES: tuple[NormSource, ...] = ("input", "residual", "context")
# What the page can compute for a reader who has nothing at hand: the right result, or
# what a mistake of the catalogue gives.
RIGHT = "right"
_MADE = ("attention", "layer_norm")
MADE: tuple[str, ...] = (
    "",
    RIGHT,
    *(
        f"{fault.id}.{variant.name}"
        for fault in FAULTS
        for variant in fault.variants
        if variant.subject in _MADE
    ),
)
_PART = "check"
CHECK_SETTINGS: Settings = MappingProxyType(
    {
        "kind": Setting("ck", TEXT, _PART, choices=(ANY, *KINDS)),
        "made": Setting("cm", TEXT, choices=MADE),
        "source": Setting("cs", TEXT, _PART, choices=SOURCES),
        "gamma": Setting("cg", numbers_form("gamma"), _PART, "γ"),
        "beta": Setting("cb", numbers_form("beta"), _PART, "β"),
        "eps": Setting("ce", REAL, _PART, "ε"),
    }
)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What is asked, besides the example that gives the inputs.

    Attributes
    ----------
    kind : str
        Which result was computed, or "any".
    made : str
        What the page computes in place of a reader: "right", a mistake such as
        "P03.after_softmax", or nothing.
    source : NormSource
        What is normalized where that is asked.
    gamma, beta : tuple of float
        Its scale and shift: one number for all features, or one for each.
    eps : float
        Its ε.
    """

    kind: str = ANY
    made: str = ""
    source: NormSource = "input"
    gamma: tuple[float, ...] = (1.0,)
    beta: tuple[float, ...] = (0.0,)
    eps: float = 1e-5

    def __post_init__(self) -> None:
        """Refuse whatever cannot be.

        Raises
        ------
        SettingError
            If a choice is unknown, or ε is out of its limits.
        """
        check_settings(self, CHECK_SETTINGS)
        self.norm()

    def norm(self, rows: FloatArray | None = None) -> NormExample:
        """Give the normalization that is meant: of the example, or of rows."""
        if rows is None:
            return NormExample(
                self.source, gamma=self.gamma, beta=self.beta, eps=self.eps
            )
        typed = tuple(tuple(map(float, row)) for row in rows)
        return NormExample("rows", typed, self.gamma, self.beta, self.eps)


def check_start(preset: str) -> CheckSettings:
    """Give the settings with which the page starts: the same for every preset."""
    return CheckSettings()
