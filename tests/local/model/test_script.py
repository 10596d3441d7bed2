"""The kinds of scripted answers, and what the SDK makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import anthropic
import pytest

from local.model import (
    Failure,
    ModelStandIn,
    OfflineReviewer,
    Reply,
    Script,
    failure,
    text,
)
from local.model.answers import Request
from tests.local.model.conversation import MODEL
from tests.tables import each_row


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def stand_in(script: Script) -> Iterator[ModelStandIn]:
    with ModelStandIn(script) as running:
        yield running


@pytest.fixture
def client(stand_in: ModelStandIn) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="k", base_url=stand_in.url, max_retries=0) as asking:
        yield asking


def ask(client: anthropic.Anthropic, words: str = "Hello.") -> anthropic.types.Message:
    return client.messages.create(model=MODEL, max_tokens=100, messages=[{"role": "user", "content": words}])


def said(message: anthropic.types.Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def says(words: str) -> Callable[[Request], bool]:
    def picks(request: Request) -> bool:
        return bool(request["messages"][0]["content"] == words)

    return picks


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
    client: anthropic.Anthropic, script: Script, status: int, expected: tuple[str, str]
) -> None:
    """Status, type and words arrive in Anthropic's error shape."""
    script.then(failure(status, "no luck"))
    exception, kind = expected

    with pytest.raises(getattr(anthropic, exception)) as caught:
        ask(client)

    assert (caught.value.status_code, caught.value.type, caught.value.api_message) == (status, kind, "no luck")


def test_a_cut_connection_comes_after_the_answer_was_made(
    client: anthropic.Anthropic, stand_in: ModelStandIn, script: Script
) -> None:
    """The client cannot know that its request was answered and charged; the record does."""
    script.then(text("Lost.").cut())

    with pytest.raises(anthropic.APIConnectionError):
        ask(client)

    (recorded,) = stand_in.requests
    assert recorded.status == 0
    assert recorded.usage is not None
    assert recorded.usage.output_tokens == 2


@each_row("answer", [text("Half of it is lost.").torn(), failure(500, "no luck").torn()])
def test_an_answer_may_break_off(client: anthropic.Anthropic, script: Script, answer: Reply | Failure) -> None:
    """It is announced whole, and the connection is closed half-way, whatever was to be said."""
    script.then(answer, text("All of it."))

    with pytest.raises(anthropic.APIConnectionError):
        ask(client)

    assert said(ask(client)) == "All of it."


def test_answers_are_given_in_order(client: anthropic.Anthropic, script: Script) -> None:
    """First come, first served."""
    script.then(text("one"), text("two"))

    assert [said(ask(client)), said(ask(client))] == ["one", "two"]
    assert script.left == 0


def test_a_predicate_picks_its_requests(client: anthropic.Anthropic, script: Script) -> None:
    """An answer that is kept for some requests is given to no other, whatever comes first."""
    script.then(text("any")).when(says("Who?"), text("me"))

    assert [said(ask(client, "What?")), said(ask(client, "Who?"))] == ["any", "me"]


def test_the_last_answer_for_ever_stays(client: anthropic.Anthropic, script: Script) -> None:
    """With `always` a predicate never runs dry."""
    script.when(lambda _: True, failure(500), text("fine"), always=True)

    with pytest.raises(anthropic.InternalServerError):
        ask(client)

    assert [said(ask(client)) for _ in range(3)] == ["fine", "fine", "fine"]


def test_a_step_can_look_at_the_request(client: anthropic.Anthropic, script: Script) -> None:
    """An answer may be made of what was asked."""
    script.then(lambda request: text(request["messages"][0]["content"].upper()))

    assert said(ask(client, "hello")) == "HELLO"


def test_a_script_at_its_end_says_so(client: anthropic.Anthropic, stand_in: ModelStandIn) -> None:
    """A request that nobody thought of fails loudly and is on record."""
    with pytest.raises(anthropic.InternalServerError, match="The script came to its end"):
        ask(client)

    assert stand_in.violations == ["the script came to its end: no answer is left for a request"]


def test_a_mistake_in_a_step_shows_at_once(client: anthropic.Anthropic, stand_in: ModelStandIn, script: Script) -> None:
    """An exception in a script does not leave the client waiting."""
    script.then(lambda request: text(request["nothing"]))

    with pytest.raises(anthropic.InternalServerError, match=r"KeyError\('nothing'\)"):
        ask(client)

    assert stand_in.violations == ["the answer could not be made: KeyError('nothing')"]


def test_what_the_script_has_nothing_for_goes_to_the_other() -> None:
    """A script can change one answer of a review and leave the rest to the offline reviewer."""
    script = Script(otherwise=OfflineReviewer()).when(says("Who?"), text("me"))

    with ModelStandIn(script) as running, anthropic.Anthropic(api_key="k", base_url=running.url) as client:
        first, other = (said(ask(client, "Who?")) for _ in range(2))

    assert first == "me"
    assert other.startswith("I am the offline reviewer")
