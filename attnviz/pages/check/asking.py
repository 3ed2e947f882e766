"""What is asked: the inputs, the result, and what was meant."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from shiny import Inputs, Session, reactive, ui

from attnviz.components.sidebar.controls import Chosen, Controls
from attnviz.components.sidebar.uploads import take_uploads
from attnviz.core.errors import SettingError
from attnviz.example.check.brought import Brought
from attnviz.example.check.kinds import KIND_RULES
from attnviz.example.check.making import make_result, printed
from attnviz.example.check.settings import CheckSettings
from attnviz.example.compute import EXAMPLES
from attnviz.example.reading.result import Comma
from attnviz.example.settings import Example
from attnviz.example.sources.fixed import GivenWeights
from attnviz.pages.check.desk import COMMAS, move_desk, read_desk
from attnviz.pages.check.work import Asked, Sent


def made_text(example: Example, settings: CheckSettings) -> str:
    """Write down the result that the page computes itself; nothing if it need not.

    Raises
    ------
    SettingError
        If the mistake cannot be made with this example.
    """
    if not settings.made:
        return ""
    kind, values = make_result(example, settings)
    return printed(values, KIND_RULES[kind].symbol)


def with_inputs(chosen: Chosen) -> Chosen:
    """Give what weights alone are compared with: the preset that they came after."""
    if isinstance(chosen.example.fixed, GivenWeights):
        return Chosen(chosen.preset, EXAMPLES[chosen.preset])
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """What one session asks.

    Attributes
    ----------
    controls : Controls
        The sidebar.
    settings : reactive.Value
        What was meant.
    sent : reactive.Value
        What was pasted or uploaded last.
    wrong : reactive.Value
        What cannot be, of all that was typed.
    chosen : callable
        Reads the example that gives the inputs, with its preset.
    """

    controls: Controls
    settings: reactive.Value[CheckSettings]
    sent: reactive.Value[Sent | None]
    wrong: reactive.Value[SettingError | None]
    chosen: Callable[[], Chosen]

    def made(self) -> str | SettingError:
        """Write down what the page computes in place of a reader."""
        try:
            return made_text(self.chosen().example, self.settings())
        except SettingError as error:
            return error

    def question(self) -> Asked | None:
        """Read what is to be judged; None while there is no result."""
        result, text = self.sent(), self.made()
        if isinstance(text, SettingError):
            return None
        if text:
            result = Sent(lambda: [(text, "")])
        elif result is None:
            result = _brought(self.controls.chosen().example)
        if result is None:
            return None
        return Asked(self.chosen().example, self.settings(), result)

    def problem(self) -> SettingError | None:
        """Read what keeps a question from being asked, if anything."""
        text = self.made()
        return text if isinstance(text, SettingError) else self.wrong()

    def put(self, result: Sent | None) -> None:
        """Take a result of the reader's own."""
        self.sent.set(result)
        self.wrong.set(None)
        if self.settings().made:
            self.settings.set(replace(self.settings(), made=""))


def follow_asking(
    input: Inputs,
    session: Session,
    controls: Controls,
    restored: Callable[[], CheckSettings | None],
    start: CheckSettings,
) -> Asking:
    """Follow the field, the files and the controls.

    Parameters
    ----------
    input, session
        Shiny's own, of the page.
    restored : callable
        Reads the settings that back or forward brought, if any.
    start : CheckSettings
        What the page was opened with.
    """
    asking = Asking(
        controls,
        reactive.value(start, name="settings"),
        reactive.value(None, name="sent"),
        reactive.value(None, name="wrong"),
        _before_weights(controls),
    )
    _follow_field(input, session, asking)
    _follow_buttons(input, session, asking)
    _follow_desk(input, session, asking, restored)
    return asking


def _before_weights(controls: Controls) -> Callable[[], Chosen]:
    """Follow the example; weights alone are a result of the one before them."""
    last: Chosen | None = None

    @reactive.calc
    def chosen() -> Chosen:
        nonlocal last
        now = controls.chosen()
        if last is None or not isinstance(now.example.fixed, GivenWeights):
            last = with_inputs(now)
        return last

    return chosen


def _brought(example: Example) -> Sent | None:
    """Take weights that came as own data for a result."""
    fixed = example.fixed
    weights = (
        fixed.weights if isinstance(fixed, GivenWeights) else example.brought_weights
    )
    if weights is None:
        return None
    return Sent(tuple, brought=Brought({"weights": weights}))


def _follow_field(input: Inputs, session: Session, asking: Asking) -> None:
    """Take what is typed, pasted or uploaded, and write what the page computes."""
    steering = asking.controls.steering

    @reactive.effect
    def write_made() -> None:
        text = asking.made()
        with reactive.isolate():
            is_there = text == str(input.text())
        if isinstance(text, str) and text and not is_there:
            ui.update_text_area("text", value=text, session=session)
            steering.moved()

    @reactive.effect
    @reactive.event(input.text, ignore_init=True)
    def take_text() -> None:
        text = str(input.text())
        is_echo = bool(text) and text == asking.made()
        if steering.is_done() and not is_echo:
            asking.put(Sent(lambda: [(text, "")]) if text.strip() else None)

    @reactive.effect
    @reactive.event(input.file)
    def take_files() -> None:
        asking.put(Sent(partial(take_uploads, input.file())))


def _follow_buttons(input: Inputs, session: Session, asking: Asking) -> None:
    """Ask once more, with other commas, or begin anew."""

    @reactive.effect
    @reactive.event(input.use)
    def use() -> None:
        if asking.question() is None:
            asking.wrong.set(SettingError("check_nothing"))

    @reactive.effect
    @reactive.event(input.clear)
    def clear() -> None:
        ui.update_text_area("text", value="", session=session)
        asking.put(None)

    def follow(comma: Comma) -> None:
        @reactive.effect
        @reactive.event(input[f"comma_{comma}"])
        def take() -> None:
            before = asking.sent()
            if before is not None:
                asking.sent.set(Sent(before.take, comma))

    for comma in COMMAS:
        follow(comma)


def _follow_desk(
    input: Inputs,
    session: Session,
    asking: Asking,
    restored: Callable[[], CheckSettings | None],
) -> None:
    """Read what was meant, and move the controls where an address has them."""
    steering = asking.controls.steering

    @reactive.effect
    def follow_controls() -> None:
        if not steering.is_done():
            return
        with reactive.isolate():
            before = asking.settings()
        try:
            now = read_desk(input, before.made)
        except SettingError as error:
            asking.wrong.set(error)
            return
        if now != before:
            asking.settings.set(now)
            asking.wrong.set(None)

    @reactive.effect
    @reactive.event(restored)
    def restore() -> None:
        back = restored()
        if back is not None:
            asking.settings.set(back)
            move_desk(session, back)
            steering.moved()
