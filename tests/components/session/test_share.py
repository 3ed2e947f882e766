"""The dialog that builds links: what it offers, and that every choice has a name."""

from html.parser import HTMLParser

import pytest

from attnviz.components.session.share import LOCKABLE, PARTS, share_button, share_dialog
from attnviz.text.catalog import LANGUAGES, translator


class Reader(HTMLParser):
    """Collect the tags of a piece of a page."""

    def __init__(self, tag):
        super().__init__()
        self.tags = []
        self.feed(str(tag))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def boxes(self, name):
        return [found for _, found in self.tags if found.get("name") == name]


@pytest.fixture(params=LANGUAGES)
def tr(request):
    return translator(request.param)


def test_every_part_may_be_hidden(tr):
    boxes = Reader(share_dialog(tr)).boxes("hide")
    assert [box["value"] for box in boxes] == list(PARTS)


def test_only_parts_with_controls_may_be_locked(tr):
    boxes = Reader(share_dialog(tr)).boxes("lock")
    assert [box["value"] for box in boxes] == list(LOCKABLE)


def test_every_box_of_the_table_has_a_name_of_its_own(tr):
    reader = Reader(share_dialog(tr))
    names = [
        box["aria-label"] for name in ("hide", "lock") for box in reader.boxes(name)
    ]
    assert len(set(names)) == len(PARTS) + len(LOCKABLE)


def test_nothing_in_the_dialog_is_an_input_of_a_session(tr):
    controls = [
        found
        for tag, found in Reader(share_dialog(tr)).tags
        if tag in ("input", "select", "textarea", "button")
    ]
    assert len(controls) > len(PARTS)
    assert [found for found in controls if "id" in found] == []


def test_the_dialog_is_named_by_its_heading(tr):
    (_, dialog), *inside = Reader(share_dialog(tr)).tags
    assert [
        tag for tag, found in inside if found.get("id") == dialog["aria-labelledby"]
    ] == ["h2"]


def test_the_button_says_what_it_opens(tr):
    assert tr("share.title") in str(share_button(tr))
    assert 'aria-haspopup="dialog"' in str(share_button(tr))
