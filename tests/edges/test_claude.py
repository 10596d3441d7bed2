"""The edge to Claude over real HTTP: every way in which an answer can end."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from kodiai.core.errors import Broken, Overloaded, Retry
from kodiai.core.model.messages import (
    CacheLifetime,
    Message,
    ModelAnswer,
    ModelRequest,
    OpaqueBlock,
    Text,
    Tool,
    ToolResult,
    ToolUse,
    user_message,
)
from kodiai.edges.claude import Claude
from local.model import ModelStandIn, Script, failure, text, tool_use, tools
from tests.raw_server import RawAnswer, raw_answer, serving
from tests.tables import each_row

TOOL = Tool("look", "Look.", {"type": "object", "properties": {}})
CHANGE = user_message("Here is the change.")


@pytest.fixture(scope="module")
def script() -> Script:
    return Script()


@pytest.fixture(scope="module")
def model(script: Script) -> Iterator[ModelStandIn]:
    with ModelStandIn(script) as running:
        yield running


def ask(model: ModelStandIn, timeout: float = 5.0, **more: Any) -> ModelAnswer:
    answer = ask_at(model.url, timeout, **more)
    assert model.violations == []
    return answer


def ask_at(url: str, timeout: float = 5.0, **more: Any) -> ModelAnswer:
    question: dict[str, Any] = {
        "model": "claude-sonnet-5-5",
        "system": "Review.",
        "messages": (CHANGE,),
        "answer_tokens": 1_000,
        "effort": "low",
        **more,
    }
    with Claude(SecretStr("key"), url) as claude:
        return claude.answer(ModelRequest(**question), timeout)


def test_an_answer_comes_with_its_usage(model: ModelStandIn, script: Script) -> None:
    """Tokens are the API's, prompt characters are those that were sent as text."""
    script.then(text("Looks good."))

    answer = ask(model)

    assert (answer.text, answer.stop_reason) == ("Looks good.", "end_turn")
    assert answer.model == "claude-sonnet-5-5"
    assert answer.usage.calls == 1
    assert answer.usage.input_tokens > 0
    assert answer.usage.output_tokens > 0
    assert answer.usage.prompt_characters == len("Review.") + len("Here is the change.")


def test_the_wish_to_use_tools_is_data_and_can_be_sent_back(model: ModelStandIn, script: Script) -> None:
    """The model's words go back to it unchanged, with the results behind them."""
    script.then(tools(tool_use("look"), tool_use("look"), saying="I look twice."), text("Done."))
    first = ask(model, tools=(TOOL,))

    results = tuple(ToolResult(use.id, "x") for use in first.tool_uses)
    messages = (CHANGE, Message("assistant", first.blocks), Message("user", results))
    second = ask(model, tools=(TOOL,), messages=messages)

    assert (first.stop_reason, len(first.tool_uses), second.text) == ("tool_use", 2, "Done.")


@pytest.mark.parametrize("status", [400, 413])
def test_a_question_that_is_more_than_the_model_holds_has_an_empty_answer(
    model: ModelStandIn, script: Script, status: int
) -> None:
    """It is data: the same question would be too long again."""
    script.then(failure(status, "prompt is too long: 1200000 tokens > 1000000 maximum"))

    answer = ask(model)

    assert (answer.text, answer.stop_reason) == ("", "model_context_window_exceeded")
    assert (answer.usage.calls, answer.usage.input_tokens) == (1, 0)


def test_the_effort_is_sent_to_all_models_that_take_one(model: ModelStandIn, script: Script) -> None:
    """Next to the room for an answer there is one for the thinking, which counts toward the same limit."""
    script.then(text("Done."), text("Done."))

    ask(model, effort="high")
    ask_at(model.url, model="eu.anthropic.claude-haiku-4-5-20251001-v1:0")

    high, none = (request.body for request in model.requests[-2:])
    assert (high["output_config"], high["max_tokens"]) == ({"effort": "high"}, 17_000)
    assert ("output_config" in none, none["max_tokens"]) == (False, 5_000)


def test_thinking_goes_back_behind_exactly_what_it_came_behind(model: ModelStandIn, script: Script) -> None:
    """The marks of the cache are no content; with another system prompt, tool, text or model it is left out."""
    script.then(tools(tool_use("look")).after_thinking(300))
    first = ask(model, tools=(TOOL,))
    turns = Message("assistant", first.blocks), Message("user", (ToolResult(first.tool_uses[0].id, "x"),))
    marked = Message("user", (Text("Here is the change.", ends_prefix=True),))

    def sent(*messages: Message, **more: Any) -> list[str]:
        script.then(text("Done."))
        ask_at(model.url, messages=messages, **{"tools": (TOOL,), **more})
        assert model.violations == []
        return [block["type"] for block in model.requests[-1].body["messages"][1]["content"]]

    assert first.usage.thinking_tokens == 300
    assert first.usage.output_tokens > 300
    assert sent(CHANGE, *turns) == sent(marked, *turns, cached_for="1h", effort="max") == ["thinking", "tool_use"]
    assert sent(user_message("Here is another change."), *turns) == ["tool_use"]
    assert sent(CHANGE, *turns, system="Look.") == ["tool_use"]
    assert sent(CHANGE, *turns, tools=(TOOL, replace(TOOL, name="search"))) == ["tool_use"]
    assert sent(CHANGE, *turns, model="claude-opus-5-5") == ["tool_use"]


