"""One stand-in for the tests that only ask it, and a client of it."""

from collections.abc import Callable, Iterator, Mapping

import pytest
from anthropic import Anthropic

from local.model import ModelStandIn
from tests.local.model.conversation import Conversation, show


@pytest.fixture(scope="module")
def stand_in() -> Iterator[ModelStandIn]:
    with ModelStandIn() as running:
        yield running
        assert running.violations == []


@pytest.fixture(scope="module")
def client(stand_in: ModelStandIn) -> Iterator[Anthropic]:
    with Anthropic(api_key="a key", base_url=stand_in.url, max_retries=0) as asking:
        yield asking


Review = Callable[..., list[dict[str, object]]]


@pytest.fixture
def findings(client: Anthropic) -> Review:
    """Review one added file (or only some changed lines of it); give the findings."""

    def ask(path: str, text: str, changed: set[int] | None = None) -> list[dict[str, object]]:
        files: Mapping[str, str] = {path: text}
        shown = show(path, text, changed, "added" if changed is None else "modified")
        found: list[dict[str, object]] = Conversation(client, files).review(shown)["findings"]
        return found

    return ask
