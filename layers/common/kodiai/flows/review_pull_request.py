"""Review a pull request: claim → gather → scope → examine → follow → compose → publish → remember."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cache, partial

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config import Config, read_config
from kodiai.core.eligibility import ASKED_FOR, turned_away, untimely, unwanted
from kodiai.core.errors import Broken, OutOfTime, Refused
from kodiai.core.events.job import Job
from kodiai.core.findings.delta import delta
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome, OutcomeStatus
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.repository.sources import Sources
from kodiai.core.repository.tree import Tree
from kodiai.core.repository.visible import VisibleTree
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.moved import with_moved_code
from kodiai.core.review.review import PendingReview, PostedReview
from kodiai.core.review.run import PullRequestState, Run
from kodiai.core.review.threads import acts_in_threads, resolved_by_us
from kodiai.core.words import check as words
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.budget import allowance, budget_refusal
from kodiai.flows.model.replies import ReplyReader
from kodiai.flows.review.check import close_check, find_check, open_check
from kodiai.flows.review.compose import changed, closing_check, compose, links_of, may_lift, run_facts
from kodiai.flows.review.examine import examine
from kodiai.flows.review.follow import follow_unread, follow_up, was_taken_back, with_threads
from kodiai.flows.review.gather import CONFIG_PATH, gather, with_replies_read
from kodiai.flows.review.publish import find_review, not_said_meanwhile, publish
from kodiai.flows.review.restore import as_github_shows
from kodiai.flows.review.scope import Chosen, asking_back, choose
from kodiai.flows.world import World

_MOST_CONTINUATIONS = 50
# Ten times the quiet time: a pull request that is pushed to all the time is still reviewed now and then.
_MOST_WAITS = 10


def review_pull_request(job: Job, world: World) -> Outcome:
    """Look at the pull request as it is now, and review it if there is anything to review.

    A review that runs out of time goes on as a fresh message.
    Raises Retry or Broken with the lease given back, so that a redelivery goes on where this one stopped.
    """
    try:
        return _turn_away(job, world) or _under_lease(job, world)
    except OutOfTime as why:
        _continue(job, world)
        return Outcome("continued", str(why))


def _turn_away(job: Job, world: World) -> Outcome | None:
    """End at once where the settings want nothing of such an event; most events are not asked about it."""
    if not job.by_bot and job.label is None:
        return None
    standing = world.github.standing(CONFIG_PATH, briefly=True)
    pull_request, config = standing.pull_request, read_config(standing.config).review
    reason = turned_away(job, config, author=pull_request.author, bot_login=world.settings.bot_login)
    return None if reason is None else Outcome("skipped", reason, _place(pull_request))


def _place(pull_request: PullRequest) -> JsonObject:
    return {"head": pull_request.head, "base": pull_request.base}


def _under_lease(job: Job, world: World) -> Outcome:
    """Do it while nobody else does; a lease that is not given back by what ends the run is given back here."""
    state = world.ledger.claim(world.turn.owner, until=world.turn.deadline)
    with ExitStack() as on_failure:
        on_failure.callback(world.ledger.release, world.turn.owner)
        outcome = _look(job, world, state)
        on_failure.pop_all()
    return outcome


def _look(job: Job, world: World, state: PullRequestState) -> Outcome:
    standing = world.github.standing(CONFIG_PATH)
    state = as_github_shows(state, standing.reviews)
    pull_request, config = standing.pull_request, read_config(standing.config)
    reason = unwanted(
        job.trigger,
        config.review,
        title=pull_request.title,
        author=pull_request.author,
        state=pull_request.state,
    )
    unfinished = world.ledger.run(state.running) if state.running else None
    if unfinished is not None and (reason is not None or unfinished.head != pull_request.head):
        _wind_up(world, unfinished, reason or _moved_on(pull_request.head), standing)
        return _look(job, world, world.ledger.claim(world.turn.owner, until=world.turn.deadline))
    if reason is not None:
        return _skip(world, pull_request, reason)
    if unfinished is None:
        reason = untimely(
            job.trigger,
            config.review,
            draft=pull_request.draft,
            head=pull_request.head,
            completed_head=state.completed_head,
            is_served=job.origin == state.completed_delivery,
            left_unread=_left_unread(job, world, state, pull_request.head),
            paused_by=state.paused_by,
            labels=pull_request.labels,
            base_ref=pull_request.base_ref,
        )
    if reason is not None:
        if _is_owed_an_answer(job, world, state, pull_request.head):
            world.github.answer(f"head-{pull_request.head}", words.answered(pull_request.head))
        return _skip(world, pull_request, reason)
    if unfinished is None and _is_overtaken(job, world, pull_request.head):
        return _wait_for(pull_request, job, world)
    resumed = unfinished is not None
    run = open_check(world, unfinished or _begin(job, world, pull_request, state), pull_request, resumed=resumed)
    try:
        return _carry_out(job, world, run, standing, config, state, resumed=resumed)
    except Refused as why:
        return _refuse(world, run, str(why))
    except Broken:
        with suppress(Refused):
            close_check(world, run, words.BROKEN)
        raise


def _skip(world: World, pull_request: PullRequest, reason: str) -> Outcome:
    world.ledger.release(world.turn.owner)
    return Outcome("skipped", reason, _place(pull_request))


def _is_overtaken(job: Job, world: World, head: str) -> bool:
    """Whether a push was overtaken by a newer one while it waited; after some waits that no longer matters."""
    waits = world.settings.limits.quiet_seconds > 0 and job.continuations < _MOST_WAITS
    return waits and job.head is not None and job.head != head


def _wait_for(pull_request: PullRequest, job: Job, world: World) -> Outcome:
    """Leave it to the newer push, and have this one look again later in case that one's webhook was lost."""
    world.queue.send("reviews", job.overtaken_by(pull_request.head))
    world.ledger.release(world.turn.owner)
    return Outcome("superseded", f"a newer push came: {pull_request.head[:7]}", _place(pull_request))


