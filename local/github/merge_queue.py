"""Merge queues: each entry is a commit on top of the entry before it, and is merged when its required checks passed.

All entries are built at once, and each has to pass by itself, or, with "HEADGREEN", one behind it. Sources:
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue
and https://docs.github.com/webhooks/webhook-events-and-payloads#merge_group
"""

from dataclasses import replace

from local.github.answers import ApiError, unprocessable
from local.github.hosted_repository import HostedRepository
from local.github.mergeability import requirements, why_not_mergeable
from local.github.pushes import act, move_base
from local.github.repository import UnusableRepository
from local.github.rules import rules_of
from local.github.state import Ending, MergeGroup, PullRequest


def live_groups(repository: HostedRepository, branch: str) -> list[MergeGroup]:
    """The entries of a branch's queue, the next to be merged first."""
    return [each for each in repository.state.groups.values() if each.branch == branch and each.ended is None]


def entry_of(repository: HostedRepository, pull: PullRequest) -> MergeGroup | None:
    """The entry of a pull request, None where it is not in the queue."""
    return next((each for each in live_groups(repository, pull.base_ref) if each.number == pull.number), None)


def enqueue(repository: HostedRepository, pull: PullRequest, login: str) -> None:
    """Put a pull request at the end of its base's queue. Raises ApiError where it may not be merged."""
    rules = rules_of(repository, pull.base_ref)
    if rules is None or not rules.has_queue:
        raise unprocessable(f"The branch {pull.base_ref} has no merge queue")
    if entry_of(repository, pull) is not None:
        raise unprocessable("Pull request is already in the queue")
    _check(repository, pull)
    ahead = live_groups(repository, pull.base_ref)
    base = ahead[-1].head if ahead else _tip(repository, pull.base_ref)
    group = _build(repository, pull, base, login, repository.now())
    act(repository, pull, "enqueued", login)
    _request_checks(repository, group)


def merge(repository: HostedRepository, pull: PullRequest, login: str) -> None:
    """Merge a pull request at once. Raises ApiError where it may not be merged, or only by a queue."""
    rules = rules_of(repository, pull.base_ref)
    if rules is not None and rules.has_queue:
        raise unprocessable("Changes must be made through the merge queue")
    _check(repository, pull)
    _close(repository, pull, _commit(repository, pull, _tip(repository, pull.base_ref)), login)
    act(repository, pull, "closed", login)


def advance(repository: HostedRepository) -> None:
    """Merge what may be merged, drop what failed, is closed or was pushed to, and build again what was on top of it."""
    for branch in {each.branch: 0 for each in repository.state.groups.values() if each.ended is None}:
        base, is_next = _tip(repository, branch), True
        for entry in live_groups(repository, branch):
            group: MergeGroup | None = entry
            pull = repository.state.pulls[entry.number]
            if pull.state != "open" or pull.head_sha != entry.pull_head or pull.base_ref != branch:
                _dequeue(repository, entry, "MANUAL")
                continue
            if entry.base != base:
                group = _rebuild(repository, entry, base)
            if group is None:
                continue
            states = {each.state for each in requirements(repository, branch, group.head)}
            if "failed" in states and _has_green_head(repository, branch, group):
                states = set()
            if "failed" in states:
                _dequeue(repository, group, "CI_FAILURE")
                continue
            is_next = is_next and "waiting" not in states
            if is_next:
                _merge(repository, pull, group)
            base = group.head


def _check(repository: HostedRepository, pull: PullRequest) -> None:
    """Raise ApiError where a pull request may not be merged."""
    if pull.state != "open" or pull.draft:
        raise unprocessable("Pull request is closed" if pull.state != "open" else "Pull request is a draft")
    if reasons := why_not_mergeable(repository, pull):
        raise unprocessable(*reasons)


def _has_green_head(repository: HostedRepository, branch: str, group: MergeGroup) -> bool:
    """Whether an entry may be merged because of one behind it, which has its changes too."""
    rules, live = rules_of(repository, branch), live_groups(repository, branch)
    if rules is None or rules.strategy == "ALLGREEN":
        return False
    behind = live[[each.id for each in live].index(group.id) + 1 :]
    return any(
        all(each.state == "satisfied" for each in requirements(repository, branch, other.head)) for other in behind
    )


def _tip(repository: HostedRepository, branch: str) -> str:
    tip = repository.copy.tip(f"refs/heads/{branch}")
    assert tip is not None  # noqa: S101 - a pull request goes into it
    return tip


def _commit(repository: HostedRepository, pull: PullRequest, base: str) -> str:
    """The commit that merges a pull request into another one. Raises ApiError where they do not merge."""
    try:
        tree = repository.copy.merge_tree(base, pull.head_sha)
    except UnusableRepository as error:
        raise unprocessable(str(error)) from error
    if tree is None:
        raise unprocessable("Pull request has merge conflicts")
    message = f"Merge pull request #{pull.number} from {repository.owner}/{pull.head_ref}\n\n{pull.title}\n"
    return repository.copy.write_commit(tree, [base, pull.head_sha], message, "GitHub", "noreply@github.com")


def _build(repository: HostedRepository, pull: PullRequest, base: str, login: str, at: float) -> MergeGroup:
    """An entry's commit on top of another one, on its branch. Raises ApiError where they do not merge."""
    head = _commit(repository, pull, base)
    group = MergeGroup(repository.state.new_id(), pull.number, pull.base_ref, base, head, pull.head_sha, login, at)
    repository.state.groups[group.id] = group
    repository.copy.set_ref(f"refs/heads/{group.ref}", head)
    return group


def _request_checks(repository: HostedRepository, group: MergeGroup) -> None:
    repository.send_webhook("merge_group.checks_requested", {"group": group, "sender": group.login})


def _rebuild(repository: HostedRepository, old: MergeGroup, base: str) -> MergeGroup | None:
    """The entry on top of another commit; None where they do not merge, and it is dropped."""
    pull = repository.state.pulls[old.number]
    _end(repository, old, "invalidated")
    try:
        group = _build(repository, pull, base, old.login, old.at)
    except ApiError:
        act(repository, pull, "dequeued", old.login, reason="MERGE_CONFLICT")
        return None
    _request_checks(repository, group)
    return group


def _dequeue(repository: HostedRepository, group: MergeGroup, reason: str) -> None:
    _end(repository, group, "dequeued")
    act(repository, repository.state.pulls[group.number], "dequeued", group.login, reason=reason)


def _merge(repository: HostedRepository, pull: PullRequest, group: MergeGroup) -> None:
    _close(repository, pull, group.head, group.login)
    _end(repository, group, "merged")
    act(repository, pull, "dequeued", group.login, reason="MERGE")
    act(repository, pull, "closed", group.login)


def _close(repository: HostedRepository, pull: PullRequest, commit: str, login: str) -> None:
    pull.state, pull.merged_by = "closed", login
    pull.closed_at = pull.merged_at = repository.now()
    move_base(repository, pull.base_ref, commit)


def _end(repository: HostedRepository, group: MergeGroup, how: Ending) -> None:
    repository.state.groups[group.id] = replace(group, ended=how)
    repository.copy.drop_ref(f"refs/heads/{group.ref}")
    repository.send_webhook("merge_group.destroyed", {"group": group, "sender": group.login, "reason": how})
