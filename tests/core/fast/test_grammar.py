"""What `attend` takes, the fast forms take by the same name, or refuse by name."""

import inspect
from functools import partial

import numpy as np
import pytest

from attnviz.core import (
    MultiHeadParameters,
    alibi_bias,
    attend,
    banded_attend,
    causal_mask,
    combine_masks,
    dot_scores,
    fast_multi_head_attend,
    fuse_parameters,
    linear_attend,
    multi_head_attend,
    padding_mask,
    rotate,
    tiled_attend,
    window_mask,
)
from attnviz.core.errors import MaskError, ShapeError

TIGHT = {"rtol": 1e-12, "atol": 1e-12}
FORMS = {
    "tiled": tiled_attend,
    "banded": partial(banded_attend, left=None, right=None),
}
EACH_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
# One tile, and several of them.
LENGTH = pytest.mark.parametrize("length", [11, 521])


def arrays(length: int) -> list[np.ndarray]:
    """Draw queries, keys and values of three heads."""
    rng = np.random.default_rng(length)
    return [rng.standard_normal((3, length, width)) for width in (5, 5, 2)]


def options(length: int) -> dict[str, dict]:
    rng = np.random.default_rng(1)
    table = rng.standard_normal((3, length, length))
    hiding = np.where(rng.random((1, 1, length)) < 0.4, -np.inf, 0)
    hiding[..., 0] = 1.5
    return {
        "causal": {"causal": True},
        "window": {"left": 3, "right": 1},
        "window to the left": {"left": 2},
        "causal window": {"left": 4, "right": 9, "causal": True},
        "offset": {"causal": True, "left": 7, "offset": 2},
        "bias": {"bias": table},
        "bias of each head": {"bias": alibi_bias(3, length)},
        "bias that hides": {"bias": hiding},
        "large bias": {"bias": 1e4 * table[0]},
        "scale": {"scale": -0.3},
        "softcap": {"softcap": 0.7},
        "softcap of large scores": {"softcap": 50.0, "scale": 1e4},
        "temperature": {"temperature": 0.3},
        "dropout": {"dropout": np.where(table > 0, 0, 1.7)},
        "one dropout for all": {"dropout": np.where(table[0] > 0, 0, 1e3)},
        "all": {
            "visible": padding_mask(np.arange(length) % 7 != 3),
            "causal": True,
            "query_valid": np.arange(length) % 5 != 2,
            "bias": table,
            "scale": 0.9,
            "softcap": 1.3,
            "temperature": 1.7,
            "dropout": np.where(table > 0, 0, 1.7),
        },
    }


@EACH_FORM
@LENGTH
@pytest.mark.parametrize("name", options(11))
def test_an_option_means_what_it_means_in_attend(name, length, form):
    q, k, v = arrays(length)
    chosen = options(length)[name]
    np.testing.assert_allclose(
        form(q, k, v, **chosen), attend(q, k, v, **chosen).context, **TIGHT
    )


@LENGTH
@pytest.mark.parametrize("name", options(11))
def test_an_option_means_what_it_means_in_the_layer_that_shows_all(name, length):
    rng = np.random.default_rng(3)
    shapes = {"w_q": (3, 7, 4), "w_k": (3, 7, 4), "w_v": (3, 7, 2), "w_o": (6, 7)}
    layer = MultiHeadParameters(**{n: rng.standard_normal(shapes[n]) for n in shapes})
    x = rng.standard_normal((length, 7))
    chosen = options(length)[name]
    np.testing.assert_allclose(
        fast_multi_head_attend(x, parameters=fuse_parameters(layer), **chosen),
        multi_head_attend(x, parameters=layer, **chosen).output,
        rtol=1e-9,
        atol=1e-9,
    )


@LENGTH
def test_a_fast_layer_turns_queries_and_keys(length):
    rng = np.random.default_rng(3)
    shapes = {"w_q": (4, 7, 6), "w_k": (2, 7, 6), "w_v": (2, 7, 5), "w_o": (20, 7)}
    layer = MultiHeadParameters(**{n: rng.standard_normal(shapes[n]) for n in shapes})
    x = rng.standard_normal((length, 7))
    turn = partial(rotate, positions=np.arange(length))
    np.testing.assert_allclose(
        fast_multi_head_attend(x, parameters=fuse_parameters(layer), turn=turn),
        multi_head_attend(x, parameters=layer, turn=turn).output,
        rtol=1e-9,
        atol=1e-9,
    )


