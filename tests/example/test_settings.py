"""A setting is one record: address, limits, control and teacher's part follow it."""

from dataclasses import fields
from html.parser import HTMLParser

import pytest

from attnviz.components.sidebar.controls import Chosen, example_controls_ui
from attnviz.core.errors import SettingError
from attnviz.example.address import DEFAULT_PRESET
from attnviz.example.choices.masks import MASK_KINDS, MASK_RULES, parameters_of
from attnviz.example.compute import EXAMPLES
from attnviz.example.document import Document
from attnviz.example.settings import SETTINGS, Example
from attnviz.pages.page import Opening
from attnviz.pages.registry import PAGES
from attnviz.text.catalog import LANGUAGES, load, translator

VOID = {"input", "br", "img", "meta", "link", "hr"}


class Parts(HTMLParser):
    """Collect controls with their limits and the part of a link that reaches them."""

    def __init__(self, html):
        super().__init__()
        self.parts = [""]
        self.controls = {}
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        part = found.get("data-part") or self.parts[-1]
        if tag not in VOID:
            self.parts.append(part)
        name = found.get("name") or found.get("id")
        if tag in ("input", "select", "textarea") and name:
            self.controls[name] = {**found, "part": part}

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.parts.pop()


def owners():
    """Give every record of settings with the dataclass that it describes."""
    yield "example", SETTINGS, Example
    for page in PAGES:
        if page.codec.settings:
            yield page.id, page.codec.settings, type(page.codec.start(DEFAULT_PRESET))


OWNERS = {name: (settings, owner) for name, settings, owner in owners()}


def controls_of(name):
    tr = translator("en")
    if name == "example":
        start = Chosen(DEFAULT_PRESET, EXAMPLES[DEFAULT_PRESET])
        return Parts(str(example_controls_ui("example", start, tr))).controls
    starts = {page.id: page.codec.start(DEFAULT_PRESET) for page in PAGES}
    page = next(page for page in PAGES if page.id == name)
    html = page.layout(page.id, Opening("en", tr, Document(pages=starts)))
    return Parts(str(html)).controls


@pytest.mark.parametrize("name", OWNERS)
def test_every_field_but_the_matrices_has_a_record(name):
    settings, owner = OWNERS[name]
    assert {field.name for field in fields(owner)} - {"matrices", "own"} == set(
        settings
    )


def test_no_two_settings_share_a_key_of_the_address():
    keys = [s.key for settings, _ in OWNERS.values() for s in settings.values()]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("name", OWNERS)
def test_every_setting_has_a_name_in_every_language(name):
    missing = [
        setting
        for language in LANGUAGES
        for setting in OWNERS[name][0]
        if f"setting.{setting}" not in load(language)
    ]
    assert missing == []


@pytest.mark.parametrize("name", OWNERS)
def test_its_control_has_its_limits_and_is_reached_by_its_part(name):
    controls = controls_of(name)
    for setting, record in OWNERS[name][0].items():
        # Cells are edited, heads and columns picked, and tokens moved where they stand.
        where_they_stand = ("edits", "flips", "column", "order", "order_seed")
        if setting in where_they_stand or not record.part:
            continue
        found = next(
            control
            for id, control in controls.items()
            if id.endswith(f"-{record.control or setting}")
        )
        assert found["part"] == record.part, setting
        if record.limits is not None:
            # Keys of their own begin with one; none is told by the choice beside it.
            least = 1 if setting == "key_length" else record.limits[0]
            shown = [float(found[limit]) for limit in ("min", "max", "step")]
            assert shown == [least, record.limits[1], record.step], setting


@pytest.mark.parametrize("name", [n for n in SETTINGS if SETTINGS[n].limits])
def test_the_example_refuses_what_its_record_does(name):
    least, most = SETTINGS[name].limits
    for value in (least - 1, most + 1, "5", None):
        with pytest.raises(SettingError):
            Example(**{name: value})


@pytest.mark.parametrize("kind", MASK_KINDS)
def test_a_kind_of_mask_is_one_record(kind):
    names = set(parameters_of(kind))
    assert names <= SETTINGS.keys()
    conditions = [
        rule.condition.format(**dict.fromkeys(names, 1)) for rule in MASK_RULES[kind]
    ]
    assert all(compile(condition, kind, "eval") for condition in conditions)
    shown = controls_of("example")
    assert {f"example-{name}" for name in names} <= shown.keys()
