"""A pull request follows the branches of a person's repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.watch import Watch
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

    def watch(self, head: str = "feature", base: str | None = "main") -> Watch:
        return Watch(self.github, head, base, None)

    @property
    def told(self) -> list[str]:
        """The webhooks so far, by event and action."""
        return [f"{delivery.event}.{delivery.action}" for delivery in self.github.deliveries]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    repository = GitRepository(tmp_path / "widgets")
    repository.git("update-ref", "refs/heads/main", repository.commit(BASE))
    with LocalGitHub(repository.path) as github:
        yield Scene(repository, github)


def test_it_is_opened_with_the_words_of_its_commit(scene: Scene) -> None:
    watch = scene.watch()

    assert watch.begin() == "opened"

    pull = scene.github.state.pulls[watch.number]
    assert (pull.title, pull.body, pull.head_ref, pull.base_ref) == ("Start at zero", "It says so.", "feature", "main")
    assert pull.author in scene.github.state.users
    assert scene.told == ["pull_request.opened"]
    assert watch.look() is None


def test_a_commit_on_the_branch_is_pushed_once(scene: Scene) -> None:
    watch = scene.watch()
    watch.begin()
    second = scene.repository.commit({"notes.txt": "More.\n"}, scene.head)

    scene.point("feature", second)

    assert watch.look() == f"pushed {second[:7]}"
    assert watch.look() is None
    assert scene.github.state.pulls[watch.number].head_sha == second
    assert scene.told == ["pull_request.opened", "pull_request.synchronize"]


def test_a_branch_that_was_rewritten_is_force_pushed(scene: Scene) -> None:
    watch = scene.watch()
    watch.begin()
    other = scene.repository.commit({"orders.py": "TOTAL = 0\n"}, scene.main)

    scene.point("feature", other)

    assert watch.look() == f"force-pushed {other[:7]}"


def test_a_base_that_moves_takes_the_pull_request_along_and_tells_nobody(scene: Scene) -> None:
    watch = scene.watch()
    watch.begin()
    moved = scene.repository.commit({"README.md": "# Widgets\n"}, scene.main)

    scene.point("main", moved)

    assert watch.look() == f"main moved to {moved[:7]}"
    assert scene.github.state.pulls[watch.number].base_named == moved
    assert scene.told == ["pull_request.opened"]


@pytest.mark.parametrize("merged", [True, False])
def test_it_is_closed_once_nothing_is_left_to_merge(scene: Scene, merged: bool) -> None:
    watch = scene.watch()
    watch.begin()

    scene.point(*("main", scene.head) if merged else ("feature", scene.main))
    told = watch.look()

    pull = scene.github.state.pulls[watch.number]
    assert told == ("merged" if merged else "closed: all of feature is part of main")
    assert (pull.state, pull.merged_at is not None) == ("closed", merged)
    assert watch.look() is None


def test_what_is_wrong_is_said_once_and_it_goes_on_when_it_is_mended(scene: Scene) -> None:
    watch = scene.watch()
    watch.begin()
    scene.repository.git("update-ref", "-d", "refs/heads/feature")

    told = [watch.look(), watch.look()]

    second = scene.repository.commit({"notes.txt": "More.\n"}, scene.head)
    scene.point("feature", second)
    assert told == ["there is no branch feature any more; the pull request waits for it", None]
    assert watch.look() == f"pushed {second[:7]}"


def test_whoever_begins_again_goes_on_with_the_same_pull_request(scene: Scene) -> None:
    first = scene.watch()
    first.begin()
    second = scene.repository.commit({"notes.txt": "More.\n"}, scene.head)
    scene.point("feature", second)

    again = scene.watch()

    assert again.begin() == f"pushed {second[:7]}"
    assert again.number == first.number
    assert scene.watch().begin() == "goes on where it was"


def test_another_branch_has_a_pull_request_of_its_own_and_so_has_one_that_was_closed(scene: Scene) -> None:
    first = scene.watch()
    first.begin()
    scene.point("other", scene.repository.commit({"notes.txt": "More.\n"}, scene.main))

    other = scene.watch("other")
    other.begin()
    scene.github.close(first.number)
    third = scene.watch()
    third.begin()

    assert [other.number, third.number] == [first.number + 1, first.number + 2]
    assert scene.github.state.pulls[third.number].head_ref == "feature"


def test_the_branch_is_followed_not_what_is_checked_out(scene: Scene) -> None:
    scene.repository.git("symbolic-ref", "HEAD", "refs/heads/feature")
    watch = scene.watch("HEAD")
    watch.begin()

    scene.repository.git("symbolic-ref", "HEAD", "refs/heads/main")

    assert watch.head == "feature"
    assert watch.look() is None


def test_a_branch_with_nothing_to_review_is_refused(scene: Scene) -> None:
    scene.point("feature", scene.main)

    with pytest.raises(UnusableRepository, match="nothing to review"):
        scene.watch().begin()
