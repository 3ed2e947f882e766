"""How the cells of gradients come about: the chain rule, term by term."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from attnviz.core.arrays.sheet import Index, Operand, Sheet
from attnviz.core.derivation import Derivation, carry, collect, given, then
from attnviz.core.derivation.pieces import Rule
from attnviz.example.layer.ends import last_state
from attnviz.example.layer.gradient_heads import HeadRules
from attnviz.example.layer.products import products
from attnviz.example.layer.settings import Loss
from attnviz.example.layer.way import GIVES
from attnviz.example.matrices import CROSS

if TYPE_CHECKING:
    from attnviz.example.layer.compute import LayersTrace


def gradient_rules(trace: "LayersTrace", loss: Loss) -> Mapping[str, Rule]:
    """Give the rules of all gradients of a trace.

    Parameters
    ----------
    loss : {"number", "length", "next"}
        Where they begin.
    """
    return {
        **HeadRules("", trace.source.example.positions == "rotary").rules(),
        **HeadRules(CROSS, is_turned=False).rules(),
        **_NETWORK_RULES,
        **_norm_rules(trace),
        **_stream_rules(trace),
        **_first_rules(trace, loss),
    }


def _copy(name: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    return carry(stage, index, sheet.operand(name, index))


# ---- the network -------------------------------------------------------------


def _active(sheet: Sheet, stage: str, index: Index) -> Derivation:
    layer, row, unit = index
    return products(
        sheet,
        stage,
        index,
        (
            ("grad_ffn_output", (layer, row, feature), "w_2", (layer, unit, feature))
            for feature in range(sheet.shape("w_2")[2])
        ),
    )


def _hidden(sheet: Sheet, stage: str, index: Index) -> Derivation:
    pair = ("grad_ffn_active", index, "ffn_slope", index)
    return products(sheet, stage, index, [pair])


def _network_input(sheet: Sheet, stage: str, index: Index) -> Derivation:
    layer, row, feature = index
    return products(
        sheet,
        stage,
        index,
        (
            ("grad_ffn_hidden", (layer, row, unit), "w_1", (layer, feature, unit))
            for unit in range(sheet.shape("w_1")[2])
        ),
    )


def _second_matrix(sheet: Sheet, stage: str, index: Index) -> Derivation:
    layer, unit, feature = index
    return products(
        sheet,
        stage,
        index,
        (
            ("ffn_active", (layer, row, unit), "grad_ffn_output", (layer, row, feature))
            for row in range(sheet.shape("ffn_active")[1])
        ),
    )


def _over_rows(name: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Add the gradients of all positions, which share a bias."""
    *first, _, column = index
    rows = range(sheet.shape(name)[-2])
    cells = [(sheet.operand(name, (*first, row, column)),) for row in rows]
    return collect(stage, index, "sum", cells)


_NETWORK_RULES: Mapping[str, Rule] = {
    "grad_ffn_active": _active,
    "ffn_slope": given,
    "grad_ffn_hidden": _hidden,
    "grad_ffn_input": _network_input,
    "grad_w_2": _second_matrix,
    "grad_b_2": partial(_over_rows, "grad_ffn_output"),
    "grad_b_1": partial(_over_rows, "grad_ffn_hidden"),
}


# ---- norms -------------------------------------------------------------------


