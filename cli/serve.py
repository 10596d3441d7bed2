"""`kodiai serve`: a pull request of a local repository on web pages, with the whole system running."""

import argparse
import hashlib
import secrets
import signal
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from cli.agents import connection_lines
from cli.branch_watcher import BranchWatcher
from cli.credentials import check_model
from cli.local_repository import full_name
from cli.log_line import print_event, print_line
from local.folder import locked_folder
from local.github import AppSetup, LocalGitHub
from local.github.repository import RepositoryCopy
from local.github.state import Role
from local.journal import Journal
from local.machine import GitHubAccess, LocalMachine, MachineOptions
from local.page import Site
from local.page.activity import ActivityTab
from local.page.proposal_api import ProposalApi
from local.page.proposals import ProposalsTab
from local.page.rules import RulesSection
from local.readable_ledger import ReadableLedger
from local.sample import make_sample

_UPDATE_SECONDS = 1.0
_AGENT = "teammate"
"""The person for whom coding agents act unless somebody chooses another."""
_USERS: dict[str, Role] = {"maintainer": "maintain", "teammate": "write", "reader": "read"}


def run(arguments: argparse.Namespace) -> None:
    """Run the command until it is interrupted. Raises CommandError, UnusableRepository and OSError."""
    check_model()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        repository, head, base, sample = arguments.repo, arguments.head, arguments.base, None
        if arguments.sample:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kodiai-")))
            sample = make_sample(folder / "harbour", pushed=1)
            repository, head, base = sample.path, sample.branch, "main"
        _check(repository, head, base)
        data = (
            None
            if sample or arguments.memory
            else stack.enter_context(locked_folder(_folder(arguments.data, repository)))
        )
        github, machine = start(stack, repository, data, arguments.port, verbose=arguments.verbose)
        watcher = BranchWatcher(github, head, base, arguments.config)
        what = watcher.start(sample.title if sample else None)
        print(f"Pull request: {github.url}/{github.full_name}/pull/{watcher.number} ({what})")
        print(f"Watching {watcher.watched} in {repository} for new commits")
        for push in range(2, len(sample.pushes) + 1) if sample else ():
            print(f"Push {push}: git -C {repository} branch --force {watcher.head} push-{push}")
        print(f"State is kept in {data}" if data else "State is kept in memory only")
        if arguments.verbose:
            _print_addresses(github, machine)
        print(f"Coding agents, as {_AGENT}, connect with one of these lines:")
        print(f"  export KODIAI_TOKEN={github.token_for(_AGENT, _USERS[_AGENT])}")
        print(*connection_lines(f"{machine.system.api_url}/mcp"), sep="\n")
        print("Model: " + ("none, offline checks only (no ANTHROPIC_API_KEY)" if machine.model else "Claude"))
        print("All ports are on 127.0.0.1. Everybody on this machine can open the page and act on it as any user.")
        print("Stop with Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(_UPDATE_SECONDS)
                if change := watcher.update():
                    print(f"{watcher.head}: {change}", flush=True)


def _print_addresses(github: LocalGitHub, machine: LocalMachine) -> None:
    print(f"Remembered: kodiai memory --repo {github.full_name} --endpoint-url {machine.aws.access_url}")
    print(f"Proposals: {machine.system.api_url}/proposals, for agents {machine.system.api_url}/mcp")
    for login in _USERS:
        print(f"Token of {login}: {github.token_for(login, github.state.users[login].role)}")
    print("The address with the key opens the local AWS with everything that is stored.")


def _check(repository: Path, *revisions: str | None) -> None:
    """Check that these name commits that are all here, before the system is started. Raises UnusableRepository."""
    with tempfile.TemporaryDirectory() as folder:
        shadow = RepositoryCopy(repository, Path(folder) / "shadow.git")
        for revision in filter(None, revisions):
            shadow.check_commit(revision)


def start(
    stack: ExitStack, repository: Path, data: Path | None, port: int, *, verbose: bool = False
) -> tuple[LocalGitHub, LocalMachine]:
    """Start GitHub with its pages, and the system of the template, with the state in `data`.

    The terminal gets a line for each event that led to something; with `verbose` it gets the log.
    """
    secret = secrets.token_hex(16)
    github = stack.enter_context(open_github(repository, secret, data, port))
    journal = Journal(data / "journal.jsonl" if data else None)
    stack.callback(journal.close)
    access = GitHubAccess(github.url, github.credentials)

    def log(line: Mapping[str, Any]) -> None:
        journal.add(line)
        site.announce()
        if not verbose:
            print_event(line)
        elif line.get("outcome") != "nothing":  # the page shows those
            print_line(line)

    options = MachineOptions(stack_parameters={"LogLevel": "DEBUG"}, on_log=log)
    machine = LocalMachine(access, webhook_secret=secret, data=data, options=options)

    def ledger(number: int) -> ReadableLedger:
        return machine.ledger(github.repository.ref, number)

    activity = ActivityTab(
        ledger,
        journal.of,
        lambda: github.deliveries,
        cache(lambda: machine.settings().models.prices),
    )
    api = ProposalApi(
        lambda: machine.system.api_url, lambda login: github.token_for(login, github.state.users[login].role)
    )
    proposals = ProposalsTab(machine.proposals, api)
    site = Site(
        github.repository,
        github,
        activity.view,
        proposals,
        rules=RulesSection(ledger),
        is_offline=lambda: machine.model is not None,
    )
    stack.enter_context(machine)
    github.show(site)
    for login, role in _USERS.items():
        if login not in github.state.users:
            github.set_role(login, role)
    github.webhook_url = machine.system.webhook_url
    return github, machine


def open_github(repository: Path, secret: str, data: Path | None, port: int) -> LocalGitHub:
    """Make GitHub at the requested port, else at the one that it had in `data`, else at a free one.

    Raises UnusableRepository, and OSError where the requested port is in use.
    """
    kept = data / "port" if data else None
    last = kept.read_text() if kept and kept.exists() else ""

    def at(port: int) -> LocalGitHub:
        folder = data / "github" if data else None
        name, app = full_name(repository), AppSetup(webhook_secret=secret)
        github = LocalGitHub(repository, full_name=name, app=app, data=folder, port=port)
        github.trusting = True
        return github

    try:
        github = at(port or (int(last) if last.isdigit() else 0))
    except OSError:
        if port or not last:
            raise
        github = at(0)
    if kept:
        kept.write_text(github.url.rpartition(":")[2])
    return github


def _folder(named: Path | None, repository: Path) -> Path:
    """The folder for the state: the named one, else one for this repository in the user's state directory."""
    if named is not None:
        return named
    own = hashlib.sha256(str(repository.resolve()).encode()).hexdigest()[:8]
    return platformdirs.user_state_path("kodiai") / f"{repository.resolve().name}-{own}"
