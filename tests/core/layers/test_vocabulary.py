"""What both layers share, and the projection onto the vocabulary."""

import numpy as np
import pytest

from attnviz.core.errors import ShapeError
from attnviz.core.layers.decoder import decoder_layer
from attnviz.core.layers.encoder import encoder_layer
from attnviz.core.layers.norms import NormParameters
from attnviz.core.layers.vocabulary import vocabulary_logits
from tests.core.layers.layer_arrays import (
    CHAPTER,
    DECODER,
    ENCODER,
    GOLDEN,
    MEMORY,
    X,
    sines,
    wave,
)

PLACES = pytest.mark.parametrize("norm", ["post", "pre"])


@PLACES
def test_a_trace_tells_where_its_norms_stand(norm):
    assert encoder_layer(X, parameters=ENCODER, norm=norm).norm == norm
    assert decoder_layer(X, MEMORY, parameters=DECODER, norm=norm).norm == norm


def test_nothing_in_a_trace_can_be_written():
    encoder = encoder_layer(X, parameters=ENCODER)
    decoder = decoder_layer(X, MEMORY, parameters=DECODER, norm="pre")
    arrays = [encoder.x, encoder.residual_1, encoder.residual_2, encoder.output]
    arrays += [decoder.x, decoder.memory, decoder.residual_3, decoder.output]
    assert not any(array.flags.writeable for array in arrays)


def test_an_unknown_place_of_the_norm_is_refused():
    with pytest.raises(ValueError, match="encoder_layer: `norm` needs 'post' or 'pre'"):
        encoder_layer(X, parameters=ENCODER, norm="both")
    with pytest.raises(ValueError, match="decoder_layer: `norm` needs 'post' or 'pre'"):
        decoder_layer(X, MEMORY, parameters=DECODER, norm="both")


def test_scales_and_shifts_are_copies_that_cannot_be_written():
    gamma = np.ones(6)
    learned = NormParameters(gamma=gamma)
    gamma[:] = 0
    assert learned.gamma.tolist() == [1] * 6
    assert not learned.gamma.flags.writeable
    assert learned.beta is None


def test_logits_are_the_chapters():
    pre = encoder_layer(sines(0.1, 3, 4), parameters=CHAPTER, norm="pre").output
    logits = vocabulary_logits(pre, w_vocab=sines(9, 5, 4), b_vocab=0.1 * sines(10, 5))
    assert logits.shape == (3, 5)
    np.testing.assert_allclose(
        logits[0], GOLDEN["vocab_logits_row0_of_pre"], atol=1e-13
    )


def test_a_tied_projection_does_not_undo_the_embedding():
    # Course chapter, R122: more words than features cannot all come back.
    embedding = wave(9, 7, 3)
    logits = vocabulary_logits(embedding, w_vocab=embedding)
    np.testing.assert_allclose(logits, embedding @ embedding.T)
    assert np.linalg.matrix_rank(logits) == 3


def test_a_vocabulary_of_another_width_is_named():
    with pytest.raises(ShapeError, match=r"`w_vocab` needs .*d=6 \(from `h`\)"):
        vocabulary_logits(X, w_vocab=np.ones((11, 5)))
    with pytest.raises(ShapeError, match=r"`w_vocab` needs shape \(n_words, d\); got"):
        vocabulary_logits(X, w_vocab=np.ones((5, 11, 6)))
    with pytest.raises(ShapeError, match=r"`b_vocab` needs shape \(11,\); got \(7,\)"):
        vocabulary_logits(X, w_vocab=np.ones((11, 6)), b_vocab=np.ones(7))
