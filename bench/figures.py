"""The cost and the comments of a replayed push, and sums over many pushes."""

import re
from collections.abc import Iterable, Mapping, Sequence
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


@dataclass(frozen=True)
class Expectation:
    """What a re-review should have asked about, by path and number of hunks, against what it did ask about.

    `skipped` are paths that the reviewer leaves out by name or kind, whatever is in them.
    """

    expected: Mapping[str, int] | None
    asked_files: Sequence[str]
    asked_hunks: int
    skipped: frozenset[str] = frozenset()

    @property
    def left_out(self) -> list[str]:
        """The expected files that are skipped, which is no difference."""
        return sorted(path for path in self.expected or () if path in self.skipped)

    @property
    def differences(self) -> list[str]:
        """How the two differ, in words; none where nothing is expected."""
        if self.expected is None:
            return []
        wanted = {path: hunks for path, hunks in self.expected.items() if path not in self.skipped}
        hunks = sum(wanted.values())
        return [
            *([f"{hunks} hunks recorded"] if hunks != self.asked_hunks else []),
            *(f"not {path}" for path in sorted(wanted.keys() - set(self.asked_files))),
            *(f"also {path}" for path in sorted(set(self.asked_files) - wanted.keys())),
        ]


@dataclass(frozen=True)
class Figures:
    """One push. `full` is what a full review of the same head read, None where the re-review asked nothing.

    `github_calls` does not count the installation token.
    """

    number: int
    head: str
    kind: str
    mode: str
    reason: str
    asked_hunks: int
    hunks: int
    tokens: Tokens
    full: Tokens | None
    github_calls: int
    comments: int
    repeated: tuple[Comment, ...]
    differences: tuple[str, ...]
    left_out: tuple[str, ...]
    delta: Mapping[str, int]
    seconds: float

    @property
    def ratio(self) -> float | None:
        """What the re-review read of what a full review reads, None where there is nothing to compare."""
        return self.tokens.total / self.full.total if self.full and self.full.total else None


@dataclass(frozen=True)
class Sums:
    """Several pushes together; only re-reviews that asked the model are compared with full reviews of their heads."""

    pushes: int
    re_reviews: int
    tokens: int
    full_tokens: int
    overhead: int
    most_github_calls: int
    repeated: int
    different: int

    @property
    def ratio(self) -> float | None:
        """All tokens of those re-reviews by all tokens of the full ones, None where there were none."""
        return self.tokens / self.full_tokens if self.full_tokens else None

    @property
    def overhead_each(self) -> float:
        """The mean overhead of a re-review, in tokens."""
        return self.overhead / self.re_reviews if self.re_reviews else 0.0


def sums(pushes: Sequence[Figures]) -> Sums:
    """Add pushes up, of one pull request or of many."""
    compared = [push for push in pushes if push.full is not None]
    return Sums(
        pushes=len(pushes),
        re_reviews=len(compared),
        tokens=sum(push.tokens.total for push in compared),
        full_tokens=sum(push.full.total for push in compared if push.full),
        overhead=sum(push.tokens.overhead for push in compared),
        most_github_calls=max((push.github_calls for push in pushes), default=0),
        repeated=sum(len(push.repeated) for push in pushes),
        different=sum(bool(push.differences) for push in pushes),
    )
