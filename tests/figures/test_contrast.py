"""Colours can be read: digits on every cell, and symbols on the page."""

import re
from pathlib import Path

import numpy as np
import pytest

from attnviz.figures.theme import NEGATIVE, PAGE, ROLES, TEXT

THEMES = ("light", "dark")
STYLE = Path(__file__).parents[2].joinpath("www/shell/theme.css").read_text("utf-8")
# What digits are written with, whichever reads better on a cell.
INKS = set(re.findall(r"--ink-on-(?:light|dark): (#\w{6});", STYLE))
LEAST = 4.5


def rgb(colour):
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255


def luminance(colour):
    linear = np.where(
        colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4
    )
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def scale(role, theme):
    """Give every step from the negative end through the page to the role's hue."""
    page, hue = rgb(getattr(PAGE, theme)), rgb(getattr(ROLES[role], theme))
    negative = rgb(getattr(NEGATIVE, theme))
    steps = np.linspace(0, 1, 128)[:, None]
    return np.vstack([page + (end - page) * steps for end in (negative, hue)])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", ROLES)
def test_digits_can_be_read_on_every_cell(role, theme):
    inks = [rgb(ink) for ink in INKS]
    worst = min(max(contrast(c, ink) for ink in inks) for c in scale(role, theme))
    assert worst >= LEAST


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", TEXT)
def test_symbols_can_be_read_on_the_page(role, theme):
    page = rgb(getattr(PAGE, theme))
    assert contrast(rgb(getattr(TEXT[role], theme)), page) >= LEAST


def test_there_are_two_inks():
    assert len(INKS) == 2


def test_the_probe_sees_a_pale_colour():
    assert contrast(rgb("#cccccc"), rgb("#ffffff")) < LEAST
