"""The checks of the head in the snapshot: those of others, our own, and the other pull requests that have it."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from kodiai.core.github.ci import CiAnnotation, CiCheck, OwnCheck
from kodiai.core.plan.snapshot import PullRequestSnapshot
from local.github import AppSetup, LocalGitHub
from local.github.hosted_repository import APP_PERMISSIONS
from tests.edges.github_scene import DONE, READING, SNAPSHOT, TOKEN, Scene, connect
from tests.edges.raw_github import a_snapshot, github_that_says
from tests.git_repository import GitRepository
from tests.tables import each_row

NOTE = {"path": "a.py", "start_line": 1, "end_line": 2, "annotation_level": "failure", "message": "Unused."}
NUMBERS = count()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    made = GitRepository(tmp_path_factory.mktemp("checked") / "widgets.git")
    base = made.commit({"a.py": "a = 1\n"}, branch="main")
    made.commit({"a.py": "a = 2\n"}, base, branch="topic")
    return made


@pytest.fixture(scope="module")
def github(repository: GitRepository) -> Iterator[LocalGitHub]:
    with LocalGitHub(repository.path) as running:
        yield running


@pytest.fixture
def scene(repository: GitRepository, github: LocalGitHub) -> Iterator[Scene]:
    """A pull request with a head of its own."""
    github.state.rules.clear()
    head = repository.commit({"a.py": f"a = 1\nb = {next(NUMBERS)}\n"}, "refs/heads/main")
    number = github.open_pull_request(head)
    with connect(github, number) as edge:
        yield Scene(github, number, head, edge)


def test_checks_of_others_are_read_with_what_is_required_and_what_they_say_of_lines(scene: Scene) -> None:
    """A check run and a status may share a name: GitHub requires both. All of it is one request."""
    github, head = scene.stand_in, scene.head
    github.require_check("main", "build", "deploy")
    github.report_check(head, "build", "failure", annotations=[{**NOTE, "title": "F401"}, NOTE])
    github.report_status(head, "build", "error")
    github.report_check(head, "deploy", None)
    github.report_status(head, "coverage", "success")

    found = scene.edge.snapshot()

    notes = CiAnnotation("a.py", 1, 2, "F401", "Unused."), CiAnnotation("a.py", 1, 2, "", "Unused.")
    assert found.ci.checks == (
        CiCheck("build", "failure", is_required=True, annotations=notes),
        CiCheck("build", "error", is_required=True),
        CiCheck("coverage", "success"),
        CiCheck("deploy", "pending", is_required=True),
    )
    assert (found.ci.is_whole, found.unseen) == (True, ())
    assert scene.edge.calls() == {TOKEN: 1, SNAPSHOT: 1}


def test_a_check_that_ran_again_counts_as_it_is_now(scene: Scene) -> None:
    """Also where two Apps give checks of one name, unless GitHub requires only one of the two."""
    github, head = scene.stand_in, scene.head
    github.require_check("main", "build", app="github-actions")
    github.report_check(head, "build", "failure")
    github.report_check(head, "build", "success", app="other")
    github.report_check(head, "lint", "failure")
    github.report_check(head, "lint", "success", app="other")

    before = scene.edge.snapshot().ci.checks
    github.report_check(head, "build", "success")

    passed, lint = CiCheck("build", "success"), CiCheck("lint", "success")
    assert before == (passed, CiCheck("build", "failure", is_required=True), lint)
    assert scene.edge.snapshot().ci.checks == (passed, CiCheck("build", "success", is_required=True), lint)


def test_our_own_checks_are_none_of_ci(scene: Scene) -> None:
    """Whichever pull request they are for; a check that only has our name is somebody else's."""
    ours = scene.edge.start_check(scene.head, f"acme/widgets#{scene.number}@run-1", READING)
    scene.stand_in.report_check(scene.head, "Kodiai", "failure", app="other")

    before = scene.edge.snapshot()
    assert ours is not None
    scene.edge.update_check(ours, DONE)
    after = scene.edge.snapshot()

    own = OwnCheck(ours, f"acme/widgets#{scene.number}@run-1", None, "Reading")
    assert (before.own_checks, before.ci.checks) == ((own,), (CiCheck("Kodiai", "failure"),))
    assert after.own_checks == (OwnCheck(ours, own.external_id, "neutral", "Done"),)


def test_other_open_pull_requests_of_the_head_are_named(scene: Scene) -> None:
    """One on top of it has another head, and a closed one waits for nothing."""
    github = scene.stand_in
    github.close(github.open_pull_request(scene.head))
    twin = github.open_pull_request(scene.head)

    assert scene.edge.snapshot().same_head == (twin,)


@each_row(("lacking", "unseen"), [("statuses", "some checks of the head"), ("checks", "checks of the head")])
def test_checks_that_may_not_be_read_are_named_and_not_taken_for_green(
    repository: GitRepository, lacking: str, unseen: str
) -> None:
    granted = {name: level for name, level in APP_PERMISSIONS.items() if name != lacking}
    with LocalGitHub(repository.path, app=AppSetup(granted)) as github:
        number = github.open_pull_request("topic")
        github.report_check("topic", "build", "success")
        github.report_status("topic", "coverage", "success")
        with connect(github, number) as edge:
            found = edge.snapshot()

    assert found.unseen == (f"{unseen}: not permitted",)
    assert (found.ci.is_whole, found.ci.is_green) == (False, False)
    assert [each.name for each in found.ci.checks] == (["build"] if lacking == "statuses" else [])


def test_more_checks_than_are_asked_for_are_named() -> None:
    """GitHub gives 100 at a time; a failed one may be among the others."""
    [check, run] = [status("build"), {**status("lint"), "state": "EXPECTED"}]
    page = {"pageInfo": {"hasNextPage": True}, "nodes": [check, run, None]}

    found = read(headCommit={"nodes": [{"commit": {"statusCheckRollup": {"contexts": page}}}]})

    assert found.unseen == ("checks of the head after the first 100",)
    assert [(each.name, each.outcome) for each in found.ci.checks] == [("build", "passed"), ("lint", "pending")]
    assert not found.ci.is_whole


def test_a_head_that_is_not_shown_has_no_known_checks() -> None:
    """Nothing says then that everything passed."""
    assert not read(headCommit={"nodes": []}).ci.is_green


def status(name: str) -> dict[str, Any]:
    return {"__typename": "StatusContext", "context": name, "state": "SUCCESS", "isRequired": True}


def read(**pull: Any) -> PullRequestSnapshot:
    with github_that_says(a_snapshot(**pull)) as (edge, _):
        return edge.snapshot()
