"""Every mistake as code: the right lines, and what stands in their place.

The lines are NumPy that anybody could have written. They make the numbers on screen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

ATTENTION = """\
s = q @ k.mT / np.sqrt(d_k)
s = np.where(visible, s, -np.inf)
e = np.exp(s - s.max(-1, keepdims=True))
a = e / e.sum(-1, keepdims=True)
c = a @ v
"""
_HIDE = "s = np.where(visible, s, -np.inf)\n"
_ADDED = "m = np.where(visible, 0, -np.inf)\ns = s + m\n"
_EMPTY = "a = np.where(visible.any(-1, keepdims=True), a, 0)\n"
_STAIRS = "visible = np.tri(len_q, len_k, len_k - len_q, dtype=bool)\n"
_SPLIT = """\
q = wide_q.reshape(len_q, n_heads, d_k).swapaxes(0, 1)
k = wide_k.reshape(len_k, n_heads, d_k).swapaxes(0, 1)
v = wide_v.reshape(len_k, n_heads, d_v).swapaxes(0, 1)
"""
_SHARED = """\
k = np.repeat(few_k, n_heads // n_shared, axis=0)
v = np.repeat(few_v, n_heads // n_shared, axis=0)
"""
_NORM = """\
mu = x.mean(-1, keepdims=True)
var = ((x - mu) ** 2).mean(-1, keepdims=True)
xhat = (x - mu) / np.sqrt(var + eps)
y = xhat * gamma + beta
"""
_SINES = """\
angle = position[:, None] / 10000 ** (np.arange(0, d, 2) / d)
p = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(-1, d)
"""
_TURN = """\
angle = position[:, None] / 10000 ** (np.arange(0, d, 2) / d)
angle = np.repeat(angle, 2, axis=-1)
turned = rows * np.cos(angle) + across * np.sin(angle)
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A mistake as code.

    Attributes
    ----------
    right, faulty : str
        Lines of NumPy, one assignment a line.
    variant : str
        The variant of the fault whose results the faulty lines give.
    """

    right: str
    faulty: str
    variant: str


def _swap(variant: str, *changes: tuple[str, str], right: str = ATTENTION) -> Program:
    """Write faulty lines by what differs from right ones."""
    faulty = right
    for old, new in changes:
        assert old in faulty, old
        faulty = faulty.replace(old, new)
    return Program(right, faulty, variant)


def _with(*parts: tuple[str, str]) -> str:
    text = ATTENTION
    for old, new in parts:
        assert old in text, old
        text = text.replace(old, new)
    return text


_MIX = "c = a @ v\n"
_WEIGH = "a = e / e.sum(-1, keepdims=True)\n"
_FULL = _with((_MIX, _EMPTY + _MIX))
_BIASED = _with((_HIDE, _ADDED))
_FULL_BIASED = _with((_HIDE, _ADDED), (_MIX, _EMPTY + _MIX))
_SINK = _with(
    (
        "e = np.exp(s - s.max(-1, keepdims=True))\n",
        "top = s.max(-1, keepdims=True)\ne = np.exp(s - top)\n",
    ),
    (_WEIGH, "z = e.sum(-1, keepdims=True)\na = e / z\n"),
)

# In the order of the catalogue; a mistake's first way has its plain number.
PROGRAMS: Mapping[str, Program] = MappingProxyType(
    {
        "P01": _swap("over_queries", ("max(-1", "max(-2"), ("sum(-1", "sum(-2")),
        "P01.queries_as_keys": _swap("queries_as_keys", ("q @ k.mT", "k @ q.mT")),
        "P02": _swap("unscaled", (" / np.sqrt(d_k)", "")),
        "P02.model_width": _swap("model_width", ("(d_k)", "(n_heads * d_k)")),
        "P02.inverse": _swap("inverse", ("/ np.sqrt", "* np.sqrt")),
        "P02.width": _swap("width", ("np.sqrt(d_k)", "d_k")),
        "P03": _swap(
            "after_softmax",
            (_HIDE, ""),
            (_WEIGH, _WEIGH + "a = np.where(visible, a, 0)\n"),
        ),
        "P04": _swap("multiplied", (_HIDE, "s = s * visible\n")),
        "P05": _swap("tiny", ("-np.inf", "1e-9")),
        "P06": _swap(
            "half",
            (_ADDED, "m = ~visible * np.float32(-1e9).astype(np.float16)\ns = s + m\n"),
            right=_BIASED,
        ),
        "P07": _swap("nan", (_EMPTY, ""), right=_FULL),
        "P08": _swap("replaced", ("-np.inf", "-1e9"), (_EMPTY, ""), right=_FULL),
        "P08.added": _swap(
            "added", ("-np.inf", "-1e9"), (_EMPTY, ""), right=_FULL_BIASED
        ),
        "P09": _swap("inverted_nan", ("visible, s, -np.inf", "visible, -np.inf, s")),
        "P10": _swap("as_bias", (_HIDE, "s = s + visible\n")),
        "P11": _swap(
            "sees_next",
            ("len_k - len_q,", "len_k - len_q + 1,"),
            right=_STAIRS + ATTENTION,
        ),
        "P11.misses_itself": _swap(
            "misses_itself_nan",
            ("len_k - len_q,", "len_k - len_q - 1,"),
            right=_STAIRS + ATTENTION,
        ),
        "P12": _swap(
            "other_corner", ("len_k - len_q,", "0,"), right=_STAIRS + ATTENTION
        ),
        "P13": _swap(
            "on_queries_nan",
            ("real[None, :]", "real[:, None]"),
            right=_with(("visible", "real[None, :]")),
        ),
        "P14": _swap(
            "split",
            ("len_q, n_heads, d_k).swapaxes(0, 1)", "n_heads, len_q, d_k)"),
            ("len_k, n_heads, d_k).swapaxes(0, 1)", "n_heads, len_k, d_k)"),
            ("len_k, n_heads, d_v).swapaxes(0, 1)", "n_heads, len_k, d_v)"),
            right=_SPLIT + ATTENTION,
        ),
        "P14.reshape": Program(
            "heads = whole.reshape(length, n_heads, d_k).swapaxes(0, 1)\n",
            "heads = whole.reshape(n_heads, length, d_k)\n",
            "reshape",
        ),
        "P15": _swap(
            "merged",
            ("o.swapaxes(0, 1).reshape(len_q, -1)", "o.reshape(len_q, -1)"),
            right=_with(
                (
                    _MIX,
                    "o = a @ v\n"
                    "joined = o.swapaxes(0, 1).reshape(len_q, -1)\n"
                    "c = joined.reshape(len_q, n_heads, d_v).swapaxes(0, 1)\n",
                )
            ),
        ),
        "P15.reshape": Program(
            "joined = parts.swapaxes(0, 1).reshape(length, n_heads * d_v)\n",
            "joined = parts.reshape(length, n_heads * d_v)\n",
            "reshape",
        ),
        "P16": _swap(
            "tiled",
            (
                "np.repeat(visible, n_heads, axis=0)",
                "np.tile(visible, (n_heads, 1, 1))",
            ),
            right="visible = np.repeat(visible, n_heads, axis=0)\n" + ATTENTION,
        ),
        "P17": _swap(
            "tiled",
            (
                "np.repeat(few_k, n_heads // n_shared, axis=0)",
                "np.tile(few_k, (n_heads // n_shared, 1, 1))",
            ),
            (
                "np.repeat(few_v, n_heads // n_shared, axis=0)",
                "np.tile(few_v, (n_heads // n_shared, 1, 1))",
            ),
            right=_SHARED + ATTENTION,
        ),
        "P18": _swap(
            "across_samples",
            (
                ATTENTION,
                "q = q.swapaxes(0, 1)\nk = k.swapaxes(0, 1)\nv = v.swapaxes(0, 1)\n"
                + ATTENTION,
            ),
            ("a @ v", "(a @ v).swapaxes(0, 1)"),
        ),
        "P19": _swap("applied", (_MIX, "a = a.mean(0, keepdims=True)\n" + _MIX)),
        "P20": _swap("rescaled", (_MIX, "a = a * keep / (1 - rate)\n" + _MIX)),
        "P21": _swap(
            "concatenated",
            ("np.stack([", "np.concatenate(["),
            (".reshape(-1, d)", ""),
            right=_SINES,
        ),
        "P22": Program(
            "rate = 10000 ** (-2 * (np.arange(d) // 2) / d)\n"
            "angle = position[:, None] * rate\n"
            "p = np.where(np.arange(d) % 2 == 0, np.sin(angle), np.cos(angle))\n",
            "rate = 10000 ** (-2 * np.arange(d) / d)\n"
            "angle = position[:, None] * rate\n"
            "p = np.where(np.arange(d) % 2 == 0, np.sin(angle), np.cos(angle))\n",
            "doubled_exponents",
        ),
        "P23": _swap(
            "mixed",
            ("np.repeat(angle, 2, axis=-1)", "np.tile(angle, 2)"),
            right=_TURN,
        ),
        "P24": _swap(
            "offset_forgotten",
            ("past + np.arange(1)", "np.arange(1)"),
            right="angle = (past + np.arange(1))[:, None]\n"
            "q = rows * np.cos(angle) + across * np.sin(angle)\n" + ATTENTION,
        ),
        "P25": Program(
            "lower = 2 ** int(np.log2(n_heads))\n"
            "first = 2.0 ** (-8 * np.arange(1, lower + 1) / lower)\n"
            "further = 2.0 ** (-4 * np.arange(1, 2 * lower, 2) / lower)\n"
            "slopes = np.concatenate([first, further])[:n_heads]\n",
            "slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)\n",
            "geometric",
        ),
        "P26": _swap(
            "one_less",
            ("** 2).mean(-1, keepdims=True)", "** 2).sum(-1, keepdims=True) / (d - 1)"),
            right=_NORM,
        ),
        "P27": _swap("over_positions", ("mean(-1", "mean(-2"), right=_NORM),
        "P28": Program(_NORM, "y = x\n", "not_normalized"),
        "P29": _swap("overflow", ("s - s.max(-1, keepdims=True)", "s")),
        "P30": _swap(
            "head_width",
            ("d_model // n_heads", "d_model"),
            right="width = d_model // n_heads\n"
            "counts = np.array([3 * n_heads * width * d_model, "
            "n_heads * width * d_model, 3 * n_heads * width + d_model])\n",
        ),
        "P31": _swap("forgotten", (_HIDE, "")),
        "P32": _swap(
            "zero_hidden_nan",
            (_HIDE, "s = np.where(visible, s, 0)\ns = np.where(s == 0, -np.inf, s)\n"),
        ),
        "P33": _swap("not_transposed", ("k.mT", "k")),
        "P33.reshaped": _swap("reshaped", ("k.mT", "k.reshape(-1, d_k, len_k)")),
        "P34": _swap("weights_transposed", ("a @ v", "a.mT @ v")),
        "P35": _swap("keys", ("a @ v", "a @ k")),
        "P36": _swap(
            "twice",
            (_WEIGH, _WEIGH + "e = np.exp(a - a.max(-1, keepdims=True))\n" + _WEIGH),
        ),
        "P36.undivided": _swap("undivided", (_WEIGH, "a = e\n")),
        "P36.scores": _swap(
            "scores",
            (_HIDE, ""),
            ("e = np.exp(s - s.max(-1, keepdims=True))\n", ""),
            (_WEIGH, "a = np.where(visible, s, 0)\n"),
        ),
        "P37": _swap("sum", ("e.sum(-1, keepdims=True)", "e.sum(-1)")),
        "P38": _swap("gamma_left_out", ("xhat * gamma", "xhat"), right=_NORM),
        "P38.beta_first": _swap(
            "beta_first", ("xhat * gamma + beta", "(xhat + beta) * gamma"), right=_NORM
        ),
        "P39": _swap("context_transposed", ("a @ v", "(a @ v).mT")),
        "P40": _swap("applied", (_MIX, "a = (a + np.eye(len_k)) / 2\n" + _MIX)),
        "P41": _swap(
            "plus_one",
            (
                "z = e.sum(-1, keepdims=True)",
                "z = e.sum(-1, keepdims=True) + np.exp(-top)",
            ),
            right=_SINK,
        ),
        "P42": _swap("slope", ("np.sqrt(d_k)", "np.sqrt(d_k) - 0.5 * distance")),
        "P43": _swap(
            "values",
            ("v = np.where(real[:, None], v, 0)\n", ""),
            right=_with((_MIX, "v = np.where(real[:, None], v, 0)\n" + _MIX)),
        ),
        "P44": _swap(
            "zero_times_infinity",
            ("np.where(visible, 0, -np.inf)", "(1 - visible) * -np.inf"),
            right=_BIASED,
        ),
    }
)
