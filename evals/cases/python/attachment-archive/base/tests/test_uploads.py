import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from helpdesk.uploads import MAX_BYTES, routes


@pytest.fixture
def client(tmp_path):
    app = FastAPI()
    app.include_router(routes(tmp_path))
    return TestClient(app)


def test_a_file_is_kept_under_its_own_name(client, tmp_path):
    answer = client.post("/tickets/7/attachments", files={"file": ("../../log.txt", b"hello")})

    assert answer.status_code == 201
    assert (tmp_path / "7" / "log.txt").read_bytes() == b"hello"


def test_a_large_file_is_refused(client):
    answer = client.post("/tickets/7/attachments", files={"file": ("big.bin", b"x" * (MAX_BYTES + 1))})

    assert answer.status_code == 413
