"""Talk to the whole app over its ASGI interface, as a browser would.

Shiny's wire format is no published interface: all that these tests know of it stands
in this file.
"""

import json
import time
from html.parser import HTMLParser

PATIENCE = 30  # seconds
SHOWN = ".clientdata_output_{}_hidden"
SOURCES = {"script": "src", "link": "href", "img": "src"}
SEARCH = ".clientdata_url_search"
OUTPUT_CLASSES = {
    "figures-page",
    "inspector",
    "shiny-text-output",
    "shiny-html-output",
}
# What a view tells of, part by part; a browser keeps what is not told again.
PARTS = ("figures", "numbers", "live")


class PageReader(HTMLParser):
    """Collect what a page loads, its outputs, and its inputs as they stand."""

    def __init__(self):
        super().__init__()
        self.sources = []
        self.outputs = []
        self.inputs = {}
        self._filled = None

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        classes = set((found.get("class") or "").split())
        self._read_source(tag, found)
        if tag in ("select", "textarea"):
            self._start_filling(found.get("id"))
        elif tag == "option" and "selected" in found and self._filled:
            self.inputs[self._filled] = found["value"]
        elif "action-button" in classes:
            self.inputs[f"{found['id']}:shiny.action"] = 0
        elif tag == "input":
            self._read_input(found)
        elif OUTPUT_CLASSES & classes:
            self.outputs.append(found["id"])

    def handle_endtag(self, tag):
        if tag in ("select", "textarea"):
            self._filled = None

    def handle_data(self, data):
        if self._filled and self.get_starttag_text().startswith("<textarea"):
            self.inputs[self._filled] += data

    def _read_source(self, tag, found):
        if tag in SOURCES and SOURCES[tag] in found:
            self.sources.append(found[SOURCES[tag]])
        elif found.get("content", "").endswith(".js"):
            self.sources.append(found["content"])

    def _start_filling(self, name):
        self._filled = name
        if name:  # else only scripts of the page listen to it
            self.inputs[name] = ""

    def _read_input(self, found):
        kind, name = found["type"], found.get("id")
        if kind == "radio" and "checked" in found:
            self.inputs[found["name"]] = found["value"]
        elif name is None:
            return  # scripts of the page listen to it, Shiny does not
        elif kind == "checkbox":
            self.inputs[name] = "checked" in found
        elif kind == "range":
            self.inputs[name] = json.loads(found["value"])
        elif kind in ("text", "number"):
            self.inputs[name] = found.get("value", "")


def read_page(client, query="", **headers):
    """Load the page as HTML, and read it."""
    response = client.get(f"/{query}", headers=headers)
    assert response.status_code == 200
    reader = PageReader()
    reader.feed(response.text)
    return reader


class Conversation:
    """One reader's session, with one page of the app in view."""

    def __init__(self, client, query="", *, page="attention", **headers):
        reader = read_page(client, query, **headers)
        self.inputs = {**reader.inputs, "page": page}
        self.outputs = reader.outputs
        self.values = {}
        self.address = {}
        self.routes = {}
        self.moved = {}
        self._tag = 0
        self._inserted = []
        self._client = client
        self._socket = client.websocket_connect("/websocket/", headers=headers)
        self._socket.__enter__()
        shown = {SHOWN.format(name): False for name in self.outputs}
        self._ask("init", data={**self.inputs, SEARCH: query, **shown})
        self._bind()

    def close(self):
        self._socket.__exit__(None, None, None)

    def send(self, changes):
        """Move controls; give the values that answer."""
        self.inputs |= changes
        values = self._ask("update", data=changes)
        return values | self._bind()

    def press(self, button):
        """Press a button; give the values that answer."""
        name = f"{button}:shiny.action"
        return self.send({name: self.inputs[name] + 1})

    def upload(self, name, files):
        """Send files as a file input does; give the values that answer."""
        infos = [{"name": file, "size": 0, "type": "x"} for file in files]
        job = self._question("uploadInit", [infos])
        for content in files.values():
            answer = self._client.post(f"/{job['uploadUrl']}", content=content)
            assert answer.status_code == 200
        return self._ask("uploadEnd", args=[job["jobId"], name], tag=0)

    def listen(self, *names):
        """Wait for values that are worked out aside; give all that come until then."""
        values = {}
        deadline = time.monotonic() + PATIENCE
        while not values.keys() & set(names):
            assert time.monotonic() < deadline, f"{names} never came"
            time.sleep(0.01)
            values |= self._ask("update", data={})
        return values

    def echo(self):
        """Send back where the server moved the controls, as a browser does."""
        moved = {
            name: value[0] if isinstance(value, list) else value
            for name, message in self.moved.items()
            for key, value in message.items()
            if key == "value"
        }
        return self.send(moved)

    def _bind(self):
        """Take in what was put on the page, as a browser does; give what answers."""
        values = {}
        while self._inserted:
            reader = PageReader()
            reader.feed(self._inserted.pop())
            self.inputs |= reader.inputs
            self.outputs += reader.outputs
            shown = {SHOWN.format(name): False for name in reader.outputs}
            values |= self._ask("update", data={**reader.inputs, **shown})
        return values

    def _question(self, method, args):
        """Ask, and give the answer itself."""
        self._tag += 1
        self._write({"method": method, "tag": self._tag, "args": args})
        while (message := self._read()).get("response", {}).get("tag") != self._tag:
            pass
        return message["response"]["value"]

    def _ask(self, method, **message):
        """Send, and take in all that comes before the answer to a question behind it.

        The server answers in order, and a question of an unknown name is answered too.
        """
        self._tag += 1
        self._write({"method": method, **message})
        self._write({"method": "are_you_done", "tag": self._tag, "args": []})
        values, self.moved, self.n_heard = {}, {}, 0
        while (message := self._read()).get("response", {}).get("tag") != self._tag:
            self.n_heard += 1
            assert not message.get("errors"), message["errors"]
            values |= self._completed(message.get("values", {}))
            sent = message.get("inputMessages", [])
            self.moved |= {one["id"]: one["message"] for one in sent}
            custom = message.get("custom", {})
            if "shiny-insert-ui" in message:
                self._inserted.append(message["shiny-insert-ui"]["content"]["html"])
            if "attnviz-export" in custom:
                offer = custom["attnviz-export"]
                self.routes[offer["menu"]] = offer["route"]
            self.address = custom.get("attnviz-address", {}).get("query", self.address)
        return values

    def _completed(self, values):
        """Put what is new in a view to what is known of it, as a browser does."""
        for name, view in values.items():
            if not name.endswith("-view"):
                continue
            before = self.values.get(name, {})
            for part in PARTS:
                told = {**before.get(part, {}), **view[part]}
                view[part] = {key: one for key, one in told.items() if one is not None}
        # Two views may come before one question is answered.
        self.values |= values
        return values

    def _write(self, message):
        self._socket.send_text(json.dumps(message))

    def _read(self):
        return json.loads(self._socket.receive_text())
