"""`kodiai review`: one pull request through the whole system, with replies, printed as it goes."""

import argparse
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import httpx
from rich.console import Console

from cli.credentials import check_model, token_access
from cli.errors import CommandError
from cli.local_repository import base_files, full_name
from cli.output import Output
from cli.progress import Progress
from cli.pull_request_api import PullRequestApi, push_result
from cli.scenario import Push, React, Reply, Speaker, Step
from cli.simulation import Simulation, review_outcome
from cli.stored_runs import console_for_reviews
from cli.webhook import deliver_review_request
from kodiai.core.github.names import RepositoryRef
from local.current_work import read_current_work
from local.follower import Follower
from local.github import AppSetup, LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.sample import make_sample

_STARTING = "starting the system"
_HIDDEN = {403, 404}


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError, DeliveryFailed, OSError or httpx.HTTPError with a message for the user."""
    console = console_for_reviews()
    check_model()
    if arguments.pr:
        output = _review_on_github(arguments, console)
    elif arguments.repo:
        output = _review_repository(arguments, console, arguments.repo, arguments.steps or [Push("HEAD")])
    elif arguments.sample:
        with tempfile.TemporaryDirectory() as folder:
            sample = make_sample(Path(folder) / "harbour")
            pushes = [Push(*push) for push in sample.pushes]
            output = _review_repository(arguments, console, sample.path, pushes, sample.title)
    else:
        output = _review_current_work(arguments, console)
    output.finish(arguments.json, arguments.html)


def _review_current_work(arguments: argparse.Namespace, console: Console) -> Output:
    """Review the branch that is checked out here, with what is not committed yet."""
    with tempfile.TemporaryDirectory() as folder:
        written = [file for file in (arguments.json, arguments.html) if file]
        work = read_current_work(Path(), arguments.base, Path(folder), leave_out=written)
        push = Push(work.head, work.base)
        return _review_repository(arguments, console, work.repository, [push], work.title, work.description)


def _review_repository(
    arguments: argparse.Namespace,
    console: Console,
    repository: Path,
    steps: Sequence[Step],
    title: str | None = None,
    subject: str = "",
) -> Output:
    """Open a pull request of a local repository on a GitHub stand-in, and play the steps on it one by one.

    Its title is --title, else `title`, else that of the first head's commit; `subject` says in words what is reviewed.
    """
    secret = secrets.token_hex(16)
    pushes = [step for step in steps if isinstance(step, Push)]
    with (
        Progress() as progress,
        LocalGitHub(repository, full_name=full_name(repository), app=AppSetup(webhook_secret=secret)) as github,
    ):
        github.trusting = True
        _check(pushes, github)
        progress.step(_STARTING)
        access = GitHubAccess(github.url, github.credentials)
        with LocalMachine(access, webhook_secret=secret, parameters=dict(arguments.set)) as machine:
            github.webhook_url = machine.system.webhook_url
            first = pushes[0]
            follower = Follower(machine.system.on_log, machine.end_waits, arguments.patience)
            files = base_files(arguments.config)
            number = github.open_pull_request(
                first.head,
                first.base,
                title=arguments.title or title,
                body=arguments.description,
                base_files=files,
            )
            token = github.token_for("reader", "read")
            with closing(PullRequestApi(github.url, token, github.full_name, number)) as api:
                of, in_full = len(pushes), arguments.full
                output = Output(console, api, _reviewer(machine), of=of, in_full=in_full, subject=subject)
                simulation = Simulation(github, machine, api, follower, output, progress)
                for step in steps:
                    match step:
                        case Push():
                            simulation.review(moved=step is first or _push(github, number, step, arguments.config))
                        case Speaker():
                            simulation.replies.switch(step)
                        case Reply():
                            simulation.reply(step)
                        case React():
                            simulation.react(step)
    return output


def _check(pushes: Sequence[Push], github: LocalGitHub) -> None:
    """Check that all pushes can be made, before the first one is paid for. Raises UnusableRepository."""
    for push in pushes:
        for revision in filter(None, (push.head, push.base)):
            github.check_revision(revision)
    github.check_pull_request(pushes[0].head, pushes[0].base)


def _review_on_github(arguments: argparse.Namespace, console: Console) -> Output:
    """Review a pull request of any GitHub API, with a token, on this machine."""
    repository, _, number = arguments.pr.partition("#")
    access, token, login = token_access()
    parameters = {**dict(arguments.set), **({"github/publish": "dry-run"} if arguments.dry_run else {})}
    with (
        closing(PullRequestApi(access.api_url, token, repository, int(number))) as api,
        Progress() as progress,
    ):
        pull_request = _pull_request(api, arguments.pr)
        progress.step(_STARTING)
        with LocalMachine(access, parameters=parameters) as machine:
            follower = Follower(machine.system.on_log, machine.end_waits, arguments.patience)
            output = Output(console, api, _reviewer(machine), of=1, in_full=arguments.full)
            named = api.repository()
            guid = deliver_review_request(machine, named, pull_request, login)
            outcome = review_outcome(follower, guid, progress.step)
            ref = RepositoryRef(name=named["full_name"], id=named["id"], owner_id=named["owner"]["id"])
            push = push_result(machine.ledger(ref, int(number)), api, outcome)
            with progress.paused():
                output.add_push(push)
    return output


def _pull_request(api: PullRequestApi, name: str) -> dict[str, object]:
    """The pull request. Raises CommandError where the token has no access to it, and httpx.HTTPError."""
    try:
        return api.pull_request()
    except httpx.HTTPStatusError as error:
        if error.response.status_code not in _HIDDEN:
            raise
        raise CommandError(f"This token has no access to {name} on GitHub: check the name and the token.") from error


def _push(github: LocalGitHub, number: int, push: Push, config: Path | None) -> bool:
    """Push, and say whether the head moved: only then GitHub sends an event."""
    before, files = github.state.pulls[number].head_sha, base_files(config)
    return github.push(number, push.head, push.base, base_files=files) != before


def _reviewer(machine: LocalMachine) -> str:
    return "offline checks (no model key)" if machine.model else "Claude"
