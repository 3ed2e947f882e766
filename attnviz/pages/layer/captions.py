"""Sentences of the Layer page that follow the numbers."""

import numpy as np

from attnviz.components.page.view import Live, sentences
from attnviz.core.layers import layer_norm
from attnviz.example.layer.counts import CHAPTER, CHAPTER_PARAMETERS, count_parameters
from attnviz.example.layer.depth import CASE, spread, stack, triple
from attnviz.example.layer.settings import LayerExample
from attnviz.example.layer.view import LayerView
from attnviz.example.layer.way import lengths
from attnviz.example.settings import RANDOM
from attnviz.text.catalog import Translate
from attnviz.text.numbers import fixed, grouped
from attnviz.text.presets import origin_line

_DECIMALS = 2
_LIKELIEST = 5
_CASE_BLOCKS = 3


def layer_formula(settings: LayerExample) -> str:
    """Name the formula of a layer."""
    return f"layer_{settings.architecture}_{settings.place}"


def answer(view: LayerView, tr: Translate) -> str:
    """Say what happens to the token on its way: what is added, and what it is then."""
    found = [(stage, _length(view, at)) for at, stage in enumerate(view.stages)]
    token = view.trace.tokens[view.settings.token]
    if view.settings.station == "vocabulary" and not view.settings.shows_gradients:
        return f"{likeliest(view, tr)} {untrained(view, tr)}".rstrip()
    if view.settings.shows_gradients:
        way = [length for stage, length in reversed(found) if stage.sign != "+"]
        return tr("layer.answer.gradient", token=token, way=" → ".join(way))
    added = [
        tr(f"layer.adds.{stage.station}", length=length)
        for stage, length in found
        if stage.sign == "+"
    ]
    shown = [length for stage, length in found if stage.sign == "=" or not stage.sign]
    is_pre = view.trace.settings.place == "pre"
    if is_pre:
        # The norms stand beside the stream, which goes from sum to sum.
        shown = [shown[0], *(length for stage, length in found if stage.sign == "=")]
    sentence = tr("check.comma").join(added)
    has_end = is_pre and view.trace.final is not None
    form: str = "final" if has_end else view.trace.settings.place
    if form != "pre" and view.trace.x.shape[1] == 1:
        form += "_single"
    return tr(
        f"layer.answer.{form}",
        token=token,
        added=sentence[:1].upper() + sentence[1:],
        way=" → ".join(shown),
        d=view.trace.x.shape[1],
        length=fixed(view.trace.x.shape[1] ** 0.5, _DECIMALS),
    )


def likeliest(view: LayerView, tr: Translate) -> str:
    """Name the likeliest next words of the token; nothing without a vocabulary."""
    found = view.trace.vocabulary
    if found is None:
        return ""
    best = found.likeliest(view.settings.token, _LIKELIEST)
    words = [f"{word} {fixed(share, _DECIMALS)}" for word, share in best]
    return tr(
        "layer.likeliest",
        token=view.trace.tokens[view.settings.token],
        words=tr("check.comma").join(words),
    )


def untrained(view: LayerView, tr: Translate) -> str:
    """Say that probabilities are random; nothing where matrices are not drawn."""
    is_drawn = view.trace.source.example.matrices == RANDOM
    return tr("layer.random") if view.trace.vocabulary and is_drawn else ""


def layer_live(view: LayerView, preset: str, tr: Translate) -> dict[str, Live]:
    """Gather the sentences of the page."""
    counts = count_parameters(view.trace)
    example = view.trace.source.example
    # At the vocabulary itself the answer says both.
    is_told = (
        view.settings.station == "vocabulary" and not view.settings.shows_gradients
    )
    texts = {
        "layer.answer": answer(view, tr),
        "layer.likeliest": "" if is_told else likeliest(view, tr),
        "layer.random": "" if is_told else untrained(view, tr),
        "layer.case": _case(tr) if view.settings.shows_depth else "",
        "count.attention": grouped(counts.attention),
        "count.network": grouped(counts.network),
        "count.norms": grouped(counts.norms),
        "count.vocabulary": grouped(counts.vocabulary),
        "count.saved": tr("layer.count.saved", number=grouped(counts.saved))
        if counts.saved
        else "",
        "count.total": grouped(counts.total),
        "count.chapter": tr(
            "layer.count.chapter",
            d=CHAPTER.d_model,
            d_ff=grouped(CHAPTER.d_ff),
            total=grouped(CHAPTER_PARAMETERS),
        ),
        "export.of": origin_line(preset, example, tr),
    }
    return {
        **sentences(texts),
        "formula.page": Live(formula=layer_formula(view.trace.settings)),
        "heads": Live(state=str(len(view.trace.layers))),
    }


def _case(tr: Translate) -> str:
    """Tell the smallest stack that grows: four numbers, and sublayers that triple."""
    streams = stack(np.array(CASE), triple, _CASE_BLOCKS, "pre")
    post = stack(np.array(CASE), triple, _CASE_BLOCKS, "post")
    return tr(
        "layer.case",
        pre=", ".join(fixed(spread(rows), 4) for rows in streams),
        final=fixed(spread(layer_norm(streams[-1]).output), 4),
        post=", ".join(fixed(spread(rows), 4) for rows in post),
    )


def _length(view: LayerView, at: int) -> str:
    stage = view.stages[at]
    row = view.sheet().matrix(stage.name)[(*stage.first, view.settings.token)]
    return fixed(float(lengths(row)), _DECIMALS)
