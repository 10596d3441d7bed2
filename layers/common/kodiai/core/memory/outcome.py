"""Outcomes: what is remembered about a finding, from its status and from what people with write access said."""

from collections.abc import Callable, Iterable

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.github.comment import Thread
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.memory.remembered import FindingOutcome, RememberedFinding, StoredMemory
from kodiai.core.text.incoming import incoming
from kodiai.core.text.secrets import masked

# Somebody who acknowledges a finding agrees with it, and leaves it for later: that is no dismissal.
_DISMISSED: frozenset[FindingStatus] = frozenset({"wont_fix", "dismissed", "conceded"})
_LONGEST_REASON = 200


def embedded_text(finding: Finding) -> str:
    """The text of a finding that is embedded: title, problem, mechanism, and no code beyond what these quote."""
    parts = dict.fromkeys(filter(None, (finding.title, finding.problem, finding.explanation)))
    return masked("\n\n".join(parts))


def remembered_finding(
    known: KnownFinding,
    pull_request: PullRequest,
    thread: Thread | None,
    stored: StoredMemory | None,
    may_write: Callable[[str], bool],
    *,
    at: int,
) -> RememberedFinding:
    """The finding as it is to be remembered now.

    `may_write` says whether a login may write to the repository; it is not asked about people who are `stored` for
    the same already.
    """
    finding, thumbs = known.finding, thread.thumbs if thread is not None else ()
    accepted_before = stored.remembered.accepted_by if stored else ()
    dismissed_before = stored.remembered.dismissed_by if stored else ()
    against = [thumb.login for thumb in thumbs if not thumb.up]
    dismissed_now = known.settled_by if known.status in _DISMISSED else None
    if dismissed_now is not None:
        against.append(dismissed_now)
    dismissed_by = _writers(against, dismissed_before, may_write)
    return RememberedFinding(
        repository_id=pull_request.repository_id,
        repository=pull_request.repository,
        number=pull_request.number,
        finding=known.id,
        severity=finding.severity,
        category=finding.category,
        path=finding.path,
        title=masked(finding.title),
        problem=masked(finding.problem_text),
        outcome=_outcome(known),
        is_merged=pull_request.is_merged,
        accepted_by=_writers([thumb.login for thumb in thumbs if thumb.up], accepted_before, may_write),
        dismissed_by=dismissed_by,
        reason=_reason(known, thread, stored) if dismissed_now in dismissed_by else "",
        at=at,
        rule=finding.rule,
    )


def _reason(known: KnownFinding, thread: Thread | None, stored: StoredMemory | None) -> str:
    """The reason of the person who dismissed it, from its thread, "" without one; it stays when the reply is gone."""
    replies = thread.replies if thread is not None else ()
    said = [each for each in replies if each.author == known.settled_by]
    deciding = [each for each in said if known.decided == f"thread-{each.id}"] or said
    if not deciding:
        return stored.remembered.reason if stored is not None else ""
    return masked(" ".join(incoming(deciding[-1].body).split()))[:_LONGEST_REASON]


def _outcome(known: KnownFinding) -> FindingOutcome:
    return "disputed" if known.status == "open" and known.argued else known.status


def _writers(logins: Iterable[str], known_writers: Iterable[str], may_write: Callable[[str], bool]) -> tuple[str, ...]:
    trusted = set(known_writers)
    return tuple(login for login in sorted(set(logins)) if login in trusted or may_write(login))
