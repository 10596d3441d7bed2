"""Review a pull request, step by step.

admit → load → hear → recall → plan → review → judge → reconcile → compose → publish → remember
"""

from dataclasses import replace

from kodiai.core.events.job import Job
from kodiai.core.judge.candidates import Reports
from kodiai.core.judge.judgement import Judgement
from kodiai.core.model.messages import CacheLifetime, ModelUse
from kodiai.core.outcome import Outcome
from kodiai.core.plan.cache_lifetime import cache_lifetime
from kodiai.core.plan.plan import plan_review
from kodiai.core.plan.unposted import UnpostedReview, summaries, unposted_answers
from kodiai.core.review.compose import compose
from kodiai.core.review.reconcile import reconcile
from kodiai.flows.memory import open_memory
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import Reader
from kodiai.flows.model.spending import check_spending
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.flows.review.admit import admit, turn_away
from kodiai.flows.review.continuing import continuing
from kodiai.flows.review.hear import hear
from kodiai.flows.review.judge import judge
from kodiai.flows.review.load import load, open_repository
from kodiai.flows.review.publish import publish
from kodiai.flows.review.recall import recall
from kodiai.flows.review.remember import remember
from kodiai.flows.review.review import review
from kodiai.flows.review.session import ReviewSession


def review_pull_request(job: Job, ports: PullRequestPorts) -> Outcome:
    """Look at the pull request as it is now, and review it if there is anything to review.

    A review that runs out of time continues as a fresh message.
    Raises Retry or Broken with the lease given back, so that a redelivery continues where this one stopped.
    """
    github, ledger, conversation = ports.github, ports.ledger, ports.conversation
    models, embeddings, limits = ports.settings.models, ports.settings.embeddings, ports.settings.limits
    deadline, attempt = ports.deadline, ports.deadline.attempt
    with ReviewSession(job, ports) as session:
        turn_away(job, session, ports)
        admission = admit(job, session, ports)
        memory, pending = open_memory(ports, admission.config), session.run.staged
        if pending is None:
            deadline.need(limits.publish_seconds)
            review_input = load(job.trigger, admission, ports)
            config = review_input.config
            view = open_repository(github, session.run.head, config.review.skip_paths, ports.parser, limits, deadline)
            if review_input.is_unchanged:
                plan = plan_review(review_input, hear(review_input, None), view, limits, models)
                reports, judgement, use = Reports(), Judgement((), ()), ModelUse()
            else:
                if not session.is_resumed:  # what it has spent itself is no reason to give it up
                    check_spending(ledger, config.budget, ports.settings.spending)
                salt = session.run.id if job.trigger == "full_review" else ""
                answers = ModelAnswers(ports.model, ledger, ports.settings, deadline, budget=config.budget, salt=salt)
                stances = hear(review_input, answers)
                recollection = recall(review_input, view, memory, ports.memory, offline=embeddings.is_offline)
                prepared = ledger.surroundings(session.run.id) if session.is_resumed else {}
                plan = plan_review(review_input, stances, view, limits, models, recollection, prepared=prepared)
                tier = plan.scope.tier
                reading, judging = models.reader(tier), models.judge(tier)
                lifetime: CacheLifetime = "5m"
                if judging.model == reading.model:  # another one reads nothing of this cache
                    lifetime = cache_lifetime(plan.batches, limits.parallel_calls, models.price(tier))
                reader = Reader(answers, *reading, view.tree, limits.tool_turns, cached_for=lifetime)
                judge_reader = replace(reader, model=judging.model, effort=judging.effort)
                with continuing(session, plan, answers, ledger):
                    reports = review(reader, plan, limits.parallel_calls, is_last_attempt=attempt.is_last)
                    if reports.findings:  # checking many of them against the code takes a while too
                        deadline.need(limits.answer_seconds + limits.publish_seconds)
                    judgement = judge(plan, reports, judge_reader, view, memory, is_last_attempt=attempt.is_last)
                use = answers.use
            reconciled = reconcile(plan, reports, judgement, view.lines, offline=models.is_offline)
            seconds = deadline.clock.now() - session.run.started
            pending = compose(
                session.run,
                plan,
                reports,
                judgement,
                reconciled,
                use,
                seconds=seconds,
                read_lines=view.lines,
                memory_problem=memory.problem,
            )
            unposted = UnpostedReview(
                head=session.run.head,
                after_run=admission.state.completed_run,
                snapshot=reconciled.seen,
                decisions=judgement.decisions,
                answers=unposted_answers(reports.earlier, reconciled.updates),
                reports=summaries(reports.reports),
                reviewers=plan.reviewers,
            )
            session.stage(pending, reconciled, unposted)
        published = publish(session, pending, admission.on_github, github, conversation)
        remember(session, pending, published, admission.on_github, memory, ports)
    return session.outcome
