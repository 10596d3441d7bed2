"""The result of `kodiai review`, as its JSON has it: what printout and report read."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_VERDICT = re.compile(r":\w+_circle: \*\*")


class _Part(BaseModel):
    """Anything in the result; what a later version adds is ignored, what is missing has no meaning yet."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Skipped(_Part):
    """A file that was not read, and why."""

    path: str
    reason: str = ""


class Comment(_Part):
    """An inline comment; lines are 1-based on its side, `line` is the last one, None for a whole file."""

    path: str
    line: int | None = None
    start_line: int | None = None
    side: Literal["LEFT", "RIGHT"] = "RIGHT"
    body: str = ""

    @property
    def lines(self) -> range:
        """The lines that the comment is about, empty for a whole file."""
        if self.line is None:
            return range(0)
        return range(min(self.start_line or self.line, self.line), self.line + 1)

    @property
    def place(self) -> str:
        """The path and the lines as people write them: "a.py:12" or "a.py:12-14"."""
        if not self.lines:
            return self.path
        first, last = self.lines[0], self.lines[-1]
        return f"{self.path}:{first}" if first == last else f"{self.path}:{first}-{last}"


class Review(_Part):
    """What was posted: the event (COMMENT, REQUEST_CHANGES, APPROVE), the summary, the inline comments."""

    event: str = "COMMENT"
    body: str = ""
    comments: tuple[Comment, ...] = ()

    @property
    def verdict(self) -> str:
        """The line of the summary that says the verdict, as Markdown; empty where it has none."""
        return next((line for line in self.body.splitlines() if _VERDICT.match(line)), "")

    @property
    def in_order(self) -> list[Comment]:
        """The comments in the order in which they are printed and counted."""
        return [self.comments[at] for at in reading_order([(one.path, one.line) for one in self.comments])]


def reading_order(places: Sequence[tuple[str, int | None]]) -> list[int]:
    """Order comments by their paths and lines: file by file as they first come, each from its top. Gives indices."""
    paths = list(dict.fromkeys(path for path, _ in places))
    return sorted(range(len(places)), key=lambda at: (paths.index(places[at][0]), places[at][1] or 0))


class Finding(_Part):
    """A finding and where it stands after this push; `settled_by` is the login of who decided about it, if anybody."""

    id: str = ""
    status: str = ""
    severity: str = ""
    category: str = ""
    path: str = ""
    line: int | None = None
    title: str = ""
    settled_by: str | None = None

    @property
    def key(self) -> str:
        """What it is known by from push to push: its id, else its place and title."""
        return self.id or f"{self.path} {self.title}"

    @property
    def how(self) -> str:
        """The status in words."""
        return _HOW.get(self.status, self.status.replace("_", " "))


_HOW = {"wont_fix": "won't fix", "dismissed": "thread resolved by a person"}


class Delta(_Part):
    """How many findings are new, resolved or still open after a push, and how many people have settled since."""

    new: int = 0
    resolved: int = 0
    still_open: int = 0
    settled: int = 0

    @property
    def parts(self) -> list[tuple[str, int, str]]:
        """What is not zero: its name, the number, and how people call it."""
        counted = [(name, getattr(self, name), words) for name, words in _DELTA_WORDS.items()]
        return [part for part in counted if part[1]]


_DELTA_WORDS = {"new": "new", "resolved": "resolved", "still_open": "still open", "settled": "settled by people"}


class Model(_Part):
    """What the model was asked, in calls, tokens and characters of prompts."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    prompt_characters: int = 0

    @property
    def tokens_in(self) -> int:
        """All tokens that the model read, those from the cache and those written to it counted."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


class GitHub(_Part):
    """What GitHub was asked: calls, those of them that write, and calls by route."""

    calls: int = 0
    writes: int = 0
    by_route: dict[str, int] = {}


def _empty(value: object) -> object:
    return {} if value is None else value


