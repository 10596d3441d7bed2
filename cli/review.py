"""`kodiai review`: one pull request through the whole system, and what people reply, shown as it comes."""

import argparse
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import httpx
from rich.console import Console

from cli.access import check_model, token_access
from cli.acts import Act, Push, Reply, Speaker
from cli.collect import PullRequestApi
from cli.deliver import deliver_review_request
from cli.follow import Follower, Unfinished
from cli.local_repository import base_files, full_name
from cli.printout import Progress
from cli.shown import Shown
from cli.stage import Stage, review_outcome
from local.current_work import read_current_work
from local.github import LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.sample import make_sample

_STARTING = "starting the system"
_PIPED_COLUMNS = 100
_HIDDEN = {403, 404}
_STEPS = Console(stderr=True, highlight=False)


def review(arguments: argparse.Namespace) -> None:
    """Carry out the command. Raises Unfinished, OSError or httpx.HTTPError with a message for the person."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPED_COLUMNS)
    check_model()
    if arguments.pr:
        shown = _review_on_github(arguments, console)
    elif arguments.repo:
        shown = _review_repository(arguments, console, arguments.repo, arguments.acts or [Push("HEAD")])
    elif arguments.sample:
        with tempfile.TemporaryDirectory() as folder:
            sample = make_sample(Path(folder) / "harbour")
            pushes = [Push(*push) for push in sample.pushes]
            shown = _review_repository(arguments, console, sample.path, pushes, sample.title)
    else:
        shown = _review_current_work(arguments, console)
    shown.conclude()
    shown.write(arguments.json, arguments.html)


def _review_current_work(arguments: argparse.Namespace, console: Console) -> Shown:
    """Review the branch that is checked out here, with what is not committed yet, and say what that is."""
    with tempfile.TemporaryDirectory() as folder:
        written = [file for file in (arguments.json, arguments.html) if file]
        work = read_current_work(Path(), arguments.base, Path(folder), leave_out=written)
        push = Push(work.head, work.base)
        return _review_repository(arguments, console, work.repository, [push], work.title, work.told)


def _review_repository(
    arguments: argparse.Namespace,
    console: Console,
    repository: Path,
    acts: Sequence[Act],
    title: str | None = None,
    told: str = "",
) -> Shown:
    """Open a pull request of a local repository on a GitHub stand-in, and play what happens on it one by one.

    Its title is that of the first head's commit, unless given; `told` says in words what is reviewed.
    """
    secret = secrets.token_hex(16)
    pushes = [act for act in acts if isinstance(act, Push)]
    with (
        Progress(_STEPS) as progress,
        LocalGitHub(repository, full_name=full_name(repository), webhook_secret=secret) as github,
    ):
        _check(pushes, github)
        progress.step(_STARTING)
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, github.bot_login, credentials)
        with LocalMachine(access, webhook_secret=secret) as machine:
            github.webhook_url = machine.system.webhook_url
            follower, first = Follower(machine.system.on_log), pushes[0]
            files = base_files(arguments.config)
            number = github.open_pull_request(first.head, first.base, title=title, base_files=files)
            api = PullRequestApi(github.url, github.token_for("reader", "read"), github.full_name, number)
            shown = Shown(console, api, _reviewer(machine), of=len(pushes), in_full=arguments.full, told=told)
            stage = Stage(github, machine, api, follower, shown, progress)
            for act in acts:
                match act:
                    case Push():
                        moved = act is first or _push(github, number, act, arguments.config)
                        stage.review(moved=moved)
                    case Speaker():
                        stage.conversation.hand_over(act)
                    case Reply():
                        stage.reply(act)
    return shown


def _check(pushes: Sequence[Push], github: LocalGitHub) -> None:
    """Look whether all pushes can be made, before the first one is paid for. Raises UnusableRepository."""
    for push in pushes:
        for revision in filter(None, (push.head, push.base)):
            github.check_revision(revision)
    github.check_pull_request(pushes[0].head, pushes[0].base)


def _review_on_github(arguments: argparse.Namespace, console: Console) -> Shown:
    """Review a pull request of any GitHub API, with a token, on this machine."""
    repository, _, number = arguments.pr.partition("#")
    access, token = token_access()
    api = PullRequestApi(access.api_url, token, repository, int(number))
    pull_request = _found(api, arguments.pr)
    publish = "dry-run" if arguments.dry_run else "post"
    with Progress(_STEPS) as progress:
        progress.step(_STARTING)
        with LocalMachine(access, publish=publish) as machine:
            follower = Follower(machine.system.on_log)
            shown = Shown(console, api, _reviewer(machine), of=1, in_full=arguments.full)
            guid = deliver_review_request(machine, api.repository(), pull_request, access.bot_login)
            outcome = review_outcome(follower, guid, progress.step)
            with progress.paused():
                shown.add(machine.ledger(repository, int(number)), outcome)
    return shown


def _found(api: PullRequestApi, name: str) -> dict[str, object]:
    """The pull request. Raises Unfinished where the token sees none, and httpx.HTTPError."""
    try:
        return api.pull_request()
    except httpx.HTTPStatusError as error:
        if error.response.status_code not in _HIDDEN:
            raise
        raise Unfinished(f"GitHub shows no {name} to this token: check the name, and the token.") from error


def _push(github: LocalGitHub, number: int, push: Push, config: Path | None) -> bool:
    """Push, and say whether the head moved: only then GitHub tells anybody."""
    before, files = github.state.pulls[number].head_sha, base_files(config)
    return github.push(number, push.head, push.base, base_files=files) != before


def _reviewer(machine: LocalMachine) -> str:
    return "offline checks (no model key)" if machine.model else "Claude"
