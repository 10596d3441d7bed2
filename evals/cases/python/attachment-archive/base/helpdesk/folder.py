"""Where attachments lie."""

import re
from pathlib import Path

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class BadName(ValueError):
    """A name that no attachment can have."""


def clean(name: str) -> str:
    """Make a file name of what a browser sent: no folders, no leading dots. Raises BadName."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    cleaned = _UNFIT.sub("_", last).lstrip(".")
    if not cleaned:
        raise BadName(name)
    return cleaned[:120]


def folder_of(root: Path, ticket: int) -> Path:
    """Give the ticket's folder, which is made if need be."""
    folder = root / str(ticket)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
