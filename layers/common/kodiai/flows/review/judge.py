"""Judge: what was reported, held against the code at the head, against facts, and against what was told before."""

from collections.abc import Mapping
from dataclasses import replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.touched import Touched
from kodiai.core.findings.claims import Facts
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.ground import NotGrounded, ReadLines, places
from kodiai.core.findings.judge import Judgement, Kept, judge
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.lifecycle import evidence_of, evidence_stands
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.sift import Memory, Sifted, sift
from kodiai.core.findings.verification import Verification
from kodiai.flows.review.ask import Asked
from kodiai.flows.review.gather import Gathered


def sift_reports(
    gathered: Gathered,
    asked: Asked,
    answers: Mapping[str, EarlierAnswer],
    facts: Facts,
    read_lines: ReadLines,
    rejected: Mapping[Finding, str],
) -> Sifted:
    """Sift everything that was reported; `answers` are those about findings of before, by their ids."""
    files = {file.path: file for file in gathered.files}
    return sift(
        [finding for report in asked.reports for finding in report.findings],
        read_lines=read_lines,
        facts=facts,
        change=Touched(gathered.files),
        floor=gathered.config.review.severity.min_level,
        memories=[
            _memory(known, answers.get(known.id), files.get(known.finding.path), read_lines)
            for known in (_as_decided(gathered, each) for each in gathered.known)
        ],
        rejected=rejected,
    )


def judge_candidates(gathered: Gathered, sifted: Sifted, verifications: Mapping[str, Verification]) -> Judgement:
    """Judge what was sifted and verified."""
    files = {file.path: file for file in gathered.files}

    def takes_comment(path: str, start: int, end: int) -> bool:
        return path in files and files[path].takes_comment_on(start, end)

    def with_hunk(kept: Kept) -> Kept:
        file = files.get(kept.finding.path)
        hunk = file.hunk_at(kept.finding.start_line, kept.finding.end_line) if file else None
        return replace(kept, hunk=hunk.key if hunk else None)

    most = gathered.config.review.max_comments
    judgement = judge(sifted, verifications, takes_comment=takes_comment, max_comments=most)
    return replace(judgement, kept=tuple(with_hunk(kept) for kept in judgement.kept))


def _as_decided(gathered: Gathered, known: KnownFinding) -> KnownFinding:
    """A finding with what people have decided about it since the last run."""
    stance = gathered.stances[known.id]
    now = gathered.moved(known)
    if known.status != "open" or stance.settles is None:
        return now
    return replace(now, status=stance.settles, settled_by=stance.by)


def _memory(
    known: KnownFinding, answer: EarlierAnswer | None, file: ChangedFile | None, read_lines: ReadLines
) -> Memory:
    """What a report is held against."""
    found = _places(known, read_lines)
    addressed = answer if answer is not None and answer.answer == "ADDRESSED" else None
    return Memory(
        known,
        stands=bool(found),
        lines=_lines(known, file, found),
        is_answered=answer is not None,
        is_mended=addressed is not None and evidence_of(known, addressed, read_lines) is not None,
        fix_stands=known.status == "fixed" and evidence_stands(known.evidence, read_lines),
    )


def _places(known: KnownFinding, read_lines: ReadLines) -> list[tuple[int, int]]:
    """Every place where its code stands now."""
    try:
        return places(known.finding.quote, known.finding.path, read_lines)
    except NotGrounded:
        return []


def _lines(known: KnownFinding, file: ChangedFile | None, found: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Which of the places is its own, None where that cannot be told: in its own hunk, else the only one."""
    own = next((hunk for hunk in file.hunks if hunk.key == known.hunk), None) if file else None
    inside = [place for place in found if own is not None and place[0] in own.new_lines]
    candidates = inside or found
    return candidates[0] if len(candidates) == 1 else None
