import io
import zipfile

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from helpdesk.uploads import MAX_BYTES, MAX_MEMBERS, MAX_UNPACKED_BYTES, routes


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


def packed(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return file.getvalue()


def unpack(client, content):
    return client.post("/tickets/7/attachments/archive", files={"file": ("logs.zip", content)})


def test_an_archive_is_unpacked_with_its_folders(client, tmp_path):
    answer = unpack(client, packed(readme=b"first", logs__app=b"second"))

    assert answer.json() == {"names": ["readme", "logs/app"]}
    assert (tmp_path / "7" / "logs" / "app").read_bytes() == b"second"
    assert client.get("/tickets/7/attachments").json() == ["logs/app", "readme"]


def test_an_archive_of_too_many_files_is_refused(client):
    answer = unpack(client, packed(**{f"file{number}": b"" for number in range(MAX_MEMBERS + 1)}))

    assert answer.status_code == 413


def test_nothing_is_unpacked_of_an_archive_that_is_too_large(client):
    answer = unpack(client, packed(small=b"x", large=b"x" * MAX_UNPACKED_BYTES))

    assert answer.status_code == 413
    assert client.get("/tickets/7/attachments").json() == []


def test_what_is_no_archive_is_refused(client):
    answer = unpack(client, b"hello")

    assert answer.status_code == 400 or 415
