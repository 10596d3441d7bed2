"""Judge: a strong model rules on every candidate, and on every finding that is said to be resolved."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kodiai.core.conversation.thread import Thread
from kodiai.core.errors import OutOfTime, Retry
from kodiai.core.findings.candidate import Candidate
from kodiai.core.findings.enforce import JudgeDecision, LocateQuote, Shown, complaints, decide, merged_unjudged
from kodiai.core.findings.finding import rank
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.report import UnreadableReport, read_object, readable
from kodiai.core.findings.ruling import Resolution, Ruling
from kodiai.core.json_object import JsonObject
from kodiai.core.review.claims import Claim
from kodiai.core.review.material import part_block, said_in
from kodiai.flows.model.answers import OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.flows.review.read import Batch
from kodiai.prompts.load import load

# Of more at once each gets less attention.
_MOST_TOGETHER = 12
_MOST_PRIOR = 40
_NOT_ANSWERED = "the judge gave no answer about it"


@dataclass(frozen=True)
class Judged:
    """What the judge decided: a fate for each candidate, and the code that resolves findings, by their ids."""

    decisions: tuple[JudgeDecision, ...] = ()
    resolved: Mapping[str, Evidence] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class Judge:
    """Has candidates judged; `is_last_try` is whether nobody tries again should the model be busy.

    `prior` are the findings of earlier reviews, `threads` what people said of them.
    """

    def __init__(
        self,
        reader: Reader,
        prior: Sequence[PriorFinding],
        threads: Mapping[str, Thread],
        locate: LocateQuote,
        *,
        is_last_try: bool,
    ) -> None:
        self._reader = reader
        self._prior = prior
        self._threads = threads
        self._locate = locate
        self._is_last_try = is_last_try

    def judge(self, candidates: Sequence[Candidate], claims: Sequence[Claim], batches: Sequence[Batch]) -> Judged:
        """Rule on everything, one conversation after another, so that each knows what is kept already.

        Raises OutOfTime; Retry where the model is busy and there is another try.
        """
        decisions: list[JudgeDecision] = []
        resolved: dict[str, Evidence] = {}
        problems: list[str] = []
        for batch, group, asked in _groups(candidates, claims, batches):
            shown = self._shown(group, decisions)
            try:
                rulings, resolutions = self._rulings(batch, group, asked, shown, decisions)
            except _NoJudge as why:
                decisions += merged_unjudged(group, shown, str(why))
                problems.append(f"no judge: {why}")
                continue
            decisions += decide(group, rulings, shown, self._locate, _NOT_ANSWERED)
            agreed = {each.finding for each in resolutions if each.resolved}
            resolved |= {claim.prior.id: claim.evidence for claim in asked if claim.prior.id in agreed}
        return Judged(tuple(decisions), resolved, tuple(dict.fromkeys(problems)))

    def _shown(self, group: Sequence[Candidate], decisions: Sequence[JudgeDecision]) -> Shown:
        """What is shown next to these candidates: the earlier findings in their files, and what is kept already."""
        paths = {each.finding.path for each in group}
        twins = {name for each in group for name in (*each.twins, each.presumed)}
        here = [each for each in self._prior if each.finding.path in paths]
        here.sort(key=lambda each: (each.id not in twins, each.known.status != "open", rank(each.finding)))
        kept = {each.candidate.number: each.finding.title for each in decisions if each.outcome == "kept"}
        return Shown({each.id: each for each in here[:_MOST_PRIOR]}, kept)

    def _rulings(
        self,
        batch: Batch,
        group: Sequence[Candidate],
        claims: Sequence[Claim],
        shown: Shown,
        decisions: Sequence[JudgeDecision],
    ) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
        """The rulings by number; those that cannot be followed are asked for once more."""
        kept = [each for each in decisions if each.outcome == "kept"]
        blocks = [
            *batch.material.blocks,
            *([_rows("# Candidates", map(_candidate_row, group))] if group else []),
            *([_rows("# Kept already", map(_kept_row, kept))] if kept else []),
            *([_rows("# Earlier findings", map(self._prior_row, shown.prior.values()))] if shown.prior else []),
            *([_rows("# Said to be resolved", map(_claim_row, claims))] if claims else []),
        ]
        rulings, resolutions = self._ask(batch, blocks, load("judge"))
        unusable = list(self._unusable(group, rulings, shown))
        if not unusable:
            return rulings, resolutions
        numbers = {number for number, _ in unusable}
        listed = "\n".join(f"- Candidate {number}{_ruled(rulings.get(number))}: {why}." for number, why in unusable)
        try:
            again, _ = self._ask(batch, blocks, load("judge"), load("judge_again", complaints=listed))
        except _NoJudge:
            return rulings, resolutions
        return {**rulings, **{number: each for number, each in again.items() if number in numbers}}, resolutions

    def _unusable(
        self, group: Sequence[Candidate], rulings: Mapping[int, Ruling], shown: Shown
    ) -> Iterator[tuple[int, str]]:
        numbers = [each.number for each in group]
        for candidate in group:
            said = complaints(candidate, rulings.get(candidate.number), shown, numbers, self._locate)
            yield from ((candidate.number, why) for why in said)

    def _ask(
        self, batch: Batch, blocks: Sequence[JsonObject], *prompts: str
    ) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
        parts = [*blocks, part_block("judge", prompts)]
        try:
            try:
                said = self._said(batch, parts)
            except UnreadableReport:
                said = self._said(batch, parts)
        except OverBudget as error:
            raise _NoJudge("the budget is used up") from error
        except UnreadableReport as error:
            raise _NoJudge(str(error)) from error
        except Retry as error:
            if isinstance(error, OutOfTime) or not self._is_last_try:
                raise
            raise _NoJudge("the model was busy") from error
        return said

    def _said(self, batch: Batch, blocks: Sequence[JsonObject]) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
        said = converse(self._reader, blocks, batch.material.passing, is_usable=_is_readable)
        if said.stop_reason == "refusal" or not said.text.strip():
            raise UnreadableReport(f"the model gave no answer ({said.stop_reason})")
        return _read(said.text)

    def _prior_row(self, prior: PriorFinding) -> JsonObject:
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
            "said": said_in(self._threads.get(prior.id)),
        }


class _NoJudge(Exception):
    """There is no judge; the text is the reason."""


def _read(text: str) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
    """Read the judge's answer; one bad entry does not cost the others. Raises UnreadableReport."""
    data = read_object(_object_in(text), "rulings")
    rulings = readable(Ruling, [_with_defaults(entry) for entry in data["rulings"]])
    said = data.get("resolutions")
    resolutions = readable(Resolution, said if isinstance(said, list) else [])
    return {each.number: each for each in reversed(rulings)}, resolutions


