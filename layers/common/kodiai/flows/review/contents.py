"""Contents: what changed in the files of which GitHub shows it not at all, or not as it is."""

from collections.abc import Sequence
from dataclasses import replace

from kodiai.core.changes.changed_file import MOST_PATCHES, ChangedFile, Skipped, patch_bytes
from kodiai.core.changes.contents import NO_CONTENT, Entry, Unavailable, needs_contents, with_contents
from kodiai.core.changes.generated import is_generated, is_vendored
from kodiai.core.config.settings import Limits
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.repository.tree import LARGEST_FILE
from kodiai.flows.pull_request_ports import Deadline
from kodiai.ports.github import GitHub

_MOST_FILES = 1_000
_MOST_BYTES = 30_000_000
_TOO_MANY = f"over {_MOST_FILES:,} files whose changes GitHub does not show"
_NO_ROOM = f"over {_MOST_BYTES // 1_000_000} MB together with the other files whose changes GitHub does not show"
_TOO_LARGE = f"over {LARGEST_FILE // 1_000_000} MB"


class _Contents:
    """Reads contents, as many as fit into the memory and the time. Raises OutOfTime."""

    def __init__(self, github: GitHub, limits: Limits, deadline: Deadline) -> None:
        self._github, self._limits, self._deadline = github, limits, deadline
        self._room, self._room_of_patches = _MOST_BYTES, MOST_PATCHES

    def fitting(self, file: ChangedFile) -> ChangedFile:
        """The file, without its patch where that does not fit into the memory next to those before it."""
        size = patch_bytes(file.patch or "") if file.is_rebuilt else 0
        if size > self._room_of_patches:
            return replace(file, patch=None, has_room=False)
        self._room_of_patches -= size
        return file

    def __call__(self, entry: Entry) -> bytes:
        """The content of an entry. Raises Unavailable."""
        if entry.size > min(self._room, LARGEST_FILE):
            raise Unavailable(_TOO_LARGE if entry.size > LARGEST_FILE else _NO_ROOM)
        self._deadline.need(self._limits.publish_seconds)
        self._room -= entry.size
        content = self._github.blob(entry.oid)
        if content is None:
            raise Unavailable(NO_CONTENT)
        return content


def with_read_contents(
    files: Sequence[ChangedFile],
    pull_request: PullRequest,
    skip_paths: Sequence[str],
    github: GitHub,
    limits: Limits,
    deadline: Deadline,
) -> tuple[ChangedFile, ...]:
    """The files with what their contents tell, where GitHub's patch does not tell it.

    Copies of other people's code come last, so that they take no room from the others. Raises OutOfTime.
    """
    wanted = [file for file in files if needs_contents(file, skip_paths)]
    if not wanted:
        return tuple(files)
    wanted.sort(key=lambda file: is_vendored(file.path) or is_generated(file.path, ()))
    asked = wanted[:_MOST_FILES]
    fork = github.merge_base(pull_request.base, pull_request.head)
    before = {file.path: file.previous_path or file.path for file in asked if file.status != "added"}
    old = github.entries(fork, [*before.values()])
    new = github.entries(pull_request.head, [file.path for file in asked if file.status != "removed"])
    read = _Contents(github, limits, deadline)
    known = {
        file.path: read.fitting(with_contents(file, old.get(before.get(file.path, "")), new.get(file.path), read))
        for file in asked
    }
    for file in wanted[_MOST_FILES:]:
        if file.status != "removed":
            known[file.path] = replace(file, skipped=Skipped(file.path, _TOO_MANY, is_lasting=True))
    return tuple(known.get(file.path, file) for file in files)
