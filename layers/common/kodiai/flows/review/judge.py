"""Judge: have a strong model rule on every candidate, and on every claim that an earlier finding is resolved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.errors import OutOfTime, Retry
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.source import Source
from kodiai.core.findings.suggestion import Offer, offer
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.candidates import Reports, check, kept_near, prior_findings
from kodiai.core.judge.enforce import NOT_ANSWERED, JudgeContext, decide, let_go, merged
from kodiai.core.judge.judgement import EarlierFindings, Judgement, Placement, anchor, judgement
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
from kodiai.core.judge.ruling import Confirmation, Ruling
from kodiai.core.judge.ruling_book import RulingBook, SecondRulingBook
from kodiai.core.judge.team_rules import team_rules_standing
from kodiai.core.model.messages import Message, Text
from kodiai.core.model.tool import Book
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.carry import carry, numbered
from kodiai.core.plan.material import part_block, rows_block
from kodiai.core.plan.plan import Batch, ReviewPlan
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.secrets import high_entropy_token, secret_in
from kodiai.flows.memory import Memory
from kodiai.flows.model.conversation import Reader, report
from kodiai.flows.model.tool_tokens import Subject
from kodiai.flows.review.read import shared_look_ups, wishes
from kodiai.flows.review.recall import with_precedents
from kodiai.flows.review.review import BatchReports, Reading
from kodiai.prompts.load import load

_MOST_PRIOR = 40


def judge(
    plan: ReviewPlan,
    reading: Reading,
    readers: tuple[Reader, Reader],
    view: RepositoryView,
    memory: Memory,
    *,
    is_last_attempt: bool,
) -> Judgement:
    """Check what was reported against the code, have it judged, and choose what is shown.

    `readers` are the one who has read the changes and the one who judges.
    Raises OutOfTime; Retry if the model is busy and there is another attempt.
    """
    review_input, reports, source = plan.input, reading.reports, reading.source
    prior = prior_findings(plan, reports.earlier, source)
    change = ChangedLines(review_input.files)
    holding, again = carry(review_input, source, view.parser, can_judge=bool(plan.batches))
    reported = (*reports.findings, *again)
    candidates, repeated, suppressed = check(reported, prior, change, source, Facts(view, change))
    candidates = with_precedents(candidates, review_input, memory)
    claimed = claims(plan, prior, reports.earlier, source, view.read_at)
    model = _Judge(plan, reading, readers, prior, is_last_attempt=is_last_attempt)
    decisions, resolved, problems = model.judge(candidates, claimed, numbered(holding, len(candidates)))
    resolved |= {name: each.evidence for name, each in plan.answered.items() if each.evidence}
    return judgement(
        merged(decisions),
        EarlierFindings([known.id for known in review_input.known], repeated, suppressed, resolved),
        partial(_placement, source),
        review_input.config.review,
        tuple(dict.fromkeys(problems)),
        team_rules_standing(plan, reports.rulings, _unread(plan, reports), source),
    )


def _unread(plan: ReviewPlan, reports: Reports) -> frozenset[str]:
    """The changed files that have to be read and that no run has read."""
    return plan.input.snapshot.read_as(plan.scope.without(reports.unread)).left_out


@dataclass(frozen=True)
class _Judge:
    """Has candidates judged; `readers` are the reader of the changes and the judge.

    `prior` are the findings of earlier reviews in their present state.
    """

    plan: ReviewPlan
    reading: Reading
    readers: tuple[Reader, Reader]
    prior: Sequence[PriorFinding]
    is_last_attempt: bool

    def judge(
        self,
        candidates: Sequence[Candidate],
        claims: Sequence[ResolutionClaim],
        before: Sequence[JudgeDecision],
    ) -> tuple[list[JudgeDecision], dict[str, Evidence], list[str]]:
        """A decision on each candidate, the code that resolves findings, by their ids, and what went wrong.

        There is one conversation after another, so that each knows what is kept already; `before` is decided.
        """
        by_batch, threads = self.reading.by_batch, self.plan.input.threads
        if not by_batch:  # what code alone finds needs nobody to have read it
            return [*before, *decide(candidates, {}, self._context(candidates, ()), "nothing was read")], {}, []
        decisions = [*before]
        resolved: dict[str, Evidence] = {}
        problems: list[str] = []
        for at, group, asked in groups(candidates, claims, [each.batch for each in by_batch]):
            kept = [each for each in decisions if each.outcome == "kept"]
            near = kept_near(kept, group)
            not_listed = len(kept) - len(near)
            context = self._context(group, near)
            listed: dict[str, Sequence[JsonObject]] = {
                "Candidates": [candidate_row(each) for each in group],
                "Kept already": [kept_row(each) for each in near],
                "Kept already, and not listed": [{"count": not_listed}] if not_listed else [],
                "Earlier findings": [prior_row(each, threads.get(each.id)) for each in context.prior.values()],
                "Said to be resolved": [claim_row(each) for each in asked],
            }
            rows = [rows_block(heading, rows) for heading, rows in listed.items() if rows]
            book = RulingBook(group, [claim.prior.id for claim in asked], context)
            if missing := self._rule(by_batch[at], rows, book):
                problems.append(f"no judge: {missing}")
            else:
                agreed = {name for name, each in book.resolutions.items() if each.resolved}
                resolved |= {claim.prior.id: claim.evidence for claim in asked if claim.prior.id in agreed}
            why = missing or NOT_ANSWERED
            decided = decide(group, book.rulings, context, why)
            if gone := let_go(decided, book.rulings, context):
                denied = self._denied(by_batch[at], rows, gone, book.rulings)
                decided = decide(group, book.rulings, context, why, denied)
            decisions += decided
        return decisions, resolved, problems

    def _context(self, group: Sequence[Candidate], kept: Sequence[JudgeDecision]) -> JudgeContext:
        """The earlier findings in the files of these candidates, at most 40, and what is kept near to them."""
        paths = {each.finding.path for each in group}
        twins = {name for each in group for name in (*each.overlapping, each.presumed, *each.beside)}
        here = [each for each in self.prior if each.finding.path in paths]
        here.sort(key=lambda each: (each.id not in twins, each.known.status != "open", rank(each.finding)))
        before = {each.candidate.number: each.finding for each in kept}
        shown = {each.id: each for each in here[:_MOST_PRIOR]}
        rules = {rule.id: rule for rule in self.plan.recollection.rules}
        return JudgeContext(self.reading.source, shown, before, rules)

    def _rule(self, of: BatchReports, rows: Sequence[Text], book: RulingBook) -> str:
        """Have the judge rule, or, after a small push of which nothing blocks, the reader itself; as `_ask`."""
        may_suppress = bool(book.context.rules) or any(each.precedents for each in book.candidates)
        found = [each.finding for each in book.candidates]
        found += [each.finding for each in self.prior if each.id in book.claimed]
        parts = {"judge": book.candidates, "unwanted": may_suppress, "resolved": book.claimed}
        prompts = [load(name) for name, is_asked in parts.items() if is_asked]
        if of.batch.is_small and not of.reports[0].failed and not any(each.blocks for each in found):
            talk, part = of.reports[0].transcript.messages, part_block("judge", [*prompts, load("refute")])
            last = replace(talk[-1], blocks=(*talk[-1].blocks, *rows, part))
            return self._ask(self.readers[0], of.batch, (*talk[:-1], last), book)
        return self._ask(self.readers[1], of.batch, self._opening(of, book.candidates, rows, prompts), book)

    def _denied(
        self, of: BatchReports, rows: Sequence[Text], gone: Sequence[JudgeDecision], rulings: Mapping[int, Ruling]
    ) -> dict[int, Confirmation | str]:
        """The second ruling about what the first lets go: where it does not agree, or why there is none, by number."""
        let_go = rows_block("Let go", [let_go_row(each, rulings[each.candidate.number]) for each in gone])
        book = SecondRulingBook([each.candidate.number for each in gone])
        opening = self._opening(of, [each.candidate for each in gone], [*rows, let_go], [load("second_ruling")])
        why = self._ask(self.readers[1], of.batch, opening, book) or NOT_ANSWERED
        second = book.confirmations
        return {at: second.get(at, why) for at in book.numbers if at not in second or not second[at].confirmed}

    def _opening(
        self, of: BatchReports, candidates: Sequence[Candidate], rows: Sequence[Text], prompts: Sequence[str]
    ) -> tuple[Message, ...]:
        """The material, what the readers looked up about the candidates, the rows, and the judge's part."""
        looked_up = (each for report in of.reports for each in report.transcript.looked_up)
        shared = shared_look_ups(looked_up, [each.finding for each in candidates])
        part = part_block("judge", [*prompts, *wishes(of.batch)])
        return (Message("user", (*of.batch.material.blocks, *shared, *rows, part)),)

    def _ask(self, reader: Reader, batch: Batch, opening: tuple[Message, ...], book: Book) -> str:
        """Have rulings made; gives why there is no judge, "" if there is. Raises OutOfTime and Retry as `judge`."""
        about = Subject(("judge", batch.material.blocks), batch.look_up_tokens)
        try:
            return report(reader, opening, book, batch.material.not_in_key, about).failed
        except Retry as error:
            if isinstance(error, OutOfTime) or not self.is_last_attempt:
                raise
            return "the model was busy"


def _placement(source: Source, finding: Finding) -> Placement:
    """The place at which a finding can get a comment, and whether its replacement may be offered there."""
    if finding.is_missing:
        return Placement(None, None, Offer())
    file, read_lines = source.changed(finding.path), source.read_lines
    hunk = file.section_at(finding.start_line, finding.end_line) if file else None
    where = anchor(finding, source)
    offered = offer(finding, read_lines(finding.path) or (), read_lines.parser)
    if offered.text is not None and (secret_in(offered.text) or high_entropy_token(offered.text)):
        offered = Offer(refused="it holds a secret")
    elif offered.text is not None:  # the comment goes to exactly the lines that it offers to replace
        first, last = finding.replaced_lines
        replaced = finding.model_copy(update={"start_line": first, "end_line": last, "cause": None})
        at = anchor(replaced, source)
        is_whole = at is not None and (at.start_line, at.end_line) == (first, last)
        where, offered = (at, offered) if is_whole else (where, Offer(refused="its lines are not in the diff"))
    return Placement(where, hunk.key if hunk else None, offered)