def _norm_rules(trace: "LayersTrace") -> dict[str, Rule]:
    """Give the rules of the norms of the layers, and of the one behind them."""
    n_steps = len(trace.settings.sublayers)
    is_pre = trace.settings.place == "pre"

    def above(sheet: Sheet, index: Index) -> Operand:
        """Read the gradient of what a norm of a layer gives."""
        layer, step, row, feature = index
        if is_pre:
            return sheet.operand("grad_norm_output", index)
        after = f"grad_stream_{layer * n_steps + step + 1}"
        return sheet.operand(after, (row, feature))

    def normalized(sheet: Sheet, stage: str, index: Index) -> Derivation:
        layer, step, _, feature = index
        gamma = sheet.operand("gamma", (layer, step, 0, feature))
        return collect(stage, index, "sum_of_products", [(gamma, above(sheet, index))])

    def gamma(sheet: Sheet, stage: str, index: Index) -> Derivation:
        layer, step, _, feature = index
        rows = range(sheet.shape("norm_normalized")[2])
        places = [(layer, step, row, feature) for row in rows]
        terms = [
            (above(sheet, place), sheet.operand("norm_normalized", place))
            for place in places
        ]
        return collect(stage, index, "sum_of_products", terms)

    def beta(sheet: Sheet, stage: str, index: Index) -> Derivation:
        layer, step, _, feature = index
        rows = range(sheet.shape("norm_normalized")[2])
        terms = [(above(sheet, (layer, step, row, feature)),) for row in rows]
        return collect(stage, index, "sum", terms)

    rules: dict[str, Rule] = {
        "grad_norm_normalized": normalized,
        "grad_norm_shift": partial(_shift, "norm"),
        "grad_norm_along": partial(_along, "norm"),
        "grad_norm_input": partial(_through_norm, "norm"),
        "grad_gamma": gamma,
        "grad_beta": beta,
        "grad_final_shift": partial(_shift, "final"),
        "grad_final_along": partial(_along, "final"),
        "grad_final_normalized": _final_normalized,
        "grad_final_gamma": _final_gamma,
        "grad_final_beta": partial(_over_rows, "grad_final_output"),
    }
    for step in range(1, n_steps + 1):
        rules[f"grad_residual_{step}"] = partial(_residual, step)
    return rules


