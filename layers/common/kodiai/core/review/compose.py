"""Compose: the one review that is posted and everything that is done next to it, as it is stored before."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from kodiai.core.changes.scope import Scope
from kodiai.core.findings.embedded import with_embedded_findings
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, findings_of_rules
from kodiai.core.findings.source import ReadLines
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.judge.candidates import Reports
from kodiai.core.judge.delta import Delta, ReviewVerdict
from kodiai.core.judge.judgement import Judgement, SuppressedFinding
from kodiai.core.model.messages import ModelUse
from kodiai.core.plan.input import AwaitsCi, ReviewInput
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.check import Check, closing_check, uncommented
from kodiai.core.review.reconcile import Reconciliation
from kodiai.core.review.review import Review, ReviewComment, ReviewEvent
from kodiai.core.review.run import PendingReview, Run
from kodiai.core.review.thread_actions import thread_actions
from kodiai.core.text import markdown
from kodiai.core.text.layout import joined
from kodiai.core.text.secrets import masked
from kodiai.core.words import check as check_words
from kodiai.core.words.details import ReviewDetails
from kodiai.core.words.finding import comment_body
from kodiai.core.words.links import Links
from kodiai.core.words.review import approval, first_review, re_review
from kodiai.core.words.strength import strength
from kodiai.core.words.team_rules import team_rules_lines

Form = Callable[[Scope, Delta, Sequence[SuppressedFinding], ReviewDetails], str]
"""Writes the body of a review."""


@dataclass(frozen=True)
class Examined:
    """A pull request as a run has examined it: what was planned, reported and judged, and what that means.

    `use` is what the models took, `seconds` how long the run took so far. `memory_problem` is why the memory was not
    available, None if it was.
    """

    plan: ReviewPlan
    reports: Reports
    judgement: Judgement
    reconciled: Reconciliation
    use: ModelUse
    seconds: float
    memory_problem: str | None = None


def compose(run: Run, examined: Examined, read_lines: ReadLines) -> PendingReview:
    """Compose the review, if there is anything to post, and everything that is done next to it.

    `read_lines` gives the files at the head.
    """
    plan, judgement, reconciled = examined.plan, examined.judgement, examined.reconciled
    review_input, changes, scope = plan.input, reconciled.changes, reconciled.scope
    is_unchanged = review_input.is_unchanged
    if changes.offline:
        examined = replace(examined, use=ModelUse())
    earlier = (each.finding for each in reconciled.updates if each.is_open or each.transition == "resolved")
    linked = {each.path for each in (*(kept.finding for kept in judgement.kept), *earlier)}
    removed = {file.path for file in review_input.files if file.status == "removed"}
    missing = removed.union(path for path in linked if not is_unchanged and read_lines(path) is None)
    links = Links(review_input.pull_request.url, review_input.pull_request.head, frozenset(missing))
    form = None if is_unchanged else _form(review_input, scope, changes)
    details = _details(run, examined, links, read_lines)
    body = form(scope, changes, judgement.suppressed, details) if form is not None else None
    event, once_green = (
        _event(review_input, verdict, is_judged=not judgement.unjudged)
        for verdict in (changes.verdict, changes.findings_verdict)
    )
    awaits_ci = _awaits_ci(review_input.awaits_ci, changes, once_green, posts=body is not None)
    is_withheld_no_more = body is None and awaits_ci == "approval" and event == "APPROVE" and changes.ci.is_green
    if is_withheld_no_more:
        body, awaits_ci = approval(changes, details), None
    again = (f"[{each.severity}] {each.path} ({each.lines}), {each.title}" for each in judgement.undecided)
    problems = [*judgement.problems, *(f"to be judged again: {finding}" for finding in again)]
    asks_for_changes = changes.verdict in ("address-before-merging", "no-verdict")
    return PendingReview(
        review=_review(event, body, judgement, changes, links, replaces=not is_withheld_no_more) if body else None,
        findings=judgement.kept,
        facts=_facts(review_input.pull_request, scope, changes) | ({} if is_unchanged else _model_facts(examined)),
        check=_check(review_input, changes, problems, form, details),
        updates=_changed(reconciled.updates, review_input.restored),
        thread_actions=thread_actions(reconciled.updates, review_input.threads, run, quietly=is_unchanged),
        # Checks without a model cannot say that nothing asks for changes any more.
        dismisses_own_reviews=not asks_for_changes and (body is None or event != "APPROVE"),
        withdraws_approval=changes.findings_verdict in ("not-fully-reviewed", "nothing-blocking", "nothing-to-read"),
        suppressed=judgement.suppressed,
        awaits_ci=awaits_ci,
    )


def _awaits_ci(before: AwaitsCi | None, changes: Delta, once_green: ReviewEvent, *, posts: bool) -> AwaitsCi | None:
    """The part withheld for CI: an approval also from the heads that follow, until a review says more or CI is green.

    `once_green` is the event of the review if CI were green, `posts` whether there is a review to post.
    """
    is_red = changes.verdict == "ci-red"
    if once_green == "APPROVE" and (is_red if posts else before == "approval"):
        return "approval"
    return "ready" if is_red else None


def _details(run: Run, examined: Examined, links: Links, read_lines: ReadLines) -> ReviewDetails:
    plan, reports, judgement, use = examined.plan, examined.reports, examined.judgement, examined.use

    def has_line(path: str, line: int) -> bool:
        return line <= len(read_lines(path) or ())

    strengths = _unique(text for report in reports.summaries for text in report.strengths)
    # A model reads less well if it has to hold more than half of what it can.
    crowded = [f"a question took {share:.0%} of what {model} can hold" for model, share in use.crowded.items()]
    return ReviewDetails(
        run=run.id,
        head=run.head,
        links=links,
        what_changed=_unique(text for report in reports.summaries for text in report.what_changed.split("\n\n")),
        strengths=[found for text in strengths if (found := strength(text, has_line, links)) is not None],
        problems=[*plan.input.problems, *reports.problems, *judgement.problems, *crowded],
        use=use,
        seconds=examined.seconds,
        asked_back=len(plan.rechecked) + len(judgement.team_rules.answers),
        not_asked_back=plan.not_rechecked,
        reviewers=plan.reviewers,
        judged=judgement.judged,
        unjudged=judgement.unjudged,
        floor=plan.input.config.review.severity.min_level,
        left_out=sum((batch.material.left_out for batch in plan.batches), Counter()),
        guidance=plan.guidance,
        refused_replacements=judgement.refused_replacements,
        doubted=judgement.doubted,
        recollection=plan.recollection,
        memory_problem=examined.memory_problem,
        team_rules=_team_rules(examined),
    )


def _team_rules(examined: Examined) -> list[str]:
    """The lines about the team's rules that do not fail."""
    review_input, reconciled = examined.plan.input, examined.reconciled
    rules, offline = review_input.config.review.rules, reconciled.changes.offline
    failed = findings_of_rules(each.known for each in reconciled.updates)
    overridden = {rule: known for rule, known in failed.items() if known.status in DECIDED_BY_PEOPLE}
    # A ruling of an earlier review is about other code.
    rulings = () if offline else reconciled.seen.rulings
    return team_rules_lines(rulings, overridden, unchecked=len(rules) if offline else 0)


