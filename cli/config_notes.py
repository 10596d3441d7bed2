"""Notes on a settings file: rules and instructions for no file of the repository, and those that order the reviewer."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cli.credentials import has_model, model_access
from cli.parser import one_line
from kodiai.core.changes.globs import matches
from kodiai.core.config.keys import Instruction, ReviewConfig, TeamRule
from kodiai.core.errors import KodiaiError

_UNREAD = "The texts of rules and instructions were not read"


def notes(review: ReviewConfig, folder: Path | None) -> list[str]:
    """Say what a settings file has that is no mistake and does not do what is meant; `folder` is where the file is."""
    entries: dict[str, TeamRule | Instruction] = {f"Rule {each.id}": each for each in review.rules}
    entries |= {f"Instruction {at}": each for at, each in enumerate(review.instructions, 1)}
    if not entries:
        return []
    paths = _paths(folder) if folder is not None else None
    nowhere = [*_unmatched(entries, paths)] if paths is not None else []
    return [*nowhere, *_orders({name: each.text for name, each in entries.items()})]


def _paths(folder: Path) -> Sequence[str] | None:
    """The files of the repository that a folder is in, None if it is in none, or there is no git."""
    from local.current_work import files_of_work_tree  # noqa: PLC0415 - only where it is needed: it is slow
    from local.github.repository import UnusableRepository  # noqa: PLC0415 - the same

    try:
        return files_of_work_tree(folder)
    except (UnusableRepository, FileNotFoundError):
        return None


def _unmatched(entries: Mapping[str, TeamRule | Instruction], paths: Sequence[str]) -> Iterator[str]:
    """The entries that are for no file, and the patterns of the others that are for none."""
    for name, entry in entries.items():
        patterns = [pattern for pattern in entry.paths if not any(matches(path, pattern) for path in paths)]
        if len(patterns) == len(entry.paths):
            yield f"{name} is for no file of this repository."
        elif patterns:
            listed = ", ".join(f"`{pattern}`" for pattern in patterns)
            yield f"{name} has paths that match no file of this repository: {listed}."


def _orders(texts: Mapping[str, str]) -> Iterator[str]:
    """The texts that order the reviewer about, as a model sees it; or why they were not read."""
    if not has_model():
        yield f"{_UNREAD}: that needs a model, with ANTHROPIC_API_KEY."
        return
    from cli.setup.parameters import settings_before_the_app, stored_by  # noqa: PLC0415 - it takes a second
    from kodiai.flows.model.orders import orders  # noqa: PLC0415 - only where it is needed
    from kodiai.wiring import open_model  # noqa: PLC0415 - the same

    url, key = model_access()
    stored = {**stored_by({}, "us-east-1"), "anthropic/base-url": url, "anthropic/api-key": key}
    settings = settings_before_the_app(stored, "/kodiai/prod")
    try:
        with open_model(settings) as model:
            found = orders(model, settings.models.role("replies"), texts)
    except KodiaiError as error:
        yield f"{_UNREAD}: {one_line(str(error))}."
        return
    for name, why in found.items():
        yield f"{name} orders the reviewer about instead of saying what the code has to do: {one_line(why)}"
