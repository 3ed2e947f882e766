"""The chain of an additive score leads through tanh down to the inputs."""

from tests.e2e.derivation import find_faults, read_derivation


def follow(one, term, operand):
    """Click a number of the derivation, counted from 0."""
    terms = one.page.locator("#attention-view .inspector .term")
    terms.nth(term).locator("button.operand").nth(operand).click()


def test_an_additive_score_is_followed_to_the_inputs(visit):
    one = visit("?sc=additive&dk=2&n=3&d=3")
    one.click_cell("scores", 2, 3)
    score = read_derivation(one, "S2,3")
    assert (len(score.terms), find_faults(score)) == (2, [])
    follow(one, 1, 1)
    hidden = read_derivation(one, "u2,3,2")
    assert (hidden.signs, len(hidden.terms), find_faults(hidden)) == (["tanh"], 4, [])
    assert abs(hidden.value - score.terms[1][1]) < 1e-4
    follow(one, 3, 1)
    key = read_derivation(one, "k3,2")
    assert (len(key.terms), find_faults(key)) == (3, [])
    follow(one, 0, 0)
    one.page.wait_for_selector("#attention-view .inspector[data-operation='given']")
