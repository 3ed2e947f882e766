"""What a session offers to take along is what it shows, and nobody else's."""

import io
import json
import re

import numpy as np
import pytest

from attnviz.example.compute import compute
from attnviz.example.norms import NormExample, compute_norm
from attnviz.example.settings import Example
from attnviz.text.catalog import translator


def address_of(conversation, name):
    """Read where one link of the menu leads to."""
    menu, _, form = name.rpartition("-")
    return f"/{conversation.routes[f'{menu}-menu']}&form={form}"


def answer_of(client, conversation, name):
    """Ask for what one link of the menu leads to."""
    return client.get(address_of(conversation, name))


def file_name(response):
    return re.search(r'filename="(.*)"', response.headers["content-disposition"])[1]


def test_npz_holds_what_is_on_screen(client, converse):
    conversation = converse("?n=3&m=causal&h=2")
    conversation.send({"attention-head": "1", "example-length": 5})
    response = answer_of(client, conversation, "attention-export-npz")
    trace = compute(Example(length=5, mask="causal"))
    with np.load(io.BytesIO(response.content), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["weights"], trace.attention.weights)
        np.testing.assert_array_equal(archive["output"], trace.heads.output)


def test_a_link_follows_the_numbers_after_it_was_made(client, converse):
    conversation = converse()
    address = address_of(conversation, "attention-export-json")
    conversation.send({"example-length": 3})
    matrices = client.get(address).json()["matrices"]
    assert matrices["x"]["shape"] == [3, 8]


def test_who_only_knows_the_session_gets_nothing(client, converse):
    address = address_of(converse(), "attention-export-json")
    path, _, query = address.partition("?nonce=")
    assert client.get(address).status_code == 200
    for guess in ("", "?form=json", f"?nonce=x{query}", "?nonce=&form=json"):
        assert client.get(f"{path}{guess}").status_code == 404


@pytest.mark.parametrize(
    ("name", "file", "media_type"),
    [
        ("csv", "attnviz-attention-identity.csv", "text/csv; charset=utf-8"),
        ("npz", "attnviz-attention-identity.npz", "application/octet-stream"),
        ("json", "attnviz-attention-identity.json", "application/json"),
        (
            "numpy",
            "attnviz-attention-identity-numpy.py",
            "text/x-python; charset=utf-8",
        ),
        (
            "torch",
            "attnviz-attention-identity-torch.py",
            "text/x-python; charset=utf-8",
        ),
    ],
)
def test_files_are_named_after_page_and_preset(
    client, converse, name, file, media_type
):
    conversation = converse("?p=identity&lang=zh")
    response = answer_of(client, conversation, f"attention-export-{name}")
    assert file_name(response) == file
    assert response.headers["content-type"] == media_type


def test_a_script_of_a_session_runs_and_speaks_its_language(client, converse):
    conversation = converse("?lang=zh&t=小猫 cat&pos=rotary", page="attention")
    script = answer_of(client, conversation, "attention-export-numpy").text
    names = {}
    exec(compile(script, "script", "exec"), names)
    trace = compute(Example(text="小猫 cat", positions="rotary"))
    np.testing.assert_allclose(names["output"], trace.heads.output, atol=1e-12)
    assert translator("zh")("warning.random") in script


def test_the_layer_norm_page_offers_its_own_numbers(client, converse):
    conversation = converse("?page=norms&p=norm_rows", page="norms")
    response = answer_of(client, conversation, "norms-export-json")
    assert file_name(response) == "attnviz-norms-norm_rows.json"
    document = response.json()
    assert document["matrices"]["gamma"]["values"] == [1.0, 0.5, 2.0, 1.0]


def test_with_a_mistyped_scale_the_picture_that_stands_is_exported(client, converse):
    conversation = converse("?page=norms", page="norms")
    conversation.send({"norms-controls-gamma": "1, 2"})
    document = answer_of(client, conversation, "norms-export-json").json()
    expected = compute_norm(Example(), NormExample()).norm.output
    np.testing.assert_array_equal(
        document["matrices"]["norm_output"]["values"], expected
    )
    assert document["settings"]["gamma"] == [1.0]


@pytest.mark.parametrize(("name", "is_key"), [("worksheet", False), ("key", True)])
def test_a_worksheet_opens_as_a_page_that_runs_and_loads_nothing(
    client, converse, name, is_key
):
    response = answer_of(client, converse(), f"attention-export-{name}")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "content-disposition" not in response.headers
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "script" not in policy
    assert ('class="answer"' in response.text) == is_key
    assert ('class="blank"' in response.text) != is_key


def test_a_worksheet_is_of_the_head_on_screen_and_in_its_language(client, converse):
    conversation = converse("?lang=zh")
    conversation.send({"attention-head": "1"})
    text = answer_of(client, conversation, "attention-export-worksheet").text
    assert translator("zh")("export.sheet.head", head=2, heads=2) in text


def test_two_sessions_export_their_own_numbers(client, converse):
    one, other = converse("?n=3"), converse("?n=7")
    shapes = [
        json.loads(answer_of(client, each, "attention-export-json").content)[
            "matrices"
        ]["x"]["shape"]
        for each in (one, other)
    ]
    assert shapes == [[3, 8], [7, 8]]


@pytest.mark.parametrize("form", ["", "&form=", "&form=exe", "&form=csv&form=exe"])
def test_what_is_not_offered_is_not_found(client, converse, form):
    route = converse().routes["attention-export-menu"]
    assert client.get(f"/{route}{form}").status_code == 404


def test_a_page_that_shows_nothing_yet_offers_nothing(client, converse):
    conversation = converse("?page=norms&ng=1,2,3", page="norms")
    assert answer_of(client, conversation, "norms-export-csv").status_code == 404
