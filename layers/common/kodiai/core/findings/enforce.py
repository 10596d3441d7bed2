"""Enforce: checks the judge's rulings against the code, and decides about every candidate."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kodiai.core.findings.finding import BLOCKING, SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.identity import PriorFinding, quote_key
from kodiai.core.findings.known import DECIDED_BY_PEOPLE
from kodiai.core.findings.places import Located
from kodiai.core.findings.ruling import (
    FIX_WORDS,
    PROBLEM_WORDS,
    Fate,
    Ruling,
    long_texts,
    short_text,
    short_title,
)
from kodiai.core.memory.precedents import by_precedents, by_rule, may_be_unwanted, suffice
from kodiai.core.memory.remembered import RememberedFinding
from kodiai.core.memory.rule import Rule

LocateQuote = Callable[[str, str, int | None], Located | None]
"""Finds a quote in the file at a path, nearest to a line or (None) to the changes; None if it is nowhere."""

_MAY_NOT_SUPPRESS = "no rule, nor findings of its dismissed_before that enough people dismissed, may suppress it"
_STILL_WANTED = "no rule or earlier dismissal covers it"
_NOT_FOUND = "the quote does not stand in the code at that path, or has no two letters or digits to find it by"


@dataclass(frozen=True)
class Candidate:
    """A reported finding at the lines of its code.

    `number` is its place in the run, from 1. `quote_found` is whether its quote is in the code; `introduced` whether
    the change touches its lines or its cause. `lost_replacement` is whether its replacement was made for other lines.
    `notes` are facts about its code.
    `overlapping` are the ids of earlier findings about the same lines; `presumed` is the one of them that it is by
    path, code and category, unless the judge says that it is another problem.
    `precedents` are earlier findings like it that were dismissed often enough for it to be unwanted.
    """

    number: int
    reviewer: str
    finding: Finding
    quote_found: bool = True
    introduced: bool = True
    lost_replacement: bool = False
    notes: tuple[str, ...] = ()
    overlapping: tuple[str, ...] = ()
    presumed: str | None = None
    precedents: tuple[RememberedFinding, ...] = ()


@dataclass(frozen=True)
class JudgeContext:
    """The facts that rulings are checked against: the earlier findings that the judge was shown, by id, and the code.

    `kept` has the titles of the candidates that were kept before, by number. `rules` are the repository's, by id.
    """

    locate: LocateQuote
    prior: Mapping[str, PriorFinding] = field(default_factory=dict)
    kept: Mapping[int, str] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def evidence(self, candidate: Candidate, ruling: Ruling) -> Located | None:
        """Find the line of code that the judge quotes; None if it quotes none, or none that is in the code."""
        path = ruling.path.strip() or candidate.finding.path
        return self.locate(ruling.quote, path, candidate.finding.start_line) if ruling.quote.strip() else None

    def presumed(self, candidate: Candidate, ruling: Ruling) -> PriorFinding | None:
        """Give the earlier finding with the same code, None if the judge says that it is another problem."""
        return None if candidate.presumed == ruling.different_from else self.prior.get(candidate.presumed or "")

    def why_unwanted(self, candidate: Candidate, ruling: Ruling) -> str | None:
        """Say by which rule or precedents a candidate is unwanted.

        None if the judge names no rule, and no precedents that suffice, of those that it was shown, or if the problem
        is critical or about security.
        """
        if not may_be_unwanted(candidate.finding) or _severity(candidate, ruling) == "CRITICAL":
            return None
        for name in ruling.unwanted:
            if name in self.rules:
                return by_rule(self.rules[name])
        dismissed = [each for each in candidate.precedents if each.name in ruling.unwanted]
        return by_precedents(dismissed) if suffice(dismissed) else None


@dataclass(frozen=True)
class JudgeDecision:
    """The decision about one candidate.

    `finding` is posted and remembered if it is kept. `known` is the id of the earlier finding that it is.
    `reason` says why it is not kept, or what was not verified.
    """

    candidate: Candidate
    outcome: Literal["kept", "repeated", "suppressed"]
    fate: Fate | Literal["unjudged"]
    finding: Finding
    known: str | None = None
    reason: str = ""


def complaints(
    candidate: Candidate, ruling: Ruling | None, context: JudgeContext, numbers: Collection[int]
) -> Iterator[str]:
    """Say what keeps a ruling from being followed; the judge is asked once more about it."""
    if ruling is None:
        yield "it has no ruling"
    elif ruling.fate == "same-as":
        is_other = ruling.same_as in numbers or ruling.same_as in context.kept
        if ruling.same_as == candidate.number or not is_other:
            yield f"same_as names {ruling.same_as}, which is no other candidate"
    elif ruling.fate == "known":
        if ruling.known not in context.prior:
            yield f"known names {ruling.known}, which is no earlier finding that was shown"
    elif ruling.fate == "unwanted":
        if context.why_unwanted(candidate, ruling) is None:
            yield f"unwanted names {', '.join(ruling.unwanted) or 'nothing'}: {_MAY_NOT_SUPPRESS}"
    elif ruling.fate in ("wrong", "keep"):
        needs_evidence = ruling.fate == "wrong" or ruling.severity in BLOCKING
        if needs_evidence and context.evidence(candidate, ruling) is None:
            yield _NOT_FOUND
        if ruling.fate == "keep":
            yield from long_texts(ruling)
            if not ruling.title.strip() or not ruling.problem.strip():
                yield "it has no title or no problem"
            if context.presumed(candidate, ruling) is not None:
                yield f"it is presumed to be {candidate.presumed}: name that as known, or as different_from"


def decide(
    candidates: Sequence[Candidate], rulings: Mapping[int, Ruling], context: JudgeContext, unjudged: str
) -> tuple[JudgeDecision, ...]:
    """Give every candidate its fate, in their order.

    `unjudged` is why a candidate has no ruling. A ruling that cannot be followed leaves the finding standing.
    """
    ends = _ends([each.number for each in candidates], rulings)
    silent = decide_without_judge([each for each in candidates if each.number not in rulings], context, unjudged)
    alone = {each.candidate.number: each for each in silent}
    for each in candidates:
        if each.number in rulings and ends[each.number] == each.number:
            alone[each.number] = _decided(each, rulings[each.number], context)
    titles = {number: each.finding.title for number, each in alone.items() if each.outcome != "suppressed"}
    kept = {**context.kept, **titles}
    merged = defaultdict(list)
    for each in candidates:
        if ends[each.number] != each.number:
            merged[ends[each.number]].append(_severity(each, rulings[each.number]))
    decisions = []
    for candidate in candidates:
        end = ends[candidate.number]
        if end == candidate.number:
            decisions.append(_with_worst(alone[end], merged[end]))
        elif end in kept:
            decisions.append(_dropped(candidate, "same-as", f"the same as “{kept[end]}”"))
        elif end in alone and alone[end].fate == "unwanted" and may_be_unwanted(candidate.finding):
            decisions.append(_dropped(candidate, "unwanted", alone[end].reason))
        elif end in alone and alone[end].fate == "known":
            prior = context.prior.get(alone[end].known or "")
            decisions.append(_known(candidate, rulings[candidate.number], prior, context))
        else:
            decisions.append(_unjudged(candidate, context, "what it was called the same as is not kept"))
    return tuple(decisions)


def decide_without_judge(candidates: Sequence[Candidate], context: JudgeContext, why: str) -> tuple[JudgeDecision, ...]:
    """Decide without a judge: of findings with the same path, category and quoted code the most severe is kept."""
    first: dict[tuple[str, str, str], Candidate] = {}
    decisions = []
    for candidate in sorted(candidates, key=lambda each: rank(each.finding)):
        finding = candidate.finding
        kept = first.setdefault((finding.path, finding.category, quote_key(finding.quote)), candidate)
        if kept != candidate:
            decisions.append(_dropped(candidate, "same-as", f"the same code as “{short_title(kept.finding.title)}”"))
        else:
            decisions.append(_unjudged(candidate, context, why))
    return tuple(decisions)


def _ends(numbers: Iterable[int], rulings: Mapping[int, Ruling]) -> dict[int, int]:
    """Follow "same as" to its end from each of these numbers; a circle ends at its lowest number."""
    ends: dict[int, int] = {}
    for number in numbers:
        at, path = number, list[int]()
        seen: set[int] = set()
        while at not in ends and at not in seen:
            seen.add(at)
            path.append(at)
            ruling = rulings.get(at)
            if ruling is None or ruling.fate != "same-as" or ruling.same_as is None:
                ends[at] = at
            else:
                at = ruling.same_as
        ends.update(dict.fromkeys(path, ends[at] if at in ends else min(path[path.index(at) :])))
    return ends


def _decided(candidate: Candidate, ruling: Ruling, context: JudgeContext) -> JudgeDecision:
    match ruling.fate:
        case "same-as":
            return _unjudged(candidate, context, "it is only the same as others")
        case "known":
            return _known(candidate, ruling, context.prior.get(ruling.known or ""), context)
        case "keep":
            prior = context.presumed(candidate, ruling)
            return _known(candidate, ruling, prior, context) if prior else _kept(candidate, ruling, context)
        case "unwanted":
            why = context.why_unwanted(candidate, ruling)
            return _dropped(candidate, "unwanted", why) if why else _unjudged(candidate, context, _STILL_WANTED)
        case "wrong" if context.evidence(candidate, ruling) is None:
            return _unjudged(candidate, context, "what was quoted against it is not in the code")
    return _dropped(candidate, ruling.fate, ruling.why)


def _kept(candidate: Candidate, ruling: Ruling, context: JudgeContext) -> JudgeDecision:
    evidence = context.evidence(candidate, ruling)
    finding = _worded(candidate, ruling, evidence)
    if finding.pre_existing and not finding.is_severe:
        return _dropped(candidate, "not-from-this-change", ruling.why or "it was there before")
    caveats = ["the quoted code was not found"] if not candidate.quote_found and evidence is None else []
    caveats += ["no line of code was quoted that shows it"] if finding.is_severe and evidence is None else []
    finding = finding.model_copy(update={"caveat": "; ".join(caveats) or None})
    return JudgeDecision(candidate, "kept", "keep", finding, reason=ruling.why)


def _worded(candidate: Candidate, ruling: Ruling, evidence: Located | None) -> Finding:
    """The finding in the judge's words; if its own quote was not found, it moves to the judge's evidence."""
    finding = candidate.finding
    update: dict[str, object] = {
        "severity": _not_blocking_preference(_severity(candidate, ruling), ruling.kind),
        "kind": ruling.kind,
        # Lines that the change adds were not there before, whatever the judge says.
        "pre_existing": ruling.pre_existing and not candidate.introduced,
        "title": short_title(ruling.title or finding.title),
        "problem": short_text(ruling.problem or finding.explanation, PROBLEM_WORDS),
        "fix": short_text(ruling.fix, FIX_WORDS),
        "replacement": finding.replacement if ruling.offer_replacement else None,
    }
    if not candidate.quote_found and evidence is not None and evidence.path == finding.path:
        place = {"start_line": evidence.start_line, "end_line": evidence.end_line, "quote": evidence.quote}
        update |= {**place, "replacement": None}
    return finding.model_copy(update=update)


def _severity(candidate: Candidate, ruling: Ruling) -> Severity:
    """The severity of the ruling; it rises by one step at most."""
    return SEVERITIES[max(SEVERITIES.index(ruling.severity), SEVERITIES.index(candidate.finding.severity) - 1)]


def _not_blocking_preference(severity: Severity, kind: str) -> Severity:
    """A preference is MEDIUM at most."""
    return "MEDIUM" if kind == "preference" and severity in BLOCKING else severity


def _known(candidate: Candidate, ruling: Ruling, prior: PriorFinding | None, context: JudgeContext) -> JudgeDecision:
    if prior is None:
        return _unjudged(candidate, context, "the earlier finding that it was called was not shown")
    finding = _worded(candidate, ruling, context.evidence(candidate, ruling))
    return _as_prior(prior, finding, _kept(candidate, ruling, context), "known")


def _as_prior(
    prior: PriorFinding, finding: Finding, kept: JudgeDecision, fate: Literal["known", "unjudged"]
) -> JudgeDecision:
    """An earlier finding is repeated while it is open, dropped if people dismissed it, and back if it was resolved.

    `kept` is what is decided about a finding that the dismissal does not cover.
    """
    if prior.known.status == "open":
        return JudgeDecision(kept.candidate, "repeated", fate, finding, prior.id)
    if prior.known.status in DECIDED_BY_PEOPLE and not _is_another(prior, finding):
        return _dropped(kept.candidate, "known", prior.known.dismissal, prior.id)
    is_back = prior.known.status == "fixed" and kept.outcome == "kept"
    return replace(kept, fate=fate, known=prior.id) if is_back else kept


def _is_another(prior: PriorFinding, finding: Finding) -> bool:
    """Whether a dismissal does not cover a finding that the judge takes for the dismissed one.

    It is new if it became more severe with its code. A critical or security finding at another place is another
    problem if the dismissed code is still there.
    """
    dismissed = prior.finding
    more_severe = SEVERITIES.index(finding.severity) < SEVERITIES.index(dismissed.severity)
    if more_severe and finding.blocks and quote_key(dismissed.quote) != quote_key(finding.quote):
        return True
    guarded = finding.severity == "CRITICAL" or finding.category == "security"
    return guarded and prior.place is not None and not prior.overlaps(finding)


def _unjudged(candidate: Candidate, context: JudgeContext, why: str) -> JudgeDecision:
    """Without a ruling a finding on the lines of an earlier one is that one; any other stays, marked as not verified.

    It keeps its reviewer's words, cut to what people read.
    """
    finding = candidate.finding.model_copy(
        update={
            "title": short_title(candidate.finding.title),
            "problem": short_text(candidate.finding.explanation, PROBLEM_WORDS),
            "pre_existing": candidate.finding.pre_existing or not candidate.introduced,
            "severity": _not_blocking_preference(candidate.finding.severity, candidate.finding.kind),
            "replacement": None,
            "caveat": f"not verified: {why}",
        }
    )
    kept = JudgeDecision(candidate, "kept", "unjudged", finding, reason=f"not verified: {why}")
    names = filter(None, (candidate.presumed, *candidate.overlapping))
    prior = next((context.prior[name] for name in names if name in context.prior), None)
    if prior is not None and (prior.known.status == "open" or prior.id == candidate.presumed):
        return _as_prior(prior, finding, kept, "unjudged")
    return kept


def _with_worst(decision: JudgeDecision, others: Sequence[Severity]) -> JudgeDecision:
    """Give a kept finding the worst severity among those that were merged into it."""
    if decision.outcome != "kept":
        return decision
    worst = min([decision.finding.severity, *others], key=SEVERITIES.index)
    severity = _not_blocking_preference(worst, decision.finding.kind)
    return replace(decision, finding=decision.finding.model_copy(update={"severity": severity}))


def _dropped(candidate: Candidate, fate: Fate, why: str, known: str | None = None) -> JudgeDecision:
    return JudgeDecision(candidate, "suppressed", fate, candidate.finding, known, why.strip() or fate.replace("-", " "))
