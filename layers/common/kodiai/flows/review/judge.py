"""Judge: have a strong model rule on every candidate, and on every claim that an earlier finding is resolved."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.errors import OutOfTime, Retry
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import locate
from kodiai.core.findings.report import UnreadableReport
from kodiai.core.findings.source import ReadLines, Source
from kodiai.core.findings.suggestion import Offer, offer
from kodiai.core.github.comment import Thread
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.candidates import Reports, check, prior_findings
from kodiai.core.judge.enforce import (
    NOT_ANSWERED,
    IsCode,
    JudgeContext,
    LocateQuote,
    complaints,
    decide,
    let_go,
    merged,
)
from kodiai.core.judge.judgement import EarlierFindings, Judgement, Placement, anchor, judgement
from kodiai.core.judge.kept_candidates import KeptCandidates
from kodiai.core.judge.material import (
    ResolutionClaim,
    candidate_row,
    claim_row,
    claims,
    groups,
    kept_row,
    let_go_row,
    prior_row,
)
from kodiai.core.judge.ruling import Confirmation, Resolution, Ruling, read_confirmations, read_rulings
from kodiai.core.memory.rule import Rule
from kodiai.core.model.messages import Text
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.carry import carry, numbered
from kodiai.core.plan.material import part_block, rows_block
from kodiai.core.plan.plan import Batch, ReviewPlan
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.secrets import high_entropy_token, secret_in
from kodiai.flows.memory import Memory
from kodiai.flows.model.answers import OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.flows.model.tool_tokens import Subject
from kodiai.flows.review.recall import with_precedents
from kodiai.flows.review.wishes import wishes
from kodiai.prompts.load import load

_MOST_PRIOR = 40
T = TypeVar("T")
_Rulings = tuple[dict[int, Ruling], tuple[Resolution, ...]]


def judge(
    plan: ReviewPlan,
    reports: Reports,
    reader: Reader,
    view: RepositoryView,
    memory: Memory,
    *,
    is_last_attempt: bool,
) -> Judgement:
    """Check what was reported against the code, have it judged, and choose what is shown.

    Raises OutOfTime; Retry if the model is busy and there is another attempt.
    """
    review_input = plan.input
    source = Source(view.lines, review_input.files, view.tree.paths())
    prior = prior_findings(plan, reports.earlier, source)
    facts = Facts(view, review_input.files)
    holding, again = carry(review_input, source, view.parser, can_judge=bool(plan.batches))
    reported = (*reports.findings, *again)
    candidates, repeated, suppressed = check(reported, prior, ChangedLines(review_input.files), source, facts)
    candidates = with_precedents(candidates, review_input, memory)
    claimed = claims(plan, prior, reports.earlier, source, view.read_at)
    locate_quote = partial(locate, source=source)
    rules = {rule.id: rule for rule in plan.recollection.rules}
    model = _Judge(
        reader, prior, review_input.threads, rules, locate_quote, view.lines.is_code, is_last_attempt=is_last_attempt
    )
    decisions, resolved, problems = model.judge(candidates, claimed, plan.batches, numbered(holding, len(candidates)))
    resolved |= {name: each.evidence for name, each in plan.answered.items() if each.evidence}
    return judgement(
        merged(decisions),
        EarlierFindings([known.id for known in review_input.known], repeated, suppressed, resolved),
        lambda finding: _placement(finding, review_input.by_path, locate_quote, view.lines),
        review_input.config.review,
        tuple(dict.fromkeys(problems)),
    )


@dataclass(frozen=True)
class _Judge:
    """Has candidates judged.

    `prior` are the findings of earlier reviews, `threads` what people said about them, `rules` the repository's, by id.
    """

    reader: Reader
    prior: Sequence[PriorFinding]
    threads: Mapping[str, Thread]
    rules: Mapping[str, Rule]
    locate: LocateQuote
    is_code: IsCode
    is_last_attempt: bool

    def judge(
        self,
        candidates: Sequence[Candidate],
        claims: Sequence[ResolutionClaim],
        batches: Sequence[Batch],
        before: Sequence[JudgeDecision],
    ) -> tuple[list[JudgeDecision], dict[str, Evidence], list[str]]:
        """A decision on each candidate, the code that resolves findings, by their ids, and what went wrong.

        There is one conversation after another, so that each knows what is kept already; `before` is decided.
        """
        if not batches:  # what code alone finds needs nobody to have read it
            return [*before, *decide(candidates, {}, self._context(candidates, ()), "nothing was read")], {}, []
        decisions, kept = [*before], KeptCandidates()
        kept.add(before)
        resolved: dict[str, Evidence] = {}
        problems: list[str] = []
        for batch, group, asked in groups(candidates, claims, batches):
            near, not_listed = kept.near(group)
            context = self._context(group, near)
            listed: dict[str, Sequence[JsonObject]] = {
                "Candidates": [candidate_row(each) for each in group],
                "Kept already": [kept_row(each) for each in near],
                "Kept already, and not listed": [{"count": not_listed}] if not_listed else [],
                "Earlier findings": [prior_row(each, self.threads.get(each.id)) for each in context.prior.values()],
                "Said to be resolved": [claim_row(each) for each in asked],
            }
            blocks = [*batch.material.blocks, *(rows_block(heading, rows) for heading, rows in listed.items() if rows)]
            try:
                rulings, resolutions = self._rulings(batch, group, blocks, context)
            except _NoJudge as why:
                decided = decide(group, {}, context, str(why))
                problems.append(f"no judge: {why}")
            else:
                decided = decide(group, rulings, context)
                if gone := let_go(decided, rulings, context):
                    rows = [let_go_row(each, rulings[each.candidate.number]) for each in gone]
                    decided = decide(group, rulings, context, denied=self._denied(batch, blocks, rows))
                agreed = {each.finding for each in resolutions if each.resolved}
                resolved |= {claim.prior.id: claim.evidence for claim in asked if claim.prior.id in agreed}
            decisions += decided
            kept.add(decided)
        return decisions, resolved, problems

    def _context(self, group: Sequence[Candidate], kept: Sequence[JudgeDecision]) -> JudgeContext:
        """The earlier findings in the files of these candidates, at most 40, and what is kept near to them."""
        paths = {each.finding.path for each in group}
        twins = {name for each in group for name in (*each.overlapping, each.presumed, *each.beside)}
        here = [each for each in self.prior if each.finding.path in paths]
        here.sort(key=lambda each: (each.id not in twins, each.known.status != "open", rank(each.finding)))
        before = {each.candidate.number: each.finding for each in kept}
        shown = {each.id: each for each in here[:_MOST_PRIOR]}
        return JudgeContext(self.locate, self.is_code, shown, before, self.rules)

    def _rulings(
        self,
        batch: Batch,
        group: Sequence[Candidate],
        blocks: Sequence[Text],
        context: JudgeContext,
    ) -> _Rulings:
        """The rulings by number; those that cannot be followed are asked for once more."""
        may_suppress = bool(self.rules) or any(each.precedents for each in group)
        prompts = [load("judge"), *([load("unwanted")] if may_suppress else []), *wishes(batch)]
        rulings, resolutions = self._ask(read_rulings, batch, blocks, *prompts)
        numbers = [each.number for each in group]
        unusable = [
            (each.number, why) for each in group for why in complaints(each, rulings.get(each.number), context, numbers)
        ]
        if not unusable:
            return rulings, resolutions
        rows = {at: each.model_dump(exclude={"number"}) for at, each in rulings.items()}
        ruled = {at: f", ruled {json.dumps(row, ensure_ascii=False)}" for at, row in rows.items()}
        complaint = "\n".join(f"- Candidate {number}{ruled.get(number, '')}: {why}." for number, why in unusable)
        try:
            again, _ = self._ask(read_rulings, batch, blocks, *prompts, load("judge_again", complaints=complaint))
        except _NoJudge:
            return rulings, resolutions
        return {**rulings, **{number: again[number] for number, _ in unusable if number in again}}, resolutions

    def _denied(
        self, batch: Batch, blocks: Sequence[Text], rows: Sequence[JsonObject]
    ) -> dict[int, Confirmation | str]:
        """The second ruling about what the first lets go: where it does not agree, or why there is none, by number."""
        shown = [*blocks, rows_block("Let go", rows)]
        why, second = NOT_ANSWERED, dict[int, Confirmation]()
        try:
            second = self._ask(read_confirmations, batch, shown, load("second_ruling"), *wishes(batch))
        except _NoJudge as error:
            why = str(error)
        numbers = [int(row["number"]) for row in rows]
        return {at: second.get(at, why) for at in numbers if at not in second or not second[at].confirmed}

    def _ask(self, read: Callable[[str], T], batch: Batch, blocks: Sequence[Text], *prompts: str) -> T:
        """Ask, and once more if the answer cannot be read. Raises _NoJudge; OutOfTime and Retry as `judge` does."""
        parts = [*blocks, part_block("judge", prompts)]
        try:
            try:
                return self._answer(read, batch, parts)
            except UnreadableReport:
                return self._answer(read, batch, parts)
        except (OverBudget, UnreadableReport) as error:
            raise _NoJudge(str(error)) from error
        except Retry as error:
            if isinstance(error, OutOfTime) or not self.is_last_attempt:
                raise
            raise _NoJudge("the model was busy") from error

    def _answer(self, read: Callable[[str], T], batch: Batch, blocks: Sequence[Text]) -> T:
        def is_readable(text: str) -> bool:
            with suppress(UnreadableReport):
                read(text)
                return True
            return False

        about = Subject(("judge", batch.material.blocks), batch.look_up_tokens)
        answer = converse(self.reader, blocks, batch.material.not_in_key, is_readable, about=about)
        if answer.stop_reason == "refusal" or not answer.text.strip():
            raise UnreadableReport(f"the model gave no answer ({answer.stop_reason})")
        return read(answer.text)


class _NoJudge(Exception):
    """There is no judge; the text is the reason."""


def _placement(
    finding: Finding, files: Mapping[str, ChangedFile], locate_quote: LocateQuote, read_lines: ReadLines
) -> Placement:
    """The place at which a finding can get a comment, and whether its replacement may be offered there."""
    file = files.get(finding.path)
    hunk = file.section_at(finding.start_line, finding.end_line) if file else None
    where = anchor(finding, files, locate_quote)
    offered = offer(finding, read_lines(finding.path) or (), read_lines.parser)
    if offered.text is not None and (secret_in(offered.text) or high_entropy_token(offered.text)):
        offered = Offer(refused="it holds a secret")
    elif offered.text is not None and (where is None or not where.is_at(finding)):
        offered = Offer(refused="its lines take no comment")
    return Placement(where, hunk.key if hunk else None, offered)
