"""Findings by code: what the alarms about lock files report, and when what they reported is fixed."""

from collections.abc import Collection

from kodiai.core.changes.lock_files.alarm import Alarm
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.report import EarlierAnswer, Reported
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.unposted import UnpostedAnswer
from kodiai.core.plan.update import FindingUpdate

_REVIEWER = "lock file comparison"
_FIXED = "The lock file no longer says so."


def findings_by_code(review_input: ReviewInput, paths: Collection[str]) -> tuple[Reported, ...]:
    """The findings by code in the files with these paths."""
    files = (file for file in review_input.files if file.path in paths)
    return tuple(Reported(_REVIEWER, _finding(file.path, each)) for file in files for each in file.alarms)


def _finding(path: str, alarm: Alarm) -> Finding:
    return Finding(
        by_code=True,
        severity=alarm.severity,
        category="security",
        kind="impact",
        path=path,
        start_line=alarm.line,
        end_line=alarm.line,
        title=alarm.title,
        explanation=alarm.explanation,
        quote=alarm.quote,
    )


def answers_by_code(review_input: ReviewInput) -> dict[str, UnpostedAnswer]:
    """The answers about the open findings by code that are fixed, by finding id."""
    fixed = (each for each in review_input.known if each.finding.by_code and _is_fixed(review_input, each))
    return {each.id: _answer(each, review_input.path_now(each.finding.path)) for each in fixed}


def _is_fixed(review_input: ReviewInput, known: KnownFinding) -> bool:
    """Whether its lock file was read in full and no longer has it, or is as the base has it."""
    path = known.finding.path
    file = review_input.by_path.get(review_input.path_now(path))
    if known.status != "open":
        return False
    if file is None:
        return review_input.difference is not None and path in review_input.difference.gone
    return file.shown is not None and not review_input.is_reported_by_code(known)


def _answer(known: KnownFinding, path: str) -> UnpostedAnswer:
    said = EarlierAnswer(finding=known.id, answer="ADDRESSED", path=path, why=_FIXED)
    return UnpostedAnswer(said, FindingUpdate(known, known), Evidence(path, ""))
