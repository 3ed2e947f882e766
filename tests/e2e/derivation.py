"""Read a derivation from the page, and work it out once more as a reader would."""

import itertools
import math
from dataclasses import dataclass

READ = """
(page) => {
  const place = document.querySelector(`#${page}-view .inspector`);
  const text = (element) => element.textContent;
  const numbers = (element) => [...element.querySelectorAll(".operand")].map(text);
  const ownPower = (step) => step.querySelector(":scope > sup")?.textContent ?? "";
  return {
    equation: text(place.querySelector(".inspector-value")),
    operation: place.dataset.operation,
    terms: [...place.querySelectorAll(".term")].map((term) => ({
      operands: numbers(term),
      product: text(term.querySelector("small")).split(" = ")[1] ?? null,
      isHidden: term.classList.contains("is-hidden"),
    })),
    steps: [...place.querySelectorAll(".step")].map((step) => ({
      text: text(step), operands: numbers(step), power: ownPower(step),
    })),
    totals: [...place.querySelectorAll(".subtotal")].map(text),
  };
}
"""
UNFOLD = "[data-unfold-inspector][aria-expanded='false']"
NAMED = """
([page, name]) => document
  .querySelector(`#${page}-view .inspector-value`).textContent.startsWith(`${name} = `)
"""
HALF = 0.5e-4 * (1 + 1e-9)  # what rounding to four decimals may hide
FUNCTIONS = {
    "→ exp": math.exp,
    "→ sin": math.sin,
    "→ cos": math.cos,
    "→ tanh": math.tanh,
}
SIGNS = {
    "+": lambda s, a: s + a,
    "−": lambda s, a: s - a,
    "×": lambda s, a: s * a,
    "÷": lambda s, a: s / a,
}


PLAIN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


def number(text):
    """Read a number as people write it."""
    plain = text.translate(PLAIN).replace("·10", "e").replace("∞", "inf")
    return float(plain.strip("()"))


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
    steps : list of (str, list of float, str)
        What is done then: in writing, with which numbers, to which power.
    totals : list of float
        The numbers behind the equals signs.
    """

    name: str
    value: float
    operation: str
    terms: list
    products: list
    steps: list
    totals: list

    @property
    def signs(self):
        """Name the steps in short."""
        return [text.split()[1 if text[0] == "→" else 0] for text, *_ in self.steps]


def unfold(one, page="attention"):
    """Open the inspector, unless it is open."""
    folded = one.page.locator(f"#{page}-view {UNFOLD}")
    if folded.count():
        folded.click()


def read_derivation(one, name, page="attention"):
    """Read, unfolded, what the inspector shows, once it shows this cell."""
    one.page.wait_for_function(NAMED, arg=[page, name])
    unfold(one, page)
    one.catch_up()
    found = one.page.evaluate(READ, page)
    visible = [term for term in found["terms"] if not term["isHidden"]]
    return Reading(
        name=name,
        value=number(found["equation"].partition(" = ")[2]),
        operation=found["operation"],
        terms=[[*map(number, term["operands"])] for term in visible],
        products=[number(term["product"]) for term in visible if term["product"]],
        steps=[
            (step["text"], [*map(number, step["operands"])], step["power"])
            for step in found["steps"]
        ],
        totals=[*map(number, found["totals"])],
    )


def examine(one, cells, page="attention"):
    """Click cells one after the other, and tell how each comes about.

    Parameters
    ----------
    one : Visit
        The reader.
    cells : mapping of str to str
        Cells such as "scores.2.3", counted from 1, and how the inspector names them.
    page : str
        The page they stand on.

    Returns
    -------
    found : dict of str to (int, list of str, list)
        Number of terms, steps in short, and everything that the shown numbers do not
        give, in the inspector or in the figure.
    """
    found = {}
    for cell, name in cells.items():
        matrix, row, column = cell.split(".")
        one.click_cell(matrix, int(row), int(column), page)
        reading = read_derivation(one, name, page)
        shown = one.numbers(page)[matrix][int(row) - 1][int(column) - 1]
        faults = find_faults(reading)
        if abs(reading.value - shown) > HALF:
            faults.append((reading.value, shown))
        found[cell] = (len(reading.terms), reading.signs, faults)
    return found


def find_faults(reading):
    """Work out again what is shown, and list what the shown numbers do not give."""
    numbers, faults = _multiply(reading)
    totals = iter(reading.totals)
    last = numbers[0]
    if reading.operation != "value":
        total = max(numbers) if reading.operation == "maximum" else math.fsum(numbers)
        last = next(totals)
        if abs(total - last) > (len(numbers) + 1) * HALF:
            faults.append((numbers, last))
    for step in reading.steps:
        before, last = last, next(totals)
        if not _gives(last, _operate(*step), before, *step[1]):
            faults.append((before, step, last))
    if [*totals] or last != reading.value:
        faults.append((last, reading.value))
    return faults


def _multiply(reading):
    """Give the number of each term, and the terms whose operands do not give it."""
    combine = {"sum_of_products": _product, "sum_of_squares": _square}
    if reading.operation not in combine:
        return [number for [number] in reading.terms], []
    pairs = zip(reading.terms, reading.products, strict=True)
    function = combine[reading.operation]
    faults = [pair for pair in pairs if not _gives(pair[1], function, *pair[0])]
    return reading.products, faults


def _product(*factors):
    return math.prod(factors)


def _square(entry, mean):
    return (entry - mean) ** 2


def _operate(text, operands, power):
    """Understand a step as it is written."""
    sign, _, rest = text.partition(" ")
    if text in FUNCTIONS:
        return FUNCTIONS[text]
    if power:
        dividend, divisor = map(float, power.split("/"))
        return lambda s, base: s / base ** (dividend / divisor)
    if len(operands) == 2:
        return lambda s, a, b: s / math.sqrt(a + b)
    if not operands:
        return lambda s: s / math.sqrt(number(rest.removeprefix("√")))
    return SIGNS[sign]


def _gives(shown, function, *numbers):
    """Tell whether a function gives a number, as far as four decimals can tell."""
    exact = function(*numbers)
    if math.isinf(exact):
        return exact == shown
    near = itertools.product(*[(each - HALF, each + HALF) for each in numbers])
    reach = max(abs(function(*corner) - exact) for corner in near)
    return abs(exact - shown) <= reach + HALF
