"""A problem that an offline check found, and how many of them are reported."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from kodiai.core.findings.finding import SEVERITIES, Category, Kind, Severity

MOST_ALIKE = 3
_MOST_PLACES_NAMED = 12
_LINE = re.compile(r"\bline \d+")
_MORE_PLACES = " The same in "


@dataclass(frozen=True)
class Problem:
    """One problem at a line of the head. `check` is what found it: the explanation begins with it.

    `quote` is code of that line, `replacement` what the line should read instead, `fix` what to do where that says
    nothing.
    """

    check: str
    severity: Severity
    category: Category
    kind: Kind
    path: str
    line: int
    title: str
    why: str
    quote: str
    replacement: str | None = None
    fix: str = ""

    @property
    def explanation(self) -> str:
        """The text that people read, the check first."""
        return f"{self.check}: {self.why}"

    def as_finding(self) -> dict[str, object]:
        """Give the fields of a reported finding, but for its number."""
        return {
            "severity": self.severity,
            "category": self.category,
            "kind": self.kind,
            "path": self.path,
            "start_line": self.line,
            "end_line": self.line,
            "title": self.title,
            "explanation": self.explanation,
            "quote": self.quote,
            "replacement": self.replacement,
            "fix": self.fix,
            "cause": None,
            "pre_existing": False,
        }


def new_problems(now: Iterable[Problem], before: Iterable[Problem], added: Container[int]) -> list[Problem]:
    """Return the problems that the file did not have before, ignoring moved and reformatted lines.

    Among several alike, the ones on unchanged lines match the old ones first.
    """
    known = Counter(_identity(problem) for problem in before)
    found = []
    for problem in sorted(now, key=lambda each: each.line in added):
        if known[_identity(problem)] > 0:
            known[_identity(problem)] -= 1
        else:
            found.append(problem)
    return found


def _identity(problem: Problem) -> tuple[str, str]:
    return problem.check, _LINE.sub("", problem.title)


def severity_order(problem: Problem) -> tuple[int, bool, str, int]:
    """Sort key: the most severe first, impact before preference, then by place."""
    return SEVERITIES.index(problem.severity), problem.kind != "impact", problem.path, problem.line


def merge_similar(problems: Iterable[Problem]) -> list[Problem]:
    """Keep what reads alike once on a line, and of more than three in a file the first, which names the others."""
    once = {(each.path, each.check, each.line, each.title): each for each in problems}
    kept: list[Problem] = []
    for _, group in groupby(sorted(once), key=lambda key: key[:2]):
        alike = [once[key] for key in group]
        kept += alike if len(alike) <= MOST_ALIKE else [_standing_for(alike)]
    return sorted(kept, key=severity_order)


def _standing_for(alike: Sequence[Problem]) -> Problem:
    first, *others = alike
    named = ", ".join(str(each.line) for each in others[:_MOST_PLACES_NAMED])
    more = ", …" if len(others) > _MOST_PLACES_NAMED else ""
    return replace(first, why=f"{first.why}{_MORE_PLACES}{len(others)} more places of this file: lines {named}{more}.")


def represents_several(explanation: str) -> bool:
    """Whether a problem was reported in the place of several of its file."""
    return _MORE_PLACES in explanation