def defaults(function) -> dict[str, object]:
    return {n: p.default for n, p in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("form", [tiled_attend, linear_attend])
def test_every_argument_of_attend_is_known_by_its_name(form):
    assert defaults(form).items() >= defaults(attend).items()


def test_a_band_asks_for_its_window_and_else_is_as_attend():
    window = {"left": inspect.Parameter.empty, "right": inspect.Parameter.empty}
    assert defaults(banded_attend) == defaults(attend) | window


def test_the_fast_layer_takes_what_the_layer_that_shows_all_takes():
    inputs = {"x_q", "x_k", "x_v"}
    wanted = {n: d for n, d in defaults(multi_head_attend).items() if n not in inputs}
    found = defaults(fast_multi_head_attend)
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize("n_queries", [4, 7])
@pytest.mark.parametrize("offset", [None, 0, 2])
def test_causal_and_windows_stand_for_their_masks(n_queries, offset):
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((n, 3)) for n in (n_queries, 7, 7))
    band = {"left": 2, "right": 0, "offset": offset}
    np.testing.assert_array_equal(
        attend(q, k, v, causal=True, left=2, offset=offset).visible,
        window_mask(n_queries, 7, **band),
    )
    np.testing.assert_array_equal(
        attend(q, k, v, causal=True, offset=offset).visible,
        causal_mask(n_queries, 7, offset=offset),
    )
    padding = padding_mask(np.arange(7) != 1)
    np.testing.assert_array_equal(
        attend(q, k, v, causal=True, offset=offset, visible=padding).visible,
        combine_masks(padding, causal_mask(n_queries, 7, offset=offset)),
    )


@EACH_FORM
def test_tiles_refuse_another_score_by_name(form):
    with pytest.raises(ValueError, match=r"`score` needs None, .* `attend` takes"):
        form(*arrays(11), score=dot_scores)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("left", 3),
        ("right", 0),
        ("bias", np.zeros((11, 11))),
        ("scale", 0.5),
        ("softcap", 2.0),
        ("temperature", 0.5),
        ("dropout", np.ones((11, 11))),
        ("score", dot_scores),
    ],
)
def test_linear_attention_refuses_what_needs_scores_by_name(name, value):
    with pytest.raises(
        ValueError, match=f"linear_attend: `{name}` needs to be left out, .*takes it"
    ):
        linear_attend(*arrays(11), **{name: value})


@pytest.mark.parametrize("causal", [False, True])
def test_linear_attention_takes_a_padding_mask(causal):
    q, k, v = arrays(11)
    valid = np.arange(11) % 4 != 2
    np.testing.assert_array_equal(
        linear_attend(q, k, v, visible=padding_mask(valid), causal=causal),
        linear_attend(q, k, v, key_valid=valid, causal=causal),
    )


def test_linear_attention_refuses_a_mask_that_differs_by_query():
    with pytest.raises(
        MaskError, match=r"`visible` needs one row for all queries, .* got \(11, 11\)"
    ):
        linear_attend(*arrays(11), visible=causal_mask(11))


@pytest.mark.parametrize("offset", [-2, 0, 3, 9])
def test_linear_attention_starts_where_the_offset_says(offset):
    q, k, v = arrays(11)
    valid = np.arange(11) >= -offset
    found = linear_attend(q, k, v, causal=True, offset=offset, query_valid=valid)
    for row in np.flatnonzero(valid):
        seen = slice(0, row + offset + 1)
        alone = linear_attend(q[:, row : row + 1], k[:, seen], v[:, seen])
        np.testing.assert_allclose(found[:, row : row + 1], alone, **TIGHT)


@pytest.mark.parametrize("form", [attend, *FORMS.values(), linear_attend])
def test_a_mask_given_as_causal_is_refused(form):
    with pytest.raises(ValueError, match="`causal` needs True or False, and a mask"):
        form(*arrays(11), causal=causal_mask(11))


@EACH_FORM
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"bias": np.zeros((11, 10))}, ShapeError, r"`bias` needs shape .* \(11, 10\)"),
        ({"dropout": np.zeros(11)}, ShapeError, "`dropout` needs shape"),
        ({"softcap": 0}, ValueError, "`softcap` needs a number above 0"),
        ({"temperature": -1.0}, ValueError, "`temperature` needs a number above 0"),
    ],
)
def test_tables_and_numbers_that_cannot_be_are_named(options, error, message, form):
    with pytest.raises(error, match=message):
        form(*arrays(11), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "half"}, "`scale` needs a finite number; got 'half'"),
        ({"softcap": -1}, "`softcap` needs a number above 0"),
        ({"causal": np.ones((3, 3), bool)}, "`causal` needs True or False"),
        ({"bias": np.zeros((2, 3))}, r"`bias` needs shape .*\(1, 3, 3\)"),
    ],
)
def test_what_a_fast_layer_cannot_use_is_named(options, message):
    eye = np.eye(2)
    layer = MultiHeadParameters(w_q=[eye], w_k=[eye], w_v=[eye], w_o=eye)
    with pytest.raises(ValueError, match=f"fast_multi_head_attend: {message}"):
        fast_multi_head_attend(
            np.ones((3, 2)), parameters=fuse_parameters(layer), **options
        )


def test_a_bias_of_each_key_takes_no_table():
    from tests.core.fast.test_tiled import peak_bytes

    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 2053, 2), dtype=np.float32)
    bias = np.zeros((1, 2053), np.float32)
    table = 4 * 2053**2
    assert peak_bytes(lambda: tiled_attend(q, k, v, bias=bias)) < table / 8
