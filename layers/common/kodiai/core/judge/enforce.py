"""Enforce: checks the judge's rulings against the code, and decides about every candidate."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kodiai.core.changes.kinds import is_prose
from kodiai.core.changes.long_lines import shortened
from kodiai.core.findings.finding import BLOCKING, SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.identity import PriorFinding, quote_key
from kodiai.core.findings.known import DECIDED_BY_PEOPLE
from kodiai.core.findings.locate import locate
from kodiai.core.findings.places import Located
from kodiai.core.findings.source import Source
from kodiai.core.judge.ruling import FIX_WORDS, PROBLEM_WORDS, Confirmation, Ruling, long_texts
from kodiai.core.memory.precedents import by_precedents, by_rule, may_be_unwanted, suffice
from kodiai.core.memory.rule import Rule
from kodiai.core.plan.candidate import UNDECIDED, Candidate, Fate, JudgeDecision
from kodiai.core.text.layout import short_text, short_title

_NOT_VERIFIED = "not verified: "
NOT_ANSWERED = "the judge gave no answer about it"
_MAY_NOT_SUPPRESS = "no rule, nor findings of its dismissed_before that enough people dismissed, may suppress it"
_STILL_WANTED = "no rule or earlier dismissal covers it"
_NOT_FOUND = "the quote does not stand in the code at that path, or has no two letters or digits to find it by"
_ITS_OWN = "the quote is the code that the candidate complains about, which cannot prevent it"
_NO_CODE = "the quote is no code: a comment, a text or a removed line prevents nothing"
_ALL_NEW = "the change writes every name of its code"
_TWO_RULINGS = "two rulings on it do not agree"


@dataclass(frozen=True)
class JudgeContext:
    """The facts that rulings are checked against: the earlier findings that the judge was shown, by id, and the code.

    `kept` has the candidates that were kept before, by number. `rules` are the repository's, by id.
    """

    source: Source
    prior: Mapping[str, PriorFinding] = field(default_factory=dict)
    kept: Mapping[int, Finding] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def evidence(self, candidate: Candidate, ruling: Ruling) -> Located | None:
        """Find the line of code that the judge quotes; None if it quotes none, or none that is in the code."""
        path = ruling.path.strip() or candidate.finding.path
        return locate(ruling.quote, path, candidate.finding.start_line, self.source) if ruling.quote.strip() else None

    def why_no_refutation(self, candidate: Candidate, ruling: Ruling) -> str | None:
        """Say why the line that the judge quotes refutes nothing, None as far as code can tell that it may.

        Only code refutes what blocks.
        """
        found, finding = self.evidence(candidate, ruling), candidate.finding
        if found is None:
            return _NOT_FOUND
        own = [locate(finding.quote, finding.path, finding.start_line, self.source)]
        own += [locate(finding.cause.quote, finding.cause.path, None, self.source)] if finding.cause else []
        if any(each is not None and _is_within(found, each) for each in own):
            return _ITS_OWN
        is_text = is_prose(found.path) and not is_prose(finding.path)
        prevents = not (is_text or found.removed) and self.source.read_lines.is_code(found)
        return _NO_CODE if finding.blocks and not prevents else None

    def presumed(self, candidate: Candidate, ruling: Ruling) -> PriorFinding | None:
        """Give the earlier finding with the same code, None if the judge says that it is another problem."""
        return None if candidate.presumed in ruling.different_from else self.prior.get(candidate.presumed or "")

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


def complaints(candidate: Candidate, ruling: Ruling, context: JudgeContext, numbers: Collection[int]) -> Iterator[str]:
    """Say what keeps a ruling from being followed."""
    match ruling.fate:
        case "keep":
            yield from _complaints_about_kept(candidate, ruling, context)
        case "same-as":
            is_other = ruling.same_as in numbers or ruling.same_as in context.kept
            if ruling.same_as == candidate.number or not is_other:
                yield f"same_as names {ruling.same_as}, which is no other candidate"
        case "known":
            if ruling.known not in context.prior:
                yield f"known names {ruling.known}, which is no earlier finding that was shown"
        case "unwanted":
            if context.why_unwanted(candidate, ruling) is None:
                yield f"unwanted names {', '.join(ruling.unwanted) or 'nothing'}: {_MAY_NOT_SUPPRESS}"
        case "not-from-this-change":
            if candidate.is_all_new:
                yield _ALL_NEW
        case "wrong" | "not-worth-it":
            yield from filter(None, [_unrefuted(candidate, ruling, context)])


def _complaints_about_kept(candidate: Candidate, ruling: Ruling, context: JudgeContext) -> Iterator[str]:
    if ruling.severity in BLOCKING and context.evidence(candidate, ruling) is None:
        yield _NOT_FOUND
    yield from long_texts(ruling)
    if not ruling.title.strip() or not ruling.problem.strip():
        yield "it has no title or no problem"
    if context.presumed(candidate, ruling) is not None:
        yield f"it is presumed to be {candidate.presumed}: name that as known, or as different_from"
    elif beside := _may_be(candidate, ruling.different_from):
        yield f"it may be {', '.join(beside)}, which was dismissed: name it as known, or as different_from"


def _unrefuted(candidate: Candidate, ruling: Ruling, context: JudgeContext) -> str | None:
    """Give the reason not to drop a candidate: a wrong one, and one that blocks, is dropped only by a line of code."""
    needs_line = ruling.fate == "wrong" or candidate.finding.blocks
    return context.why_no_refutation(candidate, ruling) if needs_line else None


def _is_within(found: Located, place: Located) -> bool:
    same_file = (found.path, found.removed) == (place.path, place.removed)
    return same_file and place.start_line <= found.start_line and found.end_line <= place.end_line


def _may_be(candidate: Candidate, others: Collection[str]) -> list[str]:
    """The dismissed findings near to a candidate of which nobody says that it is another one."""
    return [name for name in candidate.beside if name not in others]


def decide(
    candidates: Sequence[Candidate],
    rulings: Mapping[int, Ruling],
    context: JudgeContext,
    why: str = NOT_ANSWERED,
    denied: Mapping[int, Confirmation | str] | None = None,
) -> tuple[JudgeDecision, ...]:
    """Give every candidate its fate, in their order.

    `why` a candidate has no ruling. A ruling that cannot be followed leaves the finding standing; so does one that is
    `denied`: its second ruling does not agree, or there is none, for this reason.
    """
    denied = denied or {}
    followed = {number: each for number, each in rulings.items() if number not in denied}
    ends = {each.number: _end(each.number, followed) for each in candidates}
    alone = {}
    for each in candidates:
        number = each.number
        if number in denied:
            alone[number] = _denied(each, rulings[number], denied[number], context)
        elif number not in rulings:
            alone[number] = _unjudged(each, context, why)
        elif ends[number] == number:
            alone[number] = _decided(each, rulings[number], context)
    kept = _standing(alone.values(), context)
    decisions = []
    for candidate in candidates:
        end = ends[candidate.number]
        if end == candidate.number:
            same = [each for each in candidates if ends[each.number] == end != each.number]
            decisions.append(_with_worst(alone[end], [_severity(each, rulings[each.number]) for each in same]))
        elif end in kept:
            decisions.append(_dropped(candidate, "same-as", f"the same as “{kept[end].title}”"))
        elif end in alone and alone[end].fate == "unwanted" and may_be_unwanted(candidate.finding):
            decisions.append(_dropped(candidate, "unwanted", alone[end].reason))
        elif end in alone and alone[end].fate == "known":
            prior = context.prior.get(alone[end].known or "")
            decisions.append(_known(candidate, rulings[candidate.number], prior, context))
        else:
            decisions.append(_unjudged(candidate, context, "what it was called the same as is not kept"))
    return tuple(decisions)


def let_go(
    decisions: Sequence[JudgeDecision], rulings: Mapping[int, Ruling], context: JudgeContext
) -> list[JudgeDecision]:
    """The decisions by which something stops blocking, or stays dismissed, on the word of the judge alone.

    What its reviewer reports as blocking is dropped, lowered, or merged into what does not block. Or it is called known
    and code does not tell that it is the dismissed finding, which counts for what is about security too.
    """
    ends = {each.candidate.number: _end(each.candidate.number, rulings) for each in decisions}
    standing = _standing(decisions, context)
    return [each for each in decisions if each.fate != "unjudged" and _lets_go(each, standing, ends, context)]


def _lets_go(
    decision: JudgeDecision, standing: Mapping[int, Finding], ends: Mapping[int, int], context: JudgeContext
) -> bool:
    reported, prior = decision.candidate.finding, context.prior.get(decision.known or "")
    if decision.outcome == "suppressed" and prior is not None:
        matters = reported.blocks or reported.category == "security"
        return matters and not _is_settled(prior, decision.candidate)
    if decision.outcome == "kept":
        is_older = decision.finding.is_older and not decision.candidate.introduced  # so says code, too
        return reported.blocks and not (decision.finding.blocks or is_older)
    now = [standing.get(ends[decision.candidate.number]), prior.finding if prior is not None else None]
    return reported.blocks and not any(each is not None and each.blocks for each in now)


def _standing(decisions: Iterable[JudgeDecision], context: JudgeContext) -> dict[int, Finding]:
    """The kept findings of this group and of earlier ones, by number."""
    kept = (each for each in decisions if each.outcome in ("kept", "repeated"))
    return {**context.kept, **{each.candidate.number: each.finding for each in kept}}


def merged(decisions: Sequence[JudgeDecision]) -> list[JudgeDecision]:
    """Merge what no ruling is about into what is kept: of the same path, category and code the most severe one."""
    first: dict[tuple[str, str, str], JudgeDecision] = {}
    found = list(decisions)
    for at in sorted(range(len(found)), key=lambda at: rank(found[at].finding)):
        decision, finding = found[at], found[at].finding
        if decision.outcome not in ("kept", UNDECIDED):
            continue
        kept = first.setdefault((finding.path, finding.category, quote_key(finding.quote)), decision)
        is_alone = decision.outcome == UNDECIDED or decision.reason == decision.finding.caveat
        is_less = kept is not decision and kept.finding.blocks >= finding.blocks
        if is_less and is_alone and decision.fate == "unjudged" and decision.known is None:
            why = f"the same code as “{short_title(kept.finding.title)}”"
            found[at] = _dropped(decision.candidate, "same-as", why)
    return found


def _end(number: int, rulings: Mapping[int, Ruling]) -> int:
    """Follow "same as" from a number to its end; a circle ends at its lowest number."""
    path: list[int] = []
    while number not in path:
        path.append(number)
        ruling = rulings.get(number)
        if ruling is None or ruling.fate != "same-as" or ruling.same_as is None:
            return number
        number = ruling.same_as
    return min(path[path.index(number) :])


def _decided(candidate: Candidate, ruling: Ruling, context: JudgeContext) -> JudgeDecision:
    match ruling.fate:
        case "same-as":
            return _unjudged(candidate, context, "it is only the same as others")
        case "not-from-this-change" if candidate.is_all_new:
            return _unjudged(candidate, context, "it was called older than the change that brings it")
        case "known":
            return _known(candidate, ruling, context.prior.get(ruling.known or ""), context)
        case "keep":
            prior = context.presumed(candidate, ruling)
            if prior is not None and (prior.place is None or _is_settled(prior, candidate)):
                return _known(candidate, ruling, prior, context)
            if _may_be(candidate, ruling.different_from):
                return _unjudged(candidate, context, "the judge does not say whether it is", ruling.different_from)
            return _kept(candidate, ruling, context)
        case "unwanted":
            why = context.why_unwanted(candidate, ruling)
            return _dropped(candidate, "unwanted", why) if why else _unjudged(candidate, context, _STILL_WANTED)
        case "wrong" | "not-worth-it" if _unrefuted(candidate, ruling, context) is not None:
            why = "what was quoted against it is no line of code that prevents it"
            return _unjudged(candidate, context, why, ruling.different_from)
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
        # Code that is new in every word was not there before, whatever the judge says.
        "pre_existing": ruling.pre_existing and not candidate.is_all_new,
        "title": short_title(ruling.title or finding.title),
        "problem": short_text(ruling.problem or finding.explanation, PROBLEM_WORDS),
        "fix": short_text(ruling.fix, FIX_WORDS),
        "replacement": finding.replacement if ruling.offer_replacement else None,
    }
    if not candidate.quote_found and evidence is not None and evidence.path == finding.path:
        place = {"start_line": evidence.start_line, "end_line": evidence.end_line}
        update |= {**place, "quote": shortened(evidence.quote), "replacement": None}
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

    `kept` is what is decided about a finding that the dismissal does not cover: edited code that became worse.
    """
    if prior.known.status == "open":
        return JudgeDecision(kept.candidate, "repeated", fate, finding, prior.id)
    if prior.known.status in DECIDED_BY_PEOPLE and (prior.place is not None or not _is_worse(prior, finding)):
        return _dropped(kept.candidate, "known", prior.known.dismissal, prior.id)
    is_back = prior.known.status == "fixed" and kept.outcome == "kept"
    return replace(kept, fate=fate, known=prior.id) if is_back else kept


