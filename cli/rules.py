"""`kodiai rules`: runs the team's rules over the current branch, or over the last merged pull requests."""

import argparse
import json
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import yaml

from cli.credentials import check_model, has_model
from cli.errors import CommandError
from cli.local_repository import full_name
from cli.progress import Progress
from cli.rules_output import CheckedPullRequest, RuleResult, lines, tallies
from cli.simulation import newest_event, review_outcome
from cli.table import terminal_width
from kodiai.core.config.keys import Config
from kodiai.core.config.read import CONFIG_PATH, read_config
from local.current_work import read_current_work, work_tree
from local.follower import DeliveryFailed, Follower
from local.github import AppSetup, LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.merged_pull_requests import MergedPullRequest, merged_pull_requests
from local.rendering.labels import counted
from local.rendering.visible import visible_line

_FAILS, _NO_MODEL = 1, 2
_PATIENCE_SECONDS = 60
_RULED_BY = {"rules", "skip_paths", "instructions", "guidance", "language"}
"""The settings that a ruling depends on; no other one keeps a pull request from being looked at."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command. Raises CommandError, UnusableRepository or OSError with a message for the user."""
    folder = work_tree(arguments.repo or Path())
    file = arguments.config or folder / CONFIG_PATH
    config = _settings(file)
    if not config.review.rules:
        print(visible_line(f"{file} has no rules: add some to `review.rules`."))
        return 0
    if not has_model():
        print("kodiai: rules need a model: set ANTHROPIC_API_KEY.", file=sys.stderr)
        return _NO_MODEL
    check_model()
    with tempfile.TemporaryDirectory() as scratch:
        subject, checked = _check(arguments, folder, config, Path(scratch))
    if arguments.json:
        rules = [asdict(each) for each in tallies(config.review.rules, checked)]
        print(json.dumps({"pull_requests": [asdict(each) for each in checked], "rules": rules}, indent=2))
    else:
        print(*lines(subject, config.review.rules, checked, terminal_width()), sep="\n")
    return _FAILS if arguments.last is None and any(each.is_refused for each in checked) else 0


def _settings(file: Path) -> Config:
    """The settings of a file; what is wrong with them is said. Raises CommandError where they cannot be followed."""
    if not file.exists():
        raise CommandError(f"There is no {file}: name the settings with --config.")
    config = read_config(file.read_bytes())
    if config.refusal is not None:
        raise CommandError(config.refusal)
    for problem in config.problems:
        print(visible_line(problem), file=sys.stderr)
    return config


def _check(
    arguments: argparse.Namespace, folder: Path, config: Config, scratch: Path
) -> tuple[str, list[CheckedPullRequest]]:
    """The subject in words, and the results. Raises CommandError and UnusableRepository."""
    if arguments.last is None:
        work = read_current_work(folder, arguments.base, scratch)
        pull = MergedPullRequest(work.head, work.base, work.title, "")
        [checked] = _checked(work.repository, [pull], config)
        return work.description, [replace(checked, commit=None)]  # what is not committed has a commit in the copy only
    pulls = merged_pull_requests(folder, arguments.last, scratch)
    if not pulls:
        raise CommandError(f"{folder} has no merged pull requests: its first commit is its only one.")
    subject = f"{folder.name}: {counted(len(pulls), 'merged pull request')}, the newest first"
    return subject, _checked(folder, pulls, config)


def _checked(repository: Path, pulls: Sequence[MergedPullRequest], config: Config) -> list[CheckedPullRequest]:
    """Have the model rule on the pull requests, one after the other."""
    secret = secrets.token_hex(16)
    with (
        Progress() as progress,
        LocalGitHub(repository, full_name=full_name(repository), app=AppSetup(webhook_secret=secret)) as github,
    ):
        github.trusting = True
        for pull in pulls:
            github.check_revision(pull.head)
        progress.step("starting the system")
        access = GitHubAccess(github.url, github.credentials)
        only = {"models/rules-only": "true"}
        with LocalMachine(access, webhook_secret=secret, parameters=only) as machine:
            github.webhook_url = machine.system.webhook_url
            follower = Follower(machine.system.on_log, machine.end_waits, _PATIENCE_SECONDS)
            checked = []
            for at, pull in enumerate(pulls, 1):
                progress.step(f"checking {pull.title}", f"({at} of {len(pulls)})")
                checked.append(_result(pull, config, github, machine, follower))
    return checked


def _result(
    pull: MergedPullRequest, config: Config, github: LocalGitHub, machine: LocalMachine, follower: Follower
) -> CheckedPullRequest:
    """The results of the rules on one pull request, or why there are none."""
    base = github.repository.copy.resolve(pull.base)  # as a commit it is the default branch's, whose settings count too
    files = {CONFIG_PATH: _ruled_by(config)}
    number = github.open_pull_request(pull.head, base, title=pull.title, body=pull.description, base_files=files)
    shown = CheckedPullRequest(github.state.pulls[number].head_sha, pull.title)
    try:
        outcome = review_outcome(follower, newest_event(github), lambda _: None)
    except DeliveryFailed as failed:
        return shown.without_results(str(failed))
    ledger = machine.ledger(github.repository.ref, number)
    run = ledger.run(outcome["run"]) if "run" in outcome else None
    snapshot = ledger.snapshot(run.id) if run is not None else None
    if run is None or snapshot is None:
        return shown.without_results(outcome["reason"])
    findings = {each.finding.rule: each.finding for each in ledger.findings()}
    levels = {rule.id: rule.level for rule in config.review.rules}
    results = [RuleResult.of(each, levels[each.rule], findings.get(each.rule)) for each in snapshot.rulings]
    return shown.with_results(results, run.facts)


def _ruled_by(config: Config) -> bytes:
    """The settings file by which the pull requests are looked at."""
    review = config.review.model_dump(mode="json", by_alias=True, include=_RULED_BY, exclude_unset=True)
    budget = config.budget.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return yaml.safe_dump({"review": {**review, "linkedIssue": "off"}, "budget": budget}, sort_keys=False).encode()
