"""Tables of positions and rotations: right ones are right, and the rest is named."""

import numpy as np
import pytest

from attnviz.core import (
    ShapeError,
    diagnose_positions,
    diagnose_rotation,
    rotate,
    sinusoidal_positions,
)
from attnviz.core.faults import FAULTS
from attnviz.core.faults.rotations import RotationCase
from attnviz.core.faults.sinusoids import SinusoidCase

Q, K, V = np.random.default_rng(43).standard_normal((3, 2, 5, 6))
PLACES = np.arange(5)


def variants(subject):
    return {
        (fault.id, v.name): v
        for fault in FAULTS
        for v in fault.variants
        if v.subject == subject
    }


def explained(diagnosis):
    return [(c.fault.id, c.variant) for c in diagnosis.candidates if c.fits]


def verdict(variant):
    return "convention" if variant.convention else "wrong"


@pytest.mark.parametrize("decimals", [16, 4, 2])
@pytest.mark.parametrize("order", ["interleaved", "concatenated"])
@pytest.mark.parametrize("name", variants("sinusoids"))
def test_what_is_made_of_a_table_is_called_by_its_name(name, order, decimals):
    variant = variants("sinusoids")[name]
    made = variant.run(SinusoidCase(PLACES + 2, 7, 1e4, order))
    found = diagnose_positions(
        made.round(decimals), positions=PLACES + 2, d_model=7, order=order
    )
    assert (found.verdict, explained(found)) == (verdict(variant), [name])


# What people write, for positions 0, 1 and 2.
P = np.arange(3.0)[:, None]
J = np.arange(4)
SIX = np.arange(6)


def waves(even, odd):
    """Put the sine of one angle into even features, the cosine of one into odd ones."""
    return np.where(np.arange(even.shape[-1]) % 2, np.cos(odd), np.sin(even))


ANGLES = P / 100 ** (J // 2)
WRITTEN = {
    ("P48", "swapped"): np.where(J % 2, np.sin(ANGLES), np.cos(ANGLES)),
    ("P48", "halved"): waves(*2 * [P / 10 ** (J // 2)]),
    ("P48", "by_feature"): waves(*2 * [P / 10.0**J]),
    ("P48", "one_rate"): waves(*2 * [P + 0 * J]),
    ("P49", "order"): np.hstack([np.sin(ANGLES[:, ::2]), np.cos(ANGLES[:, ::2])]),
    ("P49", "last_rate"): waves(*2 * [P / 100.0 ** (SIX // 2)]),
    ("P49", "from_one"): sinusoidal_positions(3, 4, start=1),
}


@pytest.mark.parametrize(("name", "table"), WRITTEN.items())
def test_what_people_write_is_recognized(name, table):
    assert explained(diagnose_positions(table)) == [name]


@pytest.mark.parametrize("base", [500, 12345, 5e5])
def test_the_base_of_a_table_and_of_a_rotation_is_found(base):
    table = sinusoidal_positions(9, 8, base=base).round(4)
    named = diagnose_positions(table).candidates[0]
    assert named.found == {"base": base}
    turned = rotate(Q, PLACES, base=base).round(4)
    named = diagnose_rotation(Q, turned_q=turned).candidates[0]
    assert named.found["base"] == pytest.approx(base, rel=1e-3)


@pytest.mark.parametrize("decimals", [16, 4, 2])
@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("name", variants("rotation"))
def test_what_is_made_of_a_rotation_is_called_by_its_name(name, pairing, decimals):
    variant = variants("rotation")[name]
    made = variant.run(RotationCase({"q": Q, "k": K, "v": V}, PLACES, 1e4, pairing))
    found = diagnose_rotation(
        Q,
        K,
        V,
        turned_q=made["q"].round(decimals),
        turned_k=made["k"].round(decimals),
        turned_v=made["v"],
        pairing=pairing,
    )
    assert (found.verdict, explained(found)) == (verdict(variant), [name])


def test_complex_numbers_turned_the_other_way_are_recognized():
    points = (Q[..., 0::2] + 1j * Q[..., 1::2]) * np.exp(
        -1j * PLACES[:, None] * 1e4 ** (-np.arange(3) / 3)
    )
    turned = np.stack([points.real, points.imag], axis=-1).reshape(Q.shape)
    assert explained(diagnose_rotation(Q, turned_q=turned)) == [("P50", "backwards")]


@pytest.mark.parametrize("cut", [np.round, np.trunc])
@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_right_ones_read_off_a_screen_are_right(decimals, cut):
    steps = 10.0**decimals
    turned = cut(rotate(Q, PLACES) * steps) / steps
    found = diagnose_rotation(Q.round(decimals), turned_q=turned)
    assert (found.verdict, found.candidates) == ("right", ())
    table = cut(sinusoidal_positions(5, 7) * steps) / steps
    assert diagnose_positions(table).verdict == "right"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_right_ones_in_narrow_types_are_right(dtype):
    x = Q.astype(dtype)
    assert diagnose_rotation(x, turned_q=rotate(x, PLACES)).verdict == "right"
    table = sinusoidal_positions(5, 7).astype(dtype)
    assert diagnose_positions(table).verdict == "right"


def test_what_cannot_be_judged_is_refused_in_words():
    with pytest.raises(ValueError, match="give a result, such as `turned_q`"):
        diagnose_rotation(Q)
    with pytest.raises(ValueError, match="`turned_k` needs `k` as it was before"):
        diagnose_rotation(Q, turned_k=K)
    with pytest.raises(ShapeError, match=r"known mistake gives it; got \(5, 3\)"):
        diagnose_positions(np.ones((5, 3)), d_model=4)
    with pytest.raises(ValueError, match="holds no number"):
        diagnose_positions(np.ones((0, 4)))
    with pytest.raises(ShapeError, match="even width"):
        diagnose_rotation(Q[..., :5], turned_q=Q[..., :5])
