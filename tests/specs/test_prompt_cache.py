"""Questions begin with the same bytes, so that the API reads them from its cache."""

import json
from collections.abc import Sequence

from local.model import Answer, ModelRequest, RecordedRequest, Request, Script, is_find, tool_use, tools
from tests.specs.conftest import Stage
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding, a_report, says

ROWS = "".join(f"    row_{at} = load({at})\n" for at in range(150))
ORDERS = f"def total(prices, discount):\n    return sum(prices) + discount\n\n\ndef rows():\n{ROWS}"


def asked(stage: Stage, since: int = 0) -> list[RecordedRequest]:
    """The conversations over the changes, oldest first."""
    return stage.requests[since:]


def prefixes(each: RecordedRequest, blocks: int) -> bytes:
    """The beginning of a question, as the API reads it: tools, system prompt, first blocks; without the marks."""
    first = each.body["messages"][0]["content"][:blocks]
    bare = [{name: value for name, value in block.items() if name != "cache_control"} for block in first]
    return json.dumps([each.body["tools"], each.body["system"][0]["text"], bare], ensure_ascii=False).encode()


def marks(each: RecordedRequest) -> list[str]:
    """The first lines of the blocks that end a cached prefix."""
    blocks = [*each.body["system"], *each.body["messages"][0]["content"]]
    return [block["text"].partition("\n")[0] for block in blocks if "cache_control" in block]


def shared(requests: Sequence[RecordedRequest], heading: str) -> int:
    """The number of blocks up to the one with this heading, the same in all of them."""
    [at] = {
        next(at for at, text in enumerate(ModelRequest(each.body).texts, 1) if text.startswith(heading))
        for each in requests
    }
    return at


def test_readers_and_judge_begin_with_the_same_bytes_and_a_push_with_those_of_the_pull_request(stage: Stage) -> None:
    """Up to the pitfalls all readers, up to the other files the judge too, up to the description the next push too."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open({"src/orders.py": ORDERS}, config=ON_PUSH)
    first, since = asked(stage), stage.asked
    opened.push(stage.commit({"src/stock.py": ORDERS.replace("total", "left")}, opened.head))
    second = asked(stage, since)

    parts = [ModelRequest(each.body).part for each in first]
    assert (parts[0], parts[-1], len(parts)) == ("behavior", "judge", 3)
    assert len({prefixes(each, shared(first[:-1], "# Pitfalls")) for each in first[:-1]}) == 1
    assert len({prefixes(each, shared(first, "# Its commits")) for each in first}) == 1
    assert len({prefixes(each, 1) for each in [*first, *second]}) == 1
    assert marks(first[0]) == [
        (
            "You take part in the review of a pull request, for the engineers who maintain the repository. "
            "Your part comes last."
        ),
        "# The pull request, as its author describes it",
        "# Its commits, and the other files that it changes",
        "# Pitfalls of Python",
    ]
    assert first[0].usage is not None
    assert second[0].usage is not None
    assert second[0].usage.cache_read_input_tokens > 2_000


def test_three_quarters_of_the_input_of_a_large_change_are_read_from_the_cache(stage: Stage) -> None:
    """Each reader looks something up once, as models do; the first question alone writes what all have in common."""

    def looks_up(request: Request) -> Answer | None:
        return tools(tool_use("find", text="total")) if not ModelRequest(request).turns_taken else None

    answers = says(a_report(a_finding()))
    stage.model.answers = Script(otherwise=answers).when(is_find, looks_up, always=True)

    stage.open({"src/orders.py": ORDERS + ROWS * 10})

    used = [each.usage for each in asked(stage) if each.usage is not None]
    read = sum(each.cache_read_input_tokens for each in used)
    written = sum(each.input_tokens + each.cache_creation_input_tokens for each in used)
    assert len(used) == 2 * 2 + 1
    assert read / (read + written) > 0.75
