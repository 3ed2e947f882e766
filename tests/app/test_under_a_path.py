"""The app lives wherever a proxy or another app puts it."""

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from app import app
from tests.app.wire import Conversation, read_page

PLACE = "/nlp/attnviz"
FOUND = "example-own_found"
OWN = b"0.25,0.75\n1,0\n"


class Under(TestClient):
    """A client for whom all addresses of the app stand under a path."""

    def __init__(self, served, **options):
        super().__init__(served, base_url=f"http://testserver{PLACE}", **options)

    def websocket_connect(self, url, *rest, **options):
        return super().websocket_connect(f"{PLACE}{url}", *rest, **options)


CLIENTS = {
    "within another app": lambda: Under(Starlette(routes=[Mount(PLACE, app=app)])),
    # As `uvicorn --root-path` has it, behind a proxy that takes the path off.
    "by a root path": lambda: Under(app, root_path=PLACE),
}


@pytest.fixture(params=CLIENTS.values(), ids=CLIENTS)
def under(request, client):
    return request.param()


def test_page_files_socket_exports_and_uploads_work_there(under):
    reader = read_page(under)
    answers = [under.get(f"/{source}").status_code for source in reader.sources]
    assert answers == [200] * len(answers)
    one = Conversation(under, "?n=3")
    address = f"/{one.routes['attention-export-menu']}&form=json"
    assert under.get(address).json()["matrices"]["x"]["shape"] == [3, 8]
    said = one.upload("example-own_file", {"a.csv": OWN})
    if FOUND not in said:  # it is read aside
        said = one.listen(FOUND)
    assert 'data-matrix="weights"' in said[FOUND]["html"]
    one.press("example-own_use")
    document = under.get(address).json()["matrices"]["weights"]["values"]
    np.testing.assert_array_equal(document, [[[0.25, 0.75], [1, 0]]])
    one.close()


def test_a_missing_slash_leads_to_the_page_with_what_it_was_asked():
    outer = TestClient(Starlette(routes=[Mount(PLACE, app=app)]))
    answer = outer.get(f"{PLACE}?n=7&lang=zh", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"].endswith(f"{PLACE}/?n=7&lang=zh")


def test_no_address_that_the_app_tells_leaves_the_path_it_lives_under(client):
    one = Conversation(client)
    told = [*read_page(client).sources, *one.routes.values()]
    job = one._question("uploadInit", [[{"name": "a.csv", "size": 1, "type": "x"}]])
    told.append(job["uploadUrl"])
    one.close()
    assert len(told) > 9
    assert [one for one in told if one.startswith("/") or ":" in one] == []
