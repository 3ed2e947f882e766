import tempfile

import pytest
from starlette.testclient import TestClient

from app import app
from tests.app.wire import Conversation


@pytest.fixture(scope="session", autouse=True)
def uploads(tmp_path_factory):
    """Keep the files of one worker apart from those of another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("uploads")))
        yield


@pytest.fixture(scope="session")
def client():
    with TestClient(app) as client:
        yield client


@pytest.fixture
def converse(client):
    """Open sessions that are closed when the test ends."""
    conversations = []

    def open_conversation(query="", **options):
        conversations.append(Conversation(client, query, **options))
        return conversations[-1]

    yield open_conversation
    for conversation in conversations:
        conversation.close()
