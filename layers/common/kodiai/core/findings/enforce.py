"""Enforce: what the judge rules is held against the code, and every candidate gets a fate."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kodiai.core.findings.finding import BLOCKING, SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.identity import PriorFinding, quote_key
from kodiai.core.findings.known import SETTLED
from kodiai.core.findings.locate import Located
from kodiai.core.findings.ruling import (
    FIX_WORDS,
    PROBLEM_WORDS,
    Fate,
    Ruling,
    long_texts,
    short_text,
    short_title,
)

LocateQuote = Callable[[str, str, int | None], Located | None]
"""Finds where a quote of a path stands, nearest to a line or to the changes (None); None where it stands nowhere."""

_NOT_FOUND = "the quote does not stand in the code at that path, or has no two letters or digits to find it by"
_NO_EVIDENCE = "no line of code was quoted that shows it"


@dataclass(frozen=True)
class Candidate:
    """A reported finding at the lines where its code stands.

    `number` is its place in the run, from 1. `stands` is whether its quote is in the code; `brought` whether the
    change touches its lines or its cause. `lost_replacement` is whether its replacement was made for other lines.
    `notes` are facts about its code.
    `twins` are the ids of earlier findings about the same lines; `presumed` is the one of them that it is by path, code
    and category, unless the judge says that it is another problem.
    """

    number: int
    reviewer: str
    finding: Finding
    stands: bool = True
    brought: bool = True
    lost_replacement: bool = False
    notes: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    presumed: str | None = None


@dataclass(frozen=True)
class Shown:
    """What the judge was shown: earlier findings by id, and what was kept before, titles by number."""

    prior: Mapping[str, PriorFinding] = field(default_factory=dict)
    kept: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgeDecision:
    """What becomes of one candidate.

    `finding` is what is posted and remembered where it is kept. `known` is the id of the earlier finding that it is.
    `reason` says why it is not kept, or what of it was not verified.
    """

    candidate: Candidate
    outcome: Literal["kept", "repeated", "suppressed"]
    fate: Fate | Literal["unjudged"]
    finding: Finding
    known: str | None = None
    reason: str = ""


def complaints(
    candidate: Candidate, ruling: Ruling | None, shown: Shown, numbers: Collection[int], locate: LocateQuote
) -> Iterator[str]:
    """Say what keeps a ruling from being followed; the judge is asked once more about it."""
    if ruling is None:
        yield "it has no ruling"
        return
    match ruling.fate:
        case "same-as":
            if ruling.same_as == candidate.number or ruling.same_as not in {*numbers, *shown.kept}:
                yield f"same_as names {ruling.same_as}, which is no other candidate"
        case "known":
            if ruling.known not in shown.prior:
                yield f"known names {ruling.known}, which is no earlier finding that was shown"
        case "wrong":
            if _evidence(candidate, ruling, locate) is None:
                yield _NOT_FOUND
        case "keep":
            if ruling.severity in BLOCKING and _evidence(candidate, ruling, locate) is None:
                yield _NOT_FOUND
            yield from long_texts(ruling)
            if not ruling.title.strip() or not ruling.problem.strip():
                yield "it has no title or no problem"
            if _presumed(candidate, ruling, shown) is not None:
                yield f"it is presumed to be {candidate.presumed}: name that as known, or as different_from"


def decide(
    candidates: Sequence[Candidate], rulings: Mapping[int, Ruling], shown: Shown, locate: LocateQuote, unjudged: str
) -> tuple[JudgeDecision, ...]:
    """Give every candidate its fate, in their order.

    `unjudged` is why a candidate has no ruling. What cannot be followed leaves the finding standing.
    """
    ends = {each.number: _end(each.number, rulings) for each in candidates}
    silent = merged_unjudged([each for each in candidates if each.number not in rulings], shown, unjudged)
    alone = {each.candidate.number: each for each in silent}
    for candidate in candidates:
        number = candidate.number
        if number in rulings and ends[number] == number:
            alone[number] = _decided(candidate, rulings[number], shown, locate)
    titles = {number: each.finding.title for number, each in alone.items() if each.outcome != "suppressed"}
    kept = {**shown.kept, **titles}
    decisions = []
    for candidate in candidates:
        end = ends[candidate.number]
        if end == candidate.number:
            decisions.append(_with_worst(alone[end], candidates, ends, rulings))
        elif end in kept:
            decisions.append(_dropped(candidate, "same-as", f"the same as “{kept[end]}”"))
        elif end in alone and alone[end].fate == "known":
            prior = shown.prior.get(alone[end].known or "")
            decisions.append(_known(candidate, rulings[candidate.number], prior, shown, locate))
        else:
            decisions.append(_unjudged(candidate, shown, "what it was called the same as is not kept"))
    return tuple(decisions)


def merged_unjudged(candidates: Sequence[Candidate], shown: Shown, why: str) -> tuple[JudgeDecision, ...]:
    """Decide without a judge: what has the same path, category and quoted code is one, the most severe stays."""
    first: dict[tuple[str, str, str], Candidate] = {}
    decisions = []
    for candidate in sorted(candidates, key=lambda each: rank(each.finding)):
        finding = candidate.finding
        key = (finding.path, finding.category, quote_key(finding.quote))
        kept = first.setdefault(key, candidate)
        if kept != candidate:
            decisions.append(_dropped(candidate, "same-as", f"the same code as “{short_title(kept.finding.title)}”"))
        else:
            decisions.append(_unjudged(candidate, shown, why))
    return tuple(decisions)


def _end(number: int, rulings: Mapping[int, Ruling]) -> int:
    """Follow "same as" to its end; of those that only name each other it ends at the lowest number."""
    seen: list[int] = []
    while number not in seen:
        seen.append(number)
        ruling = rulings.get(number)
        if ruling is None or ruling.fate != "same-as" or ruling.same_as is None:
            return number
        number = ruling.same_as
    return min(seen[seen.index(number) :])


def _decided(candidate: Candidate, ruling: Ruling, shown: Shown, locate: LocateQuote) -> JudgeDecision:
    if ruling.fate == "same-as":
        return _unjudged(candidate, shown, "it is only the same as others")
    if ruling.fate == "known":
        prior = shown.prior.get(ruling.known or "")
        return _known(candidate, ruling, prior, shown, locate)
    if ruling.fate == "wrong" and _evidence(candidate, ruling, locate) is None:
        return _unjudged(candidate, shown, "what was quoted against it is not in the code")
    if ruling.fate != "keep":
        return _dropped(candidate, ruling.fate, ruling.why)
    prior = _presumed(candidate, ruling, shown)
    return _kept(candidate, ruling, locate) if prior is None else _known(candidate, ruling, prior, shown, locate)


def _presumed(candidate: Candidate, ruling: Ruling, shown: Shown) -> PriorFinding | None:
    """The earlier finding that it is by its code, None where the judge tells them apart."""
    if candidate.presumed is None or candidate.presumed == ruling.different_from:
        return None
    return shown.prior.get(candidate.presumed)


def _kept(candidate: Candidate, ruling: Ruling, locate: LocateQuote) -> JudgeDecision:
    evidence = _evidence(candidate, ruling, locate)
    finding = _worded(_placed(candidate, evidence), candidate, ruling)
    if finding.pre_existing and not finding.is_severe:
        return _dropped(candidate, "not-from-this-change", ruling.why or "it was there before")
    unproven = finding.is_severe and evidence is None
    caveats = [
        *([] if candidate.stands or evidence else ["the quoted code was not found"]),
        *([_NO_EVIDENCE] if unproven else []),
    ]
    finding = finding.model_copy(update={"caveat": "; ".join(caveats) or None})
    return JudgeDecision(candidate, "kept", "keep", finding, reason=ruling.why)


def _placed(candidate: Candidate, evidence: Located | None) -> Finding:
    """Put a finding whose own quote was not found where the judge's evidence stands in its file."""
    finding = candidate.finding
    if candidate.stands or evidence is None or evidence.path != finding.path:
        return finding
    place = {"start_line": evidence.start_line, "end_line": evidence.end_line, "quote": evidence.quote}
    return finding.model_copy(update={**place, "replacement": None})


