"""Sentences of the Positions page that follow the numbers."""

import numpy as np

from attnviz.components.inputs.problems import problem_sentence
from attnviz.components.page.view import Live, sentences
from attnviz.core.attention.masks import causal_mask
from attnviz.core.derivation import Derivation
from attnviz.core.errors import SettingError
from attnviz.example.choices.positions import N_BUCKETS, POSITION_KINDS
from attnviz.example.compute import ExampleTrace
from attnviz.example.positions.compute import PositionsTrace
from attnviz.example.positions.order import TRIED_MASKS, OrderTrace, why_not
from attnviz.example.positions.rotary import RotaryTrace
from attnviz.example.positions.table import TableTrace
from attnviz.text.catalog import Translate
from attnviz.text.numbers import brief


def positions_live(trace: PositionsTrace, tr: Translate) -> dict[str, Live]:
    """Say what the page shows of these numbers.

    Returns
    -------
    live : dict of str to Live
        The answer, the cells of the table of kinds, what each part has to say, and why
        a part is not there.
    """
    return {
        "positions.answer": Live(answer(trace, tr), state=_state(trace.order)),
        **_tried(trace),
        **sentences(
            {
                "positions.table.said": _table_said(trace, tr),
                "positions.rotary.said": _rotary_said(trace, tr),
                "positions.bias.said": _bias_said(trace, tr),
                **_facts(trace, tr),
            }
        ),
    }


def answer(trace: PositionsTrace, tr: Translate) -> str:
    """Answer the question of the page in one sentence, with the measured number."""
    order = trace.order
    if isinstance(order, SettingError):
        return problem_sentence(order, tr)
    if len(order.order) == 1:
        return tr("positions.answer.alone")
    if order.order == tuple(range(len(order.order))):
        return tr("positions.answer.unmoved")
    kind = tr(f"positions.kind.{trace.example.positions}")
    largest = brief(order.largest_change(trace.head))
    return tr(
        f"positions.answer.{_seen(order, trace.head)}", kind=kind, largest=largest
    )


def _seen(order: OrderTrace, head: int) -> str:
    """Tell who tells places apart, and whether this order shows it."""
    original = order.original
    has_kind, is_masked = (
        original.example.positions != "none",
        not original.visible.all(),
    )
    if not (has_kind or is_masked):
        return "nothing"
    if order.largest_change(head) <= order.rounding(head):
        return "unseen" if has_kind else "unseen_mask"
    if has_kind:
        return "both" if is_masked else "order"
    return f"mask_{_hidden(original)}"


def _hidden(original: ExampleTrace) -> str:
    """Tell what a mask hides: what comes later, padding, or some other places."""
    visible, padding = original.visible, ~original.key_valid
    if np.array_equal(visible, causal_mask(*visible.shape)):
        return "causal"
    is_padded = padding.any() and not visible[:, padding].any()
    return "padding" if is_padded else "places"


def positions_note(trace: PositionsTrace, derivation: Derivation, tr: Translate) -> str:
    """Say of a change where its token stands, and whether it is rounding.

    Parameters
    ----------
    derivation : Derivation
        Of the selected cell.

    Returns
    -------
    note : str
        Empty for every other cell.
    """
    order = trace.order
    if derivation.stage != "order_change" or not isinstance(order, OrderTrace):
        return ""
    token = derivation.index[1]
    note = tr(
        "positions.note.place",
        token=trace.example.tokens[token],
        place=order.places[token] + 1,
        row=token + 1,
    )
    if not 0 < abs(derivation.value) <= order.rounding(derivation.index[0]):
        return note
    return f"{note} {tr('positions.note.rounding', value=brief(derivation.value))}"


def _state(order: OrderTrace | SettingError) -> str:
    return "refused" if isinstance(order, SettingError) else "measured"


def _tried(trace: PositionsTrace) -> dict[str, Live]:
    """Write the largest change of every kind and mask, and which are chosen."""
    order, example = trace.order, trace.example
    largest = order.largest if isinstance(order, OrderTrace) else {}
    texts = {}
    for kind in POSITION_KINDS:
        for mask in TRIED_MASKS:
            number = largest.get((kind, mask))
            is_chosen = (kind, mask) == (example.positions, example.mask)
            texts[f"try.{kind}.{mask}"] = Live(
                "–" if number is None else brief(number),
                state="chosen" if is_chosen else "offered",
            )
    return texts


def _table_said(trace: PositionsTrace, tr: Translate) -> str:
    table, settings = trace.table, trace.settings
    if not isinstance(table, TableTrace):
        return problem_sentence(table, tr)
    if table.wavelength is None:
        return tr("positions.table.learned", column=table.column + 1)
    said = tr(
        "positions.table.wave",
        column=table.column + 1,
        wavelength=brief(table.wavelength),
    )
    if not isinstance(trace.order, OrderTrace):
        return said
    is_added = trace.example.positions == settings.table
    return (
        f"{said} {tr('positions.table.added' if is_added else 'positions.table.not')}"
    )


def _rotary_said(trace: PositionsTrace, tr: Translate) -> str:
    rotary = trace.rotary
    if not isinstance(rotary, RotaryTrace):
        return problem_sentence(rotary, tr)
    m, n = trace.rotary_places
    query, key = rotary.rows
    return tr(
        f"positions.rotary.{'score' if rotary.sees_distance_alone else 'mixed'}",
        query=query + 1,
        key=key + 1,
        m=m,
        n=n,
        score=brief(float(rotary.scores[m, n])),
    )


def _bias_said(trace: PositionsTrace, tr: Translate) -> str:
    if isinstance(trace.bias, SettingError):
        return problem_sentence(trace.bias, tr)
    _, rows, columns = trace.bias.bias.shape
    aligned = "square" if rows == columns else "last"
    return tr(f"positions.bias.{aligned}", rows=rows, columns=columns)


def _facts(trace: PositionsTrace, tr: Translate) -> dict[str, str]:
    """Write what each kind costs, and whether it goes beyond the trained length."""
    example, settings = trace.example, trace.settings
    trained = settings.trained_length
    costs = {
        "learned": trained * example.d_model,
        "relative": example.n_heads * N_BUCKETS,
    }
    texts = {}
    for kind in POSITION_KINDS:
        error = why_not(kind, example, settings)
        beyond = tr(f"positions.goes.{kind}", trained=trained)
        texts[f"positions.beyond.{kind}"] = (
            beyond if error is None else problem_sentence(error, tr)
        )
        texts[f"positions.cost.{kind}"] = tr(
            f"positions.costs.{kind}", count=costs.get(kind, 0)
        )
    return texts
