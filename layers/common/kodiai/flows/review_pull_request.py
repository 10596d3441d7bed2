"""Review a pull request: claim → gather → scope → ask → judge → compose → publish → remember."""

from collections.abc import Mapping
from dataclasses import replace

from kodiai.core.changes.scope import Scope
from kodiai.core.config import Config, read_config
from kodiai.core.eligibility import skip_reason
from kodiai.core.errors import Broken, OutOfTime, Refused, Retry
from kodiai.core.events.job import Job
from kodiai.core.words import check as words
from kodiai.flows.review.ask import ask
from kodiai.flows.review.budget import budget_refusal
from kodiai.flows.review.compose import compose, run_facts
from kodiai.flows.review.gather import CONFIG_PATH, Gathered, gather
from kodiai.flows.review.judge import judge_reports
from kodiai.flows.review.outcome import Outcome
from kodiai.flows.review.publish import close_check, open_check, publish
from kodiai.flows.review.scope import scope
from kodiai.flows.review.visible import VisibleTree
from kodiai.flows.world import World
from kodiai.ports import JsonObject, PullRequest, PullRequestState, Run, Staged

_MOST_CONTINUATIONS = 50


def review_pull_request(job: Job, world: World) -> Outcome:
    """Look at the pull request as it is now, and review it if there is anything to review.

    A review that runs out of time goes on as a fresh message.
    Raises Retry or Broken with the lease given back, so that a redelivery goes on where this one stopped.
    """
    state = world.ledger.claim(world.owner, until=world.deadline)
    try:
        return _look(job, world, state)
    except OutOfTime as why:
        _continue(job, world)
        world.ledger.release(world.owner)
        return Outcome("continued", str(why))
    except (Retry, Refused, Broken):
        world.ledger.release(world.owner)
        raise


def _look(job: Job, world: World, state: PullRequestState) -> Outcome:
    pull_request = world.github.pull_request()
    config = read_config(world.github.file(CONFIG_PATH, pull_request.base_ref))
    reason = skip_reason(
        job.trigger,
        config.review,
        title=pull_request.title,
        author=pull_request.author,
        state=pull_request.state,
        draft=pull_request.draft,
        head=pull_request.head,
        completed_head=state.completed_head,
    )
    if reason is not None:
        world.ledger.release(world.owner)
        return Outcome("skipped", reason, {"head": pull_request.head, "base": pull_request.base})
    run, resumed = _begin(world, pull_request, state)
    run = open_check(world, run, pull_request, resumed=resumed)
    try:
        return _carry_out(job, world, run, pull_request, config, state)
    except Refused as why:
        close_check(world, run, words.refused(str(why)))
        world.ledger.end(world.owner, run.id, "failed", str(why))
        return Outcome("refused", str(why), {"head": run.head, "base": run.base})
    except Broken:
        close_check(world, run, words.BROKEN)
        raise


def _begin(world: World, pull_request: PullRequest, state: PullRequestState) -> tuple[Run, bool]:
    """Go on with the run of this head, or start one; the run of an older head is superseded by it."""
    unfinished = world.ledger.run(state.running) if state.running else None
    if unfinished is not None and unfinished.head == pull_request.head:
        return unfinished, True
    run = Run(world.new_id(), pull_request.head, pull_request.base, "running", world.clock.now())
    world.ledger.start(world.owner, run, instead_of=state.running)
    return run, False


def _carry_out(
    job: Job, world: World, run: Run, pull_request: PullRequest, config: Config, state: PullRequestState
) -> Outcome:
    if config.refusal is not None:
        raise Refused(config.refusal)
    if run.staged is not None:
        return _conclude(world, run, run.staged, resumed=True)
    gathered = gather(world, pull_request, config, state)
    chosen = scope(gathered, world.settings.limits)
    if chosen.mode == "unchanged":
        return _move_on(world, run, gathered, chosen)
    over_budget = budget_refusal(world.settings.models, config.budget, world.ledger.spending())
    if over_budget is not None:
        raise Refused(over_budget)
    staged = _read(world, run, gathered, chosen)
    head = world.github.pull_request().head
    if head != run.head:
        return _give_way(job, world, run, head)
    world.ledger.stage(run.id, staged)
    return _conclude(world, run, staged, resumed=False)


def _read(world: World, run: Run, gathered: Gathered, chosen: Scope) -> Staged:
    """Ask the model, judge what it says, compose the review."""
    whole = world.github.tree(run.head, world.settings.limits.archive_bytes)
    tree = VisibleTree(whole, gathered.config.review.skip_paths)
    asked = ask(world, run.id, gathered.pull_request, chosen, tree)
    judgement = judge_reports(gathered, asked, tree)
    seconds = world.clock.now() - run.started
    return compose(run, gathered, chosen, asked, judgement, tree, world.settings, seconds)


def _conclude(world: World, run: Run, staged: Staged, *, resumed: bool) -> Outcome:
    """Publish what is staged and remember it."""
    posted = publish(world, run, staged, resumed=resumed)
    facts = {**staged.facts, "github": _github_facts(world.github.calls())}
    world.ledger.complete(world.owner, run, replace(staged, facts=facts), posted)
    return Outcome("completed", staged.facts["reason"], {"run": run.id, **facts})


def _move_on(world: World, run: Run, gathered: Gathered, chosen: Scope) -> Outcome:
    """Every change was reviewed before: nothing is posted, and the pointer moves to the new head."""
    said = words.unchanged(gathered.previous_head or run.head, len(gathered.known))
    close_check(world, run, said, "neutral" if gathered.known else "success")
    facts = {**run_facts(gathered.pull_request, chosen), "github": _github_facts(world.github.calls())}
    world.ledger.complete(world.owner, run, Staged(None, (), gathered.snapshot, facts), None)
    return Outcome("unchanged", chosen.reason, {"run": run.id, **facts})


def _give_way(job: Job, world: World, run: Run, head: str) -> Outcome:
    """A newer head came meanwhile: nothing is posted for this one, and the newer is looked at next."""
    _continue(job, world)
    close_check(world, run, words.superseded(head))
    world.ledger.end(world.owner, run.id, "superseded", f"the head moved on to {head}")
    return Outcome("superseded", f"the head moved on to {head[:7]}", {"head": run.head, "base": run.base})


def _continue(job: Job, world: World) -> None:
    """Have a fresh message look at the pull request again, though not for ever."""
    if job.continuations >= _MOST_CONTINUATIONS:
        raise Broken(f"the review was continued {job.continuations} times and is still not done")
    world.queue.send("reviews", job.continued())


def _github_facts(calls: Mapping[str, int]) -> JsonObject:
    writes = sum(times for route, times in calls.items() if not route.startswith("GET ") and "/app/" not in route)
    return {"calls": sum(calls.values()), "writes": writes, "by_route": dict(calls)}
