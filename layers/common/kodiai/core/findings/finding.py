"""A finding: what is wrong, where, how bad, and on what evidence."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]
Category = Literal["security", "correctness", "performance", "reliability", "tests", "documentation", "style"]
Kind = Literal["impact", "preference"]

SEVERITIES: tuple[Severity, ...] = ("CRITICAL", "MAJOR", "MEDIUM", "MINOR")
BLOCKING: frozenset[Severity] = frozenset({"CRITICAL", "MAJOR"})


class Finding(BaseModel):
    """One problem in the change.

    Lines are 1-based, both included, on the new side.
    `quote` is the code that it is about, `replacement` (optional) what those very lines should read instead.
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

    @property
    def blocks(self) -> bool:
        """Whether the pull request should wait for it."""
        return self.kind == "impact" and self.severity in BLOCKING

    @property
    def lines(self) -> str:
        """The lines as people write them: "12" or "12-14"."""
        if self.start_line == self.end_line:
            return str(self.start_line)
        return f"{self.start_line}-{self.end_line}"


def rank(finding: Finding) -> tuple[int, int, str, int]:
    """Sort key: the gravest first, impact before preference, then by place."""
    return SEVERITIES.index(finding.severity), finding.kind != "impact", finding.path, finding.start_line