def _shift(kind: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Average the gradients of a position, with the sign they are taken away with."""
    name = f"grad_{kind}_normalized"
    features = range(sheet.shape(name)[-1])
    cells = [(sheet.operand(name, (*index[:-1], feature)),) for feature in features]
    return then(collect(stage, index, "sum", cells), "divide", sheet.operand("minus_d"))


def _along(kind: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    names = f"grad_{kind}_normalized", f"{kind}_normalized"
    cells = [(*index[:-1], feature) for feature in range(sheet.shape(names[1])[-1])]
    pairs = [(names[0], cell, names[1], cell) for cell in cells]
    work = products(sheet, stage, index, pairs)
    return then(work, "divide", sheet.operand("minus_d"))


def _through_norm(kind: str, sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Take away the two means, and divide by the root that the norm divided by."""
    at = (*index[:-1], 0)
    terms = [
        (sheet.operand(f"grad_{kind}_normalized", index),),
        (sheet.operand(f"grad_{kind}_shift", at),),
        (
            sheet.operand(f"{kind}_normalized", index),
            sheet.operand(f"grad_{kind}_along", at),
        ),
    ]
    work = collect(stage, index, "sum_of_products", terms)
    variance = sheet.operand(f"{kind}_variance", at)
    return then(work, "divide_by_root", variance, sheet.operand("eps"))


def _residual(step: int, sheet: Sheet, stage: str, index: Index) -> Derivation:
    layer, *cell = index
    place = (layer, step - 1, *cell)
    work = _through_norm("norm", sheet, stage, place)
    return replace(work, index=index)


def _final_normalized(sheet: Sheet, stage: str, index: Index) -> Derivation:
    pair = ("final_gamma", (0, index[1]), "grad_final_output", index)
    return products(sheet, stage, index, [pair])


def _final_gamma(sheet: Sheet, stage: str, index: Index) -> Derivation:
    cells = [(row, index[1]) for row in range(sheet.shape("final_output")[0])]
    pairs = [("grad_final_output", cell, "final_normalized", cell) for cell in cells]
    return products(sheet, stage, index, pairs)


# ---- the stream --------------------------------------------------------------


def _stream_rules(trace: "LayersTrace") -> dict[str, Rule]:
    """Let a residual hand its gradient to both of its terms."""
    sublayers = trace.settings.sublayers
    is_pre = trace.settings.place == "pre"
    rules: dict[str, Rule] = {}
    for layer in range(len(trace.layers)):
        for step in range(len(sublayers)):
            place = layer * len(sublayers) + step
            rules[f"grad_stream_{place}"] = partial(
                _pre_stream if is_pre else _post_stream, layer, step, sublayers[step]
            )
    for step, sublayer in enumerate(sublayers):
        rules[f"grad_{GIVES[sublayer]}"] = partial(
            _pre_given if is_pre else _post_given, step, len(sublayers)
        )
    inputs = [f"grad_{'ffn' if one == 'network' else one}_input" for one in sublayers]
    rules["grad_w_1"] = partial(_first_matrix, len(sublayers), is_pre)
    if is_pre:

        def taken(sheet: Sheet, stage: str, index: Index) -> Derivation:
            layer, step, *cell = index
            place = (layer, *cell)
            return carry(stage, index, sheet.operand(inputs[step], place))

        rules["grad_norm_output"] = taken
    return rules


def _post_stream(
    layer: int, step: int, sublayer: str, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    residual = sheet.operand(f"grad_residual_{step + 1}", (layer, *index))
    name = f"grad_{'ffn' if sublayer == 'network' else sublayer}_input"
    work = carry(stage, index, residual)
    return then(work, "add", sheet.operand(name, (layer, *index)))


def _pre_stream(
    layer: int, step: int, sublayer: str, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    number = int(stage.removeprefix("grad_stream_"))
    work = carry(stage, index, sheet.operand(f"grad_stream_{number + 1}", index))
    branch = sheet.operand("grad_norm_input", (layer, step, *index))
    return then(work, "add", branch)


def _post_given(
    step: int, n_steps: int, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    return _copy(f"grad_residual_{step + 1}", sheet, stage, index)


def _pre_given(
    step: int, n_steps: int, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    layer, *cell = index
    after = f"grad_stream_{layer * n_steps + step + 1}"
    return carry(stage, index, sheet.operand(after, tuple(cell)))


def _first_matrix(
    n_steps: int, is_pre: bool, sheet: Sheet, stage: str, index: Index
) -> Derivation:
    """Multiply what the network takes and the gradients of its hidden layer."""
    layer, feature, unit = index
    pairs = []
    for row in range(sheet.shape("grad_ffn_hidden")[1]):
        taken: tuple[str, Index] = (
            ("norm_output", (layer, n_steps - 1, row, feature))
            if is_pre
            else (f"stream_{(layer + 1) * n_steps - 1}", (row, feature))
        )
        pairs.append((*taken, "grad_ffn_hidden", (layer, row, unit)))
    return products(sheet, stage, index, pairs)


# ---- where it begins ---------------------------------------------------------


def _first_rules(trace: "LayersTrace", loss: Loss) -> dict[str, Rule]:
    """Say how the first gradient comes about."""
    last = f"grad_stream_{len(trace.layers) * len(trace.settings.sublayers)}"
    begin: Rule = {"number": given, "length": _length, "next": _from_logits}[loss]
    rules: dict[str, Rule] = {
        "grad_logits": _logits,
        "next_word": given,
        "grad_w_vocab": _word_matrix,
        "grad_b_vocab": partial(_over_rows, "grad_logits"),
    }
    if trace.final is None:
        return {**rules, last: begin}
    return {**rules, "grad_final_output": begin, last: partial(_through_norm, "final")}


def _length(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Copy the token's own row; the loss does not look at the others."""
    if sheet.value(stage, index) == 0:
        return given(sheet, stage, index)
    return carry(stage, index, sheet.operand(last_state(sheet), index))


def _from_logits(sheet: Sheet, stage: str, index: Index) -> Derivation:
    row, feature = index
    pairs = [
        ("grad_logits", (row, word), "w_vocab", (word, feature))
        for word in range(sheet.shape("w_vocab")[0])
    ]
    return products(sheet, stage, index, pairs)


def _logits(sheet: Sheet, stage: str, index: Index) -> Derivation:
    if index[0] == sheet.shape(stage)[0] - 1:
        return given(sheet, stage, index)
    work = carry(stage, index, sheet.operand("probabilities", index))
    work = then(work, "subtract", sheet.operand("next_word", index))
    return then(work, "divide", sheet.operand("n_next"))


def _word_matrix(sheet: Sheet, stage: str, index: Index) -> Derivation:
    word, feature = index
    states = last_state(sheet)
    pairs = [
        ("grad_logits", (row, word), states, (row, feature))
        for row in range(sheet.shape("grad_logits")[0])
    ]
    return products(sheet, stage, index, pairs)
