"""What is to become small, and its gradient at what leaves the layers."""

import numpy as np

from attnviz.core.arrays.shapes import FloatArray
from attnviz.core.attention import softmax
from attnviz.core.errors import SettingError
from attnviz.core.layers import vocabulary_logits
from attnviz.example.layer.compute import LayersTrace
from attnviz.example.layer.settings import Loss
from attnviz.example.layer.vocabulary import VocabularyTrace


def next_words(trace: LayersTrace) -> FloatArray:
    """Mark the word that follows each position; none follows the last.

    Returns
    -------
    marks : FloatArray of shape (T, n_words)
        1 where a word is the next one.

    Raises
    ------
    SettingError
        If there is no vocabulary to predict it with, or nothing follows.
    """
    found = vocabulary_for(trace)
    if len(trace.tokens) == 1:
        raise SettingError("layer_loss")
    marks = np.zeros(found.logits.shape)
    for position, word in enumerate(trace.tokens[1:]):
        marks[position, found.words.index(word)] = 1
    return marks


def logit_gradient(trace: LayersTrace, probabilities: FloatArray) -> FloatArray:
    """Give the gradient of the mean cross-entropy at the scores, (P − next)/(T − 1)."""
    gradient: FloatArray = probabilities - next_words(trace)
    gradient = gradient / (len(trace.tokens) - 1)
    # After the last position nothing is to be predicted.
    gradient[-1] = 0
    return gradient


def output_gradient(
    trace: LayersTrace, output: FloatArray, loss: Loss, token: int
) -> FloatArray:
    """Give the gradient of a loss at what leaves the layers.

    Parameters
    ----------
    output : FloatArray of shape (T, d)
        What leaves them, be it that of the trace or of more layers.
    loss : {"number", "length", "next"}
        The first feature of the token, half its squared length, or the cross-entropy
        of the next tokens.
    token : int
        The position, counted from 0.
    """
    if loss == "next":
        found = vocabulary_for(trace)
        logits = vocabulary_logits(output, w_vocab=found.w_vocab, b_vocab=found.b_vocab)
        return logit_gradient(trace, softmax(logits)) @ found.w_vocab
    gradient = np.zeros(output.shape)
    if loss == "number":
        gradient[token, 0] = 1
    else:
        gradient[token] = output[token]
    return gradient


def vocabulary_for(trace: LayersTrace) -> VocabularyTrace:
    """Give the vocabulary, without which no next word has a probability."""
    if trace.vocabulary is None:
        raise SettingError("layer_loss")
    return trace.vocabulary
