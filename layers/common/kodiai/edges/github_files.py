"""The files of a repository on GitHub, one at a time.

REST reference: https://docs.github.com/en/rest/repos/contents?apiVersion=2026-03-10
"""

import base64

from kodiai.edges.github_connection import GitHubConnection


class RepositoryFiles(GitHubConnection):
    """Reads single files of a repository."""

    def file(self, path: str, ref: str) -> bytes | None:
        """A file's content at a ref, None where it does not exist or is no file."""
        content = self._find("/repos/{owner}/{repo}/contents/{path}", {"ref": ref}, path=path)
        if not isinstance(content, dict) or content.get("type") != "file":
            return None
        if content.get("encoding") == "base64":
            return base64.b64decode(content["content"])
        return self._blob(content["sha"])

    def _blob(self, sha: str) -> bytes | None:
        """A blob's bytes, at most 100 MB; None where there is no such blob."""
        blob = self._find("/repos/{owner}/{repo}/git/blobs/{file_sha}", file_sha=sha)
        return base64.b64decode(blob["content"]) if blob else None
