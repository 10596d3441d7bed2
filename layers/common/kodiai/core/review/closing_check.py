"""How the check run of a review ends."""

from collections.abc import Iterable

from kodiai.core.config.keys import FailOn
from kodiai.core.findings.delta import Delta
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.judgement import is_shown
from kodiai.core.review.check import Annotation, Check, Conclusion
from kodiai.core.words.secrets import masked

# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_NOTE = 16_000


def closing_check(title: str, summary: str, changes: Delta, fail_on: FailOn) -> Check:
    """A check run that is done, with notes on the open findings that have no comment.

    It fails where an open finding blocks that is as severe as the repository's gate. Else it is neutral while anything
    is open or unread, or where nothing was read, and otherwise a success.
    """
    conclusion: Conclusion = "success" if changes.verdict == "ready" else "neutral"
    if changes.verdict == "address-before-merging" and fail_on != "never":
        severe = any(each.blocks and is_shown(each, fail_on) for each in changes.open_findings)
        conclusion = "failure" if severe else conclusion
    notes = annotations(finding for _, finding in uncommented(changes))
    return Check(title, masked(summary), conclusion, notes)


def uncommented(changes: Delta) -> list[tuple[str, Finding]]:
    """The open findings that have no inline comment, the most severe first."""
    new = [(kept.id, kept.finding) for kept in changes.new if not kept.inline]
    old = [(each.id, each.finding) for each in changes.still_open if each.known.comment_id is None]
    return sorted([*new, *old], key=lambda each: rank(each[1]))


def annotations(findings: Iterable[Finding]) -> tuple[Annotation, ...]:
    """Notes on findings that no inline comment carries."""
    return tuple(map(_annotation, findings))


def _annotation(finding: Finding) -> Annotation:
    message = "\n\n".join(filter(None, (finding.problem or finding.explanation, finding.fix)))
    return Annotation(
        path=finding.path,
        start_line=finding.start_line,
        end_line=finding.end_line,
        level="warning" if finding.blocks else "notice",
        title=masked(f"[{finding.severity}] {finding.title}")[:255],
        message=masked(message)[:_LONGEST_NOTE],
    )
