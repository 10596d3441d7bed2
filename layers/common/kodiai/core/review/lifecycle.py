"""The lifecycle of findings: their transitions from one review to the next."""

from dataclasses import dataclass, replace

from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import SEVERITIES, Finding, Severity
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.locate import code_exists
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import ReadLines
from kodiai.core.judge.ruling import PROBLEM_WORDS
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.text.layout import short_text, short_title


@dataclass(frozen=True)
class Observation:
    """An observation about one finding of an earlier review.

    `stance` is what people say about it. `answered` is the model's answer, None if it was not asked or gave none,
    though it `was_asked`. `resolved` is the code that resolves it, as code and judge agree.
    `reported` is the same finding in this run's report.
    `is_back` is whether code that was fixed is again as it was when the finding was reported.
    `is_changed` is whether its hunk, or the file that the answer shows, changed since the last review; `is_tried`
    whether its own lines did. `is_answered` is whether the conversation has answered what is claimed.
    `is_unresolved` is whether its thread exists and is open.
    """

    stance: Stance
    was_asked: bool = False
    answered: EarlierAnswer | None = None
    resolved: Evidence | None = None
    reported: Finding | None = None
    is_back: bool = False
    is_changed: bool = False
    is_tried: bool = False
    is_answered: bool = False
    is_unresolved: bool = False


def follow(known: KnownFinding, seen: Observation, read_lines: ReadLines) -> FindingUpdate:
    """Decide about a finding. Only code or people close it; it stays open if nobody mentions it.

    `read_lines` gives the files at the head.
    """
    stance = seen.stance
    # A claim is not heard until it is answered.
    unheard = stance.claim is not None and seen.answered is None
    heard = known if unheard else replace(known, heard=stance.heard or known.heard)
    disagrees = False
    if known.status != "open":
        update = _closed(known, heard, seen, read_lines)
    elif stance.settles is not None:
        dismissed = replace(heard, status=stance.settles, settled_by=stance.by)
        update = FindingUpdate(dismissed, known, "dismissed", f"{stance.by or 'somebody'} decided so")
    else:
        disagrees = stance.author_disagrees
        update = _open(heard, seen, read_lines)
    return replace(update, author_disagrees=disagrees, stance=replace(stance, unread=()))


def _closed(known: KnownFinding, heard: KnownFinding, seen: Observation, read_lines: ReadLines) -> FindingUpdate:
    """Reopen a closed finding if its code is back, or if a person opens its thread again."""
    was_closed_there = (known.status == "dismissed" and known.decided is None) or known.resolved_thread
    if seen.stance.reopened_by is not None and seen.stance.is_news:
        why = f"{seen.stance.reopened_by} reopened it"
    elif was_closed_there and seen.is_unresolved and seen.stance.settles is None:
        why = "its thread was opened again"
    elif known.status == "fixed" and seen.is_back and not _is_still_there(known.evidence, read_lines):
        why = "the code is as it was"
    else:
        return FindingUpdate(heard, known)
    again = replace(
        heard, status="open", evidence=None, settled_by=None, decided=None, decided_at=None, resolved_thread=False
    )
    return FindingUpdate(again, known, "reopened", why)


def _is_still_there(evidence: Evidence | None, read_lines: ReadLines) -> bool:
    """Whether the evidence that a finding is fixed is still in the code."""
    if evidence is None or not evidence.quote:
        return evidence is not None and read_lines(evidence.path) is None
    return code_exists(evidence.quote, evidence.path, read_lines)


def _open(known: KnownFinding, seen: Observation, read_lines: ReadLines) -> FindingUpdate:
    """Follow the model's answer about an open finding if the code confirms it."""
    answer = seen.answered
    if answer is None:
        return _raised(known, seen) if seen.was_asked else FindingUpdate(known, known)
    if seen.resolved is not None and seen.reported is None:
        return FindingUpdate(replace(known, status="fixed", evidence=seen.resolved), known, "resolved", answer.why)
    says_so = answer.answer in ("PARTIAL", "NOT_ADDRESSED")
    grounded = says_so and code_exists(answer.quote, answer.path or known.finding.path, read_lines)
    if seen.stance.claim == "disagrees":
        return _argued(known, seen, answer, grounded=grounded)
    raised = _raised(known, seen, answer.severity, answer.why) if answer.severity and grounded else _raised(known, seen)
    if raised.transition == "raised" or not grounded or answer.concedes or not answer.why.strip():
        return raised
    if answer.answer == "PARTIAL" and seen.is_changed:
        return _partly_fixed(known, answer)
    is_asked = seen.is_tried or (seen.stance.claim == "done" and not seen.is_answered)
    return replace(raised, answer=answer.why) if is_asked and answer.answer == "NOT_ADDRESSED" else raised


def _partly_fixed(known: KnownFinding, answer: EarlierAnswer) -> FindingUpdate:
    """Say what is fixed and what is left; from now on its title and problem are those of what is left."""
    left = {"title": short_title(answer.title), "problem": short_text(answer.problem, PROBLEM_WORDS)}
    finding = known.finding.model_copy(update={name: text for name, text in left.items() if text})
    return FindingUpdate(replace(known, finding=finding), known, "partly", answer.why, answer=answer.why)


def _argued(known: KnownFinding, seen: Observation, answer: EarlierAnswer, *, grounded: bool) -> FindingUpdate:
    """Concede an argument, or answer it once with code; if neither is possible, say nothing."""
    if answer.concedes and seen.stance.may_win:
        conceded = replace(known, status="conceded", settled_by=seen.stance.by)
        return FindingUpdate(conceded, known, "resolved", answer.why, answer=answer.why)
    if not answer.concedes and answer.why.strip() and grounded:
        return FindingUpdate(replace(known, argued=True), known, why=answer.why, answer=answer.why)
    return FindingUpdate(known, known)


def _raised(known: KnownFinding, seen: Observation, severity: Severity | None = None, why: str = "") -> FindingUpdate:
    """Raise its severity if the code did, and say why once; it never becomes less severe by itself."""
    if severity is None and seen.reported is not None:
        severity, why = seen.reported.severity, seen.reported.problem_text
    more_severe = severity is not None and SEVERITIES.index(severity) < SEVERITIES.index(known.finding.severity)
    if not more_severe or known.finding.kind == "preference":
        return FindingUpdate(known, known)
    worse = known.finding.model_copy(update={"severity": severity})
    return FindingUpdate(replace(known, finding=worse), known, "raised", why, answer=why)
