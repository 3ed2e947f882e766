"""The inputs of a task to take along, with the function to fill in."""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from attnviz.example.check.settings import CheckSettings
from attnviz.example.compute import ExampleTrace, compute
from attnviz.example.norms import NormExampleTrace, compute_norm
from attnviz.example.settings import Example
from attnviz.export.data import PageData, page_data, plain_settings
from attnviz.export.dialect import NUMPY, TORCH, Dialect, Words, section
from attnviz.export.formats import as_csv, as_npz

_FILES = MappingProxyType({"npz": as_npz, "csv": as_csv})
_DIALECTS = MappingProxyType({"numpy": NUMPY, "torch": TORCH})
FORMS = (*_FILES, *_DIALECTS)
_NORM = ("norm_input", "gamma", "beta")
_PROJECTED = ("x", "x_k", "w_q", "w_k", "w_v", "w_o", "visible")
_GIVEN = ("q", "k", "v", "visible")

_ATTENTION = '''\
def attention({arguments}):
    """{task}"""
    ...  # {fill}


result = attention({arguments})
{show}
'''
_NORMALIZE = '''\
def layer_norm(x, gamma, beta, eps):
    """{task}"""
    ...  # {fill}


result = layer_norm(x, gamma, beta, eps)
{show}
'''
_SHOW = {
    False: "np.set_printoptions(threshold=10**9, linewidth=10**6)\nprint(result)",
    True: "torch.set_printoptions(threshold=10**9, linewidth=10**6)\nprint(result)",
}


def is_norm(settings: CheckSettings) -> bool:
    """Tell whether the task is to normalize."""
    return settings.kind == "norm_output"


def inputs_data(example: Example, settings: CheckSettings) -> PageData:
    """Collect what a result is computed from, and no result.

    Raises
    ------
    SettingError
        If the example has no inputs.
    """
    trace: ExampleTrace | NormExampleTrace
    wanted: tuple[str, ...] = _NORM
    if is_norm(settings):
        trace = compute_norm(example, settings.norm())
    else:
        trace = compute(example)
        wanted = _GIVEN if trace.x is None else _PROJECTED
    whole = page_data("check", trace.screen(), plain_settings(example))
    found = {name: whole.matrices[name] for name in wanted if name in whole.matrices}
    return replace(whole, matrices=found)


def inputs_lines(
    example: Example, settings: CheckSettings, dialect: Dialect, words: Words
) -> str:
    """Write the inputs as source, with the function to fill in."""
    data = inputs_data(example, settings)
    names = {"norm_input": "x"}
    arrays = {names.get(name, name): one.values for name, one in data.matrices.items()}
    given = [dialect.assign(name, values) for name, values in arrays.items()]
    task = words(f"mine.task.{'norm_output' if is_norm(settings) else 'attention'}")
    values = {
        "task": task,
        "fill": words("mine.fill"),
        "show": _SHOW[dialect.is_torch],
        "arguments": ", ".join([*arrays, "scale"]),
    }
    if is_norm(settings):
        given.append(f"eps = {settings.eps!r}")
        function = _NORMALIZE.format(**values)
    else:
        given.append(f"scale = {1 / example.divisor!r}")
        function = _ATTENTION.format(**values)
    head = section(words("mine.given"), *given)
    return f"{dialect.start}\n\n{head}\n\n\n{function}"


def write_inputs(
    form: str, example: Example, settings: CheckSettings, words: Words
) -> Callable[[], bytes | str]:
    """Give what writes a file of one of FORMS."""
    if form in _FILES:
        return lambda: _FILES[form](inputs_data(example, settings))
    return lambda: inputs_lines(example, settings, _DIALECTS[form], words)
