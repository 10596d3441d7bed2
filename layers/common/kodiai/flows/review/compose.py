"""Compose: from what the model reported to the one review that is posted, written down before it is."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace

from kodiai.core.changes.coverage import Coverage
from kodiai.core.changes.scope import Scope
from kodiai.core.findings.delta import Delta, delta
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.judge import Judgement, Kept
from kodiai.core.findings.lifecycle import Followed
from kodiai.core.findings.locate import ReadLines
from kodiai.core.findings.suggestion import Offer, offer
from kodiai.core.words import check as check_words
from kodiai.core.words import markdown
from kodiai.core.words.details import OFFLINE, Telling
from kodiai.core.words.finding import comment_body, joined
from kodiai.core.words.listed import with_listed
from kodiai.core.words.review import first_review, re_review
from kodiai.core.words.secrets import masked, secret_in
from kodiai.flows.answers import Answers
from kodiai.flows.review.cost import cost_usd
from kodiai.flows.review.examine import Examined
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.scope import Chosen
from kodiai.flows.review.threads import acts_in_threads
from kodiai.flows.world import World
from kodiai.ports import Check, JsonObject, PullRequest, Review, ReviewComment, ReviewEvent, Run, Staged, Usage


def compose(
    world: World,
    run: Run,
    gathered: Gathered,
    chosen: Chosen,
    examined: Examined,
    followed: Sequence[Followed],
    answers: Answers,
    read_lines: ReadLines,
    coverage: Coverage,
) -> Staged:
    """Compose the review, where there is anything to say, and everything that is done beside it."""
    asked, judgement, read = examined.asked, examined.judgement, chosen.scope
    offers = {kept.id: _offer(kept, read_lines) for kept in judgement.kept}
    offline = world.settings.models.is_offline
    usage = {} if offline else answers.usage
    total = sum(usage.values(), Usage())
    cost = cost_usd(usage, world.settings.models.prices)
    telling = Telling(
        run=run.id,
        head=run.head,
        what_changed=_unique(text for report in asked.reports for text in report.what_changed.split("\n\n")),
        strengths=_unique(text for report in asked.reports for text in report.strengths),
        suggestions=_unique(text for report in asked.reports for text in report.suggestions),
        problems=[*gathered.problems, *asked.problems, *examined.problems, *_crowded(answers)],
        models=sorted(usage),
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
        refused_replacements=_refused(judgement, offers),
        offline=offline,
    )
    changes = delta(judgement.kept, followed, coverage, gathered.coverage_before)
    body = _body(gathered, read, changes, judgement, telling)
    event = _event(gathered, changes, world.settings.bot_login, is_judged=not judgement.unjudged, offline=offline)
    comments = tuple(_comment(kept, offers[kept.id].text) for kept in judgement.kept if kept.inline)
    facts = {
        **run_facts(gathered.pull_request, read, changes),
        "model": asdict(total),
        "cost_usd": cost,
        "models": telling.models,
        "offline": offline,
        "asked_back": len(chosen.asked_back),
        "reviewers": [] if offline else examined.reviewers,
        "judged": judgement.judged,
        "unjudged": judgement.unjudged,
        "dropped": dict(Counter(each.fate for each in judgement.dropped)),
    }
    return Staged(
        review=Review(event, with_listed(masked(body), _uncommented(changes)), comments) if body is not None else None,
        findings=judgement.kept,
        facts=facts,
        check=_check(gathered, changes, examined.problems, posts=body is not None, offline=offline),
        followed=changed(followed, gathered.restored),
        acts=acts_in_threads(followed, gathered.threads, run),
        lifts=may_lift(changes, offline=offline) and (body is None or event != "APPROVE"),
        dropped=judgement.dropped,
    )


def _crowded(answers: Answers) -> list[str]:
    """The models that had to hold more than half of what they can: they read that less well."""
    return [f"a question took {share:.0%} of what {model} can hold" for model, share in answers.crowded_models.items()]


def _body(gathered: Gathered, read: Scope, changes: Delta, judgement: Judgement, telling: Telling) -> str | None:
    """The review's text, None where there is nothing to say that was not said before."""
    if gathered.previous_head is None or read.reason == "requested":
        return first_review(read, changes, judgement.dropped, telling)
    repeats = gathered.config.review.repeat_open == "comment" and changes.still_open
    if not changes.says_something and not repeats:
        return None
    if read.mode != "incremental" or not gathered.known:
        return first_review(read, changes, judgement.dropped, telling)
    return re_review(read, changes, judgement.dropped, telling, gathered.previous_head)


