"""The names under which matrices of one's own are known, and their limits."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from attnviz.example.choices.scores import SCORING_RULES
from attnviz.example.matrices import AXES, MATRICES

# What a reader may bring, in the order of the computation.
NAMES = (
    "x",
    "x_k",
    "w_q",
    "w_k",
    "w_v",
    "w_o",
    "q",
    "k",
    "v",
    "score_w",
    "score_w_q",
    "score_w_k",
    "score_v",
    "weights",
)
# Learned parts of a score, by its kind: an export names them so.
SCORES = MappingProxyType(
    {
        kind: tuple(f"score_{part}" for part in rule.parts)
        for kind, rule in SCORING_RULES.items()
        if rule.parts
    }
)
_AS_NAMED = tuple(name for names in SCORES.values() for name in names)
# A matrix without a name is taken for this one.
UNNAMED = "weights"
# What else people and programs call them: separators and capitals do not count.
_ALSO = MappingProxyType(
    {
        "x": "input xq embedding embeddings hiddenstates hiddenstate 输入",
        "x_k": "memory encoderhiddenstates",
        "w_q": "wquery wqueries queryproj qproj toq linearq qlinear wqs querykernel",
        "w_k": "wkey wkeys keyproj kproj tok lineark klinear wks keykernel",
        "w_v": "wvalue wvalues valueproj vproj tov linearv vlinear wvs valuekernel",
        "w_o": "wout woutput outproj oproj toout outputproj linearo outlinear",
        "q": "query queries querylayer querystates qs 查询",
        "k": "key keys keylayer keystates ks 键",
        "v": "value values valuelayer valuestates vs 值",
        "weights": (
            "a attn att attention attentions attentionweights attnweights attweights "
            "attentionprobs attnprobs attprobs attentionprobabilities probs "
            "probabilities softmax alpha alphas attentionmatrix attnmatrix "
            "attentionmap attentionmaps attnmap attnoutputweights selfattention "
            "selfattentions crossattention crossattentions pattern attnpattern "
            "weight 注意力 注意力权重 权重"
        ),
        "scores": "s score attentionscores attnscores 得分 分数",
        "mask": "m attentionmask attnmask visible 掩码",
        "context": "c contexts contextlayer attnoutput attentionoutput 上下文",
        "output": "o out outputs 输出",
        "positions": "pe posenc positionalencoding sinusoids 位置编码",
        "q_turned": "qrot qrotated rotatedq qrope",
        "k_turned": "krot krotated rotatedk krope",
        "norm_output": "y layernorm ln lnout normed normalized xhat 归一化",
        "d_q": "gradq qgrad dldq gradientq gradientofq dquery gradquery",
        "d_k": "gradk kgrad dldk gradientk gradientofk dkey gradkey",
        "d_v": "gradv vgrad dldv gradientv gradientofv dvalue gradvalue",
        "d_scores": "ds grads dlds gradscores gradientscores",
        "d_weights": "da grada dlda gradweights gradattn dattn gradienta",
        "d_context": "dc gradc dldc gradcontext gradoutput dout gradout upstream",
    }
)
_KNOWN = MappingProxyType(
    {alias: name for name, text in _ALSO.items() for alias in text.split()}
    | {name.replace("_", ""): name for name in (*MATRICES, *NAMES)}
)
# Names of words, not of numbers.
TOKENS = MappingProxyType(
    dict.fromkeys(
        ["tokens", "token", "words", "labels", "sentence", "词元", "词", "标签"],
        "tokens",
    )
)
# Titles that say what a thing is made of, or which of many, and nothing else.
_NEUTRAL = frozenset(
    [
        "ans",
        "array",
        "arr",
        "arr0",
        "tensor",
        "matrix",
        "data",
        "result",
        "res",
        "head",
        "heads",
        "layer",
        "layers",
        "h",
        "l",
        "batch",
        "sample",
        "头",
        "层",
        "矩阵",
    ]
)
LONGEST_NAME = 80
_LAYER = re.compile(r"\.(?:weight|kernel)$", re.I)
# As PyTorch keeps a gradient: q.grad.
_KEPT_GRADIENT = re.compile(r"(\w+)\.grad$", re.I)
_DIFFERENTIALS = str.maketrans("∂∇", "dd")


def written_name(name: str) -> str:
    """Give the name of a matrix as a reader would write it over its numbers.

    Parameters
    ----------
    name : str
        One of NAMES.

    Returns
    -------
    text : str
        Its symbol, such as W_Q; learned parts of a score go by their names.
    """
    return name if name in _AS_NAMED else MATRICES[name].plain


def axes_of(name: str) -> tuple[str, ...]:
    """Write what each axis of a matrix counts, in symbols.

    Parameters
    ----------
    name : str
        One of NAMES.

    Returns
    -------
    symbols : tuple of str
        Such as ("H", "T_q", "d_k"); an axis of heads may be missing where there is
        one head.
    """
    return tuple(AXES[axis].symbol for axis in MATRICES[name].axes)


def known_name(text: str, names: Mapping[str, str] = _KNOWN) -> str | None:
    """Recognize the name of a matrix, however it is spelled.

    Parameters
    ----------
    text : str
        A title, a key, or the name of a file, from anyone.
    names : mapping of str to str, optional
        Small letters and digits of a name, and what it means.

    Returns
    -------
    name : str or None
        One of the catalogue's; None if it is none of them.

    Examples
    --------
    >>> known_name("W_Q"), known_name("wq"), known_name("Attention weights")
    ('w_q', 'w_q', 'weights')
    >>> known_name("layers.0.self_attn.q_proj.weight")
    'w_q'
    >>> known_name("dL/dQ"), known_name("∂Q"), known_name("q.grad")
    ('d_q', 'd_q', 'd_q')
    """
    if len(text) > LONGEST_NAME:
        return None
    text = text.strip(" :'\"").translate(_DIFFERENTIALS)
    text = _KEPT_GRADIENT.sub(r"grad_\1", _LAYER.sub("", text))
    text = re.split(r"[./]", text)[-1]
    return names.get(re.sub(r"[\W_]", "", text).lower())


def is_neutral(title: str) -> bool:
    """Tell titles that name no matrix, such as "ans" or "head"."""
    return re.sub(r"[\W_]", "", title[:LONGEST_NAME]).lower() in {"", *_NEUTRAL}


def is_linear(title: str) -> bool:
    """Tell the weight of a PyTorch layer, which has a row for each output."""
    return title.strip().endswith(".weight")