def _is_owed_an_answer(job: Job, world: World, state: PullRequestState, head: str) -> bool:
    """Whether a person asks by name for a review of what is reviewed; one that was done since then is the answer."""
    asked = job.trigger in ASKED_FOR and head == state.completed_head
    served = job.origin == state.completed_delivery or world.turn.sent <= state.completed_at
    return asked and not served and not world.settings.github.dry_run


def _left_unread(job: Job, world: World, state: PullRequestState, head: str) -> bool:
    """Whether a person asks for a review of a head whose last review left files that can be read now."""
    if job.trigger not in ASKED_FOR or head != state.completed_head or state.completed_run is None:
        return False
    snapshot = world.ledger.snapshot(state.completed_run)
    return snapshot is not None and snapshot.waits


def _begin(job: Job, world: World, pull_request: PullRequest, state: PullRequestState) -> Run:
    """Begin a run; a head on which one ended without a review keeps its check run."""
    ended = world.ledger.run(state.ended_run) if state.ended_run else None
    check_id = ended.check_id if ended is not None and ended.head == pull_request.head else None
    run = Run(
        id=world.new_id(),
        head=pull_request.head,
        base=pull_request.base,
        status="running",
        started=world.clock.now(),
        delivery=job.origin,
        check_id=check_id,
    )
    world.ledger.start(world.turn.owner, run)
    return run


def _wind_up(world: World, run: Run, why: str, standing: PullRequestSnapshot) -> None:
    """End what an earlier event left unfinished on another head, or where no review is wanted any more.

    A review that stands is remembered, and so is a run that had none to post; else it is superseded.
    """
    posted = find_review(world, run)
    pull_request = standing.pull_request
    if run.staged is not None and (posted is not None or run.staged.review is None):
        opened = open_check(world, run, pull_request, resumed=True)
        _conclude(world, opened, run.staged, standing, posted, resumed=True)
        return
    _supersede(world, find_check(world, run, pull_request), why)


def _carry_out(
    job: Job,
    world: World,
    run: Run,
    standing: PullRequestSnapshot,
    config: Config,
    state: PullRequestState,
    *,
    resumed: bool,
) -> Outcome:
    posted = find_review(world, run) if resumed else None
    if config.refusal is not None and posted is None:
        raise Refused(config.refusal)
    if run.staged is not None:
        return _conclude(world, run, run.staged, standing, posted, resumed=resumed)
    world.deadline.need(world.settings.limits.publish_seconds)
    gathered = gather(world, standing, config, state)
    tree = cache(partial(_tree, world, run, gathered))
    chosen = choose(gathered, world.settings.limits, job.trigger, tree)
    if chosen.scope.mode == "unchanged":
        return _move_on(world, run, standing, gathered, chosen, tree, resumed=resumed)
    # What a run that was begun has spent itself is no reason to give it up.
    over_budget = None if resumed else budget_refusal(world.settings.models, config.budget, world.ledger.spending())
    if over_budget is not None:
        raise Refused(over_budget)
    staged, seen = _read(world, run, gathered, chosen, tree())
    head = world.github.head()
    if head != run.head:
        return _give_way(job, world, run, head)
    world.ledger.keep_snapshot(run.id, seen)
    world.ledger.stage(run.id, staged)
    world.deadline.need(world.settings.limits.publish_seconds)
    return _conclude(world, run, staged, standing, posted, resumed=resumed)


def _read(world: World, run: Run, gathered: ReviewInput, chosen: Chosen, tree: Tree) -> tuple[PendingReview, Snapshot]:
    """Ask the model, judge what it says, follow what was told before, compose the review; and what was seen."""
    sources = Sources(tree)
    salt = run.id if chosen.scope.reason == "requested" else ""
    answers = ModelAnswers(
        world.model,
        world.ledger,
        world.settings,
        world.deadline,
        salt=salt,
        allowance=allowance(world.ledger, gathered.config.budget),
    )
    gathered = with_replies_read(gathered, ReplyReader(answers, world.settings.models.extractor))
    gathered = with_moved_code(gathered, sources.lines)
    chosen = asking_back(chosen.scope, gathered)
    examined = examine(world, answers, gathered, chosen, tree, sources)
    followed = follow_up(gathered, examined.judgement, chosen.asked_back, examined.earlier, sources.lines)
    chosen = replace(chosen, scope=chosen.scope.without(examined.asked.unread))
    seen = gathered.snapshot.read_as(chosen.scope)
    staged = compose(world, run, gathered, chosen, examined, followed, answers, sources.lines, seen.coverage)
    return staged, seen


