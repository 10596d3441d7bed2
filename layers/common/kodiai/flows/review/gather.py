"""Gather: what the pull request changes, and what was seen and said of it before."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config import Config
from kodiai.flows.world import World
from kodiai.ports import KnownFinding, PullRequest, PullRequestState

CONFIG_PATH = ".kodiai.yml"


@dataclass(frozen=True)
class Gathered:
    """The pull request with its files, as they are now and as the last completed run saw them."""

    pull_request: PullRequest
    config: Config
    files: Sequence[ChangedFile]
    snapshot: Snapshot
    previous_head: str | None
    previous_snapshot: Snapshot | None
    known: Sequence[KnownFinding]


def gather(world: World, pull_request: PullRequest, config: Config, state: PullRequestState) -> Gathered:
    """Read the files from GitHub and the past from the ledger."""
    files = world.github.changed_files()
    return Gathered(
        pull_request=pull_request,
        config=config,
        files=files,
        snapshot=Snapshot.of(files, config.key),
        previous_head=state.completed_head,
        previous_snapshot=world.ledger.snapshot(state.completed_run) if state.completed_run else None,
        known=world.ledger.findings(),
    )
