"""A pull request follows the branches of a person's repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.branch_watcher import BranchWatcher
from local.github import LocalGitHub, UnusableRepository
from tests.git_repository import GitRepository

BASE = {"orders.py": "def total(prices):\n    return sum(prices)\n"}
CHANGE = {"orders.py": "def total(prices):\n    return sum(prices, 0)\n"}


class Scene:
    """A repository with main and a branch, and a GitHub over it."""

    def __init__(self, repository: GitRepository, github: LocalGitHub) -> None:
        self.repository = repository
        self.github = github
        self.main = repository.commit(BASE)
        self.head = repository.commit(CHANGE, self.main, message="Start at zero\n\nIt says so.")
        self.point("main", self.main)
        self.point("feature", self.head)

    def point(self, branch: str, sha: str) -> None:
        self.repository.git("update-ref", f"refs/heads/{branch}", sha)

    def advance(self, branch: str, parent: str, name: str = "notes.txt") -> str:
        """Point a branch at a new commit on top of this one, which changes that file."""
        sha = self.repository.commit({name: "More.\n"}, parent)
        self.point(branch, sha)
        return sha

    def watch(self, head: str = "feature", base: str | None = "main") -> BranchWatcher:
        return BranchWatcher(self.github, head, base, None)

    @property
    def webhooks(self) -> list[str]:
        """The webhooks so far, by event and action."""
        return [f"{delivery.event}.{delivery.action}" for delivery in self.github.deliveries]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    repository = GitRepository(tmp_path / "widgets")
    repository.git("update-ref", "refs/heads/main", repository.commit(BASE))
    with LocalGitHub(repository.path) as github:
        yield Scene(repository, github)


@pytest.fixture
def watch(scene: Scene) -> BranchWatcher:
    """A pull request of the branch that was opened."""
    started = scene.watch()
    started.start()
    return started


def test_it_is_opened_with_the_words_of_its_commit(scene: Scene) -> None:
    watch = scene.watch()

    assert watch.start() == "opened"

    pull = scene.github.state.pulls[watch.number]
    assert (pull.title, pull.body, pull.head_ref, pull.base_ref) == ("Start at zero", "It says so.", "feature", "main")
    assert pull.author in scene.github.state.users
    assert scene.webhooks == ["pull_request.opened"]
    assert watch.update() is None


def test_a_commit_on_the_branch_is_pushed_once(scene: Scene, watch: BranchWatcher) -> None:
    second = scene.advance("feature", scene.head)

    assert watch.update() == f"pushed {second[:7]}"
    assert watch.update() is None
    assert scene.github.state.pulls[watch.number].head_sha == second
    assert scene.webhooks == ["pull_request.opened", "pull_request.synchronize"]


def test_a_branch_that_was_rewritten_is_force_pushed(scene: Scene, watch: BranchWatcher) -> None:
    other = scene.advance("feature", scene.main, "orders.py")

    assert watch.update() == f"force-pushed {other[:7]}"


def test_a_base_that_moves_updates_the_pull_request_without_a_webhook(scene: Scene, watch: BranchWatcher) -> None:
    moved = scene.advance("main", scene.main)

    assert watch.update() == f"main moved to {moved[:7]}"
    assert scene.github.state.pulls[watch.number].base_named == moved
    assert scene.webhooks == ["pull_request.opened"]


@pytest.mark.parametrize("merged", [True, False])
def test_it_is_closed_once_nothing_is_left_to_merge(scene: Scene, watch: BranchWatcher, merged: bool) -> None:
    scene.point(*("main", scene.head) if merged else ("feature", scene.main))
    change = watch.update()

    pull = scene.github.state.pulls[watch.number]
    assert change == ("merged" if merged else "closed: main has all commits of feature")
    assert (pull.state, pull.merged_at is not None) == ("closed", merged)
    assert watch.update() is None


def test_an_error_is_reported_once_and_work_continues_when_it_is_fixed(scene: Scene, watch: BranchWatcher) -> None:
    scene.repository.git("update-ref", "-d", "refs/heads/feature")

    changes = [watch.update(), watch.update()]

    second = scene.advance("feature", scene.head)
    assert changes == ["the branch feature does not exist any more; waiting for it", None]
    assert watch.update() == f"pushed {second[:7]}"


def test_a_restart_continues_with_the_same_pull_request(scene: Scene, watch: BranchWatcher) -> None:
    second = scene.advance("feature", scene.head)

    again = scene.watch()

    assert again.start() == f"pushed {second[:7]}"
    assert again.number == watch.number
    assert scene.watch().start() == "resumed"


def test_a_commit_made_on_github_stays_until_the_branch_moves(scene: Scene, watch: BranchWatcher) -> None:
    """Such a commit is not in the person's repository; it also survives a move of the base and a restart."""
    applied = scene.repository.commit({"orders.py": "x = 1\n"}, scene.head)
    scene.github.push(watch.number, applied)
    first = watch.update()
    moved = scene.advance("main", scene.main, "readme.txt")
    second = watch.update()
    again = scene.watch().start()
    kept = scene.github.state.pulls[watch.number].head_sha
    pushed = scene.advance("feature", scene.head, "later.txt")

    assert (first, second, again) == (None, f"main moved to {moved[:7]}", "resumed")
    assert kept == applied
    assert watch.update() == f"force-pushed {pushed[:7]}"


def test_another_branch_has_a_pull_request_of_its_own_and_so_has_one_that_was_closed(
    scene: Scene, watch: BranchWatcher
) -> None:
    scene.advance("other", scene.main)

    other = scene.watch("other")
    other.start()
    scene.github.close(watch.number)
    third = scene.watch()
    third.start()

    assert [other.number, third.number] == [watch.number + 1, watch.number + 2]
    assert scene.github.state.pulls[third.number].head_ref == "feature"


def test_the_branch_is_followed_not_what_is_checked_out(scene: Scene) -> None:
    scene.repository.git("symbolic-ref", "HEAD", "refs/heads/feature")
    watch = scene.watch("HEAD")
    watch.start()

    scene.repository.git("symbolic-ref", "HEAD", "refs/heads/main")

    assert watch.head == "feature"
    assert watch.update() is None


def test_a_branch_with_nothing_to_review_is_refused(scene: Scene) -> None:
    scene.point("feature", scene.main)

    with pytest.raises(UnusableRepository, match="nothing to review"):
        scene.watch().start()
