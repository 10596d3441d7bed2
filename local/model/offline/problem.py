"""A problem that the offline reviewer found, and how many of them it is fit to say."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import groupby

SEVERITIES = ("CRITICAL", "MAJOR", "MEDIUM", "MINOR")
MOST_ALIKE = 3

Spot = tuple[str, str, int]
"""Where a rule objects: path, rule, first line."""

_MOST_PLACES_NAMED = 12


@dataclass(frozen=True)
class Problem:
    """One problem at lines of the head, both included; `rule` is what found it.

    `quote` is code from those lines, `replacement` what those very lines should read instead; neither has line ends
    other than between its lines.
    """

    rule: str
    severity: str
    category: str
    kind: str
    path: str
    start_line: int
    end_line: int
    title: str
    explanation: str
    quote: str
    replacement: str | None = None

    @property
    def spot(self) -> Spot:
        """What no two problems that are told have in common."""
        return self.path, self.rule, self.start_line

    def as_finding(self) -> dict[str, object]:
        """Give the fields of a finding, as the report and the extraction have them."""
        fields = asdict(self)
        del fields["rule"]
        return fields


def gravity(problem: Problem) -> tuple[int, bool, str, int, str]:
    """Sort key: the gravest first, impact before preference, then by place."""
    grave = SEVERITIES.index(problem.severity)
    return grave, problem.kind != "impact", problem.path, problem.start_line, problem.rule


def condensed(problems: Iterable[Problem]) -> list[Problem]:
    """Keep one problem per rule and line, and of more than three alike in a file the first, which names the others."""
    places = {each.spot: each for each in sorted(problems, key=_place, reverse=True)}
    ordered = sorted(places.values(), key=_place)
    kept: list[Problem] = []
    for _, group in groupby(ordered, key=lambda each: (each.path, each.rule)):
        alike = list(group)
        kept += alike if len(alike) <= MOST_ALIKE else [_standing_for(alike)]
    return sorted(kept, key=gravity)


def _place(problem: Problem) -> tuple[str, str, int, int]:
    return problem.path, problem.rule, problem.start_line, problem.end_line


def _standing_for(alike: list[Problem]) -> Problem:
    first, others = alike[0], alike[1:]
    named = ", ".join(str(each.start_line) for each in others[:_MOST_PLACES_NAMED])
    more = ", …" if len(others) > _MOST_PLACES_NAMED else ""
    grave = min(alike, key=lambda each: SEVERITIES.index(each.severity)).severity
    words = f"{first.explanation} The same in {len(others)} more places of this file: lines {named}{more}."
    return replace(first, severity=grave, explanation=words)
