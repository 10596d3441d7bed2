"""Examine: load → hear → recall → plan → review → judge → reconcile → compose, and stage what comes of it."""

from kodiai.core.errors import Retry
from kodiai.core.judge.candidates import Reports
from kodiai.core.judge.judgement import Judgement
from kodiai.core.model.messages import ModelUse
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.plan.unposted import UnpostedReview, unposted_answers
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.compose import Examined, compose
from kodiai.core.review.reconcile import reconcile
from kodiai.core.review.run import PendingReview
from kodiai.flows.memory import Memory
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import readers
from kodiai.flows.model.spending import check_spending
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.flows.review.admit import Admission
from kodiai.flows.review.guidance import with_guidance
from kodiai.flows.review.hear import hear
from kodiai.flows.review.judge import judge
from kodiai.flows.review.load import load, open_repository, prefetch
from kodiai.flows.review.recall import recall
from kodiai.flows.review.review import review
from kodiai.flows.review.session import ReviewSession


def examine(session: ReviewSession, admission: Admission, memory: Memory, ports: PullRequestPorts) -> PendingReview:
    """Read the pull request and have it judged, and store the review before it is posted.

    Raises OutOfTime; Retry if the model is busy and there is another attempt; Ended if the head has moved on meanwhile.
    """
    settings, deadline = ports.settings, ports.deadline
    deadline.need(settings.limits.publish_seconds)
    review_input = load(session.job.trigger, admission, ports)
    view = open_repository(review_input, ports.github, ports.parser, settings.limits, deadline)
    if review_input.is_unchanged:
        plan = plan_review(review_input, hear(review_input, None), view, settings)
        reports, judgement, use = Reports(), Judgement((), ()), ModelUse()
    else:
        plan, reports, judgement, use = _read(session, review_input, view, memory, ports)
    reconciled = reconcile(plan, reports, judgement, view.lines, offline=settings.models.is_offline)
    seconds = deadline.clock.now() - session.run.started
    examined = Examined(plan, reports, judgement, reconciled, use, seconds, memory.problem)
    pending = compose(session.run, examined, view.lines)
    unposted = UnpostedReview(
        head=session.run.head,
        after_run=admission.state.completed_run,
        snapshot=reconciled.seen,
        decisions=judgement.decisions,
        answers=unposted_answers(reports.earlier, reconciled.updates),
        reports=reports.summaries,
        reviewers=plan.reviewers,
    )
    session.stage(pending, reconciled, unposted)
    return pending


def _read(
    session: ReviewSession, review_input: ReviewInput, view: RepositoryView, memory: Memory, ports: PullRequestPorts
) -> tuple[ReviewPlan, Reports, Judgement, ModelUse]:
    """Have the models read the changes and judge what they report."""
    settings, deadline, ledger = ports.settings, ports.deadline, ports.ledger
    config, limits, is_last = review_input.config, settings.limits, deadline.attempt.is_last
    # The spending of a run that is resumed is no reason to give it up.
    spent = None if session.is_resumed else check_spending(ledger, config.budget, settings.spending)
    prefetch(review_input, view.tree)
    review_input = with_guidance(review_input, view.tree, ports)
    salt = session.run.id if session.job.trigger == "full_review" else ""
    answers = ModelAnswers(ports, budget=config.budget, salt=salt, spent=spent)
    stances = hear(review_input, answers)
    recollection = recall(review_input, view, memory, ports.memory, offline=settings.embeddings.is_offline)
    plan = plan_review(review_input, stances, view, settings, recollection)
    reader, judge_reader = readers(answers, plan, view, settings)
    try:
        reading = review(reader, plan, view, limits.parallel_calls, is_last_attempt=is_last)
        if reading.reports.findings:  # to check many of them against the code takes a while too
            deadline.need(limits.answer_seconds + limits.publish_seconds)
        judgement = judge(plan, reading, (reader, judge_reader), view, memory, is_last_attempt=is_last)
    except Retry:
        session.has_progressed = answers.has_new
        raise
    return plan, reading.reports, judgement, answers.use