def _is_worse(prior: PriorFinding, finding: Finding) -> bool:
    """Whether it blocks, and is more severe than an earlier one that quotes other code."""
    more_severe = SEVERITIES.index(finding.severity) < SEVERITIES.index(prior.finding.severity)
    return more_severe and finding.blocks and quote_key(prior.finding.quote) != quote_key(finding.quote)


def _is_settled(prior: PriorFinding, candidate: Candidate) -> bool:
    """Whether code alone tells what comes of a candidate that is an earlier finding.

    A dismissal covers it on the same lines, in the same category, and if other code does not make it more severe.
    """
    if prior.known.status not in DECIDED_BY_PEOPLE:
        return True
    finding = candidate.finding
    same = prior.overlaps(finding) or candidate.presumed == prior.id
    return same and finding.category == prior.finding.category and not _is_worse(prior, finding)


def _denied(candidate: Candidate, ruling: Ruling, second: Confirmation | str, context: JudgeContext) -> JudgeDecision:
    """Leave a finding standing that only the first of two rulings lets go, with the reasons of both.

    If nobody says whether it is the dismissed finding that it was called, it is judged again.
    """
    fate = f"keep as {ruling.severity}" if ruling.fate == "keep" else ruling.fate
    first = f"first ruling: {fate}, {ruling.why.strip() or 'without a reason'}"
    called = context.prior.get(ruling.known or "") if ruling.fate == "known" else None
    others = set(ruling.different_from)
    if isinstance(second, Confirmation):
        why, others = _TWO_RULINGS, others | ({called.id} if called else set())
        first = f"{first}; second ruling: {second.why or 'without a reason'}"
    else:
        why = f"there is no second ruling: {second}"
        if called is not None and called.known.status in DECIDED_BY_PEOPLE:
            candidate = replace(candidate, beside=(*candidate.beside, called.id))
    stays = _unjudged(candidate, context, why, others)
    return replace(stays, reason=f"{stays.reason.removeprefix(_NOT_VERIFIED)}; {first}")


