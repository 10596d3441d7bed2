"""The last pull requests that were merged into the branch of a local repository, as its history has them."""

import re
from dataclasses import dataclass
from pathlib import Path

from local.github.repository import RepositoryCopy

_FORMAT = "--format=%H %P%n%s%n%b"
_MERGE = re.compile(r"Merge pull request #\d+ from \S+")


@dataclass(frozen=True)
class MergedPullRequest:
    """A commit of the branch, the one before it as its base, and what the author says of the change."""

    head: str
    base: str
    title: str
    description: str


def merged_pull_requests(repository: Path, most: int, scratch: Path) -> list[MergedPullRequest]:
    """The last commits of the branch that is checked out, the newest first: each is a pull request, a merge or not.

    The first commit of all is none, as it has no base. GitHub's merges have the title below their own subject.
    `scratch` is an empty folder. Raises UnusableRepository.
    """
    copy = RepositoryCopy(repository, scratch / "merged.git")
    head, found = copy.resolve("HEAD"), []
    listed = copy.git("log", "--first-parent", "-z", f"--max-count={most}", _FORMAT, head)
    for commit in listed.decode(errors="replace").strip("\0").split("\0"):
        ids, _, said = commit.partition("\n")
        subject, _, body = said.partition("\n")
        if _MERGE.fullmatch(subject) and body.strip():
            subject, _, body = body.strip().partition("\n")
        sha, *parents = ids.split()
        if parents:
            found.append(MergedPullRequest(sha, parents[0], subject, body.strip()))
    return found
