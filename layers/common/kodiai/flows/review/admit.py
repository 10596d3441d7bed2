"""Admit: decide whether the pull request is reviewed for this event, and end an unfinished run of another head."""

from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.config.keys import Config
from kodiai.core.errors import Refused, Retry
from kodiai.core.events.decide import pull_request_of
from kodiai.core.events.job import OPERATOR, Job
from kodiai.core.gate.gate import Result
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Ended
from kodiai.core.plan.eligibility import (
    ASKED_FOR,
    Reviewed,
    event_skip_reason,
    foreign_event_reason,
    outsider_skip_reason,
    pull_request_skip_reason,
    trigger_skip_reason,
)
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.run import PullRequestState, Run, again_at
from kodiai.core.words import check as words
from kodiai.flows.memory import open_memory
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.flows.review.publish import publish
from kodiai.flows.review.remember import remember, remember_outcomes
from kodiai.flows.review.session import ReviewSession

# The events that may be the first one of a head.
_BRING_HEADS = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
# Times the quiet time: a pull request that is pushed to all the time is still reviewed now and then.
_MOST_WAITS = 10
# Heads that an author without write access has pushed and that one request goes on with; each costs a reading.
_MOST_OVERTAKEN = 3
_NOTHING_WAITS = "no review of the head waits for CI to become green"


