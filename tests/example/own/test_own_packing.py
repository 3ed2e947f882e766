"""Own matrices come back from a browser as they were, or not at all."""

import base64

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.own import choose_own, pack_own, read_own, unpack_own
from tests.example.own.own_files import QKV, WIDE, K, named_lists, npz

LABELLED = npz(**QKV, labels_query=["a", "b"], labels_key=["c", "d", "e", "f", "g"])
SELF = npz(q=K, k=K, v=K, labels_query=list("abcde"), labels_key=list("abcde"))
OTHERS = npz(q=K, k=K, v=K, labels_query=list("abcde"), labels_key=list("fghij"))


@pytest.mark.parametrize(
    "content",
    [
        named_lists(QKV),
        named_lists(WIDE),
        npz(**WIDE, x_k=WIDE["x"][:2]),
        npz(**QKV, score_w=np.eye(3) / 3),
        npz(a=np.full((2, 3, 5), 0.2)),
        LABELLED,
        SELF,
        OTHERS,
    ],
)
def test_what_was_packed_comes_back_to_the_bit(content):
    own = choose_own(read_own(content))
    assert unpack_own(pack_own(own)) == own


@pytest.mark.parametrize(
    "packed", ["", "?", "A", "ä", "AAAA", base64.b64encode(b"PK\3\4").decode()]
)
def test_what_holds_no_matrices_is_refused(packed):
    with pytest.raises(SettingError, match="own_"):
        unpack_own(packed)
