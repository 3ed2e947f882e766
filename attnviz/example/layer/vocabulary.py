"""The projection onto the vocabulary, with its softmax and the likeliest words."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays.record import Record
from attnviz.core.arrays.shapes import FloatArray, read_only
from attnviz.core.errors import SettingError
from attnviz.core.layers import vocabulary_logits
from attnviz.example.compute import ExampleTrace
from attnviz.example.layer.parameters import (
    WRITTEN,
    drawn_vocabulary,
    written_vocabulary,
)
from attnviz.example.layer.settings import MAX_WORDS, LayerExample
from attnviz.example.sources.drawn import random_inputs
from attnviz.example.sources.tokens import split_tokens


@dataclass(frozen=True, slots=True, repr=False)
class VocabularyTrace(Record):
    """From the last state of each position to its next word; arrays are read-only.

    Attributes
    ----------
    words : tuple of str
        The vocabulary: each token once, then the further words.
    w_vocab : FloatArray of shape (n_words, d)
        One row a word.
    b_vocab : FloatArray of shape (n_words,)
        One bias a word.
    logits : FloatArray of shape (T, n_words)
        Scores of all words.
    largest, total : FloatArray of shape (T, 1)
        Largest score of each position, and the sum of its exponentials.
    exps : FloatArray of shape (T, n_words)
        exp(logits − largest).
    probabilities : FloatArray of shape (T, n_words)
        exps / total.
    """

    words: tuple[str, ...]
    w_vocab: FloatArray
    b_vocab: FloatArray
    logits: FloatArray
    largest: FloatArray
    exps: FloatArray
    total: FloatArray
    probabilities: FloatArray

    def likeliest(self, position: int, n_words: int = 5) -> list[tuple[str, float]]:
        """Name the likeliest next words of a position, with their probabilities."""
        row = self.probabilities[position]
        best = np.argsort(-row, kind="stable")[:n_words]
        return [(self.words[word], float(row[word])) for word in best]


def project(
    source: ExampleTrace, states: FloatArray, settings: LayerExample
) -> VocabularyTrace:
    """Score every word after every position.

    Parameters
    ----------
    source : ExampleTrace
        The example, whose tokens are words with their own embeddings.
    states : FloatArray of shape (T, d)
        What leaves the layers.
    settings : LayerExample
        The further words, and whether the matrix is that of the embeddings.
    """
    words = vocabulary_of(source.tokens, settings)
    w_vocab, b_vocab = _learned(source, words, settings)
    logits = vocabulary_logits(states, w_vocab=w_vocab, b_vocab=b_vocab)
    largest = logits.max(axis=-1, keepdims=True)
    exps = np.exp(logits - largest)
    total = exps.sum(axis=-1, keepdims=True)
    arrays = (w_vocab, b_vocab, logits, largest, exps, total, exps / total)
    return VocabularyTrace(words, *map(read_only, arrays))


def vocabulary_of(tokens: tuple[str, ...], settings: LayerExample) -> tuple[str, ...]:
    """List each word once.

    Raises
    ------
    SettingError
        If there are more words than there may be.
    """
    words = tuple(dict.fromkeys((*tokens, *split_tokens(settings.words))))
    if len(words) > MAX_WORDS:
        raise SettingError("many_words", got=len(words), most=MAX_WORDS)
    return words


def _learned(
    source: ExampleTrace, words: tuple[str, ...], settings: LayerExample
) -> tuple[FloatArray, FloatArray]:
    example, x = source.example, source.x
    assert x is not None
    if settings.ties_vocabulary:
        table = random_inputs(example.seed, words, x.shape[1]).copy()
        # A token has the embedding that is on screen, be it drawn or not.
        for word in set(source.tokens) & set(words):
            table[words.index(word)] = x[source.tokens.index(word)]
        return table, np.zeros(len(words))
    written = written_vocabulary()
    if example.matrices == WRITTEN and len(words) == len(written[0]):
        return written
    return drawn_vocabulary(example.seed, len(words), x.shape[1])
