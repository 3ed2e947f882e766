"""Which formulas the example on screen follows."""

from attnviz.example.choices.positions import POSITION_RULES
from attnviz.example.settings import Example
from attnviz.example.sources.fixed import GivenWeights

# The figures of the projections, and what may head each.
PROJECTIONS = {
    "projections": ("query", "key", "value"),
    "key_projections": ("key", "value"),
}
_PRODUCTS = ("scores", "scores_unscaled")
# What positions do to the scores, as the names of formulas have it: any bias is B.
_WRITTEN = {"rotary": "_rotary", "alibi": "_alibi", "relative": "_alibi"}
# What can be said of weights of which nothing else is known.
_ALONE = "weights_alone"


def example_formulas(example: Example) -> dict[str, str]:
    """Name the formulas that an example follows, by what each heads.

    Returns
    -------
    names : dict of str to str
        Names of formulas, empty where nothing is headed; that of the whole is headed
        "page". Of weights that came alone nothing more is known.
    """
    if isinstance(example.fixed, GivenWeights):
        stages = dict.fromkeys(("scores", "weights", "context"), "")
        return {"page": _ALONE, **stages}
    projected = {
        f"{figure}.{name}": projection_formula(name, example)
        if _heads(figure, name, example)
        else ""
        for figure, names in PROJECTIONS.items()
        for name in names
    }
    return {
        "page": attention_formula(example),
        **projected,
        "scores": score_formula(example),
        "weights": f"softmax{_tempered(example)}",
        "context": "context",
    }


def _heads(figure: str, name: str, example: Example) -> bool:
    """Tell where a projection is drawn: keys from elsewhere have their own figure."""
    is_of_keys = example.is_cross and name != "query"
    return is_of_keys == (figure == "key_projections")


def projection_formula(name: str, example: Example) -> str:
    """Name the formula of a projection of an example.

    Parameters
    ----------
    name : str
        "query", "key" or "value".
    """
    cross = "_cross" if example.is_cross else ""
    added = "_added" if POSITION_RULES[example.positions].table else ""
    return f"{name}{cross}{added}"


def score_formula(example: Example) -> str:
    """Name the formula of an example's scores.

    Examples
    --------
    >>> score_formula(Example(is_scaled=False))
    'scores_unscaled'
    >>> score_formula(Example(scoring="bilinear", positions="alibi"))
    'scores_bilinear_alibi'
    """
    turn = _WRITTEN.get(example.positions, "")
    if example.scoring != "dot":
        return f"scores_{example.scoring}{turn}"
    return f"scores{turn}{'' if example.is_scaled else '_unscaled'}"


def weights_formula(example: Example) -> str:
    """Name the formula of one weight, with all that the softmax does on the way."""
    return f"weights{_tempered(example)}"


def attention_formula(example: Example) -> str:
    """Name the formula of an example as a whole.

    Scores that are more than a product of queries and keys are S in it; their own
    formula says what they are.

    Examples
    --------
    >>> attention_formula(Example(is_scaled=False, temperature=2))
    'attention_unscaled_temperature'
    >>> attention_formula(Example(positions="rotary"))
    'attention_scores'
    """
    if isinstance(example.fixed, GivenWeights):
        return _ALONE
    scores = score_formula(example)
    short = scores.removeprefix("scores") if scores in _PRODUCTS else "_scores"
    return f"attention{short}{_tempered(example)}"


def _tempered(example: Example) -> str:
    return "" if example.temperature == 1 else "_temperature"
