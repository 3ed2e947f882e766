"""The export menu in a real browser: files, pictures, sheets of paper."""

import re
import struct
from xml.etree import ElementTree

import numpy as np
import pytest

from attnviz.example.compute import compute
from attnviz.example.settings import Example
from attnviz.text.catalog import translator

FILES = ("csv", "npz", "json", "numpy", "torch")
NUMBER = re.compile(r"−?\d+(\.\d\d)?")
SVG = "{http://www.w3.org/2000/svg}"


def unfold(visit, page="attention"):
    """Open the menu, and wait until its links lead somewhere."""
    menu = visit.page.locator(f"#{page}-view details.export")
    menu.locator("summary").click()
    for name in (*FILES, "worksheet", "key"):
        menu.locator(f"#{page}-export-{name}:not(.disabled)").wait_for()
    return menu


def download(visit, button):
    with visit.page.expect_download() as coming:
        button.click()
    return coming.value


def picture(visit, menu, graph, form):
    menu.locator("select").select_option(graph)
    return download(visit, menu.locator(f"[data-picture={form}]"))


def svg_of(visit, graph, page="attention"):
    saved = picture(visit, unfold(visit, page), graph, "svg")
    return ElementTree.parse(saved.path()).getroot()


def texts(svg):
    return ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]


@pytest.mark.parametrize("page", ["attention", "norms"])
def test_every_file_arrives_under_its_name(visit, page):
    one = visit(f"?page={page}")
    menu = unfold(one, page)
    saved = [download(one, menu.locator(f"#{page}-export-{name}")) for name in FILES]
    assert [file.suggested_filename for file in saved] == [
        f"attnviz-{page}-five.csv",
        f"attnviz-{page}-five.npz",
        f"attnviz-{page}-five.json",
        f"attnviz-{page}-five-numpy.py",
        f"attnviz-{page}-five-torch.py",
    ]
    assert min(file.path().stat().st_size for file in saved) > 1000


def test_the_archive_holds_the_numbers_that_are_drawn(visit):
    one = visit("?n=3&m=causal")
    saved = download(one, unfold(one).locator("#attention-export-npz"))
    drawn = one.numbers()
    with np.load(saved.path(), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["x"].astype("f4"), drawn["x"])
        np.testing.assert_array_equal(archive["output"].astype("f4"), drawn["output"])


def test_a_script_computes_the_numbers_that_are_drawn(visit):
    one = visit("?n=3&pos=alibi&tau=2")
    saved = download(one, unfold(one).locator("#attention-export-numpy"))
    names = {}
    exec(compile(saved.path().read_text("utf-8"), "script", "exec"), names)
    drawn = one.numbers()["weights"]
    np.testing.assert_array_equal(names["weights"][0].astype("f4"), drawn)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_picture_has_title_shapes_labels_digits_and_both_warnings(visit, language):
    tr = translator(language)
    one = visit("?t=the+funny+cat&d=5&dk=2", language=language)
    found = texts(svg_of(one, "chain"))
    assert found[0].startswith(tr("browser.export.figure.chain"))
    shapes = {"Q 3×2", "K⊤ 2×3", "S 3×3", "A 3×3", "V 3×4", "C 3×4"}
    assert shapes <= set(found)
    # As a query, and as a key above S and above A.
    assert found.count("funny") == 3
    # Lines are broken where the picture ends.
    written = "".join(found).replace(" ", "")
    assert tr("warning.random").replace(" ", "") in written
    assert tr("warning.causes").replace(" ", "") in written


def test_the_title_of_a_picture_says_the_shapes_of_its_product(visit):
    title, *_ = texts(svg_of(visit("?n=3&d=5"), "output"))
    assert title.endswith("3×8 · 8×5 → 3×5")


def test_every_number_of_a_matrix_is_text_and_every_cell_a_rectangle(visit):
    svg = svg_of(visit("?n=3&d=5"), "chain")
    scores = compute(Example(length=3, d_model=5)).attention.scores[0]
    wanted = [f"{number:z.2f}".replace("-", "−") for number in scores.ravel()]
    assert set(wanted) <= set(texts(svg))
    kinds = {element.tag.removeprefix(SVG) for element in svg.iter()}
    shapes = {"svg", "title", "desc", "defs", "pattern", "g", "rect", "text", "tspan"}
    assert kinds == shapes


def test_a_picture_has_digits_where_the_screen_has_no_room_for_them(visit):
    one = visit("?n=32")
    svg = svg_of(one, "chain")
    cells = [text for text in texts(svg) if NUMBER.fullmatch(text)]
    # S and A; max, Σe and Σa; Q, K, V and C.
    assert len(cells) == 2 * 32 * 32 + 3 * 32 + 4 * 32 * 4


def test_hidden_cells_are_hatched_in_a_picture(visit):
    svg = svg_of(visit("?n=3&m=causal"), "chain")
    hatched = [
        rect for rect in svg.iter(f"{SVG}rect") if rect.get("fill") == "url(#hidden)"
    ]
    assert len(hatched) == 3 + 3
    assert texts(svg).count("−∞") == 3


