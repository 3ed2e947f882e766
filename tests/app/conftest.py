import pytest
from starlette.testclient import TestClient

from app import app
from tests.app.wire import Conversation


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
