"""Tabs of a real browser: kept from visit to visit, warm and as good as new."""

import base64

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
    window.$?.(document).on("shiny:value", ({ target }) => {
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
# What the page keeps goes as it is left, after all that the page does then.
FORGET = """
addEventListener("pagehide", () => {
  localStorage.clear();
  sessionStorage.clear();
});
"""
# Plotly takes half of a visit. Where nobody looks at colours, this stands in.
PLOTLY = "*/plotly.min.js"
STAND_IN = "window.Plotly = { react: async () => {} };"
SIZE = (1920, 1080)
LOCALES = {"en": "en-US", "zh": "zh-CN"}


class Tab:
    """A page in a context of its own.

    Size, theme and motion can change with each visit. Language, delay and the further
    options of the context are those that it was opened with.
    """

    def __init__(self, browser, *, language="en", delay=None, **options):
        self.opened = {"language": language, "delay": delay, **options}
        self.context = browser.new_context(locale=LOCALES[language], **options)
        self.page = self.context.new_page()
        if delay:
            self.page.add_init_script(f"{FAR}({delay});")
        self.page.add_init_script(WATCH)
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.on("Fetch.requestPaused", self._stand_in)
        self.dress()

    def dress(self, size=SIZE, theme="light", motion=None, exact=True):
        """Take on what a visit wants, before it begins."""
        width, height = size
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(
            color_scheme=theme, reduced_motion=motion or "no-preference"
        )
        if exact:
            self.devtools.send("Fetch.disable")
        else:
            # Unlike a route of Playwright's this leaves the cache in force.
            self.devtools.send("Fetch.enable", {"patterns": [{"urlPattern": PLOTLY}]})

    def clear(self):
        """Leave the app, and nothing that the next visit could find."""
        self.page.unroute_all()
        self.page.mouse.move(0, 0)
        self.page.evaluate(FORGET)
        self.page.goto("about:blank")
        for page in self.context.pages:
            if page != self.page:
                page.close()
        self.context.clear_permissions()
        self.devtools.send("Page.resetNavigationHistory")

    def _stand_in(self, request):
        answer = {
            "requestId": request["requestId"],
            "responseCode": 200,
            "responseHeaders": [{"name": "Content-Type", "value": "text/javascript"}],
            "body": base64.b64encode(STAND_IN.encode()).decode(),
        }
        self.devtools.send("Fetch.fulfillRequest", answer)


class Tabs:
    """The tabs that nobody uses at present.

    Attributes
    ----------
    browser : Browser
        What they belong to.
    free : list of Tab
        Those that have left the app.
    looks : dict
        Visits of those that stayed in it, by what they were opened with.
    """

    def __init__(self, browser):
        self.browser = browser
        self.free = []
        self.looks = {}

    def lend(self, *, language="en", delay=None, **options):
        """Give a tab that was opened like this, if need be a new one."""
        wanted = {"language": language, "delay": delay, **options}
        for tab in self.free:
            if tab.opened == wanted:
                self.free.remove(tab)
                return tab
        return Tab(self.browser, **wanted)

    def take_back(self, tab):
        """Keep a tab for the next who wants one like it."""
        self.free.append(tab)
