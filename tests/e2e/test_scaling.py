"""The Scaling lab: on one screen, in every cell, by address, and taken along."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attnviz.example.scaling.compute import compute_scaling
from attnviz.example.scaling.settings import Scaling
from tests.e2e.test_accessibility import grave, seen_in

HEART = (
    *(f"[data-graph='{kind}_{at}']" for kind in ("spread", "bars") for at in (1, 2, 3)),
    "[data-graph='largest_curve']",
    "[data-graph='norm_curve']",
    "[data-figure='shares']",
)
CUT_OFF = """
(selectors) => {
  const foot = document.querySelector("#scaling-view .inspector");
  const least = foot.getBoundingClientRect().top;
  return selectors.filter((selector) => {
    const one = document.querySelector(`#scaling-view ${selector}`);
    const box = one.getBoundingClientRect();
    return box.top < 0 || box.bottom > least || box.left < 0 || box.right > innerWidth;
  });
}
"""
CURVE = "() => document.querySelector(`[data-graph='largest_curve']`).attnviz.series"
FACTS = """
() => [...document.querySelectorAll("#scaling-view [data-figure]")].map((one) => [
  one.dataset.figure, one.dataset.shape.split("×").map(Number),
])
"""
MEASURED = "[data-live='scaling.measured']"


def lab(visit, query="", language="en", **look):
    one = visit(f"?page=scaling&lang={language}{query}", **look)
    expect(one.page.locator(MEASURED)).not_to_be_empty()
    one.rest()
    return one


def trace(**changes):
    return compute_scaling(Scaling(**changes))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_divisors_and_the_curves_stand_on_the_first_screen(visit, language):
    one = lab(visit, language=language, size=(1366, 768))
    assert one.page.evaluate(CUT_OFF, HEART) == []


@pytest.mark.parametrize("side", ["scaled", "unscaled"])
def test_a_cell_of_every_matrix_says_where_it_comes_from(visit, side):
    one = lab(visit, "&zk=5&zg=3")
    facts = dict(one.page.evaluate(FACTS))
    assert {"shares", "jacobian", "sign_scores", "d_k", "a_d_k"} <= facts.keys()
    shown = {
        name: shape
        for name, shape in facts.items()
        if name.startswith("a_") == (side == "unscaled")
    }
    told = one.page.locator("#scaling-view .inspector-value")
    values = one.numbers("scaling")
    for name, (rows, columns) in shown.items():
        one.click_cell(name, rows, columns, page="scaling")
        value = float(told.text_content().split("=")[1].replace("−", "-"))
        assert value == pytest.approx(values[name][-1][-1], abs=1e-4), name


def test_another_size_of_a_key_is_drawn_and_written_into_the_address(visit):
    one = lab(visit)
    one.slide("scaling-controls-size", 10)
    expect(one.page.locator(MEASURED)).to_contain_text("dₖ = 1024")
    one.rest()
    shares = one.numbers("scaling")["shares"]
    np.testing.assert_allclose(
        shares, trace(d_k=1024).matrices["shares"], rtol=1e-5, atol=1e-7
    )
    one.page.wait_for_function("location.search.includes('zd=1024')")
    one.page.go_back()
    expect(one.page.locator(MEASURED)).to_contain_text("dₖ = 64")
    assert one.value("scaling-controls-size") == "6"


def test_the_curve_and_its_table_hold_the_measured_means(visit):
    one = lab(visit)
    drawn = {each["name"]: each for each in one.page.evaluate(CURVE)}
    means = trace().draws.largest.mean
    np.testing.assert_allclose(drawn["largest weight ÷ 1"]["y"], means[0], rtol=1e-6)
    table = one.page.locator("[data-graph='largest_curve'] table tr")
    assert table.count() == 1 + 11
    assert f"{means[0][6]:.4g}" in table.nth(7).inner_text()


def test_a_plot_is_taken_along_as_a_picture(visit):
    one = lab(visit)
    one.page.locator("#scaling-export-menu > summary").click()
    one.page.locator("[data-picture-of]").select_option("largest_curve")
    with one.page.expect_download() as download:
        one.page.locator("[data-picture='svg']").click()
    svg = download.value.path().read_text("utf-8")
    assert "Mean largest weight over dₖ" in svg
    assert re.search(r"÷ √dₖ</text>", svg)
    assert "plot-tips" not in svg
    assert "var(--" not in svg


def test_on_a_phone_nothing_runs_out_of_the_page(visit):
    one = lab(visit, size=(360, 740))
    width = "() => document.querySelector('#scaling-view').scrollWidth"
    assert one.page.evaluate(width) <= 360
    plots = one.page.locator("[data-graph='bars_1'] svg")
    assert json.loads(plots.first.get_attribute("width")) <= 340


@pytest.mark.parametrize(("theme", "language"), [("light", "zh"), ("dark", "en")])
def test_it_has_no_grave_fault_in_either_theme(visit, theme, language):
    one = lab(visit, "&zk=5&zg=3", language=language)
    seen_in(one, theme)
    assert grave(one) == set()