def _tree(world: World, run: Run, gathered: ReviewInput) -> Tree:
    """The files at the head, without those that the repository keeps from us."""
    world.deadline.need(world.settings.limits.publish_seconds)
    whole = world.github.tree(run.head, world.settings.limits.archive_bytes)
    return VisibleTree(whole, gathered.config.review.skip_paths)


def _conclude(
    world: World,
    run: Run,
    staged: PendingReview,
    standing: PullRequestSnapshot,
    posted: PostedReview | None,
    *,
    resumed: bool,
) -> Outcome:
    """Publish what is staged, as far as it is not done already, and remember it."""
    staged = replace(staged, acts=not_said_meanwhile(world, staged.acts))
    posted, settled = publish(world, run, staged, standing, posted, resumed=resumed)
    resolved = resolved_by_us(staged.followed, standing.threads, world.settings.bot_login).union(settled.resolved)
    facts = {
        **staged.facts,
        "threads_resolved": sorted(resolved),
        "github": _github_facts(world.github.calls()),
    }
    followed = with_threads(staged.followed, resolved)
    world.ledger.complete(world.turn.owner, run, replace(staged, facts=facts, followed=followed), posted)
    return Outcome(_status(staged), staged.facts["reason"], {"run": run.id, **facts})


def _status(staged: PendingReview) -> OutcomeStatus:
    return "unchanged" if staged.facts["mode"] == "unchanged" else "completed"


def _move_on(
    world: World,
    run: Run,
    standing: PullRequestSnapshot,
    gathered: ReviewInput,
    chosen: Chosen,
    tree: Callable[[], Tree],
    *,
    resumed: bool,
) -> Outcome:
    """Every change was reviewed before: nobody is asked, nothing is posted, and the pointer moves to the new head."""
    moved = any(was_taken_back(gathered, known) or gathered.is_back(known) for known in gathered.known)
    read_lines = Sources(tree()).lines if moved else None
    followed = follow_unread(gathered, read_lines)
    seen = gathered.snapshot.read_as(chosen.scope)
    offline = world.settings.models.is_offline
    changes = delta((), followed, seen.coverage, gathered.coverage_before, offline=offline)
    title, summary = words.unchanged(
        gathered.previous_head or run.head,
        changes,
        links_of(gathered, (each.finding for each in followed), read_lines),
    )
    staged = PendingReview(
        review=None,
        findings=(),
        facts=run_facts(gathered.pull_request, chosen.scope, changes),
        check=closing_check(title, summary, changes, gathered.config.review.check.fail_on),
        followed=changed(followed, gathered.restored),
        acts=acts_in_threads(followed, gathered.threads, run, quietly=True),
        lifts=may_lift(changes),
    )
    world.ledger.keep_snapshot(run.id, seen)
    if staged.acts:
        world.ledger.stage(run.id, staged)
    return _conclude(world, run, staged, standing, None, resumed=resumed)


def _refuse(world: World, run: Run, reason: str) -> Outcome:
    """Say what the person can mend; where even that is not permitted, the run waits for whoever permits it again."""
    try:
        close_check(world, run, words.refused(reason))
    except Refused:
        world.ledger.release(world.turn.owner)
    else:
        world.ledger.end(world.turn.owner, run.id, "failed", reason)
    return Outcome("refused", reason, {"head": run.head, "base": run.base})


def _give_way(job: Job, world: World, run: Run, head: str) -> Outcome:
    """A newer head came meanwhile: nothing is posted for this one, and the newer is looked at next."""
    _continue(job, world)
    why = _moved_on(head)
    _supersede(world, run, why)
    return Outcome("superseded", why, {"head": run.head, "base": run.base})


def _moved_on(head: str) -> str:
    return f"the head moved on to {head[:7]}"


def _supersede(world: World, run: Run, why: str) -> None:
    with suppress(Refused):  # a check that may no longer be written keeps nobody from the next head
        close_check(world, run, words.superseded(why))
    world.ledger.end(world.turn.owner, run.id, "superseded", why)


def _continue(job: Job, world: World) -> None:
    """Have a fresh message look at the pull request again, though not for ever."""
    if job.continuations >= _MOST_CONTINUATIONS:
        raise Broken(f"the review was continued {job.continuations} times and is still not done")
    world.queue.send("reviews", job.continued())


def _github_facts(calls: Mapping[str, int]) -> JsonObject:
    reads = ("GET ", "POST /app/", "POST /graphql query ")
    writes = sum(times for route, times in calls.items() if not route.startswith(reads))
    return {"calls": sum(calls.values()), "writes": writes, "by_route": dict(calls)}
