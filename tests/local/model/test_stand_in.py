"""The promises of the stand-in to its clients, asked by the real SDK over real HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import httpx
import pytest

from local.model import ModelStandIn, Reply, Script, replayed, text
from local.model.answers import Request
from tests.local.model.conversation import MODEL, READ_FILE
from tests.tables import each_row

TOOL: dict[str, Any] = {"tools": [READ_FILE]}
ASK: dict[str, Any] = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "Hello."}]}


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def stand_in(script: Script) -> Iterator[ModelStandIn]:
    with ModelStandIn(script) as running:
        yield running


@pytest.fixture
def client(stand_in: ModelStandIn) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="sk-of-nobody", base_url=stand_in.url, max_retries=0) as asking:
        yield asking


def test_a_request_is_recorded_without_its_key(
    client: anthropic.Anthropic, stand_in: ModelStandIn, script: Script
) -> None:
    """Records can be printed and kept: the key is in none of them."""
    script.then(text("Hi."))

    client.messages.create(**ASK)

    (recorded,) = stand_in.requests
    assert (recorded.path, recorded.status, recorded.body["messages"]) == ("/v1/messages", 200, ASK["messages"])
    assert recorded.headers["authorization"] == "redacted"
    assert "sk-of-nobody" not in str(recorded)
    assert recorded.usage is not None
    assert recorded.milliseconds > 0


@each_row("name", ["authorization", "x-api-key"])
def test_a_key_in_either_header_lets_in(stand_in: ModelStandIn, script: Script, name: str) -> None:
    """Both ways of sending the key work."""
    script.then(text("Hi."))
    headers = {"authorization": "", "x-api-key": "", name: "Bearer k" if name == "authorization" else "k"}

    with anthropic.Anthropic(api_key="k", base_url=stand_in.url, default_headers=headers, max_retries=0) as asking:
        answer = asking.messages.create(**ASK)

    assert answer.content[0].type == "text"


def test_without_a_key_nobody_is_let_in(stand_in: ModelStandIn) -> None:
    """A missing key is 401, and is named."""
    bare: Any = {"Authorization": anthropic.Omit()}

    with (
        anthropic.Anthropic(api_key="k", base_url=stand_in.url, default_headers=bare, max_retries=0) as asking,
        pytest.raises(anthropic.AuthenticationError) as caught,
    ):
        asking.messages.create(**ASK)

    assert caught.value.type == "authentication_error"
    assert stand_in.violations == ["POST /v1/messages: x-api-key header is required"]


def test_a_request_without_version_is_refused(stand_in: ModelStandIn) -> None:
    """The API version must be stated."""
    bare = {"anthropic-version": ""}
    with (
        anthropic.Anthropic(api_key="k", base_url=stand_in.url, default_headers=bare, max_retries=0) as asking,
        pytest.raises(anthropic.BadRequestError, match="anthropic-version: header is required"),
    ):
        asking.messages.create(**ASK)


def test_no_model_is_listed(stand_in: ModelStandIn) -> None:
    """It answers for any; the question, by which a key is tried, is allowed."""
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}

    listed = httpx.get(f"{stand_in.url}/v1/models", headers=headers, trust_env=False)

    assert (listed.status_code, listed.json()["data"], [*stand_in.violations]) == (200, [], [])


def test_an_answer_of_a_real_api_is_given_as_it_was(client: anthropic.Anthropic, script: Script) -> None:
    """With its ids, its model and its usage: it was recorded."""
    content = [{"type": "tool_use", "id": "toolu_7", "name": "read_file", "input": {"path": "a.py"}}]
    usage = {"input_tokens": 7, "output_tokens": 900}
    message = {"id": "msg_7", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "usage": usage}
    script.then(replayed({**message, "content": content, "stop_reason": "tool_use", "stop_sequence": None}))

    answer = client.messages.create(**ASK, **TOOL)

    assert (answer.id, answer.model, answer.usage.output_tokens) == ("msg_7", "claude-opus-5-5", 900)
    assert answer.content[0].model_dump(include={"type", "id", "name", "input"}) == content[0]


def test_requests_at_one_time_are_answered_at_one_time(client: anthropic.Anthropic, script: Script) -> None:
    """Two requests are both under way before either is answered."""
    meeting = threading.Barrier(2, timeout=20)

    def meet(_: Request) -> None:
        meeting.wait()

    script.then(meet, meet)
    refused = []

    def ask() -> None:
        try:
            client.messages.create(**ASK)
        except anthropic.InternalServerError as error:
            refused.append(str(error))

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()

    assert not meeting.broken
    assert len(refused) == 2


def test_stopping_ends_answers_that_are_still_delayed(script: Script) -> None:
    """A stand-in that stops leaves no client waiting, and waits for none."""
    begun = threading.Event()

    def wait(_: Request) -> Reply:
        begun.set()
        return text("too late").delayed(600)

    with ThreadPoolExecutor() as pool, anthropic.Anthropic(api_key="k", base_url="", max_retries=0) as asking:
        with ModelStandIn(script.then(wait)) as running:
            asked = pool.submit(lambda: asking.with_options(base_url=running.url).messages.create(**ASK))
            assert begun.wait(20)
            stopping = time.monotonic()

        assert isinstance(asked.exception(20), anthropic.APIConnectionError)
        assert time.monotonic() - stopping < 5
