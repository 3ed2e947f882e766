"""The dialog that builds links, and the codes it draws."""

import base64
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import zxingcpp

from attnviz.components.session.share import PARTS
from attnviz.pages.registry import PAGES
from attnviz.text.catalog import translator

# A screenshot read back by the browser itself: its height, and a digit a pixel, 1 for
# dark.
PIXELS = """
async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  const isDark = (_, k) => Number(data[4 * k] < 128);
  return [image.height, Array.from({ length: data.length / 4 }, isDark).join("")];
}
"""
ENCODE = """
(text) => {
  const code = attnviz.encodeQr(text);
  return code && [code.size, code.dark.join("")];
}
"""
TEXT = "abcdefghijklmnopqrstuvwxyz%=&" * 102
CHINESE = "先猜第二行，再一行一行揭开：它看谁最多？为什么？"


def open_dialog(one):
    one.page.get_by_role("button", name="Share").click()
    one.page.get_by_role("dialog").wait_for()
    return one.page.get_by_role("dialog")


def shown_link(one):
    return one.page.get_by_role("textbox", name="Link").input_value()


def query_of(link):
    query = parse_qs(urlsplit(link).query)
    return {key: value for key, [value] in query.items()}


def search_of(link):
    return f"?{urlsplit(link).query}"


def read_code(dark):
    """Decode an image that has 1 where it is dark."""
    [found] = zxingcpp.read_barcodes(255 * (1 - dark))
    return found.text


def as_image(height, digits):
    dark = np.frombuffer(digits.encode(), np.uint8) - ord("0")
    return dark.reshape(height, -1)


def drawn_code(one):
    """Decode the code on screen from its pixels."""
    png = base64.b64encode(one.page.locator(".share-code").screenshot()).decode()
    return read_code(as_image(*one.page.evaluate(PIXELS, png)))


def encoded(one, text):
    """Make a code without drawing it, with the white around it that readers need."""
    modules = as_image(*one.page.evaluate(ENCODE, text))
    return np.kron(np.pad(modules, 4), np.ones((4, 4), np.uint8))


def test_a_link_shows_the_same_numbers_bit_by_bit_to_somebody_else(visit):
    one = visit("?p=chinese&m=window&wl=2&e=x.2.4:0.123456;wq.2.3.4:-1.5")
    one.slide("example-temperature", 0.7)
    one.pick("attention-head", "1")
    one.matrix("v").click(position={"x": 5, "y": 5})
    open_dialog(one)
    other = visit(search_of(shown_link(one)), language="zh", size=(1280, 800))
    assert other.numbers() == one.numbers()
    assert other.matrix("v").evaluate("one => one.attnviz.selected") == [0, 0]
    other.slide("example-temperature", 0.8)
    assert other.numbers() != one.numbers()


@pytest.mark.parametrize(
    ("query", "theme"),
    [
        ("", "light"),
        (f"?lang=en&task={CHINESE}", "dark"),
        (
            "?e=" + ";".join(f"x.{i + 1}.{j + 1}:0.12345" for i, j in np.ndindex(5, 8)),
            "dark",
        ),
    ],
    ids=["short", "Chinese", "long"],
)
def test_the_code_on_screen_holds_the_link(visit, query, theme):
    one = visit(query, theme=theme)
    open_dialog(one)
    assert drawn_code(one) == shown_link(one)


def test_a_code_is_as_small_as_the_standard_allows_and_can_be_read(visit):
    # ISO/IEC 18004, table 7: the most bytes of some versions, and one more; from 2332
    # bytes on only level L has room.
    lengths = (14, 15, 122, 123, 213, 214, 666, 667, 1370, 1500, 2331, 2332, 2953)
    versions = (1, 2, 7, 8, 10, 11, 20, 21, 30, 32, 40, 36, 40)
    one = visit()
    page = one.page
    sizes = [page.evaluate(ENCODE, TEXT[:length])[0] for length in lengths]
    assert sizes == [17 + 4 * version for version in versions]
    assert page.evaluate(ENCODE, TEXT[:2954]) is None
    texts = [TEXT[:length] for length in range(1, 2954, 164)]
    assert [read_code(encoded(one, text)) for text in texts] == texts
    # Although a part is dirty.
    image = encoded(one, "http://192.168.1.17:8000/?p=cat_videos&lang=zh")
    image[60:84, 60:84] = 0
    assert read_code(image) == "http://192.168.1.17:8000/?p=cat_videos&lang=zh"


def test_a_link_that_is_too_long_for_a_code_says_so(visit):
    cells = [f"x.{i + 1}.{j + 1}:0.12345" for i in range(32) for j in range(8)]
    one = visit(f"?n=32&e={';'.join(cells)}")
    dialog = open_dialog(one)
    assert dialog.get_by_text("too long for a QR code").is_visible()
    assert dialog.locator(".share-code").is_hidden()


