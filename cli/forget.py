"""`kodiai forget`: deletes what a deployment stores about a repository or a pull request, for operators."""

import argparse
from collections.abc import Iterator, Sequence

from cli.errors import CommandError
from cli.stage import Stage
from cli.stored_repository import find_repository
from kodiai.core.memory.forgetting import StoredItem
from kodiai.edges.repository_data import DynamoRepositoryData
from kodiai.flows.forget_repositories import Deleted, delete
from local.rendering.labels import counted

_STAYS = (
    "Reviews and comments on GitHub stay. If the App is still installed, findings come back from them at the next "
    "review, and running reviews write again."
)


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError."""
    number = arguments.pull_request
    what = arguments.repo if number is None else f"{arguments.repo}#{number}"
    stage = Stage(arguments.stage, arguments.endpoint_url)
    data, deleted = DynamoRepositoryData(stage.table), Deleted()
    with stage.named_table():
        repository = find_repository(data, arguments).id
        if not arguments.yes:
            _confirm(f"Delete everything that the stage {arguments.stage} stores about {what}? [y/N] ")
        entries: list[StoredItem] = []
        for items in _parts(data, repository, number):
            entries += [item for item in items if item.is_entry]
            delete([item for item in items if not item.is_entry], data, stage.vectors, deleted)
        if number is None:
            deleted.vectors += stage.vectors.delete_rest([repository])
        delete(entries, data, stage.vectors, deleted)  # last: without them the name is not found if something fails
    if not deleted.items:
        raise CommandError(f"Nothing is stored about {what}.")
    print(f"Deleted {counted(deleted.items, 'item')} and {counted(deleted.vectors, 'vector')} of {what}.")
    print(_STAYS)


def _confirm(question: str) -> None:
    try:
        answer = input(question)
    except EOFError:
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was deleted. --yes deletes without a question.")


def _parts(data: DynamoRepositoryData, repository: int, number: int | None) -> Iterator[Sequence[StoredItem]]:
    """The items of a pull request, or, part by part, of the whole repository."""
    if number is not None:
        yield data.of_pull_request(repository, number)
        return
    after = None
    while True:
        part = data.look(after)
        yield [item for item in part.items if item.repository_id == repository]
        after = part.after
        if after is None:
            return
