"""The promises of the stand-in and of scripted answers to clients, asked by the real SDK over real HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import httpx
import pytest

from local.model import Failure, ModelStandIn, OfflineReviewer, Reply, Script, failure, replayed, text
from local.model.answers import Request
from local.model.offline.words import CANNOT
from tests.local.model.conversation import MODEL, READ_FILES
from tests.tables import each_row


def ask(client: anthropic.Anthropic, words: str = "Hello.", **more: Any) -> anthropic.types.Message:
    message: anthropic.types.Message = client.messages.create(
        model=MODEL, max_tokens=100, messages=[{"role": "user", "content": words}], **more
    )
    return message


def answer_text(client: anthropic.Anthropic, words: str = "Hello.") -> str:
    return "".join(block.text for block in ask(client, words).content if block.type == "text")


def test_a_request_is_recorded_without_its_key(
    asking: anthropic.Anthropic, scripted: ModelStandIn, script: Script
) -> None:
    """Records can be printed and kept: the key is in none of them."""
    script.then(text("Hi."))

    ask(asking, "Hello.")

    (recorded,) = scripted.requests
    assert (recorded.path, recorded.status) == ("/v1/messages", 200)
    assert recorded.body["messages"] == [{"role": "user", "content": "Hello."}]
    assert recorded.headers["authorization"] == "redacted"
    assert "sk-of-nobody" not in str(recorded)
    assert recorded.usage is not None
    assert recorded.milliseconds > 0


VERSION = {"anthropic-version": "2023-06-01"}


@each_row(
    ("headers", "status", "message"),
    [
        ({"authorization": "Bearer k", **VERSION}, 200, None),
        ({"x-api-key": "k", **VERSION}, 200, None),
        ({"authorization": "", **VERSION}, 401, "x-api-key header is required"),
        (VERSION, 401, "x-api-key header is required"),
        ({"x-api-key": "k"}, 400, "anthropic-version: header is required"),
    ],
)
def test_a_key_and_a_version_are_required(
    scripted: ModelStandIn, script: Script, headers: Mapping[str, str], status: int, message: str | None
) -> None:
    """The key in either header; what is missing is named, and remembered."""
    script.then(text("Hi."))
    body = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "Hello."}]}

    answer = httpx.post(f"{scripted.url}/v1/messages", json=body, headers=headers, trust_env=False)

    assert (answer.status_code, answer.json().get("error", {}).get("message")) == (status, message)
    assert [*scripted.violations] == ([f"POST /v1/messages: {message}"] if message else [])
    scripted.violations.clear()


def test_no_model_is_listed(scripted: ModelStandIn) -> None:
    """It answers for any; the question, by which a key is tried, is allowed."""
    listed = httpx.get(f"{scripted.url}/v1/models", headers={"x-api-key": "k", **VERSION}, trust_env=False)

    assert (listed.status_code, listed.json()["data"], [*scripted.violations]) == (200, [], [])


def test_an_answer_of_a_real_api_is_given_as_it_was(asking: anthropic.Anthropic, script: Script) -> None:
    """The recorded ids, model and usage are kept."""
    content = [{"type": "tool_use", "id": "toolu_7", "name": "read_files", "input": {"files": [{"path": "a.py"}]}}]
    usage = {"input_tokens": 7, "output_tokens": 900}
    message = {"id": "msg_7", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "usage": usage}
    script.then(replayed({**message, "content": content, "stop_reason": "tool_use", "stop_sequence": None}))

    answer = ask(asking, tools=[READ_FILES])

    assert (answer.id, answer.model, answer.usage.output_tokens) == ("msg_7", "claude-opus-5-5", 900)
    assert answer.content[0].model_dump(include={"type", "id", "name", "input"}) == content[0]


def test_requests_at_one_time_are_answered_at_one_time(asking: anthropic.Anthropic, script: Script) -> None:
    """Two requests are both under way before either is answered."""
    meeting = threading.Barrier(2, timeout=20)

    def meet(_: Request) -> Reply:
        meeting.wait()
        return text("Hi.")

    script.then(meet, meet)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(answer_text, [asking] * 2)) == ["Hi."] * 2


def test_stopping_ends_answers_that_are_still_delayed(script: Script) -> None:
    """A stand-in that stops leaves no client waiting, and waits for none."""
    begun = threading.Event()

    def wait(_: Request) -> Reply:
        begun.set()
        return text("too late").delayed(600)

    with ThreadPoolExecutor() as pool, anthropic.Anthropic(api_key="k", base_url="", max_retries=0) as client:
        with ModelStandIn(script.then(wait)) as running:
            asked = pool.submit(ask, client.with_options(base_url=running.url))
            assert begun.wait(20)
            stopping = time.monotonic()

        assert isinstance(asked.exception(20), anthropic.APIConnectionError)
        assert time.monotonic() - stopping < 5


FAILURES = {
    400: ("BadRequestError", "invalid_request_error"),
    401: ("AuthenticationError", "authentication_error"),
    403: ("PermissionDeniedError", "permission_error"),
    404: ("NotFoundError", "not_found_error"),
    413: ("APIStatusError", "request_too_large"),
    429: ("RateLimitError", "rate_limit_error"),
    500: ("InternalServerError", "api_error"),
    529: ("APIStatusError", "overloaded_error"),
}


@each_row(("status", "expected"), FAILURES.items(), ids=map(str, FAILURES))
def test_a_scripted_failure_raises_what_the_real_one_would(
    asking: anthropic.Anthropic, script: Script, status: int, expected: tuple[str, str]
) -> None:
    """Status, type and words arrive in Anthropic's error shape."""
    script.then(failure(status, "no luck"))
    exception, kind = expected

    with pytest.raises(getattr(anthropic, exception)) as caught:
        ask(asking)

    assert (caught.value.status_code, caught.value.type, caught.value.api_message) == (status, kind, "no luck")


