"""A request's question to the model, known by the headings of this project's own questions."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from local.model.answers import Request
from local.model.changes import Change, read_changes
from local.model.read_files import READ_FILES
from local.model.request_rules import as_blocks

Json = dict[str, Any]
Kind = Literal["find", "judge", "read", "answer", "draft", "proposal", "other"]
"""Review changes, rule on candidates, read a reply, answer somebody, draft a change, decide on a proposed one, or
anything else."""

_PART = "# Your part: "
_PARTS: Mapping[str, Kind] = {"judge": "judge", "draft": "draft", "proposal": "proposal"}
_PULL_REQUEST = "# The pull request, as its author describes it"
_CHANGES = ("# Its changes", "### FILE ")
_SINCE = "# Its changes since the last review"
_EARLIER = "# Findings of earlier reviews"
_DIFFS_SINCE = "# Files of these findings, as they changed since their last review"
_CANDIDATES = "# Candidates"
_KEPT_ALREADY = "# Kept already"
_LET_GO = "# Let go"
_SAID_TO_BE_RESOLVED = "# Said to be resolved"
_NO_MORE = "Nothing more can be looked up"
_SUMS_UP = "# You also sum up"
_FINDING, _REPLY = "# The finding\n", "\n# The reply\n"
_TO_CHANGE = "# What to change"
_TALKS = ("# The thread", "# The conversation")


@dataclass(frozen=True)
class ModelRequest:
    """A request, by what it asks. Whatever it does not show is empty."""

    body: Request

    @cached_property
    def kind(self) -> Kind:
        """The kind of answer that is asked for."""
        if self._text.startswith(_FINDING) and _REPLY in self._text:
            return "read"
        if self.part in _PARTS:
            return _PARTS[self.part]
        if self.part == "answer" and any(text.partition("\n")[0] in _TALKS for text in self.texts[-2:-1]):
            return "answer"
        return "find" if any(text.startswith((*_CHANGES, _EARLIER)) for text in self.texts) else "other"

    @cached_property
    def texts(self) -> list[str]:
        """The texts of the conversation's first turn, block by block."""
        return _texts(self.body["messages"][0])

    @cached_property
    def _parts(self) -> list[tuple[int, str]]:
        """The parts that the conversation gives, each with the place of its message."""
        told = enumerate(self.body["messages"])
        texts = ((at, text) for at, message in told if message["role"] == "user" for text in _texts(message))
        return [(at, text) for at, text in texts if text.startswith(_PART)]

    @property
    def part(self) -> str:
        """The role that the request asks for, such as "judge" or a reader's name, empty if it names none."""
        return self._parts[-1][1].removeprefix(_PART).partition("\n")[0].strip() if self._parts else ""

    @property
    def sums_up(self) -> bool:
        """Whether nobody else of those who are asked about these changes sums them up."""
        return not self._parts or _SUMS_UP in self._parts[-1][1]

    @property
    def is_follow_up(self) -> bool:
        """Whether only what changed since the last review is shown."""
        return any(text.startswith(_SINCE) for text in self.texts)

    @property
    def facts(self) -> Json:
        """The facts about the pull request: its number, its title and more."""
        return next(iter(self.rows(_PULL_REQUEST)), {})

    @property
    def title(self) -> str | None:
        """The pull request's title."""
        return self.facts.get("title")

    @cached_property
    def changes(self) -> list[Change]:
        """The changed files that are shown."""
        return read_changes("\n".join(text for text in self.texts if text.startswith(_CHANGES)))

    @cached_property
    def earlier(self) -> list[Json]:
        """The findings of earlier reviews that are to be checked again."""
        return self.rows(_EARLIER)

    @property
    def diffs_since(self) -> list[Json]:
        """The files of these findings that the changes do not show, as they changed since."""
        return self.rows(_DIFFS_SINCE)

    @property
    def candidates(self) -> list[Json]:
        """The findings that the judge rules on."""
        return self.rows(_CANDIDATES)

    @property
    def kept_already(self) -> list[Json]:
        """Candidates that another conversation about the same changes kept."""
        return self.rows(_KEPT_ALREADY)

    @property
    def let_go(self) -> list[Json]:
        """The candidates that a first ruling lets go, where the judge is asked for a second one."""
        return self.rows(_LET_GO)

    @property
    def claimed_resolutions(self) -> list[Json]:
        """Earlier findings that the judge decides about."""
        return self.rows(_SAID_TO_BE_RESOLVED)

    @property
    def to_change(self) -> list[Json]:
        """The findings that a draft is to fix, or the request of a person."""
        return self.rows(_TO_CHANGE)

    @property
    def reply(self) -> str:
        """The reply that is to be read."""
        return str(json.loads(self._text.rpartition(_REPLY)[2])["said"])

    @property
    def may_read(self) -> bool:
        """Whether files can be looked up."""
        offered = any(tool.get("name") == READ_FILES for tool in self.body.get("tools", []))
        told = (text for message in self.body["messages"] if message["role"] == "user" for text in _texts(message))
        is_over = any(text.startswith(_NO_MORE) for text in told)
        return bool(offered and self.body.get("tool_choice", {}).get("type") != "none" and not is_over)

    @property
    def turns_taken(self) -> int:
        """The number of the model's answers since it was given its part."""
        since = self._parts[-1][0] if self._parts else 0
        return sum(message["role"] == "assistant" for message in self.body["messages"][since:])

    def rows(self, heading: str) -> list[Json]:
        """The JSON objects, one a line, of the block that begins with this line."""
        told = (message for message in self.body["messages"] if message["role"] == "user")
        blocks = (text.split("\n") for message in told for text in _texts(message))
        lines = [line for first, *rest in blocks if first.strip() == heading for line in rest]
        return [json.loads(line) for line in lines if line.startswith("{")]

    @cached_property
    def _text(self) -> str:
        """The text of the conversation's first turn, each block from a line of its own."""
        return "\n".join(self.texts)


def _texts(message: Mapping[str, Any]) -> list[str]:
    return [block["text"] for block in as_blocks(message["content"]) if block["type"] == "text"]


def is_second_ruling(request: Request) -> bool:
    """Whether the request asks the judge for a second ruling, on what the first one lets go."""
    return bool(ModelRequest(request).let_go)


def _is(kind: Kind) -> Callable[[Request], bool]:
    """A test whether a request is of this kind."""
    return lambda request: ModelRequest(request).kind == kind


is_find, is_judge = _is("find"), _is("judge")
is_reading, is_answer = _is("read"), _is("answer")
