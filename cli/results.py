"""The result of `kodiai review`, as `--json` writes it: what the terminal and the report show."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kodiai.core.changes.patch import Line, UnreadablePatch, parse_patch
from kodiai.core.model.messages import Usage
from kodiai.core.words.details import scope_reason
from local.rendering.inline import with_emoji
from local.rendering.labels import counted, duration, model_calls, status_label

_VERDICT = re.compile(r":\w+_circle: \*\*")
_DELTA_LABELS = {"new": "new", "resolved": "resolved", "still_open": "still open", "settled": "dismissed"}


class Part(BaseModel):
    """A part of the result; unknown fields of later versions are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Skipped(Part):
    """A file that was not read, and why."""

    path: str
    reason: str = ""


class Comment(Part):
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
        """The path and the lines: "a.py:12" or "a.py:12-14"."""
        if not self.lines:
            return self.path
        first, last = self.lines[0], self.lines[-1]
        return f"{self.path}:{first}" if first == last else f"{self.path}:{first}-{last}"


class Review(Part):
    """The posted review: the event (COMMENT, REQUEST_CHANGES, APPROVE), the summary, the inline comments."""

    event: str = "COMMENT"
    body: str = ""
    comments: tuple[Comment, ...] = ()

    @property
    def verdict(self) -> str:
        """The line of the summary with the verdict, as Markdown; empty where it has none."""
        return next((line for line in self.body.splitlines() if _VERDICT.match(line)), "")

    @property
    def in_order(self) -> list[Comment]:
        """The comments in the order in which they are printed and counted."""
        return [self.comments[at] for at in reading_order([(one.path, one.line) for one in self.comments])]


def reading_order(places: Sequence[tuple[str, int | None]]) -> list[int]:
    """Order comments by their paths and lines: file by file as they first come, each from its top. Gives indices."""
    paths = list(dict.fromkeys(path for path, _ in places))
    return sorted(range(len(places)), key=lambda at: (paths.index(places[at][0]), places[at][1] or 0))


class Finding(Part):
    """A finding with its status after this push.

    `text` is its problem, fix and caveat, each a paragraph, and `settled_by` the login of who decided it, if anybody.
    """

    id: str = ""
    status: str = ""
    severity: str = ""
    category: str = ""
    path: str = ""
    line: int | None = None
    title: str = ""
    text: str = ""
    settled_by: str | None = None

    @property
    def key(self) -> str:
        """The identity from push to push: the id, else the place and title."""
        return self.id or f"{self.path} {self.title}"


class Delta(Part):
    """The numbers of findings that are new, resolved or still open after a push, and dismissed by people since."""

    new: int = 0
    resolved: int = 0
    still_open: int = 0
    settled: int = 0


class GitHub(Part):
    """The requests to GitHub: all calls, writing calls, and calls by route."""

    calls: int = 0
    writes: int = 0
    by_route: dict[str, int] = {}


class Memory(Part):
    """The use of the memory in a push: findings written to it, recalled from it, and suppressed by it or by rules.

    `unavailable` is the reason it was unavailable, None if it was available.
    """

    written: int = 0
    recalled: int = 0
    suppressed: int = 0
    unavailable: str | None = None


def _not_none(value: object) -> object:
    return {} if value is None else value


