"""A program: lives of GitHub and the whole deployment on kept data, one after another, each in a process of its own.

It gets as JSON the `repository`, the `data` and the `lives`. What happens in a life: `open` or `push`, a revision,
where they are wanted, and `ends`, the moment at which it kills itself: "posted", or, where nothing is said, when
nothing is left to do, and then it prints what there is.
"""

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from local.github import AppSetup, LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import OfflineReviewer

_NUMBER = 1


def die() -> None:
    """As `kill -9` from outside."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(repository: str, data: str, lives: Sequence[Mapping[str, str]]) -> None:
    """Lead the lives; forks save each of them the imports."""
    for life in lives:
        child = os.fork()
        if not child:
            live(repository, data, **life)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
            sys.exit(f"{life} ended otherwise")


def live(repository: str, data: str, open: str = "", push: str = "", ends: str | None = None) -> None:  # noqa: A002
    """Lead one life."""
    github = LocalGitHub(Path(repository), data=Path(data) / "github", app=AppSetup(webhook_secret="s3cret"))
    reviews = len(github.state.reviews)

    def look() -> None:
        if ends == "posted" and len(github.state.reviews) > reviews:
            die()

    with github:
        access = GitHubAccess(github.url, github.credentials)
        with LocalMachine(access, webhook_secret="s3cret", answers=OfflineReviewer(), data=Path(data)) as machine:
            github.repository.watchers.append(look)
            github.webhook_url = machine.system.webhook_url
            if open:
                files = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
                github.open_pull_request(open, "main", base_files=files)
            _finish(github, machine)
            if push:
                github.push(_NUMBER, push)
                _finish(github, machine)
            sys.stdout.write(json.dumps(_seen(github, machine)))
            sys.stdout.flush()
            die()


def _finish(github: LocalGitHub, machine: LocalMachine) -> None:
    assert github.settle()
    machine.system.wait_until_quiet(60)


def _seen(github: LocalGitHub, machine: LocalMachine) -> dict[str, Any]:
    lines = [line for line in machine.system.log_lines if line.get("message") == "outcome"]
    state = github.state
    return {
        "heads": [review.commit for review in state.reviews.values()],
        "paths": [comment.place.path for comment in state.comments.values()],
        "checks": [(check.head, check.status) for check in state.checks.values()],
        "findings": [known.finding.path for known in machine.ledger(github.repository.ref, _NUMBER).findings()],
        "outcomes": [(line["outcome"], line.get("mode"), line["attempt"]) for line in lines if "attempt" in line],
        "violations": [*github.violations],
    }


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
