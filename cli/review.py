"""`kodiai review`: one pull request through the whole system, shown as it comes."""

import argparse
import re
import secrets
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from cli.access import token_access
from cli.collect import PullRequestApi
from cli.deliver import deliver_review_request
from cli.follow import Follower, LogLine, Unfinished
from cli.printout import Progress, print_summary
from cli.shown import Shown
from local.github import GitHubStandIn
from local.machine import GitHubAccess, LocalMachine
from local.sample import make_sample

CONFIG_PATH = ".kodiai.yml"
_LONGEST_SECONDS = 1_800.0
_STARTING = "starting the system"
_NOT_MOVED: LogLine = {"outcome": "skipped", "reason": "the head did not move, so GitHub sends no event"}

PushedRevisions = tuple[str, str | None]
"""The head that is pushed, and where the base branch stands then (None: where it stood)."""


def review(arguments: argparse.Namespace) -> None:
    """Carry out the command. Raises Unfinished, OSError or httpx.HTTPError with a message for the person."""
    console = Console(highlight=False)
    if arguments.pr:
        shown = _review_on_github(arguments, console)
    elif arguments.sample:
        with tempfile.TemporaryDirectory() as folder:
            sample = make_sample(Path(folder) / "harbour")
            shown = _review_repository(arguments, console, sample.path, sample.pushes, title=sample.title)
    else:
        pushes = [_revisions(text) for text in arguments.push or ["HEAD"]]
        shown = _review_repository(arguments, console, arguments.repo, pushes)
    print_summary(shown.result, console)
    shown.write(arguments.json, arguments.html)


def _revisions(text: str) -> PushedRevisions:
    head, _, base = text.partition(",")
    return head, base or None


def _review_repository(
    arguments: argparse.Namespace,
    console: Console,
    repository: Path,
    pushes: Sequence[PushedRevisions],
    title: str | None = None,
) -> Shown:
    """Open a pull request of a local repository on a GitHub stand-in, and deliver its pushes one by one.

    Its title is that of the first head's commit, unless given.
    """
    secret = secrets.token_hex(16)
    with (
        Progress(console) as progress,
        GitHubStandIn(repository, full_name=_full_name(repository), webhook_secret=secret) as github,
    ):
        progress.step(_STARTING)
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, github.bot_login, credentials)
        with LocalMachine(access, webhook_secret=secret) as machine:
            github.webhook_url = machine.system.webhook_url
            follower = Follower(machine.system.on_log)
            base_files = _base_files(arguments, github, pushes[0])
            number = github.open_pull_request(*pushes[0], title=title, base_files=base_files)
            api = PullRequestApi(github.url, github.token_for("reader", "read"), github.full_name, number)
            shown = Shown(console, api, _reviewer(machine), of=len(pushes))
            step = partial(_step, progress, console, github, machine)
            moved = True
            for push in pushes:
                if push is not pushes[0]:
                    moved = _push(github, number, push, _base_files(arguments, github, push))
                outcome = _outcome(follower, _last_event(github), step) if moved else _NOT_MOVED
                pull, ledger = github.state.pulls[number], machine.ledger(github.full_name, number)
                with progress.paused():
                    shown.add(ledger, outcome, head=pull.head_sha, base=pull.base_named)
    return shown


def _review_on_github(arguments: argparse.Namespace, console: Console) -> Shown:
    """Review a pull request of any GitHub API, with a token, on this machine."""
    repository, _, number = arguments.pr.partition("#")
    access, token = token_access()
    api = PullRequestApi(access.api_url, token, repository, int(number))
    publish = "dry-run" if arguments.dry_run else "post"
    with Progress(console) as progress, LocalMachine(access, publish=publish) as machine:
        follower = Follower(machine.system.on_log)
        shown = Shown(console, api, _reviewer(machine), of=1)
        guid = deliver_review_request(machine, api.repository(), api.pull_request(), access.bot_login)
        outcome = _outcome(follower, guid, progress.step)
        with progress.paused():
            shown.add(machine.ledger(repository, int(number)), outcome)
    return shown


def _push(github: GitHubStandIn, number: int, push: PushedRevisions, base_files: dict[str, bytes]) -> bool:
    """Push, and say whether the head moved: only then GitHub tells anybody."""
    before = github.state.pulls[number].head_sha
    return github.push(number, *push, base_files=base_files) != before


def _last_event(github: GitHubStandIn) -> str:
    """The GUID of the newest event of the pull request itself."""
    return next(delivery.guid for delivery in reversed(github.deliveries) if delivery.event == "pull_request")


def _step(progress: Progress, console: Console, github: GitHubStandIn, machine: LocalMachine, known: str) -> None:
    """Show what is known; where the line can be written over, also how much has been asked so far."""
    questions = f", {len(machine.model.requests)} questions to the model" if machine.model else ""
    detail = f"{len(github.requests)} calls to GitHub{questions}" if console.is_terminal else ""
    progress.step(known, detail)


def _outcome(follower: Follower, guid: str, tell: Callable[[str], None]) -> LogLine:
    outcome = follower.outcome(guid, _LONGEST_SECONDS, tell)
    if outcome["outcome"] == "refused":
        raise Unfinished(outcome["reason"])
    return outcome


def _full_name(repository: Path) -> str:
    """Call the local repository by its folder's name, as GitHub would."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", repository.resolve().name.removesuffix(".git")).strip(".")
    return f"local/{name or 'repository'}"


def _reviewer(machine: LocalMachine) -> str:
    return "offline reviewer (no model key)" if machine.model else "Claude"


def _base_files(arguments: argparse.Namespace, github: GitHubStandIn, push: PushedRevisions) -> dict[str, bytes]:
    """The settings to go by: what is given, else those of the base with a review on every push."""
    if arguments.config is not None:
        return {CONFIG_PATH: arguments.config.read_bytes()}
    at_base = github.file_at_base(*push, CONFIG_PATH)
    return {CONFIG_PATH: _on_every_push(at_base or b"")}


def _on_every_push(content: bytes) -> bytes:
    """Turn `onSynchronize` on; a file that is not as it should be is left as it is, for the review to complain of."""
    try:
        settings: Any = yaml.safe_load(content) or {}
        triggers = settings.setdefault("review", {}).setdefault("triggers", {})
        triggers["onSynchronize"] = True
    except (yaml.YAMLError, AttributeError, TypeError):
        return content
    return yaml.safe_dump(settings, sort_keys=False).encode()
