"""Check runs."""

from typing import Any

import pytest
from githubkit import GitHub

from local.github import LocalGitHub
from tests.local.github.scene import REPO, Client, Scene, refused
from tests.tables import each_row

RUNS = f"{REPO}/check-runs"
Bot = GitHub[Any]


@pytest.fixture
def started(bot: Bot, scene: Scene) -> dict[str, Any]:
    """A check run in progress."""
    body = {"name": "Kodiai", "head_sha": scene.head, "status": "in_progress", "external_id": "run-1"}
    opened: dict[str, Any] = bot.request("POST", RUNS, json=body).json()
    return opened


def test_a_check_run_is_found_by_its_head_and_says_how_far_it_is(
    app: Client, ann: Client, scene: Scene, started: dict[str, Any]
) -> None:
    """A conclusion completes it, a status takes it away again; the external id stays."""

    def look() -> tuple[Any, ...]:
        (run,) = ann.get(f"{REPO}/commits/{scene.head}/check-runs").json()["check_runs"]
        return run["status"], run["conclusion"], run["completed_at"] is not None, run["external_id"]

    before = look()
    app.update_check(started["id"], conclusion="NEUTRAL", output={"title": "Done", "summary": "2 findings"})
    completed = look()
    app.update_check(started["id"], status="IN_PROGRESS")

    assert (before, completed, look()) == (
        ("in_progress", None, False, "run-1"),
        ("completed", "neutral", True, "run-1"),
        ("in_progress", None, False, "run-1"),
    )
    assert [pull["number"] for pull in started["pull_requests"]] == [1]
    assert ann.get(f"{REPO}/commits/{scene.base}/check-runs").json()["total_count"] == 0


@each_row(
    ("change", "sentence"),
    [
        (
            {"output": {"title": "t", "summary": "x" * 65_536}},
            "Invalid request.\n\nOnly 65535 characters are allowed; 65536 were supplied.",
        ),
        ({"status": "completed"}, 'Invalid request.\n\n"conclusion" wasn\'t supplied.'),
        ({"head_sha": "0" * 40}, f"No commit found for SHA: {'0' * 40}"),
    ],
    ids=["summary", "no conclusion", "an unknown commit"],
)
def test_a_check_run_that_github_does_not_take_is_refused(
    bot: Bot, github: LocalGitHub, scene: Scene, change: dict[str, Any], sentence: str
) -> None:
    """422 with GitHub's sentence, and nothing of it is kept."""
    answer = refused(bot, "POST", RUNS, {"name": "Kodiai", "head_sha": scene.head} | change)

    assert (answer.status_code, answer.json()["message"]) == (422, sentence)
    assert github.state.checks == {}


def test_of_each_name_only_the_latest_run_is_listed_unless_all_are_asked_for(
    bot: Bot, ann: Client, scene: Scene, started: dict[str, Any]
) -> None:
    """The list can be narrowed to a name."""
    again = bot.request("POST", RUNS, json={"name": "Kodiai", "head_sha": scene.head}).json()
    other = bot.request("POST", RUNS, json={"name": "Lint", "head_sha": scene.head}).json()

    def ids(**query: Any) -> list[int]:
        listed = ann.get(f"{REPO}/commits/{scene.head}/check-runs", **query).json()
        return [run["id"] for run in listed["check_runs"]]

    assert ids() == [other["id"], again["id"]]
    assert ids(filter="all", check_name="Kodiai") == [again["id"], started["id"]]


def test_a_check_run_of_a_fork_names_no_pull_request(bot: Bot, github: LocalGitHub, scene: Scene) -> None:
    """One has to look the pull request up by its head."""
    head = scene.push({"a": "a"})
    github.open_pull_request(head, "main", from_fork=True, author="forker")

    run = bot.request("POST", RUNS, json={"name": "Kodiai", "head_sha": head}).json()

    assert run["pull_requests"] == []
