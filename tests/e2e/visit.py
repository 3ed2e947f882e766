"""One reader in front of a real browser: moves controls, reads what is drawn."""

import re

# The server answers in order, and a question of an unknown name is answered too.
CATCH_UP = """
() => new Promise((done) => {
  Shiny.shinyapp.makeRequest("are_you_done", [], done, done);
})
"""
TURN = """
(address) => {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}
"""
NUMBERS = """
(page) => Object.fromEntries(
  [...document.querySelectorAll(`#${page}-view [data-figure]`)].map((element) => [
    element.dataset.figure, element.attnviz.z,
  ])
)
"""
# Where the middle of a cell stands in the picture of a matrix, be it turned or folded.
PLACE = """
(one, cell) => {
  const { page, geometry } = attnviz.viewOf(one.closest("[data-graph]"));
  const panel = attnviz.panelNamed(page, one.dataset.figure);
  const drawn = panel.isTurned ? cell.toReversed() : cell;
  const [i, j] = drawn.map((at, axis) => panel.places[axis]?.indexOf(at) ?? at);
  return { x: (j + 0.5) * geometry.cell, y: (i + 0.5) * geometry.cell };
}
"""
# What of a visit no other address takes back: what stands open, is kept, or was put in
# place of something else, which its source tells. A tip and folds of controls may stay.
LEFT = """
() => {
  const { classList, dataset, style } = document.documentElement;
  const count = (selector) => document.querySelectorAll(selector).length;
  return JSON.stringify([
    [...classList].filter((name) => name !== "shiny-busy"),
    [dataset.bsTheme, style.cssText, document.adoptedStyleSheets.length],
    [localStorage.length, sessionStorage.length],
    [
      "body > :not(.tip)", "[open]:not(.more-controls)", "[data-later]", "[inert]",
      "[data-state='on']", "[aria-expanded='true']", ".is-unfolded", ".figures-page",
      "link, style, script",
    ].map(count),
    [...document.querySelectorAll(".own-data textarea")].map(({ value }) => value),
    Object.keys(window),
    Object.values(attnviz).map(String),
    [WebSocket, CanvasRenderingContext2D].map(({ prototype }) =>
      [prototype.send, prototype.fillText].map(String)),
  ]);
}
"""
STAND_BACK = """
() => {
  document.activeElement.blur();
  for (const one of document.querySelectorAll("html, .main, .figure-row")) {
    one.scrollTo({ left: 0, top: 0, behavior: "instant" });
  }
}
"""
READY = "document.documentElement.dataset.attnvizReady === 'true' && watched.isExact"
FAULTS = ".shiny-output-error, shiny-error-message, .connection, #shiny-error-console"


class Visit:
    """One reader in a tab, and every complaint about what they meet."""

    def __init__(self, tab, url):
        self.tab = tab
        self.url = url
        self.complaints = []
        self.context = tab.context
        self.page = tab.page
        self.listeners = {
            "console": self._hear,
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": self._trace,
        }
        for event, listener in self.listeners.items():
            self.page.on(event, listener)

    def open(self, query=""):
        """Load the app, and wait until its first exact picture stands."""
        self.page.goto(f"{self.url}/{query}")
        self.page.wait_for_function(READY)
        self.catch_up()
        return self

    def turn_to(self, query):
        """Go to another address in the same page, as back and forward do."""
        self.change("address", lambda: self.page.evaluate(TURN, f"/{query}"))

    def left(self):
        """Tell what no other address takes back."""
        return self.page.evaluate(LEFT)

    def stand_back(self):
        """Point at nothing, and scroll back to where a page begins."""
        self.page.mouse.move(0, 0)
        self.page.evaluate(STAND_BACK)

    def complain(self):
        """Give every complaint there was until now."""
        faults = self.page.locator(FAULTS)
        self.complaints += [text for text in faults.all_text_contents() if text]
        return self.complaints

    def close(self):
        """Leave, and give every complaint there was."""
        self.complain()
        self.tab.clear()
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        return self.complaints

    def numbers(self, page="attention"):
        """Read all matrices on screen, by name."""
        return self.page.evaluate(NUMBERS, page)

    def matrix(self, name, page="attention"):
        """Find the element of a matrix."""
        return self.page.locator(f"#{page}-view [data-figure='{name}']")

    def click_cell(self, name, row, column, page="attention"):
        """Choose a cell of a matrix, counted from 1."""
        matrix = self.matrix(name, page)
        matrix.click(position=self.place(name, row, column, page))
        self.catch_up()

    def place(self, name, row, column, page="attention"):
        """Find the middle of a cell in its matrix, in px from the upper left corner."""
        return self.matrix(name, page).evaluate(PLACE, [row - 1, column - 1])

    def change(self, name, act):
        """Move the control of an input, and wait until the answer is drawn."""
        before = self.page.evaluate("name => watched.sent[name] || 0", name)
        act()
        self.page.wait_for_function(
            "([name, before]) => (watched.sent[name] || 0) > before", arg=[name, before]
        )
        self.catch_up()

    def catch_up(self):
        """Wait until all that was sent has been answered, and the answer is drawn."""
        self.page.wait_for_function("attnviz.isQuiet()")
        self.page.evaluate(CATCH_UP)
        self.page.wait_for_function("watched.isDrawn")

    def value(self, name):
        """Read where a control stands."""
        return self.page.locator(f"#{name}").input_value()

    def until(self, name, value):
        """Wait until the server has moved a control."""
        self.page.wait_for_function(
            "([name, value]) => document.getElementById(name).value === value",
            arg=[name, value],
        )
        self.catch_up()

    def pause(self):
        """Wait until the next change starts an entry of the history of its own."""
        self.page.wait_for_function("attnviz.isAtRest()")

    def rest(self):
        """Wait until the picture is exact."""
        self.page.wait_for_function("watched.isExact")

    def slide(self, name, value):
        self.change(name, lambda: self.page.locator(f"#{name}").fill(str(value)))

    def type(self, name, text):
        self.change(name, lambda: self.page.locator(f"#{name}").fill(text))

    def choose(self, name, value):
        self.change(name, lambda: self.page.locator(f"#{name}").select_option(value))

    def press(self, name):
        self.change(name, self.page.locator(f"#{name}").click)

    def pick(self, name, value):
        option = self.page.locator(f"input[name='{name}'][value='{value}']")
        self.change(name, lambda: option.check(force=True))

    def go_to(self, page):
        """Turn to another page of the app."""
        self.change("page", self.page.locator(f"a[data-value='{page}']").click)
        self.page.locator(f"#{page}-view [data-figure]").first.wait_for()
        self.rest()

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _trace(self, request):
        if re.match(r"(https?|wss?):", request.url) and not request.url.startswith(
            self.url
        ):
            self.complaints.append(f"far request: {request.url}")
