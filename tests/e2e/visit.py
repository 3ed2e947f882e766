"""One reader in front of a real browser: moves controls, reads what is drawn."""

import re

# What the page is watched for: which inputs it has sent, and what it has painted.
WATCH = """
(() => {
  const watched = (window.watched = { sent: {}, isDrawn: false, isExact: false });
  watched.messages = 0;
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    watched.messages += 1;
    const { method, data } = JSON.parse(text);
    for (const key of Object.keys((method === "update" && data) || {})) {
      const name = key.split(":")[0];
      watched.sent[name] = (watched.sent[name] || 0) + 1;
    }
    return send.call(this, text);
  };
  document.addEventListener("attnviz:painted", ({ detail }) => {
    watched.isDrawn = true;
    watched.isExact = detail.exact;
  });
  document.addEventListener("DOMContentLoaded", () => {
    $(document).on("shiny:value", ({ target }) => {
      if (target.classList.contains("figures-page")) watched.isDrawn = false;
    });
  });
})();
"""
# A server far away: every message takes its time, both ways.
FAR = """
((delay) => {
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    setTimeout(() => send.call(this, text), delay);
  };
  const hearing = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    ...hearing,
    set(hear) {
      const late = (event) => setTimeout(() => hear.call(this, event), delay);
      hearing.set.call(this, late);
    },
  });
})
"""
# The server answers in order, and a question of an unknown name is answered too.
CATCH_UP = """
() => new Promise((done) => {
  Shiny.shinyapp.makeRequest("are_you_done", [], done, done);
})
"""
NUMBERS = """
(page) => Object.fromEntries(
  [...document.querySelectorAll(`#${page}-view [data-figure]`)].map((element) => [
    element.dataset.figure, element.attnviz.z,
  ])
)
"""
CELL = "(one) => attnviz.viewOf(one.closest('[data-graph]')).geometry.cell"
# Plotly takes two thirds of a visit. Where nobody looks at colours, this stands in.
STAND_IN = "window.Plotly = { react: async () => {} };"
READY = "document.documentElement.dataset.attnvizReady === 'true' && watched.isExact"
SIZE = (1920, 1080)
FAULTS = ".shiny-output-error, shiny-error-message, .connection, #shiny-error-console"


class Visit:
    """A fresh browser context on the app, and every complaint about it."""

    def __init__(
        self,
        browser,
        url,
        *,
        language="en",
        theme="light",
        size=(1920, 1080),
        exact=True,
        delay=0,
        **options,
    ):
        width, height = size
        self.url = url
        self.complaints = []
        self.context = browser.new_context(
            locale={"en": "en-US", "zh": "zh-CN"}[language],
            color_scheme=theme,
            viewport={"width": width, "height": height},
            **options,
        )
        self.page = self.context.new_page()
        if delay:
            self.page.add_init_script(f"{FAR}({delay});")
        self.page.add_init_script(WATCH)
        if not exact:
            self.page.route("**/plotly.min.js", _stand_in)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._trace)

    def open(self, query=""):
        """Load the app, and wait until its first exact picture stands."""
        self.page.goto(f"{self.url}/{query}")
        self.page.wait_for_function(READY)
        self.catch_up()
        return self

    def close(self):
        """Leave, and give every complaint there was."""
        faults = self.page.locator(FAULTS)
        self.complaints += [text for text in faults.all_text_contents() if text]
        self.context.close()
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
        cell = matrix.evaluate(CELL)
        x, y = (column - 0.5) * cell, (row - 0.5) * cell
        matrix.click(position={"x": x, "y": y})
        self.catch_up()

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


def _stand_in(route):
    route.fulfill(body=STAND_IN, content_type="text/javascript")