def _worded(finding: Finding, candidate: Candidate, ruling: Ruling) -> Finding:
    """The finding in the judge's words and by its measure; severity rises by one step at most."""
    raised = max(SEVERITIES.index(ruling.severity), SEVERITIES.index(finding.severity) - 1)
    severity = _in_order(SEVERITIES[raised], ruling.kind)
    return finding.model_copy(
        update={
            "severity": severity,
            "kind": ruling.kind,
            # Lines that the change brings were not there before, whatever is said of them.
            "pre_existing": ruling.pre_existing and not candidate.brought,
            "title": short_title(ruling.title or finding.title),
            "problem": short_text(ruling.problem or finding.explanation, PROBLEM_WORDS),
            "fix": short_text(ruling.fix, FIX_WORDS),
            "replacement": finding.replacement if ruling.offer_replacement else None,
        }
    )


def _in_order(severity: Severity, kind: str) -> Severity:
    """A preference is MEDIUM at most."""
    return "MEDIUM" if kind == "preference" and severity in BLOCKING else severity


def _known(
    candidate: Candidate, ruling: Ruling, prior: PriorFinding | None, shown: Shown, locate: LocateQuote
) -> JudgeDecision:
    """An earlier finding is repeated while it is open, back if it was resolved, dropped if people dismissed it."""
    if prior is None:
        return _unjudged(candidate, shown, "the earlier finding that it was called was not shown")
    finding = _worded(_placed(candidate, _evidence(candidate, ruling, locate)), candidate, ruling)
    if prior.known.status == "open":
        return JudgeDecision(candidate, "repeated", "known", finding, prior.id)
    if prior.known.status in SETTLED and not _is_another(prior, finding):
        return _dropped(candidate, "known", prior.known.dismissal, prior.id)
    back = prior.known.status == "fixed"
    kept = _kept(candidate, ruling, locate)
    return replace(kept, fate="known", known=prior.id) if back and kept.outcome == "kept" else kept