@dataclass(frozen=True)
class Admission:
    """The pull request as it is now, the repository's settings, and the runs so far.

    `unwanted` is why it is not reviewed whoever asks, None if it may be. `unfinished` is a run that began earlier.
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


def turn_away(job: Job, session: ReviewSession, ports: PullRequestPorts) -> None:
    """Raise Ended if the event is none of ours, which needs no request to GitHub, or if the settings exclude it.

    The settings are read first only for bots' pull requests and labels.
    """
    reason = foreign_event_reason(job, ports.bot_login)
    for other in job.for_others() if reason is None else ():
        ports.queue.send("reviews", other)
    if reason is None and job.trigger == "checks_completed" and not ports.ledger.awaits_ci():
        reason = _NOTHING_WAITS
    if reason is not None:
        raise Ended("skipped", reason)
    if not job.is_doubtful:
        return
    on_github = ports.github.snapshot(briefly=True)
    pull_request, config = on_github.pull_request, on_github.settings()
    reason = event_skip_reason(job, config.review, author=pull_request.author, bot_login=ports.bot_login)
    if reason is None or (config.refusal is not None and job.label is None):
        return
    if job.trigger in _BRING_HEADS and pull_request.state == "open":
        state = session.claim()
        session.look_at(pull_request, config, state)
        _share(on_github, state, session)
        session.show_unreviewed(state, *_skipped(reason, ports, may_ask=True))
    raise Ended("skipped", reason, _commits(pull_request))


def admit(job: Job, session: ReviewSession, ports: PullRequestPorts) -> Admission:
    """Take the lease and look at the pull request; an unfinished run of another head is ended first.

    Raises Ended if nothing is to be reviewed, and Retry while another invocation holds the lease.
    """
    admission = _look(job, session, ports)
    left = admission.unfinished
    if left is not None and (
        admission.unwanted is not None
        or left.head != admission.pull_request.head
        or (job.preview and left.delivery != job.origin)
    ):
        _wind_up(job, left, admission, session, ports)
        admission = _look(job, session, ports)
    _share(admission.on_github, admission.state, session)
    if admission.unwanted is not None:
        session.show_opened(admission.state)
        facts = dict(_commits(admission.pull_request))
        if admission.pull_request.state == "closed" and admission.state.completed_run is not None:
            facts["memory"] = _remember_end(admission, ports)
        excluded = _excluded(job, admission, ports)
        if excluded is not None:
            session.show_unreviewed(admission.state, *excluded)
        raise Ended("skipped", admission.unwanted, facts)
    if admission.unfinished is not None:
        session.resume(admission.unfinished, admission.pull_request)
    elif job.preview or job.trigger == "decided" or _is_given_later(job, admission, ports):
        if job.trigger == "decided" and not _is_as_reviewed(admission, ports):
            session.show_opened(admission.state)  # a decision to let the head pass is shown all the same
            why = "the head has no review with these settings"
            raise Ended("skipped", why, _commits(admission.pull_request))
        session.begin(admission.pull_request, admission.state)
    else:
        left_unread = _check_time(job, admission, session, ports)
        _check_outsider(job, admission, session, ports)
        _check_head(job, admission, ports)
        session.begin(admission.pull_request, admission.state, left_unread=left_unread)
    session.show_start(admission.pull_request)
    if admission.config.refusal is not None and session.posted is None:
        raise Refused(admission.config.refusal)
    return admission


def _is_given_later(job: Job, admission: Admission, ports: PullRequestPorts) -> bool:
    """Whether CI, which was red when the head was reviewed, is green now, and the event asks for nothing more.

    Raises Ended for an event of CI itself if there is nothing to give.
    """
    state, head = admission.state, admission.pull_request.head
    waits = state.awaits_ci is not None and state.completed_head == head and admission.on_github.ci.is_green
    counts = job.trigger not in ("full_review", "edited") and (job.trigger in ASKED_FOR or state.paused_by is None)
    if waits and counts and not ports.settings.github.dry_run:
        return _is_as_reviewed(admission, ports)
    if job.trigger == "checks_completed":
        raise Ended("skipped", _NOTHING_WAITS, _commits(admission.pull_request))
    return False


def _share(on_github: PullRequestSnapshot, state: PullRequestState, session: ReviewSession) -> None:
    """Have the open pull requests with this head know of each other; one that is closed leaves them."""
    if session.is_dry_run:
        return
    if on_github.pull_request.state == "closed":
        session.gate.close(state.standing, state.mirrors)
        return
    ours = (pull_request_of(each.external_id, on_github.pull_request.repository_id) for each in on_github.own_checks)
    session.gate.share({*on_github.same_head, *(each for each in ours if each)}, state.standing, state.mirrors)


def _look(job: Job, session: ReviewSession, ports: PullRequestPorts) -> Admission:
    state = session.claim()
    if job.preview and (done := ports.ledger.preview_outcome(job.origin)) is not None and done.status == "completed":
        raise Ended("completed", done.reason, done.facts)
    on_github = ports.github.snapshot()
    if job.preview:  # a first review, of a merged pull request too
        on_github = replace(on_github, threads=(), reviews=())
    pull_request, config = on_github.pull_request, on_github.settings()
    is_closed = pull_request.state == "closed" and not job.preview
    reason = pull_request_skip_reason(job.trigger, config.review, pull_request, is_closed=is_closed)
    reason = reason if config.refusal is None or is_closed else None
    session.look_at(pull_request, config, state)
    unfinished = ports.ledger.run(state.running) if state.running else None
    return Admission(on_github, config, as_github_shows(state, on_github), reason, unfinished)


def as_github_shows(state: PullRequestState, on_github: PullRequestSnapshot) -> PullRequestState:
    """The state with the newest review that has our marker, if the ledger knows no review.

    The snapshot of that review is lost: `completed_run` stays None.
    """
    newest = on_github.newest_review
    if state.completed_run is not None or newest is None:
        return state
    return replace(state, completed_head=newest.head, completed_at=newest.submitted)


def _wind_up(job: Job, left: Run, admission: Admission, session: ReviewSession, ports: PullRequestPorts) -> None:
    """End an unfinished run of another head, or of a pull request that is not to be reviewed any more.

    A posted review is remembered, and so is a run that had nothing to post; any other run is superseded.
    """
    session.resume(left, admission.pull_request)
    if left.staged is not None and (session.posted is not None or left.staged.review is None):
        session.show_start(admission.pull_request)
        published = publish(session, left.staged, admission.on_github, ports.github, ports.conversation)
        memory = open_memory(ports, admission.config)
        remember(session, left.staged, published, admission.on_github, memory, ports)
    else:
        why = admission.unwanted or words.moved_on(admission.pull_request.head)
        session.supersede(why, _excluded(job, admission, ports))


def _skipped(reason: str, ports: PullRequestPorts, *, may_ask: bool) -> tuple[Result, tuple[str, str]]:
    """The result and text where the settings exclude the pull request; `may_ask` is whether a request changes that."""
    return "skipped", words.skipped(reason, ports.bot_login.removesuffix("[bot]"), may_ask=may_ask)


def _excluded(job: Job, admission: Admission, ports: PullRequestPorts) -> tuple[Result, tuple[str, str]] | None:
    """The result and the text of a check run if the settings exclude the pull request, None if they do not.

    Somebody without write access does not get past a gate with words in a title. The event of a close that comes late
    finds the pull request open again, and excludes nothing.
    """
    pull_request, config = admission.pull_request, admission.config.review
    if admission.unwanted is None or pull_request.state == "closed" or job.trigger == "closed":
        return None
    is_by_title = config.enabled and not config.skips_author(pull_request.author)
    if is_by_title and config.check.fail_on != "never" and not _may_write(pull_request.author, ports):
        return "waiting", words.UNTRUSTED_SKIP
    return _skipped(admission.unwanted, ports, may_ask=False)


def _remember_end(admission: Admission, ports: PullRequestPorts) -> JsonObject:
    """Remember what the findings of a closed pull request led to. Raises Retry: no other event may come to do it."""
    memory = open_memory(ports, admission.config)
    remembered = remember_outcomes((), admission.on_github, memory, ports)
    if memory.problem is not None and not ports.deadline.attempt.is_last:
        raise Retry(f"the memory is not available: {memory.problem}")
    return remembered


def _check_time(job: Job, admission: Admission, session: ReviewSession, ports: PullRequestPorts) -> int:
    """Check that this event is a reason to begin a run now. Raises Ended if it is not.

    A person who requests a review of a reviewed head gets a line, unless a review was done since the request.
    Gives how many files the last review of the head has left for a person's request to have read.
    """
    pull_request, head = admission.pull_request, admission.pull_request.head
    state = _as_dry_run_sees(admission.state, ports)
    is_served = job.origin == state.completed_delivery
    asks_again = job.trigger in ASKED_FOR and head == state.completed_head
    run = state.completed_run if asks_again else None
    last, snapshot = (ports.ledger.run(run), ports.ledger.snapshot(run)) if run is not None else (None, None)
    left_unread, too_soon = 0, None
    if last is not None and snapshot is not None:
        left_unread = len(snapshot.left_out) if snapshot.waits else 0
        again = again_at(job.trigger, last, snapshot, admission.config, pull_request.base)
        too_soon = again if again is not None and ports.deadline.clock.now() < again else None
    reviewed = Reviewed(state.completed_head, is_served, left_unread > 0, too_soon is not None, state.paused_by)
    reason = trigger_skip_reason(job.trigger, admission.config.review, pull_request, reviewed)
    if reason is not None:
        was_answered = is_served or ports.deadline.attempt.sent <= state.completed_at
        is_silent = was_answered or ports.settings.github.dry_run or pull_request.is_locked
        if asks_again and not is_silent:
            if too_soon is None:
                ports.github.answer(f"head-{head}", words.already_reviewed(head))
                session.gate.show_elsewhere()
            else:
                ports.github.answer(f"again-{run}", words.reviewed_lately(head, too_soon))
        if head != state.completed_head and pull_request.draft and not admission.config.review.drafts:
            # A gate that passes a draft would pass it too in the moment after it is ready, which is enough for GitHub.
            session.show_unreviewed(admission.state, "draft", words.DRAFT)
        elif head != state.completed_head:
            session.show_unreviewed(admission.state, *_skipped(reason, ports, may_ask=True))
        raise Ended("skipped", reason, _commits(pull_request))
    return left_unread


def _is_as_reviewed(admission: Admission, ports: PullRequestPorts) -> bool:
    """Whether the head is reviewed with the settings of now, as far as the ledger knows: nothing has to be read."""
    state = admission.state
    run = state.completed_run if state.completed_head == admission.pull_request.head else None
    seen = ports.ledger.snapshot(run) if run is not None else None
    return seen is not None and seen.config == admission.config.key


def _as_dry_run_sees(state: PullRequestState, ports: PullRequestPorts) -> PullRequestState:
    """The state in which a review that a dry run has kept counts as done, for as long as nothing is posted."""
    is_dry_run = ports.settings.github.dry_run
    kept = ports.ledger.run(state.unposted_run) if is_dry_run and state.unposted_run is not None else None
    if kept is None or kept.status != "completed":
        return state
    return replace(state, completed_run=kept.id, completed_head=kept.head, completed_delivery=kept.delivery)


def _check_outsider(job: Job, admission: Admission, session: ReviewSession, ports: PullRequestPorts) -> None:
    """Check that the settings let this event review an author without write access. Raises Ended if it still waits.

    A bot has rules of its own, and an operator who asks for a review pays for it.
    """
    pull_request, config = admission.pull_request, admission.config.review
    rule = config.takes_outsiders(is_private=pull_request.is_private)
    if rule == "always" or pull_request.author_is_bot or job.sender == OPERATOR:
        return
    counts = rule == "request" and job.continuations <= _MOST_OVERTAKEN
    askers = {job.sender: None, pull_request.author: None} if counts else {pull_request.author: None}
    if any(_may_write(login, ports) for login in askers):
        return
    reason = outsider_skip_reason(rule, pull_request.author)
    if rule == "request":
        text = words.waits_for_request(ports.bot_login.removesuffix("[bot]"))
        session.show_unreviewed(admission.state, "waiting", text)
    else:
        session.show_unreviewed(admission.state, *_skipped(reason, ports, may_ask=False))
    raise Ended("skipped", reason, _commits(pull_request))


def _may_write(login: str, ports: PullRequestPorts) -> bool:
    """Whether somebody may write, as far as GitHub says; an App is not asked about."""
    with suppress(Refused):
        return not login.endswith("[bot]") and ports.github.may_write(login)
    return False


def _check_head(job: Job, admission: Admission, ports: PullRequestPorts) -> None:
    """Check that no newer push came. Raises Ended: the newer push is reviewed.

    This job looks again later in case the newer push's webhook was lost.
    """
    head = admission.pull_request.head
    waits = ports.settings.limits.quiet_seconds > 0 and job.continuations < _MOST_WAITS
    if waits and job.head is not None and job.head != head:
        ports.queue.send("reviews", job.overtaken_by(head))
        raise Ended("superseded", f"a newer push came: {head[:7]}", _commits(admission.pull_request))


def _commits(pull_request: PullRequest) -> JsonObject:
    return {"head": pull_request.head, "base": pull_request.base}
