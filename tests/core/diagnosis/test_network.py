"""A position-wise network: right ones are right, GELU's forms are conventions."""

import numpy as np
import pytest

from attnviz.core import FeedForwardParameters, ShapeError, diagnose_feed_forward
from attnviz.core.faults import FAULTS

RNG = np.random.default_rng(53)
X = RNG.standard_normal((5, 3))
NETWORK = FeedForwardParameters(
    w_1=RNG.standard_normal((3, 7)),
    b_1=RNG.standard_normal(7),
    w_2=RNG.standard_normal((7, 3)),
    b_2=RNG.standard_normal(3),
)
VARIANTS = {
    (fault.id, v.name): v
    for fault in FAULTS
    for v in fault.variants
    if v.subject == "network"
}


def explained(diagnosis):
    return [(c.fault.id, c.variant) for c in diagnosis.candidates if c.fits]


@pytest.mark.parametrize("decimals", [16, 5])
@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh"])
@pytest.mark.parametrize("name", VARIANTS)
def test_what_others_make_of_it_is_called_by_its_name(name, activation, decimals):
    made = VARIANTS[name].run(NETWORK.apply(X, activation))["output"]
    found = diagnose_feed_forward(
        X, parameters=NETWORK, output=made.round(decimals), activation=activation
    )
    verdict = "convention" if VARIANTS[name].convention else "wrong"
    assert (found.verdict, explained(found)) == (verdict, [name])


def test_the_forms_of_gelu_are_told_apart():
    # Φ is 0.158655 at −1, 0.691462 at 0.5 and 0.977250 at 2; the approximation by its
    # formula, tanh of 0.833567 for 1.
    line = FeedForwardParameters(np.eye(1), [0.0], np.eye(1), [0.0])
    given = {"x": [[-1.0], [0.5], [2.0]], "parameters": line, "activation": "gelu"}
    exact = [[-0.158655], [0.345731], [1.954500]]
    assert diagnose_feed_forward(**given, activated=exact).verdict == "right"
    tanh = [[-0.158808], [0.345714], [1.954598]]
    found = diagnose_feed_forward(**given, activated=tanh)
    assert (found.verdict, explained(found)) == ("convention", [("P57", "other_gelu")])


@pytest.mark.parametrize("cut", [np.round, np.trunc])
@pytest.mark.parametrize("decimals", [2, 4])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_right_networks_read_off_a_screen_are_right(activation, decimals, cut):
    trace, steps = NETWORK.apply(X, activation), 10.0**decimals
    printed = FeedForwardParameters(
        *(getattr(NETWORK, n).round(decimals) for n in ("w_1", "b_1", "w_2", "b_2"))
    )
    found = diagnose_feed_forward(
        X.round(decimals),
        parameters=printed,
        activated=cut(trace.activated * steps) / steps,
        output=cut(trace.output * steps) / steps,
        activation=activation,
    )
    assert (found.verdict, found.candidates) == ("right", ())


def test_what_cannot_be_judged_is_refused_in_words():
    with pytest.raises(ValueError, match="give a result, `activated` or `output`"):
        diagnose_feed_forward(X, parameters=NETWORK)
    with pytest.raises(TypeError, match="needs FeedForwardParameters; got dict"):
        diagnose_feed_forward(X, parameters={}, output=X)
    with pytest.raises(ShapeError, match=r"known mistake gives it; got \(5, 2\)"):
        diagnose_feed_forward(X, parameters=NETWORK, output=X[:, :2])