def test_choices_rewrite_the_link_at_once(visit):
    one = visit("?n=7")
    dialog = open_dialog(one)
    dialog.get_by_text("Hide or lock controls").click()
    dialog.get_by_role("checkbox", name="Hide: Mask").check()
    dialog.get_by_role("checkbox", name="Hide: Checks").check()
    dialog.get_by_role("checkbox", name="Lock: Sizes", exact=True).check()
    dialog.get_by_role("checkbox", name="covered").check()
    dialog.get_by_role("textbox", name="Task").fill(f"{CHINESE} a&b=<c>")
    dialog.get_by_role("combobox", name="Language").select_option("zh")
    assert query_of(shown_link(one)) == {
        "v": "2",
        "n": "7",
        "hide": "mask,checks",
        "lock": "sizes",
        "cover": "1",
        "task": f"{CHINESE} a&b=<c>",
        "lang": "zh",
    }
    assert "hide=mask,checks&" in shown_link(one)


def test_the_dialog_starts_from_the_options_of_its_own_link_and_can_take_them_back(
    visit,
):
    one = visit("?n=7&hide=mask&lock=sizes,random&cover=1&task=Look&lang=en")
    dialog = open_dialog(one)
    dialog.get_by_text("Hide or lock controls").click()
    for name in ("Hide: Mask", "Lock: Sizes", "Lock: Seed, new matrices, reset"):
        dialog.get_by_role("checkbox", name=name, exact=True).uncheck()
    dialog.get_by_role("checkbox", name="covered").uncheck()
    dialog.get_by_role("textbox", name="Task").fill("")
    dialog.get_by_role("combobox", name="Language").select_option("")
    # The inspector has followed the walk to its first result.
    led = {"stage": "1", "cell": "q.2.3"}
    assert query_of(shown_link(one)) == {"v": "2", "n": "7", **led}


def test_a_teacher_in_projector_mode_does_not_send_the_class_there(visit):
    one = visit("?projector=1")
    dialog = open_dialog(one)
    assert "projector" not in query_of(shown_link(one))
    dialog.get_by_role("checkbox", name="projector").check()
    assert query_of(shown_link(one))["projector"] == "1"


def test_the_dialog_says_when_data_of_ones_own_stay_behind(visit):
    one = visit()
    dialog = open_dialog(one)
    note = dialog.get_by_text("cannot travel in a link")
    assert note.is_hidden()
    dialog.get_by_role("button", name="Close").click()
    one.page.evaluate("history.replaceState(null, '', '?own=abc')")
    open_dialog(one)
    assert note.is_visible()


def test_every_part_that_the_dialog_offers_is_one_of_the_page(visit):
    one = visit(f"?hide={','.join(PARTS)}")
    count = (
        "[...document.querySelector('.hidden-parts').sheet.cssRules].map("
        "({ selectorText }) => document.querySelectorAll(selectorText).length)"
    )
    found = dict(zip(PARTS, one.page.evaluate(count), strict=True))
    for page in PAGES:
        one.open(f"?page={page.id}&hide={','.join(PARTS)}")
        counted = dict(zip(PARTS, one.page.evaluate(count), strict=True))
        found = {part: found[part] + counted[part] for part in PARTS}
        if page.id == "norms":
            assert counted["norms"] == 3
    assert [part for part in PARTS if not found[part]] == []


def test_the_link_is_copied_also_where_a_page_has_no_clipboard_of_its_own(visit):
    one = visit("?n=7")
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog = open_dialog(one)
    dialog.get_by_role("button", name="Copy").click()
    dialog.get_by_role("button", name="Copied").wait_for()
    copied = one.page.evaluate("navigator.clipboard.readText()")
    assert copied == shown_link(one)
    one.page.evaluate("navigator.clipboard.writeText('')")
    one.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: null })")
    dialog.get_by_role("button", name="Copied").wait_for(state="detached")
    dialog.get_by_role("button", name="Copy").click()
    dialog.get_by_role("textbox", name="Task").press("Control+v")
    assert dialog.get_by_role("textbox", name="Task").input_value() == copied


def test_keys_in_the_dialog_stay_there_until_escape_or_a_click_beside_closes_it(visit):
    one = visit()
    open_dialog(one).get_by_role("heading").click()
    one.page.keyboard.press("PageDown")
    one.page.keyboard.press("Escape")
    assert one.page.get_by_role("dialog").count() == 0
    assert "stage" not in query_of(one.page.url)
    open_dialog(one)
    one.page.mouse.click(5, 500)
    assert one.page.get_by_role("dialog").count() == 0


def test_the_code_fills_the_screen_and_gives_it_back(visit):
    one = visit()
    code = open_dialog(one).locator(".share-code")
    code.click()
    one.page.wait_for_function("document.fullscreenElement?.matches('.share-code')")
    assert drawn_code(one) == shown_link(one)
    code.click()
    one.page.wait_for_function("!document.fullscreenElement")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_dialog_fits_a_phone(visit, language):
    tr = translator(language)
    one = visit(language=language, size=(360, 740))
    one.page.locator(".navbar-toggler").click()
    one.page.get_by_role("button", name=tr("share.title")).click()
    dialog = one.page.get_by_role("dialog", name=tr("share.heading"))
    box = dialog.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
