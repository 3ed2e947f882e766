"""The inputs of a task to take along, with the function to fill in."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType

from attnviz.example.check.expecting import Expected, expect_all
from attnviz.example.check.settings import CheckSettings
from attnviz.example.norms import NormExampleTrace
from attnviz.example.settings import Example
from attnviz.export.data import PageData, page_data, plain_settings
from attnviz.export.dialect import NUMPY, TORCH, Dialect, Words, section
from attnviz.export.formats import as_csv, as_npz

_FILES = MappingProxyType({"npz": as_npz, "csv": as_csv})
_DIALECTS = MappingProxyType({"numpy": NUMPY, "torch": TORCH})
FORMS = (*_FILES, *_DIALECTS)
_GIVEN = ("q", "k", "v", "visible")
_SHOWN = {
    "norm": ("norm_input", "gamma", "beta"),
    "rotation": ("q", "k"),
    "sinusoids": (),
    "gradients": (*_GIVEN, "grad_context"),
}
# What a gradient starts from is called so in code.
_RENAMED = MappingProxyType({"norm_input": "x", "grad_context": "d_context"})
_PROJECTED = ("x", "x_k", "w_q", "w_k", "w_v", "w_o", "visible")
# What the function to fill in is called, by the family of its results.
_FUNCTIONS = {
    "norm": "layer_norm",
    "rotation": "turn",
    "sinusoids": "sinusoids",
    "gradients": "attention_backward",
}
_LINES = '''\
def {name}({arguments}):
    """{task}"""
    ...  # {fill}


result = {name}({arguments})
{library}.set_printoptions(threshold=10**9, linewidth=10**6)
print(result)
'''


def inputs_data(example: Example, settings: CheckSettings) -> PageData:
    """Collect what a result is computed from, and no result.

    Raises
    ------
    SettingError
        If the example has no such inputs.
    """
    wanted = expect_all(example, settings)[0]
    whole = page_data("check", wanted.source.screen(), plain_settings(example))
    names = _SHOWN.get(wanted.rule.family)
    if names is None:
        names = _PROJECTED if "x" in whole.matrices else _GIVEN
    found = {name: whole.matrices[name] for name in names if name in whole.matrices}
    return replace(whole, matrices=found)


def inputs_lines(
    example: Example, settings: CheckSettings, dialect: Dialect, words: Words
) -> str:
    """Write the inputs as source, with the function to fill in."""
    wanted = expect_all(example, settings)[0]
    family = wanted.rule.family
    given = {
        called: dialect.assign(called, one.values)
        for name, one in inputs_data(example, settings).matrices.items()
        for called in [_RENAMED.get(name, name)]
    }
    given |= {name: f"{name} = {value!r}" for name, value in _numbers(wanted, settings)}
    function = _LINES.format(
        name=_FUNCTIONS.get(family, "attention"),
        arguments=", ".join(given),
        task=words(f"mine.task.{family}"),
        fill=words("mine.fill"),
        library=dialect.terms["LIB"],
    )
    head = section(words("mine.given"), *given.values())
    return f"{dialect.start}\n\n{head}\n\n\n{function}"


def _numbers(
    wanted: Expected, settings: CheckSettings
) -> Iterator[tuple[str, float | int]]:
    """Name the single numbers that a result depends on."""
    if isinstance(wanted.source, NormExampleTrace):
        yield "eps", settings.eps
        return
    example = wanted.source.example
    if wanted.rule.family in ("rotation", "sinusoids"):
        yield "first_position", example.first_position
        if wanted.rule.family == "sinusoids":
            yield from zip(("length", "d_model"), wanted.values.shape[1:], strict=True)
    else:
        yield "scale", 1 / example.divisor


def write_inputs(
    form: str, example: Example, settings: CheckSettings, words: Words
) -> Callable[[], bytes | str]:
    """Give what writes a file of one of FORMS."""
    if form in _FILES:
        return lambda: _FILES[form](inputs_data(example, settings))
    return lambda: inputs_lines(example, settings, _DIALECTS[form], words)
