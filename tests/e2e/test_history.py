"""Back and forward are undo and redo, and the address always says what is on screen."""

import pytest

# Go back and forth at random, but never out of the app.
STORM = """
async ([seed, times, every]) => {
  const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647);
  for (let at = 0; at < times; at++) {
    const place = history.state?.at ?? 0;
    const isBack = place > 5 || (place > 2 && random() < 0.5);
    history.go(isBack ? -1 : 1);
    await new Promise((resume) => setTimeout(resume, every));
  }
}
"""


def make_entries(one):
    """Make some entries of the history, each of which changes something else."""
    acts = [
        lambda: one.choose("example-mask", "causal"),
        lambda: one.slide("example-length", 7),
        lambda: one.pick("attention-head", 1),
        lambda: one.choose("example-preset", "cat_videos"),
        lambda: one.slide("example-temperature", 2),
        lambda: one.go_to("norms"),
        lambda: one.slide("norms-controls-n_samples", 5),
        lambda: one.go_to("attention"),
    ]
    for act in acts:
        one.pause()
        act()
    one.pause()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_a_storm_of_back_and_forward_the_address_says_what_is_shown(visit, seed):
    one = visit()
    length = one.page.evaluate("history.length")
    make_entries(one)
    entries = one.page.evaluate("history.length") - length
    assert entries == 8
    for _ in range(4):
        one.page.go_back()
        one.catch_up()
    one.page.evaluate(STORM, [seed, 50, 30])
    one.page.wait_for_timeout(1500)
    one.catch_up()
    one.pause()
    assert one.page.evaluate("history.length") - length == entries
    address = one.page.url
    shown = page_of(one), controls(one), one.numbers(page_of(one))
    other = visit(address[address.index("/", 9) + 1 :])
    assert (page_of(other), controls(other), other.numbers(page_of(other))) == shown
    assert other.page.url == address


def page_of(one):
    return one.page.locator(".navbar .nav-link.active").get_attribute("data-value")


def controls(one):
    return {
        name: one.value(name)
        for name in (
            "example-preset",
            "example-mask",
            "example-length",
            "example-temperature",
        )
    }


# ---- typing --------------------------------------------------------------------------

TEXT = "#example-text"


def entries(one):
    return one.page.evaluate("history.length")


def tokens(one):
    return one.page.evaluate("new URLSearchParams(location.search).get('t')")


def write(one):
    """Open a sentence to be typed; give the number of entries before."""
    one.page.locator(TEXT).click()
    one.pause()
    return entries(one)


def test_a_sentence_is_one_entry_when_it_rests(visit):
    one = visit("?t=once")
    before = write(one)
    one.page.keyboard.press("End")
    for word in (" upon", " a", " time"):
        one.change("example-text", lambda word=word: one.page.keyboard.type(word))
        one.page.wait_for_timeout(700)  # longer than a burst of changes lasts
    one.page.wait_for_url("**once+upon+a+time**")
    assert entries(one) == before + 1
    one.pause()
    one.change("example-text", lambda: one.page.keyboard.type(" there"))
    one.page.wait_for_url("**time+there**")
    assert entries(one) == before + 2
    one.pause()
    for sentence in ("once upon a time", "once"):
        one.change("address", one.page.go_back)
        one.until("example-text", sentence)
        assert len(one.numbers()["x"]) == len(sentence.split())
        assert tokens(one) == sentence


def test_who_leaves_the_field_is_done_at_once(visit):
    one = visit("?t=once")
    before = write(one)
    one.change("example-text", lambda: one.page.keyboard.type("more "))
    one.page.keyboard.press("Tab")
    one.page.wait_for_timeout(800)
    assert one.page.evaluate("attnviz.isAtRest()")
    one.choose("example-mask", "causal")
    assert entries(one) == before + 2


def test_a_composition_counts_when_it_ends(visit):
    one = visit("?t=once")
    before = write(one)
    one.page.locator(TEXT).select_text()
    devtools = one.context.new_cdp_session(one.page)
    sent = "watched.sent['example-text'] || 0"
    sends = one.page.evaluate(sent)
    for text in ("n", "ni", "ni h", "ni hao"):
        devtools.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
        one.page.wait_for_timeout(500)
    assert one.page.evaluate(sent) == sends
    assert entries(one) == before
    devtools.send("Input.insertText", {"text": "你好"})
    one.page.wait_for_url("**t=%E4%BD%A0%E5%A5%BD**")
    one.catch_up()
    assert len(one.numbers()["x"]) == 2
    assert entries(one) == before + 1
    devtools.detach()
