"""Check runs."""

from collections.abc import Callable
from typing import Any

import pytest
from githubkit import GitHub

from local.github import LocalGitHub
from local.github.hosted_repository import APP_PERMISSIONS
from tests.local.github.scene import REPO, Client, Scene, installation_token, refused
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]
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


ROLLUP = """query($head: GitObjectID!, $number: Int!) { repository(owner: "acme", name: "widgets") {
  object(oid: $head) { ... on Commit {
    associatedPullRequests(first: 9) { nodes { number } }
    statusCheckRollup { state contexts(first: 9) { nodes {
      ... on CheckRun {
        name status conclusion isRequired(pullRequestNumber: $number) checkSuite { app { slug databaseId } }
        annotations(first: 1) { nodes { path message location { start { line } } } }
      }
      ... on StatusContext { context state isRequired(pullRequestNumber: $number) }
    } } }
  } } } }"""
NOTE = {"path": "new.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "Unused."}


def look(client: Client, head: str) -> tuple[dict[str, Any], list[Any]]:
    """A commit as GraphQL shows its checks, and the paths of errors."""
    answer = client.graphql(ROLLUP, head=head, number=1)
    return answer["data"]["repository"]["object"], [error["path"][-1] for error in answer.get("errors", [])]


def test_checks_of_all_apps_and_statuses_come_to_one_state(github: LocalGitHub, ann: Client, scene: Scene) -> None:
    """The newest of a name counts; required is what the base branch requires, of the App that it names."""
    assert look(ann, scene.head)[0]["statusCheckRollup"] is None
    github.require_check("main", "build", "coverage")
    github.require_check("main", "lint", app="kodiai")
    github.report_check(scene.head, "build", "failure", annotations=[NOTE])
    github.report_check(scene.head, "build", None)
    running = look(ann, scene.head)[0]["statusCheckRollup"]["state"]
    github.report_check(scene.head, "build", "success")
    github.report_check(scene.head, "lint", "timed_out", annotations=[NOTE], app="linter")
    github.report_status(scene.head, "coverage", "error")

    rollup = look(ann, scene.head)[0]["statusCheckRollup"]

    build, lint, coverage = rollup["contexts"]["nodes"]
    assert (running, rollup["state"]) == ("PENDING", "FAILURE")
    assert (build["conclusion"], build["isRequired"], build["annotations"]["nodes"]) == ("SUCCESS", True, [])
    assert build["checkSuite"]["app"] == {"slug": "github-actions", "databaseId": 15_368}
    assert (lint["conclusion"], lint["isRequired"]) == ("TIMED_OUT", False)
    assert lint["annotations"]["nodes"] == [
        {"path": "new.py", "message": "Unused.", "location": {"start": {"line": 1}}}
    ]
    assert coverage == {"context": "coverage", "state": "ERROR", "isRequired": True}
    listed = ann.get(f"{REPO}/commits/{scene.head}/check-runs").json()
    assert [(run["name"], run["conclusion"]) for run in listed["check_runs"]] == [
        ("lint", "timed_out"),
        ("build", "success"),
    ]
    assert ann.get(f"{REPO}/commits/{scene.head}/check-runs?filter=all&app_id=15368").json()["total_count"] == 2


def test_the_rules_of_a_branch_name_its_required_checks(github: LocalGitHub, ann: Client) -> None:
    github.require_check("release/1", "Kodiai", app="kodiai")
    github.require_check("release/1", "build")

    [rule] = ann.get(f"{REPO}/rules/branches/release/1").json()

    assert rule["parameters"]["required_status_checks"] == [
        {"context": "Kodiai", "integration_id": int(github.app_id)},
        {"context": "build"},
    ]
    assert ann.get(f"{REPO}/rules/branches/main").json() == []


def test_a_branch_names_the_checks_of_its_classic_protection(github: LocalGitHub, ann: Client) -> None:
    """Rulesets are elsewhere, and a branch that does not exist has no protection that could be seen."""
    github.require_check("main", "build")
    before = ann.get(f"{REPO}/branches/main").json()["protection"]
    github.require_check("main", "Kodiai", app="kodiai", classic=True)

    after = ann.get(f"{REPO}/branches/main").json()["protection"]

    assert (before["enabled"], before["required_status_checks"]["checks"]) == (False, [])
    assert (after["enabled"], after["required_status_checks"]["contexts"]) == (True, ["Kodiai"])
    assert after["required_status_checks"]["checks"] == [{"context": "Kodiai", "app_id": int(github.app_id)}]
    assert ann.get(f"{REPO}/branches/gone").status_code == 404


@each_row(
    ("lacking", "hidden"),
    [("checks", ["statusCheckRollup"]), ("statuses", [1]), ("pull_requests", ["associatedPullRequests"])],
)
def test_an_app_sees_of_checks_what_it_may_read(
    serve: Serve,
    scene: Scene,
    client_of: Connect,
    lacking: str,
    hidden: list[Any],
) -> None:
    """A status that it may not read is null between the others."""
    granted = {name: level for name, level in APP_PERMISSIONS.items() if name != lacking}
    github = serve(scene.repository.path, permissions=granted)
    github.open_pull_request("feature")
    github.report_check(scene.head, "build", "success")
    github.report_status(scene.head, "coverage", "success")

    _, errors = look(client_of(github, installation_token(github)), scene.head)

    assert errors == hidden


def test_pull_requests_of_a_commit_are_found_in_the_repository_only(
    github: LocalGitHub, ann: Client, scene: Scene
) -> None:
    """Those on top of it count, those from forks do not; once it is merged, open ones do no longer."""
    later = scene.push({"new.py": "x = 2\n"})
    github.open_pull_request(later, "main")
    github.open_pull_request(scene.head, "main", from_fork=True)

    def found() -> list[int]:
        return [each["number"] for each in look(ann, scene.head)[0]["associatedPullRequests"]["nodes"]]

    before = found()
    github.close(1, merged=True)
    github.repository.copy.set_ref("refs/heads/main", scene.head)

    assert (before, found()) == ([1, 2], [1])


def test_a_check_run_of_another_app_cannot_be_changed(github: LocalGitHub, app: Client, scene: Scene) -> None:
    check = github.report_check(scene.head, "build", None)

    [error] = app.update_check(check, conclusion="SUCCESS")["errors"]

    assert error["message"].endswith("check run can only be modified by the GitHub App that created it.")
    assert github.state.checks[check].conclusion is None


def told(github: LocalGitHub) -> list[tuple[str, str]]:
    """Events and actions after the first one."""
    return [(delivery.event, delivery.action) for delivery in github.deliveries[1:]]


def test_re_runs_are_told_to_an_app_that_subscribed_to_nothing(serve: Serve, scene: Scene, client_of: Connect) -> None:
    """Only its own checks count; a head in a fork has neither its branch nor its pull request there."""
    github = serve(scene.repository.path, events=["pull_request"])
    github.open_pull_request("feature")
    app = client_of(github, installation_token(github))
    run = app.post(RUNS, {"name": "Kodiai", "head_sha": scene.head, "conclusion": "success"}).json()["id"]
    github.rerequest_check(github.report_check(scene.head, "build", "failure"))
    github.rerun_checks(scene.head, login="ann")
    github.rerequest_check(run)

    assert told(github) == [("check_suite", "rerequested"), ("check_run", "rerequested")]
    asked = github.deliveries[1].payload
    suite = asked["check_suite"]
    assert (suite["app"]["slug"], suite["conclusion"], asked["sender"]["login"]) == ("kodiai", "success", "ann")
    assert (suite["head_branch"], [pull["number"] for pull in suite["pull_requests"]]) == ("feature", [1])

    forked = scene.push({"fork.py": "f = 1\n"}, scene.base)
    github.open_pull_request(forked, "main", from_fork=True)
    app.post(RUNS, {"name": "Kodiai", "head_sha": forked, "status": "in_progress"})
    github.rerun_checks(forked)
    suite = github.deliveries[-1].payload["check_suite"]
    assert (suite["head_branch"], suite["pull_requests"], suite["status"]) == (None, [], "in_progress")


def test_after_a_push_a_check_run_names_the_pull_request_of_its_branch_and_its_suite_none(
    serve: Serve, scene: Scene, client_of: Connect
) -> None:
    """A suite matches by head and branch, a check run by either."""
    github = serve(scene.repository.path)
    github.open_pull_request("feature")
    app = client_of(github, installation_token(github))
    run = app.post(RUNS, {"name": "Kodiai", "head_sha": scene.head, "conclusion": "success"}).json()["id"]
    github.push(1, scene.push({"new.py": "x = 2\n"}))
    github.rerequest_check(run)

    asked = github.deliveries[-1].payload["check_run"]

    assert [pull["number"] for pull in asked["pull_requests"]] == [1]
    assert (asked["check_suite"]["head_branch"], asked["check_suite"]["pull_requests"]) == ("feature", [])


def test_a_suite_is_reported_when_none_of_its_check_runs_is_open(
    serve: Serve, scene: Scene, client_of: Connect
) -> None:
    """Each App has its own on a head; the worst of its check runs is its conclusion."""
    github = serve(scene.repository.path, events=["check_run", "check_suite"])
    github.open_pull_request("feature")
    github.report_check(scene.head, "lint", None)
    github.report_check(scene.head, "build", "failure")
    app = client_of(github, installation_token(github))
    app.post(RUNS, {"name": "Kodiai", "head_sha": scene.head, "conclusion": "neutral"})
    github.report_check(scene.head, "lint", "success")

    sent = [delivery.payload for delivery in github.deliveries]
    assert [(delivery.event, delivery.action) for delivery in github.deliveries] == [
        ("check_run", "created"),
        ("check_run", "completed"),
        ("check_suite", "completed"),
        ("check_run", "completed"),
        ("check_suite", "completed"),
    ]
    assert [(each["check_suite"]["app"]["slug"], each["check_suite"]["conclusion"]) for each in (sent[2], sent[4])] == [
        ("kodiai", "neutral"),
        ("github-actions", "failure"),
    ]
    assert sent[1]["check_run"]["check_suite"]["status"] == "in_progress"
