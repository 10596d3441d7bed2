"""Keeps a pull request up to date with two revisions of a person's repository."""

from pathlib import Path

from cli.local_repository import base_files
from local.github import LocalGitHub, UnusableRepository
from local.github.pull_views import Commit, read_commits
from local.github.state import PullRequest


class BranchWatcher:
    """Watches `head` and `base`, and pushes their changes to the pull request on the stand-in.

    Where the head is a branch, the branch is watched, whatever is checked out; a `base` of None is the stand-in's
    default branch as it is now. `config` is a settings file, None for the base's own. What was committed on top of the
    head on the stand-in stays until the branch itself moves.
    """

    def __init__(self, github: LocalGitHub, head: str, base: str | None, config: Path | None) -> None:
        self._github = github
        self._shadow = github.repository.copy
        self._branch = self._shadow.branch_named(head)
        self.head = self._branch or head
        self._base = base
        self._config = config
        self._seen: tuple[str, str | None] | None = None
        self._error = ""
        self.number = 0

    @property
    def watched(self) -> str:
        """The watched revisions, in words."""
        return f"{self.head} and {self._base}" if self._base else self.head

    def start(self, title: str | None = None) -> str:
        """Find the open pull request of this branch and update it, or open one; say which, and what has changed.

        Raises UnusableRepository and OSError.
        """
        head = self._shadow.resolve(self.head)
        found = next((pull for pull in self._github.state.pulls.values() if self._is_ours(pull, head)), None)
        if found is not None:
            self.number = found.number
            pushed = head if self._shadow.contains(head, found.head_sha) else found.head_sha
            self._seen = (pushed, found.base_named if self._base else None)
            return self._update() or "resumed"
        files = base_files(self._config)
        self._seen = self._now()
        self.number = self._github.open_pull_request(
            self.head,
            self._base,
            title=title,
            body=self._body(head),
            author=self._author(head),
            base_files=files,
        )
        return "opened"

    def update(self) -> str | None:
        """Say what has changed since the last call, None without a change; an error is returned only once."""
        try:
            change = self._update()
        except (UnusableRepository, OSError) as why:
            before, self._error = self._error, str(why)
            return self._error if self._error != before else None
        self._error = ""
        return change

    def _update(self) -> str | None:
        now, pull = self._now(), self._github.state.pulls[self.number]
        if now == self._seen or pull.state == "closed":
            return None
        head, base = now
        if base is not None and self._shadow.contains(head, base):
            merged = self._shadow.contains(pull.head_sha, base)
            self._github.close(self.number, login=pull.author, merged=merged)
            self._seen = now
            return "merged" if merged else f"closed: {self._base} has all commits of {self.head}"
        before = pull.head_sha
        if self._seen is not None and head == self._seen[0]:
            head = before
        files = base_files(self._config)
        self._github.push(self.number, head, base, base_files=files)
        self._seen = now
        if head == before:
            return f"{self._base} moved to {base[:7] if base else ''}"
        forced = "" if self._shadow.contains(before, head) else "force-"
        return f"{forced}pushed {head[:7]}"

    def _now(self) -> tuple[str, str | None]:
        if self._branch and self._shadow.branch_named(self._branch) is None:
            raise UnusableRepository(f"the branch {self._branch} does not exist any more; waiting for it")
        return self._shadow.resolve(self.head), self._shadow.resolve(self._base) if self._base else None

    def _is_ours(self, pull: PullRequest, head: str) -> bool:
        return pull.state == "open" and (pull.head_ref == self._branch if self._branch else pull.head_sha == head)

    def _author(self, head: str) -> str:
        """A login made of the name of the head's author."""
        name = self._commit(head).author[0]
        words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in name)
        return "-".join(words.lower().split())[:39].strip("-") or "octocat"

    def _body(self, head: str) -> str | None:
        """The only commit's message for the description, as GitHub does it; None where there are several."""
        parent, base = self._shadow.first_parent(head), self._base or self._github.repository.default_branch
        if parent is None or not self._shadow.contains(parent, self._shadow.resolve(base)):
            return None
        return self._commit(head).message.partition("\n")[2].strip() or None

    def _commit(self, head: str) -> Commit:
        return read_commits(self._github.repository, head, limit=1, walk=False)[0]
