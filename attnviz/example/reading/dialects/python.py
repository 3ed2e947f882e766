"""Arrays as NumPy, PyTorch, TensorFlow and JAX print them: class words and remarks."""

import re

_CLASS = (
    r"(?:[a-zA-Z_]\w{0,20}\.){0,4}(?:array|asarray|tensor|Tensor|as_tensor|Array|DeviceArray|"
    r"ArrayImpl|FloatTensor|LongTensor|constant|Variable|EagerTensor|Matrix|matrix|"
    r"masked_array|ndarray|Parameter|float32|tuple|list|OrderedDict)"
)
_MAKER = re.compile(rf"\b{_CLASS}\s*(?=\()")
_SCALAR = re.compile(r"\b(?:np|numpy|jnp)\.\w+\(([^()\[\]]*)\)")
_SHOWN = re.compile(r"<tf\.(?:Tensor|Variable)\b[^\[\]<>]{0,200}?numpy=\s*")
_SIZE = re.compile(r"torch\.Size\(\[[\d, ]*\]\)")
_REMARK = re.compile(
    r"(?:,\s{0,40})?\b(?:dtype|device|grad_fn|requires_grad|shape|size|order|layout|weak_type|"
    r"copy|ndmin|fill_value|name|id|data)\s*=\s*"
    r"(?:<[^<>\n]*>|'[^'\n]*'|\"[^\"\n]*\"|\([\d, ]*\)|[A-Za-z_][\w.]*|[-+.\deE]+)?"
    r"(?=\s{0,40}(?:[,)>\]\n\[]|$))"
)
_CONTAINING = re.compile(r"\bParameter containing:\s*")
_SHAPE = re.compile(
    r"\.?\bshape\b\s*[:=]?\s*(?:\([\d, ]*\)|torch\.Size\(\[[\d, ]*\]\))"
)
_CLOSING = re.compile(r"(?<=[\])])\s*>")
JAX = re.compile(r"\bArray\(|\bDeviceArray\(|\bjnp\.")
TENSORFLOW = re.compile(r"\btf\.")
TORCH = re.compile(r"\btensor\(|\btorch\.|\bParameter containing:")
MARK = re.compile(
    rf"\b{_CLASS}\s*\(|\bshape\b|\bdtype\b|{_CONTAINING.pattern}|{_SCALAR.pattern}"
)
HINTS = (
    *("array", "tensor", "Tensor", "Array", "constant", "Variable", "Matrix", "matrix"),
    *("Parameter", "float", "tuple", "list", "Dict", "shape", "dtype", "np.", "numpy."),
)
ALL = "np.set_printoptions(threshold=np.inf)"
ALL_OF_TORCH = 'torch.set_printoptions(profile="full")'
ALL_OF_TENSORFLOW = "tf.print(A, summarize=-1)"


def strip(text: str) -> str:
    """Take off class words and remarks; round brackets around lists stay."""
    text = _SHAPE.sub("", _CONTAINING.sub("", _SHOWN.sub("", text)))
    text = _SCALAR.sub(r"\1", _SIZE.sub("", text))
    text = _MAKER.sub("", text)
    return _CLOSING.sub("", _REMARK.sub("", text))
