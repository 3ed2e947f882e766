"""axe-core finds nothing serious on any page, in either theme or language."""

import pytest
from axe_playwright_python.sync_playwright import Axe

AXE = Axe()
PAGES = ("attention", "norms")
GRAVE = {"serious", "critical"}


def grave(one):
    """Name the grave violations, and where they are."""
    # Without preloading: axe would ask for style sheets a second time.
    found = AXE.run(one.page, options={"preload": False}).response["violations"]
    return {
        f"{rule['id']}: {node['target']} {node['html'][:120]}"
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    }


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_grave_fault(visit, page, theme, language):
    one = visit(f"?page={page}", theme=theme, language=language)
    assert grave(one) == set()


@pytest.mark.parametrize("page", PAGES)
def test_nothing_that_opens_has_a_grave_fault(visit, page):
    one = visit(f"?page={page}")
    view = one.page.locator(f"#{page}-view")
    view.locator(".check > summary").first.click()
    assert grave(one) == set()
    view.locator(".stepper [data-step-on]").click()
    assert grave(one) == set()


def test_the_probe_sees_a_fault(visit):
    one = visit()
    one.page.evaluate("document.documentElement.removeAttribute('lang')")
    assert any(fault.startswith("html-has-lang") for fault in grave(one))


def test_every_matrix_has_a_name_and_its_shape(visit):
    one = visit()
    labels = one.page.evaluate(
        """() => [...document.querySelectorAll("#attention-view .matrix")]
        .map((one) => [one.getAttribute("role"), one.getAttribute("aria-label")])"""
    )
    assert {role for role, _ in labels} == {"img"}
    assert all("rows by" in label for _, label in labels)


def test_the_weights_say_which_is_the_largest(visit):
    one = visit("?p=identity")
    label = one.matrix("weights").get_attribute("aria-label")
    assert "Largest weight 0.670" in label