def _check(gathered: Gathered, changes: Delta, problems: Sequence[str], *, posts: bool, offline: bool) -> Check:
    """How the check run ends; where no review is posted it carries what is still open, and what could not be done."""
    if posts or gathered.previous_head is None:
        title, summary = check_words.reviewed(changes)
    else:
        title, summary = check_words.nothing_to_say(gathered.previous_head, changes)
        summary = joined(summary, *(f"Problem: {markdown.line(problem)}." for problem in problems))
    return closing_check(title, summary, changes, offline=offline)


def closing_check(title: str, summary: str, changes: Delta, *, offline: bool) -> Check:
    """A check run that is done: neutral while anything is open or unread, or where nothing was read, else a success.

    Where only offline checks ran it is neutral, and says so instead of its title: nobody has read the change.
    """
    is_clean = changes.coverage.is_whole and not changes.open_findings and not offline
    return Check(OFFLINE if offline else title, masked(summary), "success" if is_clean else "neutral")


def may_lift(changes: Delta, *, offline: bool) -> bool:
    """Whether nothing asks for changes any more; checks without a model cannot say that."""
    return changes.verdict != "address-before-merging" and not offline


def changed(followed: Iterable[Followed], restored: Collection[str]) -> tuple[Followed, ...]:
    """Those of which something else has to be remembered than before: everything of one that was restored."""
    lost = (replace(each, why=each.why or "restored from GitHub") if each.id in restored else each for each in followed)
    return tuple(each for each in lost if each.known != each.before or each.id in restored)


def _uncommented(changes: Delta) -> list[tuple[str, Finding]]:
    """The open findings that have no inline comment, the most severe first."""
    new = [(kept.id, kept.finding) for kept in changes.new if not kept.inline]
    old = [(each.id, each.finding) for each in changes.still_open if each.known.comment_id is None]
    return sorted([*new, *old], key=lambda each: rank(each[1]))


def _offer(kept: Kept, read_lines: ReadLines) -> Offer:
    """The replacement that is offered with a comment, or why there is none."""
    offered = offer(kept.finding, read_lines(kept.finding.path) or ())
    if offered.text is not None and secret_in(offered.text):
        return Offer(refused="it holds a secret")
    if offered.text is not None and not kept.inline:
        return Offer(refused="its lines take no comment")
    return offered


def _refused(judgement: Judgement, offers: Mapping[str, Offer]) -> Counter[str]:
    """Count the replacements that are not offered, by reason."""
    reasons = Counter(each.refused for each in offers.values() if each.refused)
    return reasons + Counter(judgement.withheld_replacements)


def _comment(kept: Kept, offered: str | None) -> ReviewComment:
    finding = kept.finding
    return ReviewComment(
        path=finding.path,
        line=finding.end_line,
        start_line=finding.start_line if finding.start_line < finding.end_line else None,
        body=masked(comment_body(finding, kept.id, offered)),
    )


def _event(gathered: Gathered, changes: Delta, bot_login: str, *, is_judged: bool, offline: bool) -> ReviewEvent:
    """COMMENT, unless the repository wants the verdict to count, and we are not the author: GitHub refuses that.

    What was not read whole, or not judged, is not approved; checks without a model only comment.
    """
    if offline or gathered.config.review.event == "comment" or gathered.pull_request.author == bot_login:
        return "COMMENT"
    if changes.verdict == "address-before-merging":
        return "REQUEST_CHANGES"
    return "APPROVE" if changes.coverage.is_whole and is_judged else "COMMENT"


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
