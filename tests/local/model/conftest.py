"""A stand-in for the tests that only ask it, one that answers from a script, and clients of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import pytest

from local.model import ModelStandIn, Script
from tests.local.model.conversation import Conversation, show, show_change


@pytest.fixture(scope="module")
def stand_in() -> Iterator[ModelStandIn]:
    with ModelStandIn() as running:
        yield running
        assert running.violations == []


@pytest.fixture(scope="module")
def client(stand_in: ModelStandIn) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="a key", base_url=stand_in.url, max_retries=0) as asking:
        yield asking


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def scripted(script: Script) -> Iterator[ModelStandIn]:
    """A stand-in that answers from the script."""
    with ModelStandIn(script) as running:
        yield running


@pytest.fixture
def asking(scripted: ModelStandIn) -> Iterator[anthropic.Anthropic]:
    """A client of that stand-in."""
    with anthropic.Anthropic(api_key="sk-of-nobody", base_url=scripted.url, max_retries=0) as client:
        yield client


Review = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def findings(client: anthropic.Anthropic) -> Review:
    """Review one added file; give the findings."""

    def ask(path: str, text: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = Conversation(client, {path: text}).review(show(path, text))["findings"]
        return found

    return ask


@pytest.fixture
def brought(client: anthropic.Anthropic) -> Review:
    """Review the change of one file; give the findings."""

    def ask(before: str, after: str, path: str = "src/a.py") -> list[dict[str, Any]]:
        shown = show_change(path, before, after)
        found: list[dict[str, Any]] = Conversation(client, {path: after}).review(shown)["findings"]
        return found

    return ask