def _object_in(text: str) -> str:
    """The JSON object of an answer, without a fence or words around it.

    The request has no schema: one would make another cached prefix of it than the reviewers have.
    """
    return text[text.find("{") : text.rfind("}") + 1]


def _with_defaults(entry: object) -> object:
    """What a ruling need not say where it has nothing to say."""
    nothing = {
        "same_as": None,
        "known": None,
        "different_from": None,
        "path": "",
        "quote": "",
        "why": "",
        "kind": "impact",
    }
    texts = {"pre_existing": False, "title": "", "problem": "", "fix": "", "offer_replacement": False}
    return {**nothing, **texts, **entry} if isinstance(entry, dict) else entry


def _is_readable(text: str) -> bool:
    try:
        _read(text)
    except UnreadableReport:
        return False
    return True


def _groups(
    candidates: Sequence[Candidate], claims: Sequence[Claim], batches: Sequence[Batch]
) -> Iterator[tuple[Batch, Sequence[Candidate], Sequence[Claim]]]:
    """Put each candidate to the batch that shows its file, or to the riskiest one, the most severe first."""
    home = {file.path: at for at, batch in reversed([*enumerate(batches)]) for file in batch.files}
    for at, batch in enumerate(batches):
        here = sorted(
            (each for each in candidates if home.get(each.finding.path, 0) == at), key=lambda each: rank(each.finding)
        )
        asked = [claim for claim in claims if home.get(claim.prior.finding.path, 0) == at]
        for start in range(0, len(here), _MOST_TOGETHER) or ([0] if asked else []):
            yield batch, here[start : start + _MOST_TOGETHER], asked if start == 0 else ()


def _rows(heading: str, rows: Iterable[JsonObject]) -> JsonObject:
    listed = (json.dumps(row, ensure_ascii=False) for row in rows)
    return {"type": "text", "text": "\n".join([heading, "", *listed])}


def _candidate_row(candidate: Candidate) -> JsonObject:
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


def _ruled(ruling: Ruling | None) -> str:
    """What was ruled before, in words."""
    if ruling is None:
        return ""
    return f", ruled {json.dumps(ruling.model_dump(exclude={'number'}, exclude_defaults=True), ensure_ascii=False)}"


def _kept_row(decision: JudgeDecision) -> JsonObject:
    finding = decision.finding
    return {
        "number": decision.candidate.number,
        "path": finding.path,
        "lines": finding.lines,
        "title": finding.title,
        "problem": finding.problem,
    }


def _claim_row(claim: Claim) -> JsonObject:
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
