"""The files of a repository on GitHub, one at a time.

REST reference: https://docs.github.com/en/rest/repos/contents?apiVersion=2026-03-10
"""

import base64
from contextlib import suppress

from kodiai.core.config.parse import MAX_BYTES
from kodiai.core.config.read import CONFIG_PATH
from kodiai.core.errors import Refused
from kodiai.core.repository.tree import LARGEST_FILE
from kodiai.edges.github_connection import INSTALLATION, GitHubConnection


class FileTooLarge(Refused):
    """A file that is not taken into memory."""


class RepositoryFiles(GitHubConnection):
    """Reads single files of a repository."""

    def file(self, path: str, ref: str) -> bytes | None:
        """Read no file over LARGEST_FILE."""
        with suppress(FileTooLarge):
            return self._file(path, ref)
        return None

    def settings_file(self, branch: str | None, **names: str) -> bytes | None:
        """The settings file of a branch, None if there is none; of a very large one, so much that it is refused.

        The branch None is the default branch. `names` may name another repository.
        """
        try:
            return self._file(CONFIG_PATH, branch, **names)
        except FileTooLarge:
            return bytes(MAX_BYTES + 1)

    def installation(self) -> int | None:
        """The installation of our App on the repository, None where there is none."""
        found = self._find(INSTALLATION)
        return None if found is None else int(found["id"])

    def _file(self, path: str, ref: str | None, **names: str) -> bytes | None:
        """A file's content at a ref, None where it does not exist or is no file. Raises TooLarge."""
        at = {} if ref is None else {"ref": ref}
        content = self._find("/repos/{owner}/{repo}/contents/{path}", at, path=path, **names)
        if not isinstance(content, dict) or content.get("type") != "file":
            return None
        if content["size"] > LARGEST_FILE:
            raise FileTooLarge(f"The file `{path}` is over {LARGEST_FILE // 1_000_000} MB.")
        if content.get("encoding") == "base64":
            return base64.b64decode(content["content"])
        return self.blob(content["sha"], **names)

    def blob(self, oid: str, **names: str) -> bytes | None:
        """Read at most 100 MB."""
        blob = self._find("/repos/{owner}/{repo}/git/blobs/{file_sha}", None, file_sha=oid, **names)
        return base64.b64decode(blob["content"]) if blob else None
