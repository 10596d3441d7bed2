"""The forms that a repository gives people to describe a pull request with.

Source: https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests
"""

import re

from local.github.contents import FOLDER_MODE
from local.github.hosted_repository import HostedRepository

_PLACES = (b".github", b"", b"docs")
_FILE = re.compile(rb"pull_request_template(?:\.[a-z]+)?", re.IGNORECASE)
_FOLDER = re.compile(rb"pull_request_template", re.IGNORECASE)
_ONE_OF_MANY = re.compile(rb".+\.(?:md|txt)", re.IGNORECASE)
_REGULAR = ("100644", "100755")


def pull_request_templates(repository: HostedRepository) -> list[tuple[str, str]]:
    """Name and text of each, as the default branch has them: a file in any of three places, or a folder of files."""
    top = repository.copy.tip(f"refs/heads/{repository.default_branch}")
    if top is None:
        return []
    folders = [top if not name else _folder(repository, top, name) for name in _PLACES]
    found = [each for folder in folders if folder for each in _in(repository, folder)]
    return [(name, repository.copy.git("cat-file", "blob", oid).decode("utf-8", "replace")) for name, oid in found]


def _folder(repository: HostedRepository, inside: str, name: bytes) -> str | None:
    mode, oid = repository.folder(inside).get(name, ("", ""))
    return oid if mode == FOLDER_MODE else None


def _in(repository: HostedRepository, folder: str) -> list[tuple[str, str]]:
    """Names and ids of the forms in one place."""
    found = _files(repository, folder, _FILE)
    for name, (mode, oid) in repository.folder(folder).items():
        if mode == FOLDER_MODE and _FOLDER.fullmatch(name):
            found += _files(repository, oid, _ONE_OF_MANY)
    return found


def _files(repository: HostedRepository, folder: str, named: re.Pattern[bytes]) -> list[tuple[str, str]]:
    entries = repository.folder(folder).items()
    return [
        (name.decode("utf-8", "replace"), oid)
        for name, (mode, oid) in entries
        if mode in _REGULAR and named.fullmatch(name)
    ]