def _review(
    event: ReviewEvent, body: str, judgement: Judgement, changes: Delta, links: Links, *, replaces: bool
) -> Review:
    comments = tuple(
        ReviewComment(
            path=kept.anchor.path,
            line=kept.anchor.end_line,
            start_line=kept.anchor.start_line if kept.anchor.start_line < kept.anchor.end_line else None,
            body=masked(comment_body(kept, links)),
        )
        for kept in judgement.kept
        if kept.anchor is not None
    )
    listed = [*uncommented(changes), *_elsewhere(changes)]
    return Review(event, with_embedded_findings(masked(body), listed), comments, replaces)


def _form(review_input: ReviewInput, scope: Scope, changes: Delta) -> Form | None:
    """The form of the review, None if there is nothing to post that was not posted before."""
    if review_input.previous_head is None or scope.reason == "requested":
        return first_review
    repeats = review_input.config.review.repeat_open == "comment" and changes.still_open
    if not changes.is_news and not repeats:
        return None
    if scope.mode != "incremental" or not review_input.known:
        return first_review
    return partial(re_review, last_head=review_input.previous_head)


def _check(
    review_input: ReviewInput,
    changes: Delta,
    problems: Sequence[str],
    form: Form | None,
    details: ReviewDetails,
) -> Check:
    """The end of the check run: with the words of the review, or with the problems if no review is posted."""
    links = details.links
    if review_input.is_unchanged and review_input.previous_head is not None:
        title, summary = check_words.unchanged(review_input.previous_head, changes, links)
    elif form is not None or review_input.previous_head is None:
        again = form not in (first_review, None)
        title, summary = check_words.reviewed(changes, links, again=again)
    else:
        title, summary = check_words.nothing_to_say(review_input.previous_head, changes, links)
        summary = joined(*(f"Problem: {markdown.line(problem)}." for problem in problems), summary)
    summary = check_words.with_team_rules(summary, details.team_rules)
    handle = review_input.reader.us.removesuffix("[bot]")
    return closing_check(title, summary, changes, review_input.config.review.check.fail_on, handle)


