"""Check runs."""

from collections.abc import Callable
from typing import Any

from githubkit import GitHub

from local.github import LocalGitHub
from tests.local.github.scene import REPO, Client, Scene, installation_token, refused
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]
RUNS = f"{REPO}/check-runs"
Bot = GitHub[Any]


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


def test_the_latest_check_run_of_each_name_is_listed_or_all_on_request(bot: Bot, ann: Client, scene: Scene) -> None:
    """The list can be narrowed to a name."""
    started = bot.request("POST", RUNS, json={"name": "Kodiai", "head_sha": scene.head}).json()
    again = bot.request("POST", RUNS, json={"name": "Kodiai", "head_sha": scene.head}).json()
    other = bot.request("POST", RUNS, json={"name": "Lint", "head_sha": scene.head}).json()

    def ids(**query: Any) -> list[int]:
        listed = ann.get(f"{REPO}/commits/{scene.head}/check-runs", **query).json()
        return [run["id"] for run in listed["check_runs"]]

    assert ids() == [other["id"], again["id"]]
    assert ids(filter="all", check_name="Kodiai") == [again["id"], started["id"]]


PULLS_OF = """query($head: GitObjectID!) { repository(owner: "acme", name: "widgets") {
  object(oid: $head) { ... on Commit { associatedPullRequests(first: 9) { nodes { number } } } } } }"""


def test_pull_requests_of_a_commit_are_found_in_the_repository_only(
    github: LocalGitHub, ann: Client, scene: Scene
) -> None:
    """Later heads count, forks do not; once the commit is merged, open pull requests no longer count."""
    later = scene.push({"new.py": "x = 2\n"})
    github.open_pull_request(later, "main")
    github.open_pull_request(scene.head, "main", from_fork=True)

    def found() -> list[int]:
        commit = ann.graphql(PULLS_OF, head=scene.head)["data"]["repository"]["object"]
        return [each["number"] for each in commit["associatedPullRequests"]["nodes"]]

    before = found()
    github.close(1, merged=True)
    github.repository.copy.set_ref("refs/heads/main", scene.head)

    assert (before, found()) == ([1, 2], [1])


def run_on(app: Client, head: str, **more: Any) -> Any:
    """A check run of ours on a commit."""
    return app.post(RUNS, {"name": "Kodiai", "head_sha": head, **more}).json()


def test_re_runs_are_reported_to_an_app_that_subscribed_to_nothing(
    serve: Serve, scene: Scene, client_of: Connect
) -> None:
    """Only its own checks count. A suite names pull requests by head and branch, a check run by either."""
    github = serve(scene.repository.path, events=["pull_request"])
    github.open_pull_request("feature")
    app = client_of(github, installation_token(github))
    run = run_on(app, scene.head, conclusion="success")["id"]
    github.rerequest_check(github.report_check(scene.head, "build", "failure"))
    github.rerun_checks(scene.head, login="ann")
    github.push(1, scene.push({"new.py": "x = 2\n"}))
    github.rerequest_check(run)
    forked = scene.push({"fork.py": "f = 1\n"}, scene.base)
    github.open_pull_request(forked, "main", from_fork=True)
    run_of_fork = run_on(app, forked, status="in_progress")
    github.rerun_checks(forked)

    assert [f"{each.event}.{each.action}" for each in github.deliveries if each.event != "pull_request"] == [
        "check_suite.rerequested",
        "check_run.rerequested",
        "check_suite.rerequested",
    ]
    asked, pushed, of_fork = (each.payload for each in github.deliveries if each.event != "pull_request")
    assert (asked["check_suite"]["app"]["slug"], asked["sender"]["login"]) == ("kodiai", "ann")
    assert [numbers_in(each) for each in (pushed["check_run"], run_of_fork)] == [[1], []]
    suites = [asked["check_suite"], pushed["check_run"]["check_suite"], of_fork["check_suite"]]
    assert [(each["head_branch"], each["conclusion"], numbers_in(each)) for each in suites] == [
        ("feature", "success", [1]),
        ("feature", "success", []),
        (None, None, []),
    ]


def numbers_in(view: Any) -> list[int]:
    """The numbers of the pull requests that a check run or a suite names."""
    return [pull["number"] for pull in view["pull_requests"]]


def test_a_suite_is_reported_when_none_of_its_check_runs_is_open(
    serve: Serve, scene: Scene, client_of: Connect
) -> None:
    """Each App has its own on a head; the worst of its check runs is its conclusion."""
    github = serve(scene.repository.path, events=["check_run", "check_suite"])
    github.open_pull_request("feature")
    github.report_check(scene.head, "lint", None)
    github.report_check(scene.head, "build", "failure")
    app = client_of(github, installation_token(github))
    run_on(app, scene.head, conclusion="neutral")
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
