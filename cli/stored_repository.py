"""The repository that a command for operators names: the tables know repositories by GitHub's ids."""

import argparse
from datetime import UTC, datetime

from cli.errors import CommandError
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.repository_data import DynamoRepositoryData


def find_repository(data: DynamoRepositoryData, arguments: argparse.Namespace) -> RepositoryRef:
    """The repository of the given name, and of the given id if several had it. Raises CommandError.

    Several repositories had the same name if one of them was deleted or renamed and another one took its name.
    """
    named = data.named(arguments.repo)
    found = [each for each in named if arguments.repository_id in (None, each.ref.id)]
    match found:
        case [only]:
            return only.ref
        case []:
            raise CommandError(
                f"Nothing is stored about {arguments.repo}: check the spelling and the stage. "
                "After a rename, the new name works from the next webhook on."
            )
    choices = " or ".join(f"--repository-id {each.ref.id} (last seen on {day(each.seen)})" for each in found)
    raise CommandError(f"{len(found)} repositories had the name {arguments.repo}: choose {choices}.")


def day(at: int) -> str:
    """The day of a time in seconds since the epoch: "2026-11-27", UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