def _unjudged(candidate: Candidate, context: JudgeContext, why: str, others: Collection[str] = ()) -> JudgeDecision:
    """Without a ruling a finding on the lines of an earlier one is that one; any other stays, marked as not verified.

    What may be a dismissed finding is undecided, unless it is said to be another one than these `others`.
    It keeps its reviewer's words, cut to what people read.
    """
    finding = candidate.finding.model_copy(
        update={
            "title": short_title(candidate.finding.title),
            "problem": short_text(candidate.finding.explanation, PROBLEM_WORDS),
            "pre_existing": candidate.finding.pre_existing or not candidate.introduced,
            "severity": _not_blocking_preference(candidate.finding.severity, candidate.finding.kind),
            "replacement": None,
            "caveat": f"{_NOT_VERIFIED}{why}",
        }
    )
    kept = JudgeDecision(candidate, "kept", "unjudged", finding, reason=f"{_NOT_VERIFIED}{why}")
    prior = [
        context.prior[name]
        for name in (candidate.presumed, *candidate.overlapping)
        if name is not None and name in context.prior and name not in others
    ]
    if opened := next((each for each in prior if each.known.status == "open"), None):
        return _as_prior(opened, finding, kept, "unjudged")
    same = next((each for each in prior if each.id == candidate.presumed), None)
    if same is not None and _is_settled(same, candidate):
        return _as_prior(same, finding, kept, "unjudged")
    if beside := _may_be(candidate, others):
        reason = f"it may be {', '.join(beside)}, which was dismissed, and {why}"
        return JudgeDecision(candidate, "undecided", "unjudged", finding, reason=reason)
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