def test_thinking_behind_thinking_or_text_that_was_changed_is_left_out(model: ModelStandIn, script: Script) -> None:
    """A token that the model repeats is masked on its way back: what it thought after that came behind the token."""
    token = "ghp_" + "a1B2" * 9
    script.then(tools(tool_use("look"), saying=f"It is {token}."), tools(tool_use("look")), text("Done."))
    messages: tuple[Message, ...] = (CHANGE,)
    for _ in range(2):
        answer = ask(model, tools=(TOOL,), messages=messages)
        results = tuple(ToolResult(use.id, "x") for use in answer.tool_uses)
        messages = (*messages, Message("assistant", answer.blocks), Message("user", results))

    ask(model, tools=(TOOL,), messages=messages)
    with_both = model.requests[-1].body["messages"]
    script.then(text("Done."))
    without = replace(messages[1], blocks=messages[1].blocks[1:])
    ask(model, tools=(TOOL,), messages=(messages[0], without, *messages[2:]))

    assert [turn["content"][0]["type"] for turn in with_both[1::2]] == ["thinking", "thinking"]
    assert token not in json.dumps(with_both)
    left = model.requests[-1].body["messages"]
    assert [turn["content"][0]["type"] for turn in left[1::2]] == ["text", "tool_use"]


def test_a_conversation_that_has_used_its_tools_up_may_use_no_more(model: ModelStandIn, script: Script) -> None:
    """The tools stay declared, as their results in the conversation demand."""
    script.then(text("Done."))

    ask(model, tools=(TOOL,), tools_allowed=False)

    assert model.requests[-1].body["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize(("cached_for", "hour"), [("5m", 0), ("1h", 5_000)])
def test_the_prefix_of_a_question_is_cached_as_long_as_it_says(
    model: ModelStandIn, script: Script, cached_for: CacheLifetime, hour: int
) -> None:
    """System prompt and texts; what tools showed is kept for the shorter time, and the usage tells them apart."""
    script.then(text("Done."))
    turns = (
        Message("user", (Text(cached_for * 8_000, ends_prefix=True),)),
        Message("assistant", (ToolUse("t1", "look", {}),)),
        Message("user", (ToolResult("t1", "b" * 8_000, ends_prefix=True),)),
    )

    used = ask(model, system="c" * 4_000, messages=turns, tools=(TOOL,), cached_for=cached_for).usage

    assert round(used.hour_write_tokens, -3) == hour
    assert round(used.cache_write_tokens, -3) == 7_000


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_an_answer_that_is_cut_short_or_declined_is_data(model: ModelStandIn, script: Script, reason: Any) -> None:
    """The part that came can still be used."""
    script.then(text("The first half", reason))

    answer = ask(model)

    assert (answer.text, answer.stop_reason) == ("The first half", reason)


@pytest.mark.parametrize(
    ("status", "retry_after", "kind", "waits"),
    [
        (408, None, Retry, None),
        (409, None, Retry, None),
        (429, 17, Retry, 17.0),
        (429, 2.5, Retry, 2.5),
        (429, None, Retry, None),
        (500, None, Retry, None),
        (503, 2, Retry, 2.0),
        (529, None, Overloaded, None),
        (529, 30, Overloaded, 30.0),
    ],
)
def test_a_busy_service_is_tried_again_after_as_long_as_it_says(
    model: ModelStandIn, script: Script, status: int, retry_after: float | None, kind: type[Retry], waits: float | None
) -> None:
    """The SDK does not sleep and try by itself: one request was made. Only 529 is about one model's room."""
    before = len(model.requests)
    script.then(failure(status, "come back later", retry_after=retry_after))

    with pytest.raises(Retry, match="come back later") as busy:
        ask(model)

    assert type(busy.value) is kind
    assert busy.value.after_seconds == waits
    assert len(model.requests) == before + 1


def test_a_connection_that_breaks_is_tried_again(model: ModelStandIn, script: Script) -> None:
    """The answer was computed and lost on the way."""
    script.then(text("Lost").cut())

    with pytest.raises(Retry, match="cannot be reached"):
        ask(model)


def test_a_service_that_is_too_slow_is_tried_again(model: ModelStandIn, script: Script) -> None:
    """The time-out is what the caller has left."""
    script.then(text("Late").delayed(3))

    with pytest.raises(Retry, match="in time"):
        ask(model, timeout=0.2)


def test_a_key_that_is_not_accepted_names_its_parameter(model: ModelStandIn, script: Script) -> None:
    """A person has to put it right."""
    script.then(failure(401))

    with pytest.raises(Broken, match="anthropic/api-key"):
        ask(model)


def test_a_request_that_is_refused_is_our_fault(model: ModelStandIn, script: Script) -> None:
    """The API's words about it are kept."""
    script.then(failure(400, "messages: too long"))

    with pytest.raises(Broken, match="400 messages: too long"):
        ask(model)


def said(status: int, body: bytes, headers: Mapping[str, str] = {}, *, missing: int = 0) -> RawAnswer:
    """A response in JSON, unless the headers say otherwise; `missing` is the number of bytes that its body lacks."""
    return raw_answer(status, body, {"content-type": "application/json", **headers}, missing=missing)


MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": "Hi."}, {"type": "thinking_of_2030", "deep": True}],
    "stop_reason": "a_reason_of_2030",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2, "service_tier": "standard"},
}