def test_covered_results_stay_covered_in_a_picture(visit):
    one = visit("?n=3")
    one.page.locator("#attention-view [data-cover]").click()
    one.page.locator("#attention-view [data-step-on]").click()
    menu = one.page.locator("#attention-view details.export")
    menu.locator("summary").click()
    svg = ElementTree.parse(picture(one, menu, "projections", "svg").path()).getroot()
    # Covering starts with the first stage, and a step uncovers its first row.
    assert texts(svg).count("?") == 2 * 4


def test_what_tells_covered_results_cannot_be_taken_along(visit):
    one = visit("?n=3", language="en")
    menu = unfold(one)
    links = menu.locator("[data-form][href]")
    assert links.count() == 7
    cover = one.page.locator("#attention-view [data-cover]")
    cover.click()
    menu.locator("summary").click()
    assert links.evaluate_all("all => all.map((link) => link.dataset.form)") == [
        "worksheet"
    ]
    told = menu.locator("[data-covered]")
    assert told.inner_text() == translator("en")("export.covered")
    cover.click()
    menu.locator("summary").click()
    assert links.count() == 7
    assert told.is_hidden()


def test_a_menu_that_stands_open_offers_the_figures_of_the_next_example(visit):
    one = visit()
    menu = unfold(one)
    choice = menu.locator("select")
    choice.select_option("output")
    one.choose("example-preset", "fractions")
    one.rest()
    assert menu.get_attribute("open") is not None
    offered = choice.locator("option").evaluate_all("all => all.map((o) => o.value)")
    assert not {"projections", "output"} & set(offered)
    saved = download(one, menu.locator("[data-picture=svg]"))
    svg = ElementTree.parse(saved.path()).getroot()
    assert any(NUMBER.fullmatch(text) for text in texts(svg))


@pytest.mark.parametrize(
    ("query", "origin"),
    [
        ("n=3&head=2&seed=5", "Five positions · head 2 of 2 · seed 5"),
        ("p=identity", "Exercise 1: Q = K = I₂ · head 1 of 1"),
    ],
)
def test_a_picture_says_where_its_numbers_come_from(visit, query, origin):
    one = visit(f"?{query}", language="en")
    one.catch_up()
    svg = svg_of(one, "chain")
    written = "".join(texts(svg))
    assert origin.replace(" ", "") in written.replace(" ", "")
    assert one.page.url.replace(" ", "") in written.replace(" ", "")


def test_a_picture_is_light_unless_the_colours_of_the_screen_are_asked_for(visit):
    one = visit("?n=3", theme="dark")
    menu = unfold(one)

    def ground():
        svg = ElementTree.parse(picture(one, menu, "chain", "svg").path()).getroot()
        return [
            rect.get("fill")
            for rect in svg.iter(f"{SVG}rect")
            if rect.get("width") == svg.get("width")
        ]

    light = ground()
    assert light == ["#ffffff"]
    assert one.page.locator("html").get_attribute("data-bs-theme") == "dark"
    menu.locator("[data-as-shown]").check()
    assert ground() != light


def test_a_png_is_twice_as_sharp_as_the_screen_and_not_empty(visit):
    one = visit("?n=3")
    menu = unfold(one)
    svg = ElementTree.parse(picture(one, menu, "chain", "svg").path()).getroot()
    saved = picture(one, menu, "chain", "png")
    assert saved.suggested_filename == "attnviz-chain.png"
    data = saved.path().read_bytes()
    size = struct.unpack(">II", data[16:24])
    assert size == (2 * int(svg.get("width")), 2 * int(svg.get("height")))
    assert len(data) > 10_000


def test_pictures_are_offered_of_the_figures_there_are(visit):
    options = unfold(visit("?p=fractions")).locator("option")
    values = options.evaluate_all("all => all.map((option) => option.value)")
    assert "chain" in values
    assert not {"projections", "output"} & set(values)


@pytest.mark.parametrize(("page", "language"), [("attention", "zh"), ("norms", "en")])
def test_worksheet_and_key_open_in_tabs_of_their_own(visit, page, language):
    one = visit(f"?page={page}", language=language)
    menu = unfold(one, page)
    title = translator(language)(f"export.sheet.{page}")
    for name in ("worksheet", "key"):
        with one.context.expect_page() as coming:
            menu.locator(f"#{page}-export-{name}").click()
        sheet = coming.value
        sheet.wait_for_load_state()
        assert sheet.locator("h1").inner_text().startswith(title)
        assert sheet.evaluate("document.fonts.check('12px attnviz-math')")


def test_the_menu_works_from_the_keyboard_and_closes_at_a_click_elsewhere(visit):
    one = visit()
    menu = one.page.locator("#attention-view details.export")
    menu.locator("summary").focus()
    one.page.keyboard.press("Enter")
    menu.locator("#attention-export-csv:not(.disabled)").wait_for()
    one.page.keyboard.press("Tab")
    with one.page.expect_download() as coming:
        one.page.keyboard.press("Enter")
    assert coming.value.suggested_filename.endswith(".csv")
    one.page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    unfold(one)
    one.page.locator("#attention-view h1").click()
    assert menu.get_attribute("open") is None


def test_the_menu_fits_a_phone(visit):
    one = visit(size=(360, 740))
    box = unfold(one).locator(".check-body").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert box["y"] + box["height"] <= 740
