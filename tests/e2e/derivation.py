"""Read a derivation from the page, and work it out once more as a reader would."""

import math
from dataclasses import dataclass

READ = """
(page) => {
  const place = document.querySelector(`#${page}-view .inspector`);
  const text = (element) => element.textContent;
  const numbers = (element) => [...element.querySelectorAll(".operand")].map(text);
  return {
    value: text(place.querySelector(".inspector-value")),
    operation: place.dataset.operation,
    terms: [...place.querySelectorAll(".term")].map((term) => ({
      operands: numbers(term),
      product: text(term).includes(" = ") ? text(term).split(" = ")[1] : null,
      hidden: term.classList.contains("is-hidden"),
    })),
    steps: [...place.querySelectorAll(".step")].map((step) => ({
      sign: text(step), operands: numbers(step),
    })),
    totals: [...place.querySelectorAll(".subtotal")].map(text),
    folded: place.querySelector("[data-unfold]") !== null,
  };
}
"""
HALF = 0.5e-4  # what rounding to four decimals may hide
WORDS = {"∞": "inf", "−": "-", "(": "", ")": ""}


def number(text):
    """Read a number as people write it."""
    for sign, plain in WORDS.items():
        text = text.replace(sign, plain)
    return float(text)


@dataclass(frozen=True)
class Reading:
    """What the inspector shows.

    Attributes
    ----------
    name, value : str, float
        The two sides of the equation in large letters.
    operation : str
        How the terms become one number.
    terms, products : list of list of float, list of float
        Operands of each visible term, and what a term says they give.
    steps : list of (str, list of float)
        What is done then: its sign, and with which numbers.
    totals : list of float
        The numbers behind the equals signs.
    is_folded : bool
        Whether the middle of the sum is left out.
    """

    name: str
    value: float
    operation: str
    terms: list
    products: list
    steps: list
    totals: list
    is_folded: bool


def read_derivation(one, page="attention"):
    """Read what the inspector shows of the selected cell."""
    found = one.page.evaluate(READ, page)
    name, _, value = found["value"].partition(" = ")
    visible = [term for term in found["terms"] if not term["hidden"]]
    return Reading(
        name=name,
        value=number(value),
        operation=found["operation"],
        terms=[[*map(number, term["operands"])] for term in visible],
        products=[number(term["product"]) for term in visible if term["product"]],
        steps=[
            (step["sign"].split()[0], [*map(number, step["operands"])])
            for step in found["steps"]
        ],
        totals=[number(total) for total in found["totals"]],
        is_folded=found["folded"],
    )