def _is_another(prior: PriorFinding, finding: Finding) -> bool:
    """Whether a dismissal does not cover a finding that is said to be the dismissed one.

    One that became more severe with the code is new. A critical or security finding at another place, while the
    dismissed code stands where it stood, is another problem, whatever is said.
    """
    dismissed = prior.finding
    more_severe = SEVERITIES.index(finding.severity) < SEVERITIES.index(dismissed.severity)
    changed = quote_key(dismissed.quote) != quote_key(finding.quote)
    if more_severe and finding.blocks and changed:
        return True
    guarded = finding.severity == "CRITICAL" or finding.category == "security"
    elsewhere = prior.place is not None and not (
        prior.place[0] <= finding.end_line and finding.start_line <= prior.place[1]
    )
    return guarded and elsewhere


def _unjudged(candidate: Candidate, shown: Shown, why: str) -> JudgeDecision:
    """Without a ruling a finding about the lines of an earlier one is that one; any other stays, and says so."""
    finding = unverified(candidate, why)
    names = [*([candidate.presumed] if candidate.presumed else []), *candidate.twins]
    prior = next((shown.prior[name] for name in names if name in shown.prior), None)
    if prior is not None and prior.known.status == "open":
        return JudgeDecision(candidate, "repeated", "unjudged", finding, prior.id)
    presumed = prior if prior is not None and prior.id == candidate.presumed else None
    if presumed is not None and presumed.known.status in SETTLED and not _is_another(presumed, finding):
        return _dropped(candidate, "known", presumed.known.dismissal, presumed.id)
    back = presumed.id if presumed is not None and presumed.known.status == "fixed" else None
    return JudgeDecision(candidate, "kept", "unjudged", finding, back, f"not verified: {why}")


def unverified(candidate: Candidate, why: str) -> Finding:
    """The finding as it is posted without a judge: in its reviewer's words, cut to what people read."""
    finding = candidate.finding
    return finding.model_copy(
        update={
            "title": short_title(finding.title),
            "problem": short_text(finding.explanation, PROBLEM_WORDS),
            "pre_existing": finding.pre_existing or not candidate.brought,
            "severity": _in_order(finding.severity, finding.kind),
            "replacement": None,
            "caveat": f"not verified: {why}",
        }
    )


def _with_worst(
    decision: JudgeDecision, candidates: Sequence[Candidate], ends: Mapping[int, int], rulings: Mapping[int, Ruling]
) -> JudgeDecision:
    """Give a kept finding the worst severity that was ruled for any that it stands for."""
    if decision.outcome != "kept":
        return decision
    number = decision.candidate.number
    members = [each for each in candidates if ends[each.number] == number and each.number != number]
    worst = [decision.finding.severity]
    for member in members:
        ruled = rulings[member.number].severity
        worst.append(SEVERITIES[max(SEVERITIES.index(ruled), SEVERITIES.index(member.finding.severity) - 1)])
    severity = _in_order(min(worst, key=SEVERITIES.index), decision.finding.kind)
    return replace(decision, finding=decision.finding.model_copy(update={"severity": severity}))


def _dropped(
    candidate: Candidate, fate: Fate | Literal["unjudged"], why: str, known: str | None = None
) -> JudgeDecision:
    return JudgeDecision(candidate, "suppressed", fate, candidate.finding, known, why.strip() or fate.replace("-", " "))


def _evidence(candidate: Candidate, ruling: Ruling, locate: LocateQuote) -> Located | None:
    path = ruling.path.strip() or candidate.finding.path
    return locate(ruling.quote, path, candidate.finding.start_line) if ruling.quote.strip() else None
