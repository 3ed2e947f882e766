"""A sentence is told again only when its words change."""

from shiny import reactive

from attnviz.components.inputs.sentences import heard
from tests.loops import run


def follow(numbers):
    """Say whether each number is even; give what was told on the way."""
    source = reactive.value(0)
    told = []

    @heard
    def words():
        return "even" if source() % 2 == 0 else "odd"

    @reactive.effect
    def tell():
        told.append(words())

    async def feed():
        await reactive.flush()
        for number in numbers:
            async with reactive.lock():
                source.set(number)
                await reactive.flush()

    run(feed())
    tell.destroy()
    return told


def test_new_words_are_told():
    assert follow([1, 2, 3]) == ["even", "odd", "even", "odd"]


def test_the_same_words_are_not_told_again():
    assert follow([2, 4, 7, 11, 13]) == ["even", "odd"]


def test_a_sentence_keeps_its_name():
    @heard
    def point():
        return ""

    assert point.__name__ == "point"
