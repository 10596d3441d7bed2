"""The API with everything outside in memory."""

import pytest

from tests.functions.proposals.scene import Api


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the template gives the function; nothing of it is reached."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


@pytest.fixture
def api() -> Api:
    return Api()
