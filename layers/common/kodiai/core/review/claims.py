"""Claims: earlier findings that a reviewer says are resolved, as far as code that changed since bears it out."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.findings.evidence import Since, evidence_for, since
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.locate import ReadLines, Source, locate
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.review.input import ReviewInput

ReadThen = Callable[[str, str], list[str] | None]
"""Gives a file's lines at a commit, None where that cannot be read."""

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


def change_since(gathered: ReviewInput, known: KnownFinding, read_lines: ReadLines, read_then: ReadThen) -> str:
    """How a finding's file changed since its code was last reviewed, as a diff; "" where that cannot be told."""
    head, path = known.stood_at or gathered.previous_head, known.finding.path
    now = read_lines(path)
    then = read_then(gathered.path_then(path), head) if head and now is not None else None
    return _diff(path, then, now) if then is not None and now is not None else ""


def claims(
    gathered: ReviewInput,
    prior: Sequence[PriorFinding],
    answers: Mapping[str, EarlierAnswer],
    source: Source,
    read_then: ReadThen,
) -> tuple[Claim, ...]:
    """The claims that the judge has to decide; the others change nothing."""
    found: list[Claim] = []
    for each in prior:
        answer = answers.get(each.id)
        if answer is None or answer.answer != "ADDRESSED" or each.known.status != "open":
            continue
        claim = _claim(gathered, each, answer, source, read_then)
        if isinstance(claim, Claim):
            found.append(claim)
    return tuple(found)


def _claim(
    gathered: ReviewInput, prior: PriorFinding, answer: EarlierAnswer, source: Source, read_then: ReadThen
) -> Claim | str:
    if prior.id in gathered.moved_code:
        return "its code was moved, and stands as it was"
    finding, head = prior.finding, prior.known.stood_at or gathered.previous_head
    now = source.read_lines(finding.path)
    then = read_then(gathered.path_then(finding.path), head) if head else None
    if now is None:
        return Claim(prior, Evidence(finding.path, ""), _around(then, finding.start_line), "(deleted)", answer.why)
    quoted = locate(answer.quote, answer.path or finding.path, finding.start_line, source)
    path = quoted.path if quoted else finding.path
    its_now = source.read_lines(path) or []
    its_then = then if path == finding.path else (read_then(gathered.path_then(path), head) if head else None)
    changed = since(its_then, its_now) if its_then is not None else _new_hunks(gathered, path)
    evidence = evidence_for(finding, quoted, its_now, changed)
    if isinstance(evidence, str):
        return evidence
    shown = [_diff(finding.path, then, now)] if then is not None else []
    shown += [_diff(path, its_then, its_now)] if path != finding.path and its_then is not None else []
    after = "\n".join(shown) or _around(its_now, quoted.start_line if quoted else 1)
    return Claim(prior, evidence, _around(then, finding.start_line), after, answer.why)


def _new_hunks(gathered: ReviewInput, path: str) -> Since:
    """What changed as far as the hunks tell: those that the last run did not see."""
    file = next((file for file in gathered.files if file.path == path), None)
    seen = gathered.previous_hunks(path)
    hunks = [hunk for hunk in file.hunks if hunk.key not in seen] if file else []
    return Since(frozenset(line.new for hunk in hunks for line in hunk.lines if line.marker == "+" and line.new))


def _around(lines: Sequence[str] | None, line: int) -> str:
    """The lines around one of them; a note where they cannot be read."""
    if lines is None:
        return "(cannot be read)"
    return "\n".join(lines[max(0, line - 1 - _CONTEXT_LINES) : line + _CONTEXT_LINES])


def _diff(path: str, then: Sequence[str], now: Sequence[str]) -> str:
    """How a file changed since then, as a diff."""
    rows = list(difflib.unified_diff(then, now, path, path, lineterm="", n=5))
    return "\n".join([*rows[:_MOST_SHOWN], *(["(cut here)"] if len(rows) > _MOST_SHOWN else [])])
