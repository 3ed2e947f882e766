"""Every floating-point node test that ONNX has for what the core computes."""

import numpy as np
import pytest

from tests.conformance.onnx_cases import cases, run

OPERATORS = (
    "Attention",
    "LayerNormalization",
    "RMSNormalization",
    "RotaryEmbedding",
    "Softmax",
)
# NumPy has no bfloat16, so these are out of scope.
OUT_OF_SCOPE = {
    "test_attention_4d_causal_bf16",
    "test_attention_4d_padded_kv_bf16",
    "test_attention_4d_causal_padded_kv_bf16",
    "test_attention_4d_attn_mask_causal_bf16",
    "test_attention_3d_causal_bf16",
}
IN_SCOPE = [
    case for op in OPERATORS for case in cases(op) if case.name not in OUT_OF_SCOPE
]
# float32: ONNX asks for rtol 1e-3; another order of summation costs less than 1e-5.
# float16: ONNX's own numbers. Its reference rounds after every operation and the core
# once at the end, so results may be neighbours (2⁻¹⁰ ≈ 9.8e-4 apart), and no more.
TOLERANCE = {
    "float32": {"rtol": 1e-5, "atol": 1e-5},
    "float16": {"rtol": 1e-3, "atol": 1e-7},
}
OUTPUTS = [
    pytest.param(case, name, id=f"{case.name.removeprefix('test_')}-{name}")
    for case in IN_SCOPE
    for name in case.outputs
]


@pytest.mark.parametrize(("case", "output"), OUTPUTS)
def test_the_core_gives_what_onnx_expects(case, output):
    given, wanted = run(case)[output], case.outputs[output]
    np.testing.assert_allclose(given, wanted, **TOLERANCE[case.dtype])
    assert given.dtype == wanted.dtype


@pytest.mark.parametrize(
    ("operator", "number"),
    [
        ("Attention", 88),
        ("LayerNormalization", 19),
        ("RMSNormalization", 19),
        ("RotaryEmbedding", 8),
        ("Softmax", 7),
    ],
)
def test_no_case_is_lost(operator, number):
    assert sum(case.operator == operator for case in IN_SCOPE) == number


def test_what_is_out_of_scope_is_exactly_bfloat16():
    brain = {c.name for op in OPERATORS for c in cases(op) if c.dtype == "bfloat16"}
    assert brain == OUT_OF_SCOPE


def test_an_output_that_is_off_by_a_thousandth_is_refused():
    case = cases("Softmax")[0]
    off = run(case)["y"] * 1.001
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        np.testing.assert_allclose(off, case.outputs["y"], **TOLERANCE["float32"])
