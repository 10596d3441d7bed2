"""`kodiai review`: one pull request through the whole system, shown as it comes."""

import argparse
import json
import re
import secrets
import tempfile
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from cli.access import token_access
from cli.collect import Json, PullRequestApi, describe_push
from cli.deliver import deliver_review_request
from cli.follow import Follower, LogLine, Unfinished
from cli.printout import Progress, print_push, print_summary
from cli.report.report import write_report
from local.github import GitHubStandIn
from local.machine import GitHubAccess, LocalMachine
from local.sample import make_sample

CONFIG_PATH = ".kodiai.yml"
_LONGEST_SECONDS = 1_800.0


def review(arguments: argparse.Namespace) -> None:
    """Carry out the command. Raises Unfinished, OSError or httpx.HTTPError with a message for the person."""
    console = Console(highlight=False)
    if arguments.pr:
        show = _review_on_github(arguments, console)
    elif arguments.sample:
        with tempfile.TemporaryDirectory() as folder:
            sample = make_sample(Path(folder) / "harbour")
            show = _review_repository(arguments, console, sample.path, list(sample.pushes))
    else:
        pushes = [_push(text) for text in arguments.push or ["HEAD"]]
        show = _review_repository(arguments, console, arguments.repo, pushes)
    show.write(arguments)
    print_summary(show.result, console)


class Shown:
    """The result as it grows: printed push by push, then written as JSON and HTML."""

    def __init__(self, console: Console, repository: str, number: int, title: str, reviewer: str) -> None:
        self._console = console
        self._diffs: dict[int, list[Json]] = {}
        self.result: Json = {
            "repository": repository,
            "pull_request": number,
            "title": title,
            "reviewer": reviewer,
            "pushes": [],
        }

    def add(self, push: Json, files: list[Json]) -> None:
        """Take a push in and print it."""
        self._diffs[len(self.result["pushes"])] = [
            {
                "path": file["filename"],
                "previous_path": file.get("previous_filename"),
                "status": file["status"],
                "patch": file.get("patch"),
            }
            for file in files
        ]
        self.result["pushes"].append(push)
        print_push(push, self._console)

    def write(self, arguments: argparse.Namespace) -> None:
        """Write the files that were asked for."""
        if arguments.json:
            arguments.json.write_text(json.dumps(self.result, indent=2, ensure_ascii=False) + "\n", "utf-8")
        if arguments.html:
            write_report(self.result, arguments.html, self._diffs)


def _push(text: str) -> tuple[str, str | None]:
    head, _, base = text.partition(",")
    return head, base or None


def _review_repository(
    arguments: argparse.Namespace, console: Console, repository: Path, pushes: list[tuple[str, str | None]]
) -> Shown:
    """Open a pull request of a local repository on a GitHub stand-in, and deliver its pushes one by one."""
    secret = secrets.token_hex(16)
    with GitHubStandIn(repository, full_name=_name(repository), webhook_secret=secret) as github:
        access = GitHubAccess(
            github.url, github.bot_login, {"github/app-id": github.app_id, "github/private-key": github.private_key}
        )
        with LocalMachine(access, webhook_secret=secret) as machine, Progress(console) as progress:
            github.webhook_url = machine.system.webhook_url
            follower = Follower(machine.system.on_log)
            show: Shown | None = None
            for head, base in pushes:
                files = {CONFIG_PATH: _config(arguments.config, github.file_at_base(head, base, CONFIG_PATH))}
                if show is None:
                    number = github.open_pull_request(head, base, base_files=files)
                    api = PullRequestApi(github.url, github.token_for("reader", "read"), github.full_name, number)
                    title = api.pull_request()["title"]
                    show = Shown(console, github.full_name, number, title, _reviewer(machine))
                else:
                    github.push(show.number, head, base, base_files=files)
                outcome = _outcome(follower, github.deliveries[-1].guid, progress)
                with progress.paused():
                    show.add(describe_push(machine.ledger(github.full_name, show.number), api, outcome), api.files())
            return show


def _name(repository: Path) -> str:
    """Call the local repository by its folder's name, as GitHub would."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", repository.resolve().name.removesuffix(".git")).strip(".")
    return f"local/{name or 'repository'}"


def _review_on_github(arguments: argparse.Namespace, console: Console) -> Shown:
    """Review a pull request of any GitHub API, with a token, on this machine."""
    repository, _, number = arguments.pr.partition("#")
    access, token = token_access()
    api = PullRequestApi(access.api_url, token, repository, int(number))
    pull_request = api.pull_request()
    publish = "dry-run" if arguments.dry_run else "post"
    with LocalMachine(access, publish=publish) as machine, Progress(console) as progress:
        follower = Follower(machine.system.on_log)
        guid = deliver_review_request(machine, api.repository(), pull_request, access.bot_login)
        outcome = _outcome(follower, guid, progress)
        show = Shown(console, repository, int(number), pull_request["title"], _reviewer(machine))
        with progress.paused():
            show.add(describe_push(machine.ledger(repository, int(number)), api, outcome), api.files())
    return show


def _outcome(follower: Follower, guid: str, progress: Progress) -> LogLine:
    outcome = follower.outcome(guid, _LONGEST_SECONDS, progress.step)
    if outcome["outcome"] == "refused":
        raise Unfinished(outcome["reason"])
    return outcome


def _reviewer(machine: LocalMachine) -> str:
    return "offline reviewer (no model key)" if machine.model else "Claude"


def _config(given: Path | None, at_base: bytes | None) -> bytes:
    """The settings to go by: what is given, else those of the base with a review on every push."""
    if given is not None:
        return given.read_bytes()
    try:
        settings: Any = yaml.safe_load(at_base or b"")
    except yaml.YAMLError:
        return at_base or b""
    if settings is not None and not isinstance(settings, dict):
        return at_base or b""
    triggers = settings = settings or {}
    for name in ("review", "triggers"):
        if not isinstance(triggers.setdefault(name, {}), dict):
            return at_base or b""
        triggers = triggers[name]
    triggers["onSynchronize"] = True
    return yaml.safe_dump(settings, sort_keys=False).encode()
