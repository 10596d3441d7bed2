"""The doctor's look at gates, over the local GitHub: settings, rulesets, classic protections, and what is not shown."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cli.doctor.finding import Finding, Report
from cli.doctor.gates import MOST, check_gates
from cli.registered_app import RegisteredApp
from cli.setup.parameters import stored_by, template_defaults
from kodiai.core.config.settings import DeploymentSettings
from local.github import LocalGitHub
from local.github.failures import refusal
from tests.git_repository import GitRepository

GATE = "review:\n  check:\n    failOn: MAJOR\n"
UNSEEN = (
    "GitHub does not show the App who may bypass a rule, nor a merge queue of a classic branch protection; only "
    "default branches were checked"
)
RULES = "GET /repos/{owner}/{repo}/rules/branches/{branch}"


Host = Callable[..., LocalGitHub]


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Host]:
    """Hosts a repository with a settings file, and perhaps its owner's."""
    with ExitStack() as running:

        def host(config: str | None, owners: str | None = None) -> LocalGitHub:
            github = running.enter_context(LocalGitHub(with_settings(tmp_path / "widgets", config)))
            if owners is not None:
                github.host_owners(with_settings(tmp_path / "owners", owners), has_app=True)
            running.callback(lambda: pytest.fail(str(github.violations)) if github.violations else None)
            return github

        yield host


def with_settings(path: Path, config: str | None) -> Path:
    """A repository with that settings file on its default branch."""
    files = {"a.py": "a = 1\n"} | ({".kodiai.yml": config} if config else {})
    repository = GitRepository(path)
    repository.commit(files, branch="main")
    return repository.path


def looked(github: LocalGitHub, most: int = MOST, **more: str) -> list[Finding]:
    """The findings about gates."""
    parameters = stored_by({**template_defaults(), "GithubApiUrl": github.url}, "us-east-1") | {
        **github.credentials,
        "anthropic/api-key": "key",
        **{name.replace("_", "/"): value for name, value in more.items()},
    }
    settings, report = DeploymentSettings.from_parameters(parameters, "/kodiai/prod"), Report(lambda _: None)
    with RegisteredApp(settings.github) as app:
        check_gates(app, app.facts(), settings, report, most=most)
    return report.findings


def test_a_required_check_that_can_fail_is_a_gate(hosted: Host) -> None:
    """A ruleset may require it from our App, a classic protection from anybody; hidden rules are reported."""
    github = hosted(GATE)
    github.require_check("main", "build", "Kodiai", app="kodiai")

    [ours, unseen] = looked(github)
    github.require_check("main", "Kodiai", classic=True)
    [anybody, _] = looked(github)

    assert ours == Finding(
        "gate", "fine", "acme/widgets: main requires the check Kodiai from this App, and review.check.failOn is MAJOR"
    )
    assert unseen == Finding("gates", "note", UNSEEN)
    assert "from any source" in anybody.text


def test_a_gate_that_nothing_requires_is_a_problem(hosted: Host) -> None:
    """The owner's settings count as well; another check and another branch do not."""
    github = hosted(None, owners=GATE)
    github.require_check("main", "build")
    github.require_check("release", "Kodiai")

    [here, owners, _] = looked(github)

    text = "review.check.failOn is MAJOR, and nothing requires the check Kodiai on main"
    assert here == Finding("gate", "problem", f"acme/widgets: {text}", ("see docs/gate.md",))
    assert owners.text == f"acme/.github: {text}"


def test_a_required_check_that_nothing_fails_is_worth_a_note(hosted: Host) -> None:
    github = hosted(None)
    github.require_check("main", "Kodiai", classic=True)

    [found, _] = looked(github)

    assert (found.state, found.text) == (
        "note",
        "acme/widgets: main requires the check Kodiai, and nothing ever fails it: review.check.failOn is never",
    )


def test_a_check_that_another_app_has_to_report_is_a_problem(hosted: Host) -> None:
    """Every pull request would wait for it."""
    github = hosted(GATE)
    github.require_check("main", "Kodiai", app="github-actions")

    [found, _] = looked(github)

    assert found.text == (
        f"acme/widgets: main requires the check Kodiai from the App 15368, not from {github.app_id}: "
        "pull requests wait forever"
    )
    assert found.state == "problem"


def test_a_merge_queue_of_which_the_app_does_not_hear_is_a_problem(hosted: Host) -> None:
    """The queue would wait for the check, time out, and drop every pull request."""
    github = hosted(GATE)
    github.require_check("main", "Kodiai")
    github.use_merge_queue("main")
    queued = looked(github)[0]
    app, installation = github.repository.app, github.repository.installation

    installation.accepted = {name: level for name, level in app.permissions.items() if name != "merge_queues"}
    not_accepted = looked(github)[0]
    app.events.remove("merge_group")
    unheard = looked(github)[0]

    queue = "acme/widgets: main has a merge queue, whose events the App does not receive: it"
    page = f"open {github.url}/settings/apps/kodiai/permissions, and see docs/operators.md, Upgrade"
    assert (queued.state, " from any source, with a merge queue, and " in queued.text) == ("fine", True)
    assert not_accepted == Finding("gate", "problem", f"{queue} may not read merge queues", (page,))
    assert unheard.text == f"{queue} is not subscribed to merge_group and may not read merge queues"


def test_a_dry_run_never_reports_what_is_required(hosted: Host) -> None:
    github = hosted(GATE)
    github.require_check("main", "Kodiai")

    [found, _] = looked(github, github_publish="dry-run")

    assert (found.state, found.text) == (
        "problem",
        "acme/widgets: main requires the check Kodiai, and github/publish is dry-run: pull requests wait forever",
    )


def test_repositories_without_a_gate_are_named(hosted: Host) -> None:
    """The list has the repositories that were checked and are served."""
    github = hosted("review:\n  check:\n    failOn: never\n", owners="")

    assert looked(github) == [Finding("gates", "fine", "none is configured in acme/widgets, acme/.github")]
    assert looked(github, most=1) == [
        Finding("gates", "note", "1 of 2 repositories were checked, those with the latest pushes"),
        Finding("gates", "fine", "none is configured in acme/widgets"),
    ]
    assert looked(github, repositories_deny="acme/*") == []


def test_settings_that_cannot_be_followed_are_never_fine(hosted: Host) -> None:
    """The intended gate is unknown."""
    [found] = looked(hosted("review: [\n"))

    assert (found.check, found.state) == ("gate", "unchecked")
    assert found.text.startswith("acme/widgets: `.kodiai.yml` on the base branch cannot be followed")


@pytest.mark.parametrize(("config", "state"), [(GATE, "unchecked"), (None, "note")])
def test_rules_that_github_does_not_show_are_never_fine(hosted: Host, config: str | None, state: str) -> None:
    """Private repositories of a free plan have none that could be asked for; without a gate that is no problem."""
    github = hosted(config)
    upgrade = "Upgrade to GitHub Pro or make this repository public to enable this feature."
    github.fail_next(RULES, refusal(403, {"message": upgrade}))

    found = looked(github)[0]

    assert (found.check, found.state) == ("gate", state)
    assert found.text.startswith(
        f"acme/widgets: GitHub does not show whether main requires the check Kodiai: GitHub says 403 {upgrade}"
    )
