"""Check runs."""

from typing import Any

import pytest
from githubkit import GitHub

from local.github import GitHubStandIn
from tests.local.github.scene import REPO, Client, Scene, refused

RUNS = f"{REPO}/check-runs"
Bot = GitHub[Any]


def annotation(line: int) -> dict[str, Any]:
    return {
        "path": "src/a.py",
        "start_line": line,
        "end_line": line,
        "annotation_level": "notice",
        "message": f"{line}",
    }


@pytest.fixture
def started(bot: Bot, scene: Scene) -> dict[str, Any]:
    """A check run in progress."""
    body = {"name": "Kodiai", "head_sha": scene.head, "status": "in_progress", "external_id": "run-1"}
    told: dict[str, Any] = bot.request("POST", RUNS, json=body).json()
    return told


def test_a_check_run_is_found_by_its_head_and_tells_how_far_it_is(
    bot: Bot, ann: Client, scene: Scene, started: dict[str, Any]
) -> None:
    """A conclusion completes it; the external id stays."""
    path = f"{RUNS}/{started['id']}"
    before = ann.get(path).json()

    bot.request("PATCH", path, json={"conclusion": "neutral", "output": {"title": "Done", "summary": "2 findings"}})

    found = ann.get(f"{REPO}/commits/{scene.head}/check-runs").json()
    (run,) = found["check_runs"]
    assert (before["status"], before["conclusion"], before["completed_at"]) == ("in_progress", None, None)
    assert (found["total_count"], run["status"], run["conclusion"], run["external_id"]) == (
        1,
        "completed",
        "neutral",
        "run-1",
    )
    assert (run["output"]["title"], run["completed_at"] is not None) == ("Done", True)
    assert [pull["number"] for pull in run["pull_requests"]] == [1]
    assert ann.get(f"{REPO}/commits/{scene.base}/check-runs").json()["total_count"] == 0


def test_annotations_add_up_over_requests(bot: Bot, ann: Client, started: dict[str, Any]) -> None:
    """Fifty a request, all of them kept in order."""
    path = f"{RUNS}/{started['id']}"

    for start in (0, 50):
        notes = [annotation(line) for line in range(start + 1, start + 51)]
        bot.request("PATCH", path, json={"output": {"title": "t", "summary": "s", "annotations": notes}})

    told = ann.get(f"{path}/annotations", per_page=100).json()
    assert [note["message"] for note in told] == [str(line) for line in range(1, 101)]
    assert ann.get(path).json()["output"]["annotations_count"] == 100


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ({"annotations": [annotation(1)] * 51}, "No more than 50 items are allowed; 51 were supplied."),
        ({"summary": "x" * 65_536}, "Only 65535 characters are allowed; 65536 were supplied."),
        ({"text": "x" * 65_540}, "Only 65535 characters are allowed; 65540 were supplied."),
    ],
    ids=["annotations", "summary", "text"],
)
def test_a_check_run_over_githubs_limits_is_refused(
    bot: Bot, github: GitHubStandIn, started: dict[str, Any], output: dict[str, Any], sentence: str
) -> None:
    """422 with GitHub's sentence, and nothing of it is kept."""
    answer = refused(bot, "PATCH", f"{RUNS}/{started['id']}", {"output": {"title": "t", "summary": "s"} | output})

    assert (answer.status_code, answer.json()["message"]) == (422, f"Invalid request.\n\n{sentence}")
    (check,) = github.state.checks.values()
    assert (check.status, check.summary, check.annotations) == ("in_progress", None, [])


def test_a_completed_check_run_needs_a_conclusion(bot: Bot, github: GitHubStandIn, scene: Scene) -> None:
    """Without one it is refused."""
    answer = refused(bot, "POST", RUNS, {"name": "Kodiai", "head_sha": scene.head, "status": "completed"})

    assert (answer.status_code, github.state.checks) == (422, {})


def test_only_an_app_writes_check_runs(ann: Client, scene: Scene, github: GitHubStandIn) -> None:
    """Whatever a person may do otherwise."""
    answer = ann.post(RUNS, {"name": "Mine", "head_sha": scene.head})

    assert (answer.status_code, github.state.checks) == (403, {})


def test_a_check_run_on_an_unknown_commit_is_refused(bot: Bot) -> None:
    """GitHub names the commit."""
    answer = refused(bot, "POST", RUNS, {"name": "Kodiai", "head_sha": "0" * 40})

    assert (answer.status_code, answer.json()["message"]) == (422, f"No commit found for SHA: {'0' * 40}")
    assert refused(bot, "GET", f"{RUNS}/1").status_code == 404


def test_of_each_name_only_the_latest_run_is_listed_unless_all_are_asked_for(
    bot: Bot, ann: Client, scene: Scene, started: dict[str, Any]
) -> None:
    """By name, status and app one can narrow further."""
    again = bot.request("POST", RUNS, json={"name": "Kodiai", "head_sha": scene.head}).json()
    other = bot.request("POST", RUNS, json={"name": "Lint", "head_sha": scene.head}).json()

    def ids(**query: Any) -> list[int]:
        listed = ann.get(f"{REPO}/commits/{scene.head}/check-runs", **query).json()
        return [run["id"] for run in listed["check_runs"]]

    assert ids() == [other["id"], again["id"]]
    assert ids(filter="all", check_name="Kodiai") == [again["id"], started["id"]]
    assert ids(filter="all", status="in_progress") == [started["id"]]
    assert ids(app_id=1) == []


def test_a_check_run_of_a_fork_names_no_pull_request(bot: Bot, github: GitHubStandIn, scene: Scene) -> None:
    """One has to look the pull request up by its head."""
    head = scene.push({"a": "a"})
    github.open_pull_request(head, "main", from_fork=True, author="forker")

    run = bot.request("POST", RUNS, json={"name": "Kodiai", "head_sha": head}).json()

    assert run["pull_requests"] == []
    assert [p["number"] for p in bot.request("GET", f"{REPO}/commits/{head}/pulls").json()] == [2]


def test_a_check_run_that_is_taken_up_again_has_no_conclusion(bot: Bot, started: dict[str, Any]) -> None:
    """A status that is not completed takes it away."""
    path = f"{RUNS}/{started['id']}"
    bot.request("PATCH", path, json={"conclusion": "failure"})

    again = bot.request("PATCH", path, json={"status": "in_progress"}).json()

    assert (again["status"], again["conclusion"], again["completed_at"]) == ("in_progress", None, None)
