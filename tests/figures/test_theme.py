"""Colours: one a role, readable in both themes, the same in style and figures."""

import re

import pytest

from attnviz.figures.theme import (
    HIDDEN,
    NEGATIVE,
    PAGE,
    ROLES,
    TEXT,
    css_variables,
)

LEAST_CONTRAST = 4.5


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_goes_from_1_to_21():
    assert contrast("#777777", "#777777") == 1
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("role", TEXT)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_letters_of_a_role_stand_out_from_the_page(role, theme):
    text, page = getattr(TEXT[role], theme), getattr(PAGE, theme)
    assert contrast(text, page) >= LEAST_CONTRAST


def test_every_role_has_letters_and_a_fill():
    assert TEXT.keys() == ROLES.keys()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_roles_share_a_colour(theme):
    fills = [getattr(shades, theme) for shades in (*ROLES.values(), NEGATIVE, HIDDEN)]
    assert len(set(fills)) == len(fills)


def test_style_knows_every_colour_in_both_themes():
    light, dark = css_variables().split("[data-bs-theme=dark]")
    names = re.findall(r"(--[\w-]+):#[0-9a-f]{6};", light)
    assert names == re.findall(r"(--[\w-]+):#[0-9a-f]{6};", dark)
    assert {"--page", "--hidden", "--role-negative", "--role-q", "--text-q"} <= set(
        names
    )
