"""How the gradients of an attention come about, stage by stage."""

from collections.abc import Mapping
from dataclasses import dataclass

from attnviz.core.arrays.sheet import Index, Sheet
from attnviz.core.derivation import Derivation, carry, collect, then
from attnviz.core.derivation.pieces import Rule
from attnviz.example.layer.products import products


@dataclass(frozen=True, slots=True)
class HeadRules:
    """The rules of one attention.

    Attributes
    ----------
    prefix : str
        What the names of its matrices begin with.
    is_turned : bool
        Whether positions turn its queries and keys.
    """

    prefix: str
    is_turned: bool

    @property
    def end(self) -> str:
        """What the names of queries and keys end in as they meet."""
        return "_turned" if self.is_turned else ""

    def rules(self) -> Mapping[str, Rule]:
        """Give all of them, by the names of the gradients."""
        turned = {f"grad_{x}": _unturned for x in "qk"} if self.is_turned else {}
        return {
            self._gradient("joined"): self.joined,
            self._gradient("context"): self.context,
            self._gradient("weights"): self.weights,
            self._gradient("row"): self.total,
            self._gradient("masked_scores"): self.masked,
            self._gradient("scores"): self.scores,
            self._gradient("raw_scores"): self.raw,
            self._gradient(f"q{self.end}"): self.query,
            self._gradient(f"k{self.end}"): self.key,
            self._gradient("v"): self.value,
            self._gradient("w_o"): self.output_matrix,
            "grad_cross_input" if self.prefix else "grad_attention_input": self.taken,
            **turned,
        }

    def _named(self, name: str) -> str:
        """Name a matrix of this attention."""
        return f"{self.prefix}{name}"

    def _gradient(self, name: str) -> str:
        """Name the gradient of one."""
        return f"grad_{self.prefix}{name}"

    def joined(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply the gradient of the output and a row of W_O."""
        layer, row, column = index
        width = sheet.shape(self._named("w_o"))[2]
        pairs = (
            (
                self._gradient("output"),
                (layer, row, j),
                self._named("w_o"),
                (layer, column, j),
            )
            for j in range(width)
        )
        return products(sheet, stage, index, pairs)

    def context(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Find the joined feature that a head gave."""
        layer, head, row, feature = index
        column = head * sheet.shape(self._named("v"))[3] + feature
        place = (layer, row, column)
        return carry(stage, index, sheet.operand(self._gradient("joined"), place))

    def weights(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply the gradient of a context and the value of a key."""
        *place, row, key = index
        hidden = sheet.operand(self._named("mask"), index)
        if hidden.value:
            return collect(stage, index, "hidden", [(hidden,)])
        pairs = (
            (
                *(self._gradient("context"), (*place, row, f)),
                *(self._named("v"), (*place, key, f)),
            )
            for f in range(sheet.shape(self._named("v"))[-1])
        )
        return products(sheet, stage, index, pairs)

    def total(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Add weights times their gradients over the keys of a query."""
        keys = range(sheet.shape(self._named("weights"))[-1])
        pairs = (
            (
                *(self._named("weights"), (*index[:-1], key)),
                *(self._gradient("weights"), (*index[:-1], key)),
            )
            for key in keys
        )
        return products(sheet, stage, index, pairs)

    def masked(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Go back through the softmax."""
        work = carry(stage, index, sheet.operand(self._gradient("weights"), index))
        total_of_row = sheet.operand(self._gradient("row"), (*index[:-1], 0))
        work = then(work, "subtract", total_of_row)
        return then(work, "multiply", sheet.operand(self._named("weights"), index))

    def scores(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Divide by the temperature."""
        work = carry(
            stage, index, sheet.operand(self._gradient("masked_scores"), index)
        )
        return then(work, "divide", sheet.operand("temperature"))

    def raw(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply by the scale."""
        hidden = sheet.operand(self._named("mask"), index)
        if hidden.value:
            return collect(stage, index, "hidden", [(hidden,)])
        work = carry(stage, index, sheet.operand(self._gradient("scores"), index))
        return then(work, "multiply", sheet.operand("scale"))

    def query(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply the gradients of the scores and the keys."""
        *place, row, feature = index
        pairs = (
            (
                *(self._gradient("raw_scores"), (*place, row, key)),
                *(self._named(f"k{self.end}"), (*place, key, feature)),
            )
            for key in range(sheet.shape(self._named("weights"))[-1])
        )
        return products(sheet, stage, index, pairs)

    def key(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply the gradients of the scores and the queries."""
        *place, key, feature = index
        pairs = (
            (
                *(self._gradient("raw_scores"), (*place, row, key)),
                *(self._named(f"q{self.end}"), (*place, row, feature)),
            )
            for row in range(sheet.shape(self._named("weights"))[-2])
        )
        return products(sheet, stage, index, pairs)

    def value(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply weights and the gradients of the contexts."""
        *place, key, feature = index
        pairs = (
            (
                *(self._named("weights"), (*place, row, key)),
                *(self._gradient("context"), (*place, row, feature)),
            )
            for row in range(sheet.shape(self._named("weights"))[-2])
        )
        return products(sheet, stage, index, pairs)

    def output_matrix(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Multiply joined heads and the gradients of the output."""
        layer, column, feature = index
        pairs = (
            (
                *(self._named("joined"), (layer, row, column)),
                *(self._gradient("output"), (layer, row, feature)),
            )
            for row in range(sheet.shape(self._named("joined"))[1])
        )
        return products(sheet, stage, index, pairs)

    def taken(self, sheet: Sheet, stage: str, index: Index) -> Derivation:
        """Add up what queries, keys and values ask of the input."""
        layer, row, feature = index
        # Keys and values of the second attention come from the memory.
        letters = "q" if self.prefix else "qkv"
        pairs = (
            (
                *(self._gradient(letter), (layer, head, row, column)),
                *(self._named(f"w_{letter}"), (layer, head, feature, column)),
            )
            for letter in letters
            for head in range(sheet.shape(self._named("weights"))[1])
            for column in range(sheet.shape(self._named(f"w_{letter}"))[3])
        )
        return products(sheet, stage, index, pairs)


def _unturned(sheet: Sheet, stage: str, index: Index) -> Derivation:
    """Turn a pair of features back by the angle of the position."""
    *place, row, feature = index
    other = feature + 1 if feature % 2 == 0 else feature - 1
    name = f"{stage}_turned"
    pairs = [
        (name, (*place, row, feature), "cos", (row, feature)),
        (name, (*place, row, other), "sin", (row, other)),
    ]
    return products(sheet, stage, index, pairs)
