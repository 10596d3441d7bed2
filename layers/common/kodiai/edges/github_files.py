"""The files of a repository on GitHub, one at a time, or the texts of many at once.

References: https://docs.github.com/en/rest/repos/contents?apiVersion=2026-03-10 and
https://docs.github.com/en/graphql/reference/objects#blob
"""

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kodiai.core.config.parse import MAX_BYTES
from kodiai.core.config.read import CONFIG_PATH
from kodiai.core.diffs.binary_patch import object_id
from kodiai.core.errors import Refused
from kodiai.core.repository.tree import LARGEST_FILE
from kodiai.edges.github_connection import INSTALLATION, Access, GitHubConnection

_TEXTS = 100
_BLOB = "{ ... on Blob { oid byteSize text } }"
_QUERY = "query Texts($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { %s} }"
_MOST_KEPT_BYTES = 50_000_000


class FileTooLarge(Refused):
    """A file that is not taken into memory."""


class RepositoryFiles(GitHubConnection):
    """Reads files of a repository."""

    def __init__(self, access: Access, repository: str, *, repository_id: int | None = None) -> None:
        super().__init__(access, repository, repository_id=repository_id)
        self._kept: Mapping[str, bytes | None] = {}

    def contents(self, names: Collection[str]) -> Mapping[str, bytes | None]:
        """Read them once: up to 50 MB are kept."""
        found = {name: self._kept[name] for name in names if name in self._kept}
        missing = [name for name in dict.fromkeys(names) if name not in found]
        for at in range(0, len(missing), _TEXTS):
            found |= self._texts(missing[at : at + _TEXTS])
        kept = {**self._kept, **found}
        self._kept = kept if sum(len(each or b"") for each in kept.values()) <= _MOST_KEPT_BYTES else found
        return found

    def _texts(self, names: Sequence[str]) -> dict[str, bytes | None]:
        """Read texts with one request; what GitHub shows otherwise than it is, with one each.

        GraphQL has no text of what is binary, cuts long texts, and turns what is not UTF-8 into it: a text counts if
        it has the blob's id.
        """
        if len(names) == 1 and ":" not in names[0]:
            return {names[0]: self.blob(names[0])}
        quoted = (json.dumps(name, ensure_ascii=False) for name in names)
        asked = "".join(f"t{at}: object(expression: {name}) {_BLOB} " for at, name in enumerate(quoted))
        document = _QUERY % asked
        place = {"owner": self._names["owner"], "name": self._names["repo"]}
        answer = self._graphql("Texts", document, place, changes=False)
        shown = (answer.get("data") or {}).get("repository") or {}
        found = {}
        for at, name in enumerate(names):
            blob = shown.get(f"t{at}")
            if blob is None and answer["errors"]:  # limits of a large query do not hold for single files
                path = name.partition(":")[2]
                found[name] = self.file(path, name[: -len(path) - 1]) if path else self.blob(name)
            else:
                found[name] = self._bytes_of(blob) if blob else None
        return found

    def _bytes_of(self, blob: Mapping[str, Any]) -> bytes | None:
        """The content of a blob that GraphQL shows; None if it is over LARGEST_FILE."""
        content = (blob["text"] or "").encode("utf-8", "surrogatepass")
        if object_id(content, len(blob["oid"])) == blob["oid"]:
            return content
        return self.blob(blob["oid"]) if blob["byteSize"] <= LARGEST_FILE else None

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
