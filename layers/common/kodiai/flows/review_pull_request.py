"""Review a pull request: claim → gather → scope → ask → judge → compose → publish → remember."""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace

from kodiai.core.changes.scope import Scope
from kodiai.core.config import Config, read_config
from kodiai.core.eligibility import untimely, unwanted
from kodiai.core.errors import Broken, OutOfTime, Refused
from kodiai.core.events.job import Job
from kodiai.core.words import check as words
from kodiai.flows.review.ask import ask
from kodiai.flows.review.budget import budget_refusal
from kodiai.flows.review.check import close_check, find_check, open_check
from kodiai.flows.review.compose import compose, run_facts
from kodiai.flows.review.gather import CONFIG_PATH, Gathered, gather
from kodiai.flows.review.judge import judge_reports
from kodiai.flows.review.outcome import Outcome
from kodiai.flows.review.publish import find_review, publish
from kodiai.flows.review.scope import scope
from kodiai.flows.review.visible import VisibleTree
from kodiai.flows.world import World
from kodiai.ports import JsonObject, Posted, PullRequest, PullRequestState, Run, Staged

_MOST_CONTINUATIONS = 50


def review_pull_request(job: Job, world: World) -> Outcome:
    """Look at the pull request as it is now, and review it if there is anything to review.

    A review that runs out of time goes on as a fresh message.
    Raises Retry or Broken with the lease given back, so that a redelivery goes on where this one stopped.
    """
    try:
        return _under_lease(job, world)
    except OutOfTime as why:
        _continue(job, world)
        return Outcome("continued", str(why))


def _under_lease(job: Job, world: World) -> Outcome:
    """Do it while nobody else does; a lease that is not given back by what ends the run is given back here."""
    state = world.ledger.claim(world.turn.owner, until=world.turn.deadline)
    with ExitStack() as on_failure:
        on_failure.callback(world.ledger.release, world.turn.owner)
        outcome = _look(job, world, state)
        on_failure.pop_all()
    return outcome


def _look(job: Job, world: World, state: PullRequestState) -> Outcome:
    pull_request = world.github.pull_request()
    config = read_config(world.github.file(CONFIG_PATH, pull_request.base_ref))
    reason = unwanted(
        job.trigger,
        config.review,
        title=pull_request.title,
        author=pull_request.author,
        state=pull_request.state,
    )
    unfinished, state = _left_over(world, state, pull_request, reason)
    if unfinished is None:
        reason = reason or untimely(
            job.trigger,
            config.review,
            draft=pull_request.draft,
            head=pull_request.head,
            completed_head=state.completed_head,
        )
    if reason is not None:
        world.ledger.release(world.turn.owner)
        return Outcome("skipped", reason, {"head": pull_request.head, "base": pull_request.base})
    resumed = unfinished is not None
    run = open_check(world, unfinished or _begin(world, pull_request, state), pull_request, resumed=resumed)
    try:
        return _carry_out(job, world, run, pull_request, config, state, resumed=resumed)
    except Refused as why:
        return _refuse(world, run, str(why))
    except Broken:
        with suppress(Refused):
            close_check(world, run, words.BROKEN)
        raise


def _left_over(
    world: World, state: PullRequestState, pull_request: PullRequest, unwanted_why: str | None
) -> tuple[Run | None, PullRequestState]:
    """The run of this head that an earlier event has left, to go on with; any other one is wound up first."""
    run = world.ledger.run(state.running) if state.running else None
    if run is None or (unwanted_why is None and run.head == pull_request.head):
        return run, state
    _wind_up(world, run, unwanted_why or _moved_on(pull_request.head), pull_request)
    return None, world.ledger.claim(world.turn.owner, until=world.turn.deadline)


