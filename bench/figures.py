"""The tokens of questions, and comments that repeat earlier ones."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kodiai.core.findings.identity import normalized_title
from kodiai.core.findings.markers import finding_of
from local.model import RecordedRequest
from local.model.request_rules import as_blocks
from local.model.tokens import tokens_in

_TITLE = re.compile(r"\*\*\[[A-Z]+\] (.*)\*\*\Z")
_CHANGES = "# Its changes"


@dataclass(frozen=True)
class Tokens:
    """Tokens that the model read in some questions: all of them, the changed hunks, and what its tools gave it.

    What is read from the cache or written to it counts in full. `questions` is how many there were, `uncached` the
    tokens that the cache did not serve.
    """

    questions: int = 0
    total: int = 0
    hunks: int = 0
    tools: int = 0
    uncached: int = 0

    @property
    def overhead(self) -> int:
        """All the rest: prompts, tools' descriptions, the pull request's words, earlier findings, the model's own."""
        return self.total - self.hunks - self.tools


def tokens_of(requests: Iterable[RecordedRequest]) -> Tokens:
    """Add up answered questions; a block that is sent again with the next turn counts again."""
    counted = Tokens()
    for request in requests:
        if request.usage is None:
            continue
        usage = request.usage
        total = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
        blocks = [block for message in request.body["messages"] for block in as_blocks(message["content"])]
        counted = Tokens(
            counted.questions + 1,
            counted.total + total,
            counted.hunks + sum(map(_hunk_tokens, blocks)),
            counted.tools + sum(map(_tool_tokens, blocks)),
            counted.uncached + total - usage.cache_read_input_tokens,
        )
    return counted


def _hunk_tokens(block: Mapping[str, Any]) -> int:
    text = block.get("text", "")
    return tokens_in(text) if block.get("type") == "text" and text.startswith(_CHANGES) else 0


def _tool_tokens(block: Mapping[str, Any]) -> int:
    if block.get("type") != "tool_result":
        return 0
    return sum(tokens_in(part.get("text", "")) for part in as_blocks(block.get("content", [])))


@dataclass(frozen=True)
class Comment:
    """An inline comment on GitHub: the finding that its marker names, its path, its title."""

    finding: str | None
    path: str
    title: str

    @classmethod
    def read(cls, path: str, body: str) -> "Comment":
        """Read a comment's body; its first line is the title, without the severity where it has one."""
        first = body.partition("\n")[0]
        found = _TITLE.match(first)
        return cls(finding_of(body), path, normalized_title(found[1] if found else first))


def repeated(before: Iterable[Comment], now: Iterable[Comment]) -> list[Comment]:
    """The comments that repeat an earlier one: the same finding, or the same title on the same path.

    Of two in one push that name the same finding, the second one counts as well.
    """
    findings, titles, again = set(), set(), []
    for comment in before:
        findings.add(comment.finding)
        titles.add((comment.path, comment.title))
    for comment in now:
        if (comment.finding is not None and comment.finding in findings) or (comment.path, comment.title) in titles:
            again.append(comment)
        findings.add(comment.finding)
    return again
