"""The result of `kodiai review`, as its JSON has it: what printout and report read."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


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
    """One push and what came of it; `mode` is None where the push was skipped, for the reason stated."""

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


class Result(_Part):
    """A pull request and its pushes, in the order in which they were delivered."""

    repository: str = ""
    pull_request: int = 0
    title: str = ""
    reviewer: str = ""
    pushes: tuple[Push, ...] = ()


class DiffFile(_Part):
    """A changed file of a push, `patch` as GitHub gives it: from the first "@@" on, None where there is none."""

    path: str
    previous_path: str | None = None
    status: str = "modified"
    patch: str | None = None
