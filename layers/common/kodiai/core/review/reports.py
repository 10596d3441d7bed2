"""What the reviewers reported."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kodiai.core.changes.scope import Skipped
from kodiai.core.findings.report import EarlierAnswer, Report, ReportedFinding
from kodiai.core.reviewers import Reviewer


@dataclass(frozen=True)
class Reports:
    """What the reviewers made of everything in the plan.

    `findings` are those of all reports, each with its reviewer. `earlier` are the answers about earlier findings, by
    their ids. `unread` are the files that some reviewer could not read in full, each with the reasons; `problems` are
    such reasons where there is no file to name.
    """

    reports: tuple[Report, ...]
    findings: tuple[tuple[Reviewer, ReportedFinding], ...]
    earlier: Mapping[str, EarlierAnswer]
    unread: tuple[Skipped, ...]
    problems: tuple[str, ...]


def answers_by_finding(answers: Iterable[EarlierAnswer]) -> dict[str, EarlierAnswer]:
    """One answer for each finding; where there are two, the one that does not call it addressed."""
    ordered = sorted(answers, key=lambda answer: answer.answer != "ADDRESSED")
    return {answer.finding: answer for answer in ordered}