class Push(_Part):
    """One push and what came of it; `mode` is None where the push was skipped, for the reason stated.

    `cost_usd` is what the model's work cost in US dollars, None if it is not known.
    """

    head: str
    base: str = ""
    mode: str | None = None
    reason: str | None = None
    files_total: int = 0
    files_read: int = 0
    skipped: tuple[Skipped, ...] = ()
    hunks_total: int = 0
    hunks_asked: int = 0
    changed_files: tuple[str, ...] = ()
    model: Annotated[Model, BeforeValidator(_empty)] = Field(default_factory=Model)
    cost_usd: float | None = None
    github: Annotated[GitHub, BeforeValidator(_empty)] = Field(default_factory=GitHub)
    review: Review | None = None
    delta: Annotated[Delta, BeforeValidator(_empty)] = Field(default_factory=Delta)
    threads_resolved: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def open_findings(self) -> list[Finding]:
        """What is to be mended after this push."""
        return [finding for finding in self.findings if finding.status == "open"]

    @property
    def parts(self) -> list[tuple[str, int, str]]:
        """The delta's parts; where it says nothing, what is open all the same."""
        still_open = len(self.open_findings)
        return self.delta.parts or ([("still_open", still_open, "still open")] if still_open else [])

    def count(self, name: str) -> int:
        """One of the parts, by its name."""
        return next((number for one, number, _ in self.parts if one == name), 0)

    @property
    def silence(self) -> str:
        """Why nothing was posted, as the rest of a sentence."""
        if self.mode is None:
            return self.reason or "the push was skipped"
        if self.mode == "unchanged":
            said = "every hunk was reviewed before"
        elif self.open_findings:
            said = "nothing is new, and what is still open was told before"
        else:
            said = "there was nothing new to say"
        return f"{said} ({self.reason})" if self.reason else said


class PushEvent(Push):
    """A push among the events."""

    kind: Literal["push"] = "push"


class Target(_Part):
    """What a reply is about: a comment of the latest review that has any, counted from 1, or 0, the pull request."""

    comment: int = 0
    path: str = ""
    line: int | None = None
    finding: str | None = None


class Reply(_Part):
    """What a person said, and what came of it; `findings` stand so after it, `review` is one that it led to.

    `role` is what the person may do in the repository, `answer` what was posted, None where nothing was.
    """

    kind: Literal["reply"] = "reply"
    by: str = ""
    role: str = ""
    to: Target = Target()
    text: str = ""
    understood: str | None = None
    outcome: str = ""
    reason: str | None = None
    answer: str | None = None
    reactions: tuple[str, ...] = ()
    model: Annotated[Model, BeforeValidator(_empty)] = Field(default_factory=Model)
    cost_usd: float | None = None
    findings: tuple[Finding, ...] = ()
    review: Push | None = None
    seconds: float = 0.0

    @property
    def place(self) -> str:
        """What it is about, as the rest of a sentence: "comment 1, a.py:12"."""
        if not self.to.comment:
            return "the pull request"
        line = f":{self.to.line}" if self.to.line else ""
        return f"comment {self.to.comment}{f', {self.to.path}{line}' if self.to.path else ''}"

    @property
    def emoji(self) -> str:
        """The reactions as people see them."""
        return " ".join(_EMOJI.get(one, one) for one in self.reactions)

    @property
    def why(self) -> str:
        """The reason for the outcome, where the answer does not say it."""
        return self.reason if self.reason and self.reason not in (self.answer or "") else ""

    def changes(self, before: Sequence[Finding]) -> list[str]:
        """Say which findings stand otherwise than before: "F-… is settled: won't fix (ann)"."""
        stood = {finding.key: finding.status for finding in before}
        return [_change(now) for now in self.findings if now.status != stood.get(now.key, "open")]


def _change(finding: Finding) -> str:
    settled = "" if finding.status in ("open", "fixed") else "settled: "
    by = f" ({finding.settled_by})" if finding.settled_by and finding.status != "open" else ""
    return f"{finding.key} is {settled}{'open again' if finding.status == 'open' else finding.how}{by}"


_EMOJI = {"eyes": "👀", "+1": "👍", "heart": "❤", "confused": "😕"}

Event = Annotated[PushEvent | Reply, Field(discriminator="kind")]


class Result(_Part):
    """A pull request and its pushes, in the order in which they were delivered; `events` has them with the replies."""

    repository: str = ""
    pull_request: int = 0
    title: str = ""
    reviewer: str = ""
    pushes: tuple[Push, ...] = ()
    events: tuple[Event, ...] = ()

    def replies(self) -> Iterator[tuple[int, Reply, Sequence[Finding]]]:
        """Give each reply with the index, from 0, of the push that it follows, and the findings before it."""
        push = -1
        before: Sequence[Finding] = ()
        for event in self.events:
            if isinstance(event, Reply):
                yield push, event, before
                before = event.review.findings if event.review else event.findings
            else:
                push += 1
                before = event.findings


class DiffFile(_Part):
    """A changed file of a push, `patch` as GitHub gives it: from the first "@@" on, None where there is none."""

    path: str
    previous_path: str | None = None
    status: str = "modified"
    patch: str | None = None
