"""A finding: what is wrong, where, how severe, and on what evidence."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]
ReportedCategory = Literal["security", "correctness", "performance", "reliability", "tests", "documentation", "style"]
Category = ReportedCategory | Literal["rule"]
"""The category of a finding: those that readers report, and that of a rule of the team that fails."""
Kind = Literal["impact", "preference"]

SEVERITIES: tuple[Severity, ...] = ("CRITICAL", "MAJOR", "MEDIUM", "MINOR")
BLOCKING: frozenset[Severity] = frozenset({"CRITICAL", "MAJOR"})


class Cause(BaseModel):
    """Changed code that causes a problem elsewhere; `quote` is in `path`, or was there before the change.

    Without a quote, the move of the file, `path` being the old or the new one.
    """

    model_config = ConfigDict(frozen=True)

    path: str
    quote: str


class Finding(BaseModel):
    """One problem in the change.

    Lines are 1-based, both included, on the new side.
    `explanation` is the mechanism and `reported_title` the title, in the words of its reviewer; `title`, `problem` and
    `fix` are what people read.
    `quote` is the code that it is about. `replacement` (optional) is what the lines `replaces` should read instead; if
    that is None, its own lines should.
    `cause` is the changed code that causes it, if its own lines are not changed.
    `pre_existing` is whether the problem was there before the change, on lines that it does not touch.
    `by_code` is whether code alone found it, and tells by its reported title when it is fixed.
    `rule` is the id of the team's rule, or of the linked issue's criterion ("issue-1"), that fails; None for others.
    `looked_at` are the files that were looked at for it. If no line shows that it fails, the quote is empty.
    `caveat` says what was not checked, None if everything was. `once_fixed` is the title of the finding of the same
    review without whose fix it does not happen yet, None if it happens.
    """

    model_config = ConfigDict(frozen=True)

    severity: Severity
    category: Category
    kind: Kind
    path: str
    start_line: int
    end_line: int
    title: str
    explanation: str
    quote: str
    replacement: str | None = None
    replaces: tuple[int, int] | None = None
    pre_existing: bool = False
    by_code: bool = False
    caveat: str | None = None
    once_fixed: str | None = None
    problem: str = ""
    fix: str = ""
    reported_title: str = ""
    cause: Cause | None = None
    rule: str | None = None
    looked_at: tuple[str, ...] = ()

    @property
    def problem_text(self) -> str:
        """The problem as people read it: the words of the judge, or the explanation where there are none."""
        return self.problem or self.explanation

    @property
    def is_missing(self) -> bool:
        """Whether it is about something that a rule asks for and that is nowhere, so that it has no lines."""
        return self.rule is not None and not self.quote

    @property
    def is_severe(self) -> bool:
        """Whether somebody will be hurt by it."""
        return self.kind == "impact" and self.severity in BLOCKING

    @property
    def blocks(self) -> bool:
        """Whether the pull request should wait for it: it is severe, and this change introduces it."""
        return self.is_severe and not self.pre_existing

    @property
    def is_older(self) -> bool:
        """Whether it is severe, and was there before the change."""
        return self.is_severe and self.pre_existing

    @property
    def is_about_code(self) -> bool:
        """Whether only other code fixes it, and neither a comment nor another format of the same code."""
        return self.category not in ("documentation", "style")

    @property
    def replaced_lines(self) -> tuple[int, int]:
        """The first and the last line that the replacement is for."""
        return self.replaces or (self.start_line, self.end_line)

    @property
    def paths(self) -> frozenset[str]:
        """The files that it is about: its own, and that of its cause."""
        return frozenset({self.path, *([self.cause.path] if self.cause is not None else [])})

    @property
    def lines(self) -> str:
        """The lines as people write them: "12" or "12-14"."""
        return str(self.start_line) if self.start_line == self.end_line else f"{self.start_line}-{self.end_line}"


def rank(finding: Finding) -> tuple[int, bool, bool, str, int]:
    """Sort key: most severe first, impact before preference, new problems before pre-existing ones, by place."""
    severity = SEVERITIES.index(finding.severity)
    return severity, finding.kind != "impact", finding.pre_existing, finding.path, finding.start_line
