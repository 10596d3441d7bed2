"""What the judge is shown, and in which groups: candidates, earlier findings, and claims that one is resolved."""

import json
from collections.abc import Iterator, Sequence

from kodiai.core.conversation.thread import Thread
from kodiai.core.findings.candidate import Candidate
from kodiai.core.findings.enforce import JudgeDecision
from kodiai.core.findings.finding import rank
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.ruling import Ruling
from kodiai.core.json_object import JsonObject
from kodiai.core.review.claims import ResolutionClaim
from kodiai.core.review.material import said_in
from kodiai.core.review.plan import Batch

# Of more at once each gets less attention.
_MOST_TOGETHER = 12


def groups(
    candidates: Sequence[Candidate], claims: Sequence[ResolutionClaim], batches: Sequence[Batch]
) -> Iterator[tuple[Batch, Sequence[Candidate], Sequence[ResolutionClaim]]]:
    """At most twelve candidates each, of the batch that shows their file or of the riskiest one, most severe first."""
    home = {file.path: at for at, batch in reversed([*enumerate(batches)]) for file in batch.files}
    ranked = sorted(candidates, key=lambda each: rank(each.finding))
    for at, batch in enumerate(batches):
        here = [each for each in ranked if home.get(each.finding.path, 0) == at]
        asked = [claim for claim in claims if home.get(claim.prior.finding.path, 0) == at]
        for start in range(0, len(here), _MOST_TOGETHER) or ([0] if asked else []):
            yield batch, here[start : start + _MOST_TOGETHER], asked if start == 0 else ()


def candidate_row(candidate: Candidate) -> JsonObject:
    """A candidate as its reviewer reported it, with the notes about its code."""
    finding = candidate.finding
    return {
        "number": candidate.number,
        "reviewer": candidate.reviewer,
        "severity": finding.severity,
        "category": finding.category,
        "kind": finding.kind,
        "path": finding.path,
        "lines": finding.lines,
        "title": finding.title,
        "mechanism": finding.explanation,
        "quote": finding.quote,
        "cause": finding.cause.model_dump() if finding.cause else None,
        "replacement": finding.replacement,
        "presumed": candidate.presumed,
        "notes": candidate.notes,
    }


def ruled(ruling: Ruling | None) -> str:
    """The judge's first ruling, for the question that asks again."""
    if ruling is None:
        return ""
    return f", ruled {json.dumps(ruling.model_dump(exclude={'number'}, exclude_defaults=True), ensure_ascii=False)}"


def kept_row(decision: JudgeDecision) -> JsonObject:
    """A candidate that an earlier group kept."""
    finding = decision.finding
    return {
        "number": decision.candidate.number,
        "path": finding.path,
        "lines": finding.lines,
        "title": finding.title,
        "problem": finding.problem,
    }


def claim_row(claim: ResolutionClaim) -> JsonObject:
    """An earlier finding that a reviewer calls resolved, with the code before and after."""
    finding = claim.prior.finding
    return {
        "finding": claim.prior.id,
        "title": finding.title,
        "problem": finding.problem or finding.explanation,
        "quote": finding.quote,
        "before": claim.before,
        "after": claim.after,
        "evidence": {"path": claim.evidence.path, "quote": claim.evidence.quote},
        "why": claim.why,
    }


def prior_row(prior: PriorFinding, thread: Thread | None) -> JsonObject:
    """An earlier finding as it stands now, with what people said of it."""
    finding = prior.finding
    return {
        "finding": prior.id,
        "status": prior.known.status,
        "severity": finding.severity,
        "category": finding.category,
        "path": finding.path,
        "now": f"stands at line {prior.place[0]}" if prior.place else "its code was edited or removed",
        "title": finding.title,
        "problem": finding.problem or finding.explanation,
        "quote": finding.quote,
        "said": said_in(thread),
    }