def message(**more: Any) -> bytes:
    return json.dumps(MESSAGE | more).encode()


def test_an_answer_says_who_gave_it() -> None:
    """A gateway may let another model answer; what nobody knew of yet travels along."""
    with serving(said(200, message())) as (url, _):
        answer = ask_at(url)

    assert (answer.model, answer.text, answer.stop_reason) == ("claude-opus-5-5", "Hi.", "end_turn")
    [said_, opaque] = answer.blocks
    assert said_ == Text("Hi.")
    assert isinstance(opaque, OpaqueBlock)
    assert opaque.data == {"type": "thinking_of_2030", "deep": True}
    assert (answer.usage.input_tokens, answer.usage.cache_read_tokens, answer.usage.cache_write_tokens) == (3, 0, 0)
    with serving(said(200, message(model=None))) as (url, _):
        assert ask_at(url).model == "claude-sonnet-5-5"


@each_row(
    "raw",
    [
        RawAnswer(b""),
        RawAnswer(b"not HTTP at all\r\n\r\n"),
        said(200, message()[:80], missing=100),
        said(200, message()[:80]),
        said(200, b""),
        said(200, b"<html>Busy</html>", {"content-type": "text/html"}),
        said(200, b"null"),
        said(200, b"[]"),
        said(200, b"{}"),
        said(200, b'"\xff"'),
        said(200, b"[" * 100_000),
        said(200, b"no", {"content-encoding": "gzip"}),
        said(200, message(content=None)),
        said(200, message(content=["Hi."])),
        said(200, message(content=[{"text": "Hi."}])),
        said(200, message(content=[{"type": ["text"]}])),
        said(200, message(content=[{"type": "text"}])),
        said(200, message(content=[{"type": "tool_use", "id": "1", "name": "look"}])),
        said(200, message(stop_reason=None)),
        said(200, message(usage={"input_tokens": 3})),
        said(200, b'{"type": "error", "error": {"type": "api_error"}}'),
        said(500, b"<html>", missing=100),
        said(502, b"<html>Bad gateway</html>", {"content-type": "text/html"}),
        said(503, b'"no"'),
        said(429, b'{"error": "no"}'),
    ],
)
def test_an_unreadable_answer_is_tried_again(raw: RawAnswer) -> None:
    """Cut, garbled or half-filled, from the API or from a proxy before it: asked once, and nothing invented."""
    with serving(raw) as (url, server), pytest.raises(Retry) as why:
        ask_at(url)

    assert type(why.value) is Retry
    assert server.asked == ["POST"]


def test_a_call_with_what_no_request_can_carry_can_be_sent_back(model: ModelStandIn, script: Script) -> None:
    """Half a surrogate pair, and numbers that are too large to be written again, as a model may be told to give."""
    content = [{"type": "tool_use", "id": "1", "name": "look", "input": {"at": [0], "word": "\ud800"}}]
    body = message(content=content).replace(b"[0]", b"[7, 0.5, 1e400, " + b"9" * 5_000 + b"]")
    with serving(said(200, body)) as (url, _):
        answer = ask_at(url, tools=(TOOL,))
    script.then(text("Done."))

    back = (CHANGE, Message("assistant", answer.blocks), Message("user", (ToolResult("1", "x"),)))

    assert answer.tool_uses[0].input == {"at": [7, 0.5, "1e400", "9" * 5_000], "word": "?"}
    assert ask(model, tools=(TOOL,), messages=back).text == "Done."


@each_row("status", [200, 400, 429, 500, 503, 529])
def test_a_model_that_has_no_room_is_known_by_its_error(status: int) -> None:
    """Whatever the status: another model may answer."""
    body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'

    with serving(said(status, body)) as (url, _), pytest.raises(Overloaded):
        ask_at(url)


def test_an_answer_without_end_is_cut(model: ModelStandIn, script: Script) -> None:
    """Nothing that reads it has to read more than any model was asked to write."""
    script.then(text("a" * 300_000))

    assert len(ask(model, answer_tokens=500_000).text) == 200_000


def test_no_text_for_the_model_holds_a_secret(model: ModelStandIn, script: Script) -> None:
    """Wherever it comes from: the change, a comment, a file that a tool has read."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    uses = Message("assistant", (ToolUse("use1", "look", {}),))
    results = Message("user", (ToolResult("use1", f"KEY={token}"),))
    script.then(text("Seen."))

    ask(model, messages=(user_message(f"The token is {token}."), uses, results), tools=(TOOL,))

    sent = json.dumps(model.requests[-1].body)
    assert token not in sent
    assert sent.count("ghp_\\u2026") == 2