def _changed(updates: Iterable[FindingUpdate], restored: Collection[str]) -> tuple[FindingUpdate, ...]:
    """The updates that change what is remembered; a restored finding has to be remembered whole."""
    lost = (replace(each, why=each.why or "restored from GitHub") if each.id in restored else each for each in updates)
    return tuple(each for each in lost if each.known != each.before or each.id in restored)


def _elsewhere(changes: Delta) -> list[tuple[str, Finding]]:
    """The open findings whose comments do not show where their code is: they are on the cause, or on an old hunk."""
    new = [(kept.id, kept.finding) for kept in changes.new if kept.anchor and not kept.anchor.overlaps(kept.finding)]
    old = [(each.id, each.finding) for each in changes.still_open if each.known.comment_id and not each.known.hunk]
    return [*new, *old]


def _event(review_input: ReviewInput, verdict: ReviewVerdict, *, is_judged: bool) -> ReviewEvent:
    """COMMENT, unless the repository wants the verdict to count and we are not the author, which GitHub refuses.

    A change that was not read whole, or not judged, is not approved.
    """
    if review_input.config.review.event == "comment" or review_input.pull_request.author == review_input.reader.us:
        return "COMMENT"
    if verdict == "address-before-merging":
        return "REQUEST_CHANGES"
    return "APPROVE" if verdict in ("minor-items", "ready") and is_judged else "COMMENT"


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _facts(pull_request: PullRequest, scope: Scope, changes: Delta) -> dict[str, object]:
    """The facts of a run for the ledger and the log: its scope, with the reason, and its result."""
    return {
        "head": pull_request.head,
        "base": pull_request.base,
        "mode": scope.mode,
        "reason": scope.reason,
        "tier": scope.tier,
        "files_total": scope.total_files,
        "files_read": len(scope.files),
        "skipped": [asdict(skipped) for skipped in scope.skipped],
        "unread": changes.coverage.unread,
        "hunks_total": scope.total_hunks,
        "hunks_asked": scope.asked_hunks,
        "changed_files": [file.path for file in scope.files],
        "delta": changes.counts,
        "new_by_severity": dict(Counter(kept.finding.severity for kept in changes.new)),
        "verdict": changes.verdict,
    }


def _model_facts(examined: Examined) -> dict[str, object]:
    """The facts about the models' answers and the memory."""
    plan, judgement, use = examined.plan, examined.judgement, examined.use
    return {
        "model": asdict(use.total),
        "cost_usd": use.cost_usd,
        "limits_reached": use.reached,
        "models": sorted(use.by_model),
        "asked_back": len(plan.rechecked),
        "reviewers": () if examined.reconciled.changes.offline else plan.reviewers,
        "judged": judgement.judged,
        "unjudged": judgement.unjudged,
        "dropped": dict(Counter(each.fate for each in judgement.suppressed)),
        "rules": {each.rule: each.result for each in judgement.team_rules.rulings},
        "memory": _memory_facts(plan, judgement, examined.memory_problem),
    }


def _memory_facts(plan: ReviewPlan, judgement: Judgement, problem: str | None) -> dict[str, object]:
    """The facts about the memory, with the distances of all that was found, by which the threshold can be tuned."""
    recollection = plan.recollection
    return {
        "recalled": len(recollection.recalled),
        "sources": recollection.repositories,
        "rules": len(recollection.rules),
        "distances": recollection.distances,
        "offline": recollection.is_offline,
        "suppressed": sum(each.fate == "unwanted" for each in judgement.suppressed),
        "unavailable": problem,
    }
