"""Links from what we post to the code at the head and to the threads about it."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import quote

from kodiai.core.findings.finding import Finding


def web_address(api_url: str) -> str:
    """The address of GitHub's pages, by the address of its API: "https://github.com" for "https://api.github.com".

    GitHub Enterprise Server has its API below /api/v3. Source:
    https://docs.github.com/en/enterprise-server@latest/rest/using-the-rest-api/getting-started-with-the-rest-api
    """
    return api_url.rstrip("/").removesuffix("/api/v3").replace("://api.", "://", 1)


@dataclass(frozen=True)
class Links:
    """The web addresses of one pull request at one head.

    `pull_request` is its page, "https://github.com/octo/app/pull/7"; `missing` are paths that the head does not have.
    """

    pull_request: str
    head: str
    missing: Collection[str] = ()

    def code(self, path: str, start: int, end: int) -> str | None:
        """Lines of a file at the head, 1-based, both included; None where the file is not there.

        Without `plain=1` GitHub shows some files as pages without lines.
        Source: https://docs.github.com/en/repositories/working-with-files/using-files/getting-permanent-links-to-files
        """
        if not path or path in self.missing:
            return None
        repository = self.pull_request.rpartition("/pull/")[0]
        lines = f"L{start}-L{end}" if end > start else f"L{start}"
        return f"{repository}/blob/{self.head}/{quote(path, safe='/', errors='replace')}?plain=1#{lines}"

    def lines(self, finding: Finding) -> str | None:
        """The lines of a finding at the head, None where its file is not there."""
        return self.code(finding.path, finding.start_line, finding.end_line)

    def comment(self, comment_id: str) -> str:
        """The thread that an inline comment began."""
        return f"{self.pull_request}#discussion_r{comment_id}"

    def review(self, review_id: str) -> str:
        """A review."""
        return f"{self.pull_request}#pullrequestreview-{review_id}"
