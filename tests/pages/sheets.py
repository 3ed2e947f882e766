"""Read a worksheet the way a reader does: tables by their captions."""

from xml.etree import ElementTree

import numpy as np

from attnviz.export.paper import Writer
from attnviz.text.catalog import translator
from attnviz.text.formulas import formula


def writer(language="en", *, is_key=False):
    return Writer(translator(language), formula, is_key)


class Sheet:
    """One document, taken apart."""

    def __init__(self, document):
        doctype, _, markup = document.partition("\n")
        assert doctype == "<!doctype html>"
        self.root = ElementTree.fromstring(markup)
        self.text = " ".join(self.root.find("body").itertext())

    def table(self, symbol):
        """Give the number cells of the matrix under a symbol."""
        return next(
            cells
            for table in self.root.iter("table")
            if (caption := table.find("caption")) is not None
            and "".join("".join(caption.itertext()).split()[:-1]) == symbol
            and (cells := rows_of(table))
        )

    def captions(self):
        """Give symbol and shape of every matrix, in reading order."""
        return ["".join(one.itertext()) for one in self.root.iter("caption")]

    def row(self, label):
        """Give the numbers beside a label of a row."""
        return next(
            [number(cell) for cell in row.iter("td")]
            for row in self.root.iter("tr")
            if "".join(row.findtext("th") or "") == label
        )

    def numbers(self, symbol):
        """Give a matrix; NaN where it is left open."""
        return np.array([[number(cell) for cell in row] for row in self.table(symbol)])

    def places(self, symbol, kind):
        """Say which cells of a matrix are of a kind."""
        return [
            (i, j)
            for i, row in enumerate(self.table(symbol))
            for j, cell in enumerate(row)
            if kind in (cell.get("class") or "").split()
        ]

    def cells(self, kind):
        """Give the texts of all cells of a kind."""
        return [
            cell.text or ""
            for cell in self.root.iter("td")
            if kind in (cell.get("class") or "").split()
        ]


def rows_of(table):
    return [
        list(row.iter("td")) for row in table.iter("tr") if row.find("td") is not None
    ]


def number(cell):
    text = (cell.text or "nan").replace("−", "-").replace("∞", "inf")
    return float(text)
