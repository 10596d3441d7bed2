"""The function that reviews, and deletes what is no longer needed: one message in, one log line out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kodiai import cold_start
from kodiai.consume import consume
from kodiai.core.events.job import (
    DeliveryAttempt,
    ForgetJob,
    MergeGroupJob,
    ProposalJob,
    RerunJob,
    ReviewJob,
    read_review_job,
)
from kodiai.flows.review_pull_request import review_pull_request
from kodiai.wiring import forget_ports, messages, ports_of, proposal_review_ports, quiet_seconds, rerun_ports, warm_up

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

warm_up(embeds=True)
cold_start.end()


def handler(event: Mapping[str, Any], context: "LambdaContext") -> dict[str, list[dict[str, str]]]:
    """Handle one batch of reviews.fifo."""
    return consume(event, context, read_review_job, _work, lambda: messages("reviews"), quiet_seconds)


def _work(job: ReviewJob, attempt: DeliveryAttempt) -> Mapping[str, Any]:
    if isinstance(job, ForgetJob):
        from kodiai.flows.forget_repositories import forget_repositories

        with forget_ports(attempt) as forgetting:
            outcome = forget_repositories(job, forgetting)
    elif isinstance(job, ProposalJob):
        from kodiai.flows.consider_proposal import consider_proposal

        with proposal_review_ports(job, attempt) as reviewing:
            outcome = consider_proposal(job, reviewing)
    elif isinstance(job, RerunJob):
        from kodiai.flows.rerun import rerun

        with rerun_ports(job) as rerunning:
            outcome = rerun(job, rerunning)
    elif isinstance(job, MergeGroupJob):
        from kodiai.flows.answer_merge_group import answer_merge_group

        with ports_of(job, attempt) as ports:
            outcome = answer_merge_group(job, ports)
    else:
        with ports_of(job, attempt) as ports:
            outcome = review_pull_request(job, ports)
    return {"outcome": outcome.status, "reason": outcome.reason, **brief(outcome.facts)}


def brief(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts without their lists of paths, which belong in the ledger, not in a log."""
    return {name: value for name, value in facts.items() if not isinstance(value, list)}
