"""The edge to Claude: the real SDK over real HTTP, every way in which an answer can end."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from kodiai.core.errors import Broken, Retry
from kodiai.core.findings.report import Report
from kodiai.edges.claude import Claude
from kodiai.ports import Answer, Question
from local.model import ModelStandIn, Script, failure, filled, refusal, text, tool_use, tools

TOOL = {"name": "look", "description": "Look.", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def model(script: Script) -> Iterator[ModelStandIn]:
    with ModelStandIn(script) as running:
        yield running


def ask(model: ModelStandIn, timeout: float = 5.0, **more: Any) -> Answer:
    question: dict[str, Any] = {
        "model": "claude-sonnet-5-5",
        "system": [{"type": "text", "text": "Review."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Here is the change."}]}],
        "max_tokens": 1_000,
        **more,
    }
    answer = Claude(SecretStr("key"), model.url).answer(Question(**question), timeout)
    assert model.violations == []
    return answer


def test_an_answer_comes_with_its_usage(model: ModelStandIn, script: Script) -> None:
    """Tokens are the API's, prompt characters are those that were sent as text."""
    script.then(text("Looks good."))

    answer = ask(model)

    assert (answer.text, answer.stop_reason) == ("Looks good.", "end_turn")
    assert answer.usage.calls == 1
    assert answer.usage.input_tokens > 0
    assert answer.usage.output_tokens > 0
    assert answer.usage.prompt_characters == len("Review.") + len("Here is the change.")


def test_the_wish_to_use_tools_is_data_and_can_be_sent_back(model: ModelStandIn, script: Script) -> None:
    """What the model said goes back to it word for word, with the results behind it."""
    script.then(tools(tool_use("look"), tool_use("look"), saying="I look twice."), text("Done."))
    first = ask(model, tools=[TOOL])

    results = [{"type": "tool_result", "tool_use_id": use["id"], "content": "x"} for use in first.tool_uses]
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Here is the change."}]},
        {"role": "assistant", "content": list(first.content)},
        {"role": "user", "content": results},
    ]
    second = ask(model, tools=[TOOL], messages=messages)

    assert (first.stop_reason, len(first.tool_uses), second.text) == ("tool_use", 2, "Done.")


def test_a_schema_travels_in_the_form_that_the_api_takes(model: ModelStandIn, script: Script) -> None:
    """Every object of it is closed, as structured answers demand."""
    script.then(filled({}))

    ask(model, schema=Report.model_json_schema())

    sent = model.requests[-1].body["output_config"]["format"]
    assert sent["type"] == "json_schema"
    assert sent["schema"]["additionalProperties"] is False
    assert sent["schema"]["$defs"]["Finding"]["additionalProperties"] is False


def test_a_conversation_that_has_used_its_tools_up_may_use_no_more(model: ModelStandIn, script: Script) -> None:
    """The tools stay declared, as their results in the conversation demand."""
    script.then(text("Done."))

    ask(model, tools=[TOOL], tools_allowed=False)

    assert model.requests[-1].body["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_an_answer_that_is_cut_short_is_data(model: ModelStandIn, script: Script, reason: Any) -> None:
    """What there is of it can still be used."""
    script.then(text("The first half", reason))

    answer = ask(model)

    assert (answer.text, answer.stop_reason) == ("The first half", reason)


def test_a_refusal_is_data(model: ModelStandIn, script: Script) -> None:
    """The model may decline."""
    script.then(refusal())

    assert ask(model).stop_reason == "refusal"


@pytest.mark.parametrize(
    ("status", "retry_after", "waits"),
    [(429, 17, 17.0), (529, None, None), (500, None, None), (503, 2, 2.0)],
)
def test_a_busy_service_is_tried_again_after_as_long_as_it_says(
    model: ModelStandIn, script: Script, status: int, retry_after: float | None, waits: float | None
) -> None:
    """The SDK does not sleep and try by itself: one request was made."""
    script.then(failure(status, retry_after=retry_after))

    with pytest.raises(Retry) as busy:
        ask(model)

    assert busy.value.after_seconds == waits
    assert len(model.requests) == 1


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
    """What the API says about it is kept."""
    script.then(failure(400, "messages: too long"))

    with pytest.raises(Broken, match="400 messages: too long"):
        ask(model)
