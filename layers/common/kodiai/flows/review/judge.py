"""Judge: a strong model rules on every candidate, and on every finding that is said to be resolved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.conversation.comment import Thread
from kodiai.core.errors import OutOfTime, Retry
from kodiai.core.findings.enforce import (
    Candidate,
    JudgeContext,
    JudgeDecision,
    LocateQuote,
    complaints,
    decide,
    decide_without_judge,
)
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.judgement import Judgement, Placement, anchor, judgement
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import locate
from kodiai.core.findings.report import UnreadableReport
from kodiai.core.findings.ruling import Resolution, Ruling, is_readable, read_rulings
from kodiai.core.findings.source import ReadLines, Source
from kodiai.core.findings.suggestion import Offer, offer
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import Text
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.candidates import check, prior_findings
from kodiai.core.review.claims import Claim, claims
from kodiai.core.review.judge_material import candidate_row, claim_row, groups, kept_row, prior_row, rows, ruled
from kodiai.core.review.material import part_block
from kodiai.core.review.plan import Batch, ReviewPlan
from kodiai.core.review.reports import Reports
from kodiai.core.words.secrets import secret_in
from kodiai.flows.model.answers import OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.prompts.load import load

_MOST_PRIOR = 40
_NOT_ANSWERED = "the judge gave no answer about it"


@dataclass(frozen=True)
class Judged:
    """What the judge decided: a fate for each candidate, and the code that resolves findings, by their ids."""

    decisions: tuple[JudgeDecision, ...] = ()
    resolved: Mapping[str, Evidence] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def judge(
    plan: ReviewPlan,
    reports: Reports,
    reader: Reader,
    view: RepositoryView,
    *,
    is_last_attempt: bool,
) -> Judgement:
    """Check what was reported against the code, have it judged, and choose what is shown.

    Raises OutOfTime; Retry where the model is busy and there is another attempt.
    """
    review_input = plan.input
    source = Source(view.lines, review_input.files, view.tree.paths())
    prior = prior_findings(plan, reports.earlier, source)
    facts = Facts(view, review_input.files)
    checked = check(reports.findings, prior, ChangedLines(review_input.files), source, facts)
    claimed = claims(plan, prior, reports.earlier, source, view.read_at)
    locate_quote = partial(locate, source=source)
    files = {file.path: file for file in review_input.files}
    model = Judge(reader, prior, review_input.threads, locate_quote, is_last_attempt=is_last_attempt)
    judged = model.judge(checked.candidates, claimed, plan.batches)
    return judgement(
        judged.decisions,
        repeated=checked.repeated,
        suppressed=checked.suppressed,
        resolved=judged.resolved,
        taken=[known.id for known in review_input.known],
        place=lambda finding: _placement(finding, files, locate_quote, view.lines),
        max_comments=review_input.config.review.max_comments,
        floor=review_input.config.review.severity.min_level,
        problems=judged.problems,
    )


class Judge:
    """Has candidates judged; `is_last_attempt` is whether this is the last attempt, should the model be busy.

    `prior` are the findings of earlier reviews, `threads` what people said of them.
    """

    def __init__(
        self,
        reader: Reader,
        prior: Sequence[PriorFinding],
        threads: Mapping[str, Thread],
        locate: LocateQuote,
        *,
        is_last_attempt: bool,
    ) -> None:
        self._reader = reader
        self._prior = prior
        self._threads = threads
        self._locate = locate
        self._is_last_attempt = is_last_attempt

    def judge(self, candidates: Sequence[Candidate], claims: Sequence[Claim], batches: Sequence[Batch]) -> Judged:
        """Rule on everything, one conversation after another, so that each knows what is kept already.

        Raises OutOfTime; Retry where the model is busy and there is another try.
        """
        decisions: list[JudgeDecision] = []
        resolved: dict[str, Evidence] = {}
        problems: list[str] = []
        for batch, group, asked in groups(candidates, claims, batches):
            context = self._context(group, decisions)
            try:
                rulings, resolutions = self._rulings(batch, group, asked, context, decisions)
            except _NoJudge as why:
                decisions += decide_without_judge(group, context, str(why))
                problems.append(f"no judge: {why}")
                continue
            decisions += decide(group, rulings, context, _NOT_ANSWERED)
            agreed = {each.finding for each in resolutions if each.resolved}
            resolved |= {claim.prior.id: claim.evidence for claim in asked if claim.prior.id in agreed}
        return Judged(tuple(decisions), resolved, tuple(dict.fromkeys(problems)))

    def _context(self, group: Sequence[Candidate], decisions: Sequence[JudgeDecision]) -> JudgeContext:
        """What is shown next to these candidates: the earlier findings in their files, and what is kept already."""
        paths = {each.finding.path for each in group}
        twins = {name for each in group for name in (*each.overlapping, each.presumed)}
        here = [each for each in self._prior if each.finding.path in paths]
        here.sort(key=lambda each: (each.id not in twins, each.known.status != "open", rank(each.finding)))
        kept = {each.candidate.number: each.finding.title for each in decisions if each.outcome == "kept"}
        return JudgeContext(self._locate, {each.id: each for each in here[:_MOST_PRIOR]}, kept)

    def _rulings(
        self,
        batch: Batch,
        group: Sequence[Candidate],
        claims: Sequence[Claim],
        context: JudgeContext,
        decisions: Sequence[JudgeDecision],
    ) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
        """The rulings by number; those that cannot be followed are asked for once more."""
        kept = [each for each in decisions if each.outcome == "kept"]
        blocks = [
            *batch.material.blocks,
            *([rows("# Candidates", map(candidate_row, group))] if group else []),
            *([rows("# Kept already", map(kept_row, kept))] if kept else []),
            *([rows("# Earlier findings", map(self._prior_row, context.prior.values()))] if context.prior else []),
            *([rows("# Said to be resolved", map(claim_row, claims))] if claims else []),
        ]
        rulings, resolutions = self._ask(batch, blocks, load("judge"))
        unusable = list(self._unusable(group, rulings, context))
        if not unusable:
            return rulings, resolutions
        numbers = {number for number, _ in unusable}
        listed = "\n".join(f"- Candidate {number}{ruled(rulings.get(number))}: {why}." for number, why in unusable)
        try:
            again, _ = self._ask(batch, blocks, load("judge"), load("judge_again", complaints=listed))
        except _NoJudge:
            return rulings, resolutions
        return {**rulings, **{number: each for number, each in again.items() if number in numbers}}, resolutions

    def _unusable(
        self, group: Sequence[Candidate], rulings: Mapping[int, Ruling], context: JudgeContext
    ) -> Iterator[tuple[int, str]]:
        numbers = [each.number for each in group]
        for candidate in group:
            said = complaints(candidate, rulings.get(candidate.number), context, numbers)
            yield from ((candidate.number, why) for why in said)

    def _ask(
        self, batch: Batch, blocks: Sequence[Text], *prompts: str
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
            if isinstance(error, OutOfTime) or not self._is_last_attempt:
                raise
            raise _NoJudge("the model was busy") from error
        return said

    def _said(self, batch: Batch, blocks: Sequence[Text]) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
        said = converse(self._reader, blocks, batch.material.not_in_key, is_usable=is_readable)
        if said.stop_reason == "refusal" or not said.text.strip():
            raise UnreadableReport(f"the model gave no answer ({said.stop_reason})")
        return read_rulings(said.text)

    def _prior_row(self, prior: PriorFinding) -> JsonObject:
        return prior_row(prior, self._threads.get(prior.id))


class _NoJudge(Exception):
    """There is no judge; the text is the reason."""


def _placement(
    finding: Finding, files: Mapping[str, ChangedFile], locate_quote: LocateQuote, read_lines: ReadLines
) -> Placement:
    """Where a finding can be commented on, and whether its replacement may be offered there."""
    file = files.get(finding.path)
    hunk = file.hunk_at(finding.start_line, finding.end_line) if file else None
    where = anchor(finding, files, locate_quote)
    offered = offer(finding, read_lines(finding.path) or ())
    if offered.text is not None and secret_in(offered.text):
        offered = Offer(refused="it holds a secret")
    elif offered.text is not None and (where is None or not where.is_at(finding)):
        offered = Offer(refused="its lines take no comment")
    return Placement(where, hunk.key if hunk else None, offered)
