"""What a client of the stand-in may rely on, asked by the real SDK over real HTTP."""

import threading
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic

from local.model import ModelStandIn, Script, text, tool_use, tools
from local.model.answers import Request
from tests.local.model.conversation import MODEL, READ_FILE

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
def client(stand_in: ModelStandIn) -> Iterator[Anthropic]:
    with Anthropic(api_key="sk-of-nobody", base_url=stand_in.url, max_retries=0) as asking:
        yield asking


def test_an_answer_has_the_form_of_the_sdk(client: Anthropic, script: Script) -> None:
    """The SDK reads text, tool calls, stop reason and usage from it as from the real API."""
    script.then(tools(tool_use("read_file", path="a.py"), tool_use("read_file", path="b.py"), saying="Reading."))

    answer = client.messages.create(**ASK, **TOOL)

    said, first, second = answer.content
    assert (said.type, first.type, second.type) == ("text", "tool_use", "tool_use")
    assert said.type == "text"
    assert said.text == "Reading."
    assert first.type == "tool_use"
    assert second.type == "tool_use"
    assert (first.name, first.input, second.input) == ("read_file", {"path": "a.py"}, {"path": "b.py"})
    assert first.id != second.id
    assert (answer.role, answer.model, answer.stop_reason) == ("assistant", MODEL, "tool_use")


def test_a_request_is_recorded_without_its_key(client: Anthropic, stand_in: ModelStandIn, script: Script) -> None:
    """Records can be printed and kept: the key is in none of them."""
    script.then(text("Hi."))

    client.messages.create(**ASK)

    (recorded,) = stand_in.requests
    assert (recorded.path, recorded.status, recorded.body["messages"]) == ("/v1/messages", 200, ASK["messages"])
    assert recorded.headers["authorization"] == "redacted"
    assert "sk-of-nobody" not in str(recorded)
    assert recorded.usage is not None
    assert recorded.milliseconds > 0


@pytest.mark.parametrize("name", ["authorization", "x-api-key"])
def test_a_key_in_either_header_lets_in(stand_in: ModelStandIn, script: Script, name: str) -> None:
    """Both ways of sending the key work."""
    script.then(text("Hi."))
    headers = {"authorization": "", "x-api-key": "", name: "Bearer k" if name == "authorization" else "k"}

    with Anthropic(api_key="k", base_url=stand_in.url, default_headers=headers, max_retries=0) as asking:
        answer = asking.messages.create(**ASK)

    assert answer.content[0].type == "text"


def test_without_a_key_nobody_is_let_in(stand_in: ModelStandIn) -> None:
    """A missing key is 401, and is named."""
    bare: Any = {"Authorization": anthropic.Omit()}

    with (
        Anthropic(api_key="k", base_url=stand_in.url, default_headers=bare, max_retries=0) as asking,
        pytest.raises(anthropic.AuthenticationError) as caught,
    ):
        asking.messages.create(**ASK)

    assert caught.value.type == "authentication_error"
    assert stand_in.violations == ["POST /v1/messages: x-api-key header is required"]


def test_a_request_without_version_is_refused(stand_in: ModelStandIn) -> None:
    """The API version must be stated."""
    bare = {"anthropic-version": ""}
    with (
        Anthropic(api_key="k", base_url=stand_in.url, default_headers=bare, max_retries=0) as asking,
        pytest.raises(anthropic.BadRequestError, match="anthropic-version: header is required"),
    ):
        asking.messages.create(**ASK)


def test_a_model_of_another_maker_does_not_exist(client: Anthropic) -> None:
    """A misspelt model id is 404, as it is in reality."""
    with pytest.raises(anthropic.NotFoundError, match="model: sonnet"):
        client.messages.create(**{**ASK, "model": "sonnet"})


def test_a_stream_gives_the_same_message(client: Anthropic, script: Script) -> None:
    """What is streamed adds up to the whole answer, tool calls and usage included."""
    script.then(tools(tool_use("read_file", path="ä.py"), saying="Reading ä."))

    with client.messages.stream(**ASK, **TOOL) as stream:
        words = "".join(stream.text_stream)
        whole = stream.get_final_message()

    assert words == "Reading ä."
    assert [block.type for block in whole.content] == ["text", "tool_use"]
    assert whole.content[1].type == "tool_use"
    assert whole.content[1].input == {"path": "ä.py"}
    assert (whole.stop_reason, whole.usage.output_tokens) == ("tool_use", 3 + 16)


def test_tokens_can_be_counted_beforehand(client: Anthropic, script: Script) -> None:
    """The count is the input that the message itself is charged with."""
    script.then(text("Hi."))

    counted = client.messages.count_tokens(model=MODEL, messages=ASK["messages"], system="Be brief.")
    answer = client.messages.create(**ASK, system="Be brief.")

    assert counted.input_tokens == answer.usage.input_tokens == 2 + 3


def test_the_models_are_listed(client: Anthropic) -> None:
    """The models that the deployment names are there."""
    names = [model.id for model in client.models.list()]

    assert {"claude-sonnet-5-5", "claude-haiku-5-5"} <= set(names)


def test_requests_at_one_time_are_answered_at_one_time(client: Anthropic, script: Script) -> None:
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
    """A stand-in that stops leaves no client waiting."""
    begun = threading.Event()

    def wait(_: Request) -> object:
        begun.set()
        return text("too late").delayed(600)

    running = ModelStandIn(script.then(wait)).start()  # type: ignore[arg-type]
    lost: list[Exception] = []

    def ask() -> None:
        with Anthropic(api_key="k", base_url=running.url, max_retries=0) as asking:
            try:
                asking.messages.create(**ASK)
            except anthropic.APIConnectionError as error:
                lost.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(20)
    running.stop()
    thread.join(20)

    assert len(lost) == 1
