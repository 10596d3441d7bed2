"""Claims: earlier findings that a reviewer says are resolved, as far as code that changed since bears it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.findings.evidence import LinesChanged, changes_since, evidence_for
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import locate
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import Source
from kodiai.core.repository.tree import ReadAtCommit
from kodiai.core.review.file_changes import diff_of
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.plan import ReviewPlan

_CONTEXT_LINES = 12
_MOST_SHOWN = 160


@dataclass(frozen=True)
class Claim:
    """An earlier finding that is said to be resolved, with the code that may do it, before and after."""

    prior: PriorFinding
    evidence: Evidence
    before: str
    after: str
    why: str


def claims(
    plan: ReviewPlan,
    prior: Sequence[PriorFinding],
    answers: Mapping[str, EarlierAnswer],
    source: Source,
    read_at: ReadAtCommit,
) -> tuple[Claim, ...]:
    """The claims that the judge has to decide; the others change nothing."""
    found: list[Claim] = []
    for each in prior:
        answer = answers.get(each.id)
        if answer is None or answer.answer != "ADDRESSED" or each.known.status != "open":
            continue
        claim = _claim(plan, each, answer, source, read_at)
        if isinstance(claim, Claim):
            found.append(claim)
    return tuple(found)


def _claim(
    plan: ReviewPlan, prior: PriorFinding, answer: EarlierAnswer, source: Source, read_at: ReadAtCommit
) -> Claim | str:
    if prior.id in plan.moved_code:
        return "its code was moved, and stands as it was"
    finding, head = prior.finding, prior.known.stood_at or plan.input.previous_head
    now = source.read_lines(finding.path)
    then = read_at(plan.input.path_then(finding.path), head) if head else None
    if now is None:
        return Claim(prior, Evidence(finding.path, ""), _around(then, finding.start_line), "(deleted)", answer.why)
    quoted = locate(answer.quote, answer.path or finding.path, finding.start_line, source)
    path = quoted.path if quoted else finding.path
    its_now = source.read_lines(path) or []
    its_then = then if path == finding.path else (read_at(plan.input.path_then(path), head) if head else None)
    changed = changes_since(its_then, its_now) if its_then is not None else _new_hunks(plan.input, path)
    evidence = evidence_for(finding, quoted, its_now, changed)
    if isinstance(evidence, str):
        return evidence
    shown = [diff_of(finding.path, then, now)] if then is not None else []
    shown += [diff_of(path, its_then, its_now)] if path != finding.path and its_then is not None else []
    after = "\n".join(shown) or _around(its_now, quoted.start_line if quoted else 1)
    return Claim(prior, evidence, _around(then, finding.start_line), after, answer.why)


def _new_hunks(review_input: ReviewInput, path: str) -> LinesChanged:
    """What changed as far as the hunks tell: those that the last run did not see."""
    file = next((file for file in review_input.files if file.path == path), None)
    seen = review_input.previous_hunks(path)
    hunks = [hunk for hunk in file.hunks if hunk.key not in seen] if file else []
    added = (line.new for hunk in hunks for line in hunk.lines if line.marker == "+" and line.new)
    return LinesChanged(frozenset(added))


def _around(lines: Sequence[str] | None, line: int) -> str:
    """The lines around one of them; a note where they cannot be read."""
    if lines is None:
        return "(cannot be read)"
    return "\n".join(lines[max(0, line - 1 - _CONTEXT_LINES) : line + _CONTEXT_LINES])
