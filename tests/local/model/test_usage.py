"""Tokens and the prompt cache: the stated model, to the token."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest
from anthropic.types import OutputTokensDetails, TextBlock

from local.model import Script, failure, text
from local.model.cache import CacheRead, PromptCache
from local.model.cache import Usage as Counted
from local.model.tokens import tokens_in
from tests.local.model.conversation import MODEL, THINKER
from tests.tables import each_row


def words(tokens: int, letter: str = "a") -> str:
    """A text of that many tokens."""
    return letter * (4 * tokens)


def mark() -> dict[str, Any]:
    return {"cache_control": {"type": "ephemeral"}}


def block(tokens: int, letter: str = "a", **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words(tokens, letter), **fields}


@pytest.fixture
def done(asking: anthropic.Anthropic, script: Script) -> anthropic.Anthropic:
    """A client that always hears the same."""
    script.when(lambda _: True, text("Done."), always=True)
    return asking


def used(client: anthropic.Anthropic, *blocks: dict[str, Any], **fields: Any) -> tuple[int, int, int]:
    """Ask; give what the usage says: (read from the cache, written to it, the rest)."""
    asked: dict[str, Any] = {"model": MODEL, "max_tokens": 100, **fields}
    asked["messages"] = [{"role": "user", "content": list(blocks)}]
    usage: anthropic.types.Usage = client.messages.create(**asked).usage
    return usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0, usage.input_tokens


@each_row(("said", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("äöü", 2), ("\ud800", 1)])
def test_a_text_weighs_a_quarter_of_its_bytes(said: str, tokens: int) -> None:
    """UTF-8 bytes by four, rounded up."""
    assert tokens_in(said) == tokens


def test_everything_that_is_sent_counts(done: anthropic.Anthropic) -> None:
    """System, each block, and tools by their compact JSON; the answer as well."""
    tool: Any = {"name": "t", "description": "d", "input_schema": {"type": "object"}}
    weight = -(-len('{"description":"d","input_schema":{"type":"object"},"name":"t"}') // 4)

    answer = done.messages.create(
        model=MODEL,
        max_tokens=100,
        system=words(7),
        tools=[tool],
        messages=[{"role": "user", "content": words(3)}],
    )

    assert answer.usage.input_tokens == 7 + 3 + weight
    assert answer.usage.output_tokens == tokens_in("Done.")


PREFIX = block(2000, **mark())
NEAR = [block(1, "b") for _ in range(18)]
CACHED: dict[str, list[tuple[list[Any], dict[str, Any], tuple[int, int, int]]]] = {
    "a prefix is written once and then read": [
        ([PREFIX, block(10)], {}, (0, 2000, 10)),
        ([PREFIX, block(30, "b")], {}, (2000, 0, 30)),
    ],
    "a longer prefix reads the shorter and writes the rest": [
        ([PREFIX], {}, (0, 2000, 0)),
        ([block(2000), block(500, "b", **mark()), block(5)], {}, (2000, 500, 5)),
    ],
    "below 1,024 tokens a breakpoint has no effect": [([block(1023, **mark())], {}, (0, 0, 1023))] * 2,
    "at 1,024 tokens it has": [
        ([block(1024, **mark())], {}, (0, 1024, 0)),
        ([block(1024, **mark())], {}, (1024, 0, 0)),
    ],
    "another word in the prefix, whose first part is the system text": [
        ([PREFIX], {"system": words(5)}, (0, 2005, 0)),
        ([PREFIX], {"system": words(5, "b")}, (0, 2005, 0)),
    ],
    "a prefix is found up to twenty blocks before the breakpoint": [
        ([PREFIX], {}, (0, 2000, 0)),
        ([block(2000), *NEAR, block(1, "c", **mark())], {}, (2000, 19, 0)),
        ([block(2000), *NEAR, block(1, "d"), block(1, "e", **mark())], {}, (0, 2020, 0)),
    ],
    "a breakpoint of the whole request stands on its last block": [
        ([block(2000), block(5, "b")], mark(), (0, 2005, 0)),
        ([block(2000), block(5, "b")], mark(), (2005, 0, 0)),
    ],
}


def test_a_prefix_is_forgotten_behind_very_many_others() -> None:
    """The memory of the stand-in is bounded; a run of some hundred reviews is not."""
    cache = PromptCache()
    asked = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": [block(2000, **mark())]}]}
    cache.remember(cache.read(asked))
    known = cache.read(asked)

    cache.remember(CacheRead(Counted(0), tuple(map(str, range(20_000)))))

    assert known.usage.cache_read_input_tokens == 2000
    assert cache.read(asked).usage.cache_read_input_tokens == 0


@each_row("name", CACHED)
def test_a_prefix_is_read_from_the_cache_where_the_real_one_would_have_it(done: anthropic.Anthropic, name: str) -> None:
    """It must be the same from its first byte on. Each row asks a model of its own: no two models share a cache."""
    found = [used(done, *blocks, **fields, model=name) for blocks, fields, _ in CACHED[name]]

    assert found == [expected for _, _, expected in CACHED[name]]


def test_an_answer_ends_where_max_tokens_are_spent(asking: anthropic.Anthropic, script: Script) -> None:
    """The text is cut, and the reason to stop says so."""
    script.then(text(words(50)))

    answer = asking.messages.create(model=MODEL, max_tokens=20, messages=[{"role": "user", "content": "Go."}])

    assert answer.content == [TextBlock(type="text", text=words(20))]
    assert (answer.stop_reason, answer.usage.output_tokens) == ("max_tokens", 20)


def test_thinking_is_output_and_leaves_less_room_for_the_answer(asking: anthropic.Anthropic, script: Script) -> None:
    """The effort or the script gives the amount; an answer that ends in its thinking has no text."""
    script.then(*[text(words(50))] * 2, text(words(50)).after_thinking(70), text("No.").after_thinking(90))
    asked: dict[str, Any] = {"model": THINKER, "messages": [{"role": "user", "content": "Go."}]}

    high = asking.messages.create(max_tokens=9_000, **asked)
    low = asking.messages.create(max_tokens=9_000, output_config={"effort": "low"}, **asked)
    cut, empty = (asking.messages.create(max_tokens=90, **asked) for _ in range(2))

    assert (high.usage.output_tokens, low.usage.output_tokens) == (1_050, 150)
    assert high.usage.output_tokens_details == OutputTokensDetails(thinking_tokens=1_000)
    assert [block.type for block in high.content] == ["thinking", "text"]
    assert [(each.stop_reason, each.usage.output_tokens) for each in (cut, empty)] == [("max_tokens", 90)] * 2
    assert cut.content[1] == TextBlock(type="text", text=words(20))
    assert [block.type for block in empty.content] == ["thinking"]


def test_thinking_behind_another_prefix_is_refused(asking: anthropic.Anthropic, script: Script) -> None:
    """The API does so for accounts made since 2026-08-31; the same request without the block is answered."""
    script.then(text("Hm."), text("Fine."), text("Fine."))
    go = {"role": "user", "content": "Go."}

    def ask(*turns: Any, system: str = "Look.") -> anthropic.types.Message:
        return asking.messages.create(model=THINKER, max_tokens=9_000, system=system, messages=turns)

    content = [each.model_dump(exclude_none=True) for each in ask(go).content]
    other, said = {"role": "user", "content": "Go now."}, {"role": "assistant", "content": content}
    ask({"role": "user", "content": [{"type": "text", "text": "Go.", **mark()}]}, said, go)
    for turns, system in (((other, said, go), "Look."), ((go, said, go), "Look again.")):
        with pytest.raises(anthropic.BadRequestError, match="bound to a different conversation"):
            ask(*turns, system=system)
    ask(other, {**said, "content": content[1:]}, go)


def test_a_failed_request_leaves_nothing_in_the_cache(asking: anthropic.Anthropic, script: Script) -> None:
    """A prefix that was never answered was never written."""
    script.then(failure(500), text("ok"))
    with pytest.raises(anthropic.InternalServerError):
        used(asking, block(2000, **mark()))

    assert used(asking, block(2000, **mark())) == (0, 2000, 0)
