"""The part of a script that says who may see whom."""

from attnviz.example.choices.masks import MASK_RULES
from attnviz.example.compute import ExampleTrace
from attnviz.export.dialect import Dialect, Words, section

_ALL = """\
len_q, len_k = scores.shape[-2:]
i = LIB.arange(len_q)[:, None]
j = LIB.arange(len_k)
visible = LIB.full((len_q, len_k), True)
"""


def mask_section(trace: ExampleTrace, dialect: Dialect, words: Words) -> str:
    """Write the mask: its rules, then the cells that were drawn by hand.

    Returns
    -------
    source : str
        Source that leaves `visible`, of shape (T_q, T_k).
    """
    rules = [f"visible = visible & ({rule})" for rule in _rules(trace)]
    rows, columns = trace.visible.shape
    drawn = [
        f"visible[{row}, {column}] = {bool(edit.value)}"
        for edit in trace.example.edits
        if edit.name == "mask"
        for row, column in [edit.index]
        if row < rows and column < columns
    ]
    if drawn:
        drawn.insert(0, f"# {words('export.script.drawn')}")
    return section(words("export.script.mask"), dialect.speak(_ALL), *rules, *drawn)


def _rules(trace: ExampleTrace) -> list[str]:
    """Write the conditions under which a query sees a key."""
    e = trace.example
    numbers = {**e.mask_parameters, "n_padding": int((~trace.key_valid).sum())}
    return [rule.condition.format(**numbers) for rule in MASK_RULES[e.mask]]
