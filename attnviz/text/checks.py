"""The outcome of a check in words: what should be, what is, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from attnviz.core.checks import Check
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief

# What an index counts, from the last on, for the checks whose places have these axes.
_AXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "row_sums": ("head", "query"),
        "hidden_weights": ("head", "query", "key"),
        "constant_values": ("head", "query", "d_v"),
        "visible_keys": ("head", "query"),
        "max_subtracted": ("head", "query", "key"),
        "loop": ("head", "query"),
        "norm_mean": ("position",),
        "norm_mean_square": ("position",),
        "norm_own_position": ("position", "d"),
        "norm_loop": ("position", "d"),
        "layer_moments": ("position",),
        "layer_own_row": ("position",),
        "layer_later": ("position",),
        "layer_sources": ("source",),
    }
)


@dataclass(frozen=True, slots=True)
class Note:
    """What a page knows of a check besides its outcome.

    Attributes
    ----------
    why : str
        Why the number is what it is, or why there is none; empty where nothing has to
        be said.
    shown : str
        What a chip shows of a check that passes, in place of its number.
    """

    why: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class CheckWords:
    """One check, worded.

    Attributes
    ----------
    brief : str
        The measured number of a check that passes; else what should be and what is.
    whole : str
        A sentence with the number, what is allowed, and the reason.
    """

    brief: str
    whole: str


def check_words(
    check: Check,
    tr: Translate,
    *,
    prefix: str = "",
    note: Note | None = None,
    first_head: int = 0,
) -> CheckWords:
    """Word a check.

    Parameters
    ----------
    prefix : str
        What the page puts before the names of its checks.
    note : Note, optional
        What the page knows besides.
    first_head : int, default=0
        How many heads of a larger layer there are before the first of these.

    Examples
    --------
    >>> from attnviz.text.catalog import translator
    >>> wrong = Check("divisor", "fail", 1.0, 1e-9, None, 2.0)
    >>> check_words(wrong, translator("en"), note=Note("scaling is off")).brief
    'should be 2, is 1: scaling is off'
    """
    name, note = f"{prefix}{check.id}", note or Note()
    if check.measured is None:
        reason = note.why or tr(f"check.{name}.nothing")
        return CheckWords(reason, reason)
    values = {
        "measured": brief(check.measured),
        "expected": "" if check.expected is None else brief(check.expected),
        "tolerance": "" if check.tolerance is None else brief(check.tolerance),
        "place": _place(name, check.where, tr, first_head),
    }
    detail = tr(f"check.{'tolerated' if check.tolerance else 'measured'}", **values)
    if check.verdict == "fail":
        fault = _because(tr(f"check.{name}.fail", **values), note.why, tr)
        return CheckWords(fault, tr("check.whole", words=fault, detail=detail))
    shown = note.shown or tr(f"check.{name}.shown", value=values["measured"])
    if check.verdict == "convention":
        shown = _because(shown, note.why or tr(f"check.{name}.convention"), tr)
        return CheckWords(shown, tr("check.whole", words=shown, detail=detail))
    return CheckWords(shown, f"{detail} {note.why}".strip())


def _because(words: str, why: str, tr: Translate) -> str:
    return tr("check.because", words=words, why=why) if why else words


def _place(
    name: str, where: tuple[int, ...] | None, tr: Translate, first_head: int
) -> str:
    """Name the place that decided, counted from 1; axes of size 1 may lack before."""
    axes = _AXES.get(name, ())
    if not where or not axes:
        return ""
    named = zip(axes[-len(where) :], where[-len(axes) :], strict=True)
    return tr("check.comma").join(
        tr(
            "check.place",
            axis=tr(f"browser.axis.{axis}"),
            place=at + 1 + (first_head if axis == "head" else 0),
        )
        for axis, at in named
    )
