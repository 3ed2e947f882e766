"""Cut the shipped fonts down to the characters the pages use.

Run ``python .ci/build_font.py maths FILE`` with the ``.woff2`` file of the npm
package ``@fontsource/stix-two-math``, or ``… digits FILE`` with the latin, normal,
weight-400 file of ``@fontsource/roboto-condensed``.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[1] / "www" / "fonts"
FONT = FONTS / "stix-two-math.woff2"
DIGITS_FONT = FONTS / "digits.woff2"
# Digits of equal width, signs, and what else stands in a cell.
DIGITS = "20,28,29,2B-2F,30-39,3F,B7,D7,2212"
CHARACTERS = (
    # ASCII, a few signs of Latin-1, accents
    "20-7E,A0,AC,B1-B3,B7,D7,F7,2C6,2DC,302-305,307,308,20D7,"
    # Greek, punctuation, primes, invisible operators
    "391-3A9,3B1-3C9,3D1,3D5,3F5,2013,2014,2016,2026,2032-2034,2044,2061-2064,"
    # double-struck and script letters outside their block, arrows
    "2102,210E,2113,2115,211D,2124,2190-2194,21A6,21D2,21D4,"
    # operators and relations
    "2200,2202,2203,2205,2207-2209,220F,2211-2213,2215,2217,2218,221A,221D,221E,"
    "2225,2227-222B,223C,2243,2245,2248,2260,2261,2264,2265,226A,226B,2282,2283,"
    "2286,2287,2295,2297,2299,22A4,22A5,22C5,22EE,22EF,22F1,"
    # fences and braces
    "2308-230B,23B4,23B5,23DC-23DF,27E8,27E9,"
    # bold, italic, bold italic, script and double-struck letters; Greek; bold digits
    "1D400-1D49B,1D49C-1D4CF,1D538-1D56B,1D6A8-1D755,1D7CE-1D7D7"
)


def build(source: str) -> None:
    """Write the subset, with its table of stretching brackets and roots."""
    options = subset.Options(
        flavor="woff2", layout_features=["*"], hinting=False, notdef_outline=True
    )
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(CHARACTERS))
    subsetter.subset(font)
    _narrow_roots(font)
    subset.save_font(font, str(FONT), options)


def _narrow_roots(font: TTFont) -> None:
    """Give every size of the root sign the width of the smallest.

    Browsers set aside the width of the widest size, whichever they draw, and so push
    a small root out of the middle of its fraction.
    """
    smallest = font.getBestCmap()[ord("√")]
    variants = font["MATH"].table.MathVariants
    signs = variants.VertGlyphCoverage.glyphs
    root = variants.VertGlyphConstruction[signs.index(smallest)]
    width = font["hmtx"][smallest][0]
    sizes = [record.VariantGlyph for record in root.MathGlyphVariantRecord]
    parts = [record.glyph for record in root.GlyphAssembly.PartRecords]
    for name in {*sizes, *parts}:
        glyph = font["glyf"][name]
        glyph.coordinates.scale((width / font["hmtx"][name][0], 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (width, glyph.xMin)


def build_digits(source: str) -> None:
    """Write the subset of narrow digits for the cells of matrices."""
    options = subset.Options(flavor="woff2", layout_features=["tnum"], hinting=False)
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(DIGITS))
    subsetter.subset(font)
    subset.save_font(font, str(DIGITS_FONT), options)


if __name__ == "__main__":
    {"maths": build, "digits": build_digits}[sys.argv[1]](sys.argv[2])
