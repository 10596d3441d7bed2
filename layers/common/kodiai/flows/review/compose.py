"""Compose: from what the model reported to the one review that is posted, written down before it is."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from kodiai.core.changes.scope import Scope, Skipped
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Judgement, Kept
from kodiai.core.findings.suggestion import suggestion
from kodiai.core.findings.verdict import verdict
from kodiai.core.settings import DeploymentSettings
from kodiai.core.words.review import Telling, comment_body, review_body
from kodiai.flows.review.ask import Asked
from kodiai.flows.review.cost import cost_usd
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.look_up import text_lines
from kodiai.ports import JsonObject, PullRequest, Review, ReviewComment, ReviewEvent, Run, Staged, Tree


def compose(
    run: Run,
    gathered: Gathered,
    scope: Scope,
    asked: Asked,
    judgement: Judgement,
    tree: Tree,
    settings: DeploymentSettings,
    seconds: float,
) -> Staged:
    """Compose the review; a finding that was told before gets no second inline comment."""
    read = _without_unread(scope, asked.unread)
    cost = cost_usd(asked.usage, settings.models.prices)
    telling = Telling(
        run=run.id,
        head=run.head,
        what_changed=_unique(text for report in asked.reports for text in report.what_changed.split("\n\n")),
        strengths=_unique(text for report in asked.reports for text in report.strengths),
        suggestions=_unique(text for report in asked.reports for text in report.suggestions),
        problems=[*gathered.config.problems, *asked.problems],
        models=list(asked.usage),
        input_tokens=asked.total.input_tokens + asked.total.cache_read_tokens + asked.total.cache_write_tokens,
        output_tokens=asked.total.output_tokens,
        cached_tokens=asked.total.cache_read_tokens,
        cost_usd=cost,
        seconds=seconds,
    )
    told = {known.id for known in gathered.known if known.comment_id is not None}
    new = [kept for kept in judgement.kept if kept.inline and kept.id not in told]
    review = Review(
        event=_event(gathered, judgement.findings, settings.bot_login),
        body=review_body(read, judgement, telling),
        comments=tuple(_comment(kept, tree) for kept in new),
    )
    facts = {
        **run_facts(gathered.pull_request, read),
        "model": asdict(asked.total),
        "cost_usd": cost,
        "models": list(asked.usage),
    }
    return Staged(review, judgement.kept, facts)


def _comment(kept: Kept, tree: Tree) -> ReviewComment:
    finding = kept.finding
    offered = suggestion(finding, text_lines(tree, finding.path) or ())
    return ReviewComment(
        path=finding.path,
        line=finding.end_line,
        start_line=finding.start_line if finding.start_line < finding.end_line else None,
        body=comment_body(kept, offered),
    )


def _event(gathered: Gathered, findings: Sequence[Finding], bot_login: str) -> ReviewEvent:
    """COMMENT, unless the repository wants the verdict to count, and we are not the author: GitHub refuses that."""
    if gathered.config.review.event == "comment" or gathered.pull_request.author == bot_login:
        return "COMMENT"
    return "REQUEST_CHANGES" if verdict(findings) == "address-before-merging" else "APPROVE"


def _without_unread(scope: Scope, unread: Sequence[Skipped]) -> Scope:
    """What was really read: files that the model declined or garbled move to those that were not."""
    paths = {skipped.path for skipped in unread}
    batches = (tuple(file for file in batch if file.path not in paths) for batch in scope.batches)
    return replace(scope, batches=tuple(batch for batch in batches if batch), skipped=(*scope.skipped, *unread))


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def run_facts(pull_request: PullRequest, scope: Scope) -> JsonObject:
    """What a run read and why, for the ledger."""
    return {
        "head": pull_request.head,
        "base": pull_request.base,
        "mode": scope.mode,
        "reason": scope.reason,
        "tier": scope.tier,
        "files_total": scope.total_files,
        "files_read": len(scope.files),
        "skipped": [asdict(skipped) for skipped in scope.skipped],
        "hunks_total": scope.total_hunks,
        "hunks_asked": scope.asked_hunks,
        "changed_files": [file.path for file in scope.files],
    }