def test_a_cut_connection_comes_after_the_answer_was_made(
    asking: anthropic.Anthropic, scripted: ModelStandIn, script: Script
) -> None:
    """The client cannot know that its request was answered and charged; the record does."""
    script.then(text("Lost.").cut())

    with pytest.raises(anthropic.APIConnectionError):
        ask(asking)

    (recorded,) = scripted.requests
    assert recorded.status == 0
    assert recorded.usage is not None
    assert recorded.usage.output_tokens == 2


@each_row("answer", [text("Half of it is lost.").torn(), failure(500, "no luck").torn()])
def test_an_answer_may_break_off(asking: anthropic.Anthropic, script: Script, answer: Reply | Failure) -> None:
    """It is announced whole, and the connection is closed half-way, whatever was to be said."""
    script.then(answer, text("All of it."))

    with pytest.raises(anthropic.APIConnectionError):
        ask(asking)

    assert answer_text(asking) == "All of it."


def says(words: str) -> Callable[[Request], bool]:
    return lambda request: bool(request["messages"][0]["content"] == words)


# name: (script, questions, answers)
SCRIPTS: dict[str, tuple[Callable[[], Script], Sequence[str], Sequence[str]]] = {
    "answers are given in order": (lambda: Script(text("one"), text("two")), ["a", "b"], ["one", "two"]),
    "a predicate picks its requests, whatever comes first": (
        lambda: Script(text("any")).when(says("Who?"), text("me")),
        ["What?", "Who?"],
        ["any", "me"],
    ),
    "with `always` the last answer stays for ever": (
        lambda: Script().when(lambda _: True, text("first"), text("fine"), always=True),
        ["a", "b", "c"],
        ["first", "fine", "fine"],
    ),
    "an answer may be made of the request": (
        lambda: Script(lambda request: text(request["messages"][0]["content"].upper())),
        ["hello"],
        ["HELLO"],
    ),
    "the rest goes to the other": (
        lambda: Script(otherwise=OfflineReviewer()).when(says("Who?"), text("me")),
        ["Who?", "Who?"],
        ["me", CANNOT],
    ),
}


@each_row(("make", "questions", "answers"), SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_script_decides_which_request_gets_which_answer(
    make: Callable[[], Script], questions: Sequence[str], answers: Sequence[str]
) -> None:
    """Nothing is left of it but what stays for ever."""
    script = make()
    with ModelStandIn(script) as running, anthropic.Anthropic(api_key="k", base_url=running.url) as client:
        assert [answer_text(client, question) for question in questions] == answers

    assert script.left == 0


@each_row(
    ("steps", "message", "violation"),
    [
        ([], "The script came to its end", "the script came to its end: no answer is left for a request"),
        (
            [lambda request: text(request["nothing"])],
            r"KeyError\('nothing'\)",
            "the answer could not be made: KeyError('nothing')",
        ),
    ],
)
def test_a_mistake_in_a_script_shows_at_once(
    asking: anthropic.Anthropic, scripted: ModelStandIn, script: Script, steps: Any, message: str, violation: str
) -> None:
    """A request that nobody thought of, and an exception, fail loudly and are on record; no client waits."""
    script.then(*steps)

    with pytest.raises(anthropic.InternalServerError, match=message):
        ask(asking)

    assert [*scripted.violations] == [violation]
    scripted.violations.clear()
