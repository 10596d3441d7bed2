"""The entries of a commit's tree."""

from dataclasses import dataclass

FOLDER = "040000"
FILE = "100644"
PROGRAM = "100755"
LINK = "120000"
SUBMODULE = "160000"


@dataclass(frozen=True)
class TreeEntry:
    """An entry at a path of a commit, by git's mode; `content` is a file's bytes, or a symbolic link's target.

    A folder and a submodule have none.
    """

    mode: str
    content: bytes = b""