def _begin(world: World, pull_request: PullRequest, state: PullRequestState) -> Run:
    """Begin a run; a head on which one ended without a review keeps its check run."""
    ended = world.ledger.run(state.ended_run) if state.ended_run else None
    check_id = ended.check_id if ended is not None and ended.head == pull_request.head else None
    run = Run(world.new_id(), pull_request.head, pull_request.base, "running", world.clock.now(), check_id)
    world.ledger.start(world.turn.owner, run)
    return run


def _wind_up(world: World, run: Run, why: str, pull_request: PullRequest) -> None:
    """End what an earlier event left unfinished: a review that stands is remembered, anything else is superseded."""
    posted = find_review(world, run)
    if run.staged is not None and posted is not None:
        _conclude(world, open_check(world, run, pull_request, resumed=True), run.staged, posted)
        return
    _supersede(world, find_check(world, run, pull_request), why)


def _carry_out(
    job: Job,
    world: World,
    run: Run,
    pull_request: PullRequest,
    config: Config,
    state: PullRequestState,
    *,
    resumed: bool,
) -> Outcome:
    posted = find_review(world, run) if resumed else None
    if config.refusal is not None and posted is None:
        raise Refused(config.refusal)
    if run.staged is not None:
        return _conclude(world, run, run.staged, posted)
    world.need(world.settings.limits.publish_seconds)
    gathered = gather(world, pull_request, config, state)
    chosen = scope(gathered, world.settings.limits)
    if chosen.mode == "unchanged":
        return _move_on(world, run, gathered, chosen)
    # What a run that was begun has spent itself is no reason to give it up.
    over_budget = None if resumed else budget_refusal(world.settings.models, config.budget, world.ledger.spending())
    if over_budget is not None:
        raise Refused(over_budget)
    staged = _read(world, run, gathered, chosen)
    head = world.github.pull_request().head
    if head != run.head:
        return _give_way(job, world, run, head)
    world.ledger.keep_snapshot(run.id, gathered.snapshot)
    world.ledger.stage(run.id, staged)
    world.need(world.settings.limits.publish_seconds)
    return _conclude(world, run, staged, posted)


def _read(world: World, run: Run, gathered: Gathered, chosen: Scope) -> Staged:
    """Ask the model, judge what it says, compose the review."""
    world.need(world.settings.limits.publish_seconds)
    whole = world.github.tree(run.head, world.settings.limits.archive_bytes)
    tree = VisibleTree(whole, gathered.config.review.skip_paths)
    asked = ask(world, gathered.pull_request, chosen, tree)
    judgement = judge_reports(gathered, asked, tree)
    seconds = world.clock.now() - run.started
    return compose(run, gathered, chosen, asked, judgement, tree, world.settings, seconds)


def _conclude(world: World, run: Run, staged: Staged, posted: Posted | None) -> Outcome:
    """Publish what is staged, unless it stands already, and remember it."""
    posted = publish(world, run, staged, posted)
    facts = {**staged.facts, "github": _github_facts(world.github.calls())}
    world.ledger.complete(world.turn.owner, run, replace(staged, facts=facts), posted)
    return Outcome("completed", staged.facts["reason"], {"run": run.id, **facts})


def _move_on(world: World, run: Run, gathered: Gathered, chosen: Scope) -> Outcome:
    """Every change was reviewed before: nothing is posted, and the pointer moves to the new head."""
    said = words.unchanged(gathered.previous_head or run.head, len(gathered.known))
    close_check(world, run, said, "neutral" if gathered.known else "success")
    facts = {**run_facts(gathered.pull_request, chosen), "github": _github_facts(world.github.calls())}
    world.ledger.keep_snapshot(run.id, gathered.snapshot)
    world.ledger.complete(world.turn.owner, run, Staged(None, (), facts), None)
    return Outcome("unchanged", chosen.reason, {"run": run.id, **facts})


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
    writes = sum(times for route, times in calls.items() if not route.startswith("GET ") and "/app/" not in route)
    return {"calls": sum(calls.values()), "writes": writes, "by_route": dict(calls)}
