"""The findings of `kodiai doctor`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

State = Literal["fine", "problem", "note", "unchecked"]


@dataclass(frozen=True)
class Finding:
    """The finding of one check; `fix` are the commands, or the page, that fix it.

    A "note" is worth knowing and needs no fix. "unchecked" says why nothing is known: that is never fine.
    """

    check: str
    state: State
    text: str
    fix: tuple[str, ...] = ()


@dataclass
class Report:
    """Collects findings, and hands each on at once."""

    on_finding: Callable[[Finding], None]
    findings: list[Finding] = field(default_factory=list)

    def add(self, check: str, state: State, text: str, *fix: str) -> None:
        """Add what a check found."""
        found = Finding(check, state, text, tuple(filter(None, fix)))
        self.findings.append(found)
        self.on_finding(found)

    @property
    def has_problems(self) -> bool:
        """Whether something is wrong, or could not be checked."""
        return any(each.state in ("problem", "unchecked") for each in self.findings)


def as_json(findings: list[Finding]) -> list[Mapping[str, object]]:
    """The findings for programs."""
    return [{"check": each.check, "state": each.state, "text": each.text, "fix": list(each.fix)} for each in findings]


def lines(found: Finding) -> Iterator[str]:
    """One finding for the terminal: a mark, the check, the text; below it each fix."""
    mark = {"fine": "✓", "problem": "✗", "note": "!", "unchecked": "?"}[found.state]
    yield f"{mark} {found.check:<14} {found.text}"
    yield from (f"{'':<17}{line}" for each in found.fix for line in each.splitlines())
