"""Admit: whether the pull request is reviewed for this event, and what an earlier event has left to be ended first."""

from dataclasses import dataclass

from kodiai.core.config import Config, read_config
from kodiai.core.eligibility import ASKED_FOR, event_skip_reason, pull_request_skip_reason, trigger_skip_reason
from kodiai.core.errors import Refused
from kodiai.core.events.job import Job
from kodiai.core.json_object import JsonObject
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.review.run import PullRequestState, Run
from kodiai.core.words import check as words
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.flows.review.publish import publish
from kodiai.flows.review.remember import remember
from kodiai.flows.review.restore import as_github_shows
from kodiai.flows.review.session import Ended, ReviewSession
from kodiai.ports import Ledger

# Ten times the quiet time: a pull request that is pushed to all the time is still reviewed now and then.
_MOST_WAITS = 10


@dataclass(frozen=True)
class Admission:
    """The pull request as it is now, the repository's settings, and how far earlier runs have come.

    `unwanted` is why it is not reviewed whoever asks, None where it may be. `unfinished` is a run that began earlier.
    """

    on_github: PullRequestSnapshot
    config: Config
    state: PullRequestState
    unwanted: str | None
    unfinished: Run | None

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.on_github.pull_request


def turn_away(job: Job, ports: PullRequestPorts) -> None:
    """Raise Ended where the settings want nothing of such an event; most events are not asked about it."""
    if not job.by_bot and job.label is None:
        return
    on_github = ports.github.snapshot(briefly=True)
    pull_request, config = on_github.pull_request, read_config(on_github.config).review
    reason = event_skip_reason(job, config, author=pull_request.author, bot_login=ports.settings.bot_login)
    if reason is not None:
        raise Ended("skipped", reason, _place(pull_request))


def admit(job: Job, session: ReviewSession, ports: PullRequestPorts) -> Admission:
    """Take the lease and look at the pull request; what is left of a run on another head is ended first.

    Raises Ended where nothing is to be reviewed, and Retry while another invocation holds the lease.
    """
    admission = _look(job, session, ports)
    left = admission.unfinished
    if left is not None and (admission.unwanted is not None or left.head != admission.pull_request.head):
        _wind_up(left, admission, session, ports)
        admission = _look(job, session, ports)
    if admission.unwanted is not None:
        raise Ended("skipped", admission.unwanted, _place(admission.pull_request))
    if admission.unfinished is None:
        _check_time(job, admission, ports)
    session.begin(admission.pull_request, admission.state, admission.unfinished)
    if admission.config.refusal is not None and session.posted is None:
        raise Refused(admission.config.refusal)
    return admission


def _look(job: Job, session: ReviewSession, ports: PullRequestPorts) -> Admission:
    state = session.claim()
    on_github = ports.github.snapshot()
    pull_request, config = on_github.pull_request, read_config(on_github.config)
    reason = pull_request_skip_reason(
        job.trigger,
        config.review,
        title=pull_request.title,
        author=pull_request.author,
        state=pull_request.state,
    )
    state = as_github_shows(state, on_github.reviews)
    return Admission(on_github, config, state, reason, session.unfinished(state))


def _wind_up(left: Run, admission: Admission, session: ReviewSession, ports: PullRequestPorts) -> None:
    """End what an earlier event left unfinished on another head, or where no review is wanted any more.

    A review that stands is remembered, and so is a run that had none to post; else it is superseded.
    """
    posted = session.find_review(left)
    if left.staged is not None and (posted is not None or left.staged.review is None):
        session.resume(left, admission.pull_request, posted)
        published = publish(session, left.staged, admission.on_github, ports.github, ports.conversation)
        remember(session, left.staged, published, admission.on_github, ports.github)
    else:
        why = admission.unwanted or words.moved_on(admission.pull_request.head)
        session.supersede(left, admission.pull_request, why)


def _check_time(job: Job, admission: Admission, ports: PullRequestPorts) -> None:
    """Let only an event begin a run that has reason to. Raises Ended."""
    pull_request, state, head = admission.pull_request, admission.state, admission.pull_request.head
    reason = trigger_skip_reason(
        job.trigger,
        admission.config.review,
        draft=pull_request.draft,
        head=head,
        completed_head=state.completed_head,
        is_served=job.origin == state.completed_delivery,
        left_unread=_left_unread(job, admission, ports.ledger),
        paused_by=state.paused_by,
        labels=pull_request.labels,
        base_ref=pull_request.base_ref,
    )
    if reason is not None:
        if _is_owed_an_answer(job, admission, ports):
            ports.github.answer(f"head-{head}", words.already_reviewed(head))
        raise Ended("skipped", reason, _place(pull_request))
    waits = ports.settings.limits.quiet_seconds > 0 and job.continuations < _MOST_WAITS
    if waits and job.head is not None and job.head != head:
        # It is left to the newer push; this one looks again later in case that one's webhook was lost.
        ports.queue.send("reviews", job.overtaken_by(head))
        raise Ended("superseded", f"a newer push came: {head[:7]}", _place(pull_request))


def _is_owed_an_answer(job: Job, admission: Admission, ports: PullRequestPorts) -> bool:
    """Whether a person asks by name for a review of what is reviewed; one that was done since then is the answer."""
    state = admission.state
    asked = job.trigger in ASKED_FOR and admission.pull_request.head == state.completed_head
    served = job.origin == state.completed_delivery or ports.deadline.attempt.sent <= state.completed_at
    return asked and not served and not ports.settings.github.dry_run


def _left_unread(job: Job, admission: Admission, ledger: Ledger) -> bool:
    """Whether a person asks for a review of a head whose last review left files that can be read now."""
    state = admission.state
    if job.trigger not in ASKED_FOR or admission.pull_request.head != state.completed_head:
        return False
    snapshot = ledger.snapshot(state.completed_run) if state.completed_run is not None else None
    return snapshot is not None and snapshot.waits


def _place(pull_request: PullRequest) -> JsonObject:
    return {"head": pull_request.head, "base": pull_request.base}