class Push(Part):
    """One push and its review; `mode` is None where the push was skipped, for the reason stated.

    `cost_usd` is what the model cost in US dollars, None if it is unknown.
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
    model: Annotated[Usage, BeforeValidator(_not_none)] = Field(default_factory=Usage)
    cost_usd: float | None = None
    github: Annotated[GitHub, BeforeValidator(_not_none)] = Field(default_factory=GitHub)
    review: Review | None = None
    delta: Annotated[Delta, BeforeValidator(_not_none)] = Field(default_factory=Delta)
    memory: Annotated[Memory, BeforeValidator(_not_none)] = Field(default_factory=Memory)
    threads_resolved: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def scope(self) -> str:
        """The mode and its reason: "full (first review)", "skipped (the pull request is a draft)"."""
        why = f" ({scope_reason(self.reason)})" if self.reason else ""
        return f"{self.mode or 'skipped'}{why}"

    @property
    def open_findings(self) -> list[Finding]:
        """The open findings after this push."""
        return [finding for finding in self.findings if finding.status == "open"]

    @property
    def counts(self) -> dict[str, int]:
        """The delta's numbers that are not zero, by name; of an empty delta how many findings are open."""
        counts = {name: number for name, number in self.delta.model_dump().items() if number}
        still_open = len(self.open_findings)
        return counts or ({"still_open": still_open} if still_open else {})

    @property
    def labeled_counts(self) -> dict[str, str]:
        """The same in words, by name: "2 new"."""
        return {name: f"{number:,} {_DELTA_LABELS[name]}" for name, number in self.counts.items()}

    @property
    def figures(self) -> str:
        """The results and the effort of the push on one line; zero amounts are left out."""
        resolved = [f"{counted(len(self.threads_resolved), 'thread')} resolved"] if self.threads_resolved else []
        parts = [
            *self.labeled_counts.values(),
            *resolved,
            self.mode or "skipped",
            f"{self.files_read:,}/{self.files_total:,} files read",
            f"{self.hunks_asked:,}/{self.hunks_total:,} hunks reviewed",
            model_calls(self.model),
            f"GitHub: {counted(self.github.calls, 'call')} ({counted(self.github.writes, 'write')})",
            duration(self.seconds),
        ]
        return " · ".join(parts)

    @property
    def silence(self) -> str:
        """Why nothing was posted, as the rest of a sentence."""
        if self.mode is None:
            return self.reason or "the push was skipped"
        if self.mode == "unchanged":
            why = "no hunk has changed"
        elif self.open_findings:
            why = "nothing is new, and the open findings were reported before"
        else:
            why = "nothing new to report"
        return f"{why} ({scope_reason(self.reason)})" if self.reason else why


class Target(Part):
    """The target of a reply: a comment of the latest review that has any, counted from 1, or 0, the pull request."""

    comment: int = 0
    path: str = ""
    line: int | None = None
    finding: str | None = None


class Reply(Part):
    """A comment of a person, and what followed: the findings after it, and a review that it requested.

    `role` is the person's role in the repository, `answer` what was posted, None where nothing was.
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
    model: Annotated[Usage, BeforeValidator(_not_none)] = Field(default_factory=Usage)
    cost_usd: float | None = None
    findings: tuple[Finding, ...] = ()
    review: Push | None = None
    seconds: float = 0.0

    @property
    def place(self) -> str:
        """The target, as the rest of a sentence: "comment 1, a.py:12"."""
        if not self.to.comment:
            return "the pull request"
        line = f":{self.to.line}" if self.to.line else ""
        return f"comment {self.to.comment}{f', {self.to.path}{line}' if self.to.path else ''}"

    @property
    def emoji(self) -> str:
        """The reactions as emoji."""
        return " ".join(with_emoji(f":{one}:") for one in self.reactions)

    @property
    def why(self) -> str:
        """The reason for the outcome, where the answer does not state it."""
        return self.reason if self.reason and self.reason not in (self.answer or "") else ""

    def changes(self, before: Sequence[Finding]) -> list[str]:
        """Say which findings have another status than before: "F-… dismissed (won't fix) by ann"."""
        status_before = {finding.key: finding.status for finding in before}
        return [_change(now) for now in self.findings if now.status != status_before.get(now.key, "open")]


def _change(finding: Finding) -> str:
    if finding.status in ("open", "fixed"):
        return f"{finding.key} {'reopened' if finding.status == 'open' else 'resolved'}"
    by = f" by {finding.settled_by}" if finding.settled_by else ""
    return f"{finding.key} dismissed ({status_label(finding.status)}){by}"


class PushEvent(Push):
    """A push among the events."""

    kind: Literal["push"] = "push"


class Result(Part):
    """A pull request and its pushes, in the order in which they were delivered; `events` has them with the replies."""

    repository: str = ""
    pull_request: int = 0
    title: str = ""
    reviewer: str = ""
    pushes: tuple[Push, ...] = ()
    events: tuple[Annotated[PushEvent | Reply, Field(discriminator="kind")], ...] = ()

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


class ChangedFile(Part):
    """A changed file of a push, `patch` as GitHub gives it: from the first "@@" on, None where there is none."""

    path: str
    previous_path: str | None = None
    status: str = "modified"
    patch: str | None = None


Diff = Mapping[str, ChangedFile]
"""The changed files of a push, by path."""


def commented_lines(diff: Diff, comment: Comment) -> list[Line]:
    """Give the lines that a comment is about, none where the diff does not have them."""
    file = diff.get(comment.path)
    try:
        hunks = parse_patch(file.patch) if file and file.patch else ()
    except UnreadablePatch:
        return []
    lines = (line for hunk in hunks for line in hunk.lines)
    return [line for line in lines if (line.old if comment.side == "LEFT" else line.new) in comment.lines]
