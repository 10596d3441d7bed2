"""Compose: from what the model reported to the one review that is posted, written down before it is."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial

from kodiai.core.changes.coverage import Coverage
from kodiai.core.changes.scope import Scope
from kodiai.core.config.keys import FailOn
from kodiai.core.findings.anchor import Anchor
from kodiai.core.findings.delta import Delta, delta
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.judgement import KeptFinding, SuppressedFinding, is_shown
from kodiai.core.findings.lifecycle import FindingUpdate
from kodiai.core.findings.locate import ReadLines
from kodiai.core.findings.report import Report
from kodiai.core.json_object import JsonObject
from kodiai.core.model.usage import Usage, cost_usd
from kodiai.core.pull_request import PullRequest
from kodiai.core.review.check import Check, Conclusion
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.review import PendingReview, Review, ReviewComment, ReviewEvent
from kodiai.core.review.run import Run
from kodiai.core.review.threads import acts_in_threads
from kodiai.core.words import check as check_words
from kodiai.core.words import markdown
from kodiai.core.words.details import Telling
from kodiai.core.words.finding import comment_body, joined
from kodiai.core.words.links import Links
from kodiai.core.words.listed import with_listed
from kodiai.core.words.review import first_review, re_review
from kodiai.core.words.secrets import masked
from kodiai.core.words.strength import Strength, strength
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.review.check import annotations
from kodiai.flows.review.examine import Examined
from kodiai.flows.review.scope import Chosen
from kodiai.flows.world import World

Form = Callable[[Scope, Delta, Sequence[SuppressedFinding], Telling], str]
"""Writes the body of a review."""


def compose(
    world: World,
    run: Run,
    gathered: ReviewInput,
    chosen: Chosen,
    examined: Examined,
    followed: Sequence[FindingUpdate],
    answers: ModelAnswers,
    read_lines: ReadLines,
    coverage: Coverage,
) -> PendingReview:
    """Compose the review, where there is anything to say, and everything that is done beside it."""
    asked, judgement, read = examined.asked, examined.judgement, chosen.scope
    new = [kept.finding for kept in judgement.kept]
    earlier = [each.finding for each in followed if each.is_open or each.turn == "resolved"]
    links = links_of(gathered, [*new, *earlier], read_lines)
    offline = world.settings.models.is_offline
    usage = {} if offline else answers.usage
    models = sorted(usage)
    total = sum(usage.values(), Usage())
    cost = cost_usd(usage, world.settings.models.prices)
    telling = Telling(
        run=run.id,
        head=run.head,
        links=links,
        what_changed=_unique(text for report in asked.reports for text in report.what_changed.split("\n\n")),
        strengths=_strengths(asked.reports, read_lines),
        suggestions=_unique(text for report in asked.reports for text in report.suggestions),
        problems=[*gathered.problems, *asked.problems, *examined.problems, *_crowded(answers)],
        models=models,
        input_tokens=total.input_tokens + total.cache_read_tokens + total.cache_write_tokens,
        output_tokens=total.output_tokens,
        cached_tokens=total.cache_read_tokens,
        cost_usd=cost,
        seconds=world.clock.now() - run.started,
        asked_back=len(chosen.asked_back),
        not_asked_back=chosen.not_asked_back,
        reviewers=examined.reviewers,
        judged=judgement.judged,
        unjudged=judgement.unjudged,
        floor=gathered.config.review.severity.min_level,
        left_out=examined.left_out,
        refused_replacements=judgement.refused_replacements,
    )
    changes = delta(judgement.kept, followed, coverage, gathered.coverage_before, offline=offline)
    form = _form(gathered, read, changes)
    body = form(read, changes, judgement.dropped, telling) if form is not None else None
    event = _event(gathered, changes, world.settings.bot_login, is_judged=not judgement.unjudged)
    comments = tuple(_comment(kept, kept.anchor, links) for kept in judgement.kept if kept.anchor is not None)
    facts = {
        **run_facts(gathered.pull_request, read, changes),
        "model": asdict(total),
        "cost_usd": cost,
        "models": models,
        "asked_back": len(chosen.asked_back),
        "reviewers": () if offline else examined.reviewers,
        "judged": judgement.judged,
        "unjudged": judgement.unjudged,
        "dropped": dict(Counter(each.fate for each in judgement.dropped)),
    }
    return PendingReview(
        review=Review(event, with_listed(masked(body), [*_uncommented(changes), *_elsewhere(changes)]), comments)
        if body is not None
        else None,
        findings=judgement.kept,
        facts=facts,
        check=_check(gathered, changes, examined.problems, links, form),
        followed=changed(followed, gathered.restored),
        acts=acts_in_threads(followed, gathered.threads, run),
        lifts=may_lift(changes) and (body is None or event != "APPROVE"),
        dropped=judgement.dropped,
    )


def _crowded(answers: ModelAnswers) -> list[str]:
    """The models that had to hold more than half of what they can: they read that less well."""
    return [f"a question took {share:.0%} of what {model} can hold" for model, share in answers.crowded_models.items()]


def _form(gathered: ReviewInput, read: Scope, changes: Delta) -> Form | None:
    """The form of the review, None where there is nothing to say that was not said before."""
    if gathered.previous_head is None or read.reason == "requested":
        return first_review
    repeats = gathered.config.review.repeat_open == "comment" and changes.still_open
    if not changes.says_something and not repeats:
        return None
    if read.mode != "incremental" or not gathered.known:
        return first_review
    return partial(re_review, last_head=gathered.previous_head)


def links_of(gathered: ReviewInput, named: Iterable[Finding], read_lines: ReadLines | None) -> Links:
    """The web addresses of the pull request and of its files at the head; `named` are the findings that lead there.

    Without `read_lines` only the files that the pull request removes are known to be missing.
    """
    missing = {file.path for file in gathered.files if file.status == "removed"}
    paths = {finding.path for finding in named}
    missing.update(path for path in paths if read_lines is not None and read_lines(path) is None)
    return Links(gathered.pull_request.url, gathered.pull_request.head, frozenset(missing))


def _strengths(reports: Iterable[Report], read_lines: ReadLines) -> list[Strength]:
    """The strengths that name a line which is there."""

    def has_line(path: str, line: int) -> bool:
        return line <= len(read_lines(path) or ())

    texts = _unique(text for report in reports for text in report.strengths)
    return [found for text in texts if (found := strength(text, has_line)) is not None]


def _check(gathered: ReviewInput, changes: Delta, problems: Sequence[str], links: Links, form: Form | None) -> Check:
    """How the check run ends: the same as the review says, and what could not be done where none is posted."""
    if form is not None or gathered.previous_head is None:
        title, summary = check_words.reviewed(changes, links, again=form not in (first_review, None))
    else:
        title, summary = check_words.nothing_to_say(gathered.previous_head, changes, links)
        summary = joined(*(f"Problem: {markdown.line(problem)}." for problem in problems), summary)
    return closing_check(title, summary, changes, gathered.config.review.check.fail_on)


def closing_check(title: str, summary: str, changes: Delta, fail_on: FailOn) -> Check:
    """A check run that is done, with notes on the open findings that have no comment.

    It fails where an open finding blocks that is as severe as the repository's gate. Else it is neutral while anything
    is open or unread, or where nothing was read, and otherwise a success.
    """
    conclusion: Conclusion = "success" if changes.verdict == "ready" else "neutral"
    if changes.verdict == "address-before-merging" and fail_on != "never":
        severe = any(each.blocks and is_shown(each, fail_on) for each in changes.open_findings)
        conclusion = "failure" if severe else conclusion
    notes = annotations(finding for _, finding in _uncommented(changes))
    return Check(title, masked(summary), conclusion, notes)


def may_lift(changes: Delta) -> bool:
    """Whether nothing asks for changes any more; checks without a model cannot say that."""
    return changes.verdict not in ("address-before-merging", "no-verdict")


def changed(followed: Iterable[FindingUpdate], restored: Collection[str]) -> tuple[FindingUpdate, ...]:
    """Those of which something else has to be remembered than before: everything of one that was restored."""
    lost = (replace(each, why=each.why or "restored from GitHub") if each.id in restored else each for each in followed)
    return tuple(each for each in lost if each.known != each.before or each.id in restored)


def _uncommented(changes: Delta) -> list[tuple[str, Finding]]:
    """The open findings that have no inline comment, the most severe first."""
    new = [(kept.id, kept.finding) for kept in changes.new if not kept.inline]
    old = [(each.id, each.finding) for each in changes.still_open if each.known.comment_id is None]
    return sorted([*new, *old], key=lambda each: rank(each[1]))


def _elsewhere(changes: Delta) -> list[tuple[str, Finding]]:
    """The open findings whose comments do not show where their code is: they stand on the cause, or on an old hunk."""
    new = [(kept.id, kept.finding) for kept in changes.new if kept.anchor and not kept.anchor.overlaps(kept.finding)]
    old = [(each.id, each.finding) for each in changes.still_open if each.known.comment_id and not each.known.hunk]
    return [*new, *old]


def _comment(kept: KeptFinding, anchor: Anchor, links: Links) -> ReviewComment:
    return ReviewComment(
        path=anchor.path,
        line=anchor.end_line,
        start_line=anchor.start_line if anchor.start_line < anchor.end_line else None,
        body=masked(comment_body(kept, links)),
    )


def _event(gathered: ReviewInput, changes: Delta, bot_login: str, *, is_judged: bool) -> ReviewEvent:
    """COMMENT, unless the repository wants the verdict to count, and we are not the author: GitHub refuses that.

    What was not read whole, or not judged, is not approved.
    """
    if gathered.config.review.event == "comment" or gathered.pull_request.author == bot_login:
        return "COMMENT"
    if changes.verdict == "address-before-merging":
        return "REQUEST_CHANGES"
    return "APPROVE" if changes.verdict in ("minor-items", "ready") and is_judged else "COMMENT"


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def run_facts(pull_request: PullRequest, scope: Scope, changes: Delta) -> JsonObject:
    """What a run read and why, and what came of it, for the ledger and the log."""
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
        "verdict": changes.verdict,
    }
