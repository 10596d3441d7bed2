"""Required checks and merge queues."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from local.github import LocalGitHub
from local.github.answers import ApiError
from local.github.mergeability import why_not_mergeable
from tests.local.github.scene import PULL, Client, Scene
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]


def start(serve: Serve, scene: Scene, **settings: Any) -> LocalGitHub:
    """Two pull requests that passed the check "Kodiai", which main requires, as it does a merge queue."""
    github = serve(scene.repository.path, **settings)
    github.require_check("main", "Kodiai")
    github.use_merge_queue("main")
    open_passed(github, "feature")
    open_passed(github, scene.push({"second.py": "s = 2\n"}, scene.base))
    return github


def open_passed(github: LocalGitHub, head: str) -> None:
    number = github.open_pull_request(head, "main")
    report(github, github.state.pulls[number].head_sha, "success")


@pytest.fixture
def queued(serve: Serve, scene: Scene) -> LocalGitHub:
    """Both in the queue."""
    github = start(serve, scene)
    github.enqueue(1)
    github.enqueue(2)
    return github


def report(github: LocalGitHub, head: str, conclusion: str | None) -> None:
    github.report_check(head, "Kodiai", conclusion, app="kodiai-elsewhere")


def heads(github: LocalGitHub) -> dict[int, str]:
    """The commits of the entries that are in the queue, by their pull requests."""
    return {group.number: group.head for group in github.state.groups.values() if group.ended is None}


def groups(github: LocalGitHub) -> list[tuple[str, str | None, Mapping[str, str]]]:
    """The webhooks about merge groups: action, reason, and the group."""
    sent = [delivery.payload for delivery in github.deliveries if delivery.event == "merge_group"]
    return [(each["action"], each.get("reason"), each["merge_group"]) for each in sent]


def test_entries_are_built_on_each_other_and_merged_in_their_order(queued: LocalGitHub, scene: Scene) -> None:
    """Each has to pass by itself; the base branch moves to the commits that were checked."""
    (first, second), asked = heads(queued).values(), groups(queued)
    assert [(group["head_sha"], group["base_sha"]) for _, _, group in asked] == [(first, scene.base), (second, first)]
    assert [each.subject.pull_request for each in queued.deliveries if each.event == "merge_group"] == [1, 2]
    assert asked[1][2]["head_ref"] == f"refs/heads/gh-readonly-queue/main/pr-2-{first}"

    report(queued, second, "neutral")
    waiting = heads(queued)
    report(queued, first, "skipped")

    assert (waiting, heads(queued)) == ({1: first, 2: second}, {})
    assert [(action, reason) for action, reason, _ in groups(queued)[2:]] == [("destroyed", "merged")] * 2
    copy = queued.repository.copy
    assert (copy.tip("main"), copy.first_parent(second), copy.tip(asked[1][2]["head_ref"])) == (second, first, None)
    assert [pull.merged_at is not None for pull in queued.state.pulls.values()] == [True, True]


def test_a_failed_entry_is_dropped_and_those_behind_it_are_built_again(queued: LocalGitHub, scene: Scene) -> None:
    """A suite of a commit of the queue names its branch, also afterwards."""
    first, second = heads(queued).values()
    report(queued, second, "success")
    report(queued, first, "action_required")

    [(number, again)] = heads(queued).items()
    assert (number, again != second, queued.repository.copy.first_parent(again)) == (2, True, scene.base)
    assert [(action, reason, group["head_sha"]) for action, reason, group in groups(queued)[2:]] == [
        ("destroyed", "dequeued", first),
        ("destroyed", "invalidated", second),
        ("checks_requested", None, again),
    ]
    assert queued.repository.branch_of(first) == f"gh-readonly-queue/main/pr-1-{scene.base}"
    assert queued.state.pulls[1].state == "open"


def test_an_entry_that_is_out_of_date_is_not_merged(queued: LocalGitHub, scene: Scene) -> None:
    """A pull request that is closed or pushed to leaves the queue; on a base that moved all is built again."""
    copy = queued.repository.copy
    queued.close(1)
    [behind] = heads(queued).items()
    queued.set_base_file(2, "other.py", b"o = 1\n")
    [moved] = heads(queued).items()
    queued.push(2, scene.push({"second.py": "s = 3\n"}, scene.base))

    assert (behind[0], copy.first_parent(behind[1])) == (2, scene.base)
    assert (moved[0], copy.first_parent(moved[1])) == (2, copy.tip("main"))
    assert heads(queued) == {}


def test_only_what_may_be_merged_gets_into_the_queue(serve: Serve, scene: Scene) -> None:
    """Required checks of the head come first, as on GitHub, and there must be a queue and no conflict."""
    github = start(serve, scene)
    github.open_pull_request(scene.push({"other.py": "o = 3\n"}, scene.base), "main")
    github.open_pull_request(scene.push({"other.py": "o = 4\n"}, scene.base), "main", draft=True)
    open_passed(github, scene.push({"src/a.py": "conflict\n"}, scene.base))
    github.enqueue(1)

    for number in (1, 3, 4, 5):
        with pytest.raises(ApiError):
            github.enqueue(number)

    assert list(heads(github)) == [1]


@each_row(
    ("conclusion", "words"),
    [
        ("failure", ("Kodiai: Failing — failure",)),
        ("timed_out", ("Kodiai: Failing — timed out",)),
        ("action_required", ("Kodiai: Failing — action required",)),
        ("cancelled", ("Kodiai: Failing — cancelled",)),
        (None, ("Kodiai: In progress",)),
        ("skipped", ()),
        ("neutral", ()),
    ],
)
def test_a_required_check_says_why_nothing_is_merged(
    github: LocalGitHub, ann: Client, scene: Scene, conclusion: str | None, words: tuple[str, ...]
) -> None:
    """The newest of several with the name counts."""
    github.require_check("main", "Kodiai")
    report(github, scene.head, conclusion)

    assert why_not_mergeable(github.repository, github.state.pulls[1]) == words
    assert ann.get(PULL).json()["mergeable_state"] == ("blocked" if words else "clean")


def test_a_required_check_that_nobody_reported_is_expected(github: LocalGitHub, scene: Scene) -> None:
    """The right App has to report it, where one is named; a commit status counts where none is."""
    github.require_check("main", "Kodiai", app="kodiai")
    github.require_check("main", "coverage", classic=True)
    report(github, scene.head, "success")
    github.report_status(scene.head, "coverage", "pending", "Counting")

    assert why_not_mergeable(github.repository, github.state.pulls[1]) == (
        "Kodiai: Expected — Waiting for status to be reported",
        "coverage: Pending — Counting",
    )


def test_a_queue_is_there_again_after_a_restart(serve: Serve, scene: Scene, tmp_path: Path) -> None:
    first = start(serve, scene, data=tmp_path / "data")
    first.enqueue(1)
    head = heads(first)[1]
    first.stop()

    again = serve(scene.repository.path, data=tmp_path / "data")
    report(again, head, "success")

    assert again.state.pulls[1].merged_at is not None
    assert again.repository.copy.tip("main") == head
