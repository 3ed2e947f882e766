"""What a browser does for a walk, whatever the protocol that drives it."""

import json
import time
from abc import ABC, abstractmethod

PATIENCE = 60  # seconds
# Keys by their names, as both protocols write them.
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowRight": "\ue014"}


class Driven(ABC):
    """One tab of a browser."""

    @abstractmethod
    def go(self, url):
        """Load an address."""

    @abstractmethod
    def back(self):
        """Go back one step in the history."""

    @abstractmethod
    def evaluate(self, script):
        """Run a script, and give the text that it returns."""

    @abstractmethod
    def act(self, actions):
        """Move the pointer, or press keys, as WebDriver writes it."""

    def ask(self, expression):
        """Give the value of an expression."""
        return json.loads(self.evaluate(f"return JSON.stringify({expression}) ?? null"))

    def until(self, expression):
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.ask(f"Boolean({expression})"):
            assert time.monotonic() < end, f"never came: {expression}"
            time.sleep(0.05)

    def click(self, x, y):
        """Click a place of the window, in px from its upper left corner."""
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "mouse", "actions": moves}
        self.act([{**pointer, "parameters": {"pointerType": "mouse"}}])

    def press(self, *keys):
        """Press keys, one after the other."""
        strokes = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self.act([{"type": "key", "id": "keyboard", "actions": strokes}])
