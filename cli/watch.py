"""A pull request of two revisions of a person's repository, which follows where they point to."""

from pathlib import Path

from cli.local_repository import base_files
from local.github import LocalGitHub, UnusableRepository
from local.github.pull_views import Commit, read_commits
from local.github.state import PullRequest


class Watch:
    """Follows `head` and `base`; what happens to them happens to the pull request on the stand-in.

    Where the head is a branch, the branch is followed, whatever is checked out; a `base` of None is the branch that
    the stand-in takes, where it stands now. `config` is the settings file to go by, None for the base's own.
    """

    def __init__(self, github: LocalGitHub, head: str, base: str | None, config: Path | None) -> None:
        self._github = github
        self._shadow = github.world.shadow
        self._branch = self._shadow.branch_named(head)
        self.head = self._branch or head
        self._base = base
        self._config = config
        self._seen: tuple[str, str | None] | None = None
        self._trouble = ""
        self.number = 0

    @property
    def followed(self) -> str:
        """What is followed, in words."""
        return f"{self.head} and {self._base}" if self._base else self.head

    def begin(self, title: str | None = None) -> str:
        """Find the open pull request of this branch, or open one; say which, and what has happened to it since.

        Raises UnusableRepository and OSError.
        """
        head = self._shadow.resolve(self.head)
        found = next((pull for pull in self._github.state.pulls.values() if self._is_ours(pull, head)), None)
        if found is not None:
            self.number = found.number
            self._seen = (found.head_sha, found.base_named if self._base else None)
            return self._look() or "goes on where it was"
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

    def look(self) -> str | None:
        """Say what has happened since the last look, None where nothing has; what is wrong is said once."""
        try:
            told = self._look()
        except (UnusableRepository, OSError) as why:
            told, self._trouble, before = str(why), str(why), self._trouble
            return told if told != before else None
        self._trouble = ""
        return told

    def _look(self) -> str | None:
        now, pull = self._now(), self._github.state.pulls[self.number]
        if now == self._seen or pull.state == "closed":
            return None
        head, base = now
        if base is not None and self._shadow.contains(head, base):
            merged = self._shadow.contains(pull.head_sha, base)
            self._github.close(self.number, login=pull.author, merged=merged)
            self._seen = now
            return "merged" if merged else f"closed: all of {self.head} is part of {self._base}"
        before = pull.head_sha
        files = base_files(self._config)
        self._github.push(self.number, head, base, base_files=files)
        self._seen = now
        if head == before:
            return f"{self._base} moved to {base[:7] if base else ''}"
        forced = "" if self._shadow.contains(before, head) else "force-"
        return f"{forced}pushed {head[:7]}"

    def _now(self) -> tuple[str, str | None]:
        if self._branch and self._shadow.branch_named(self._branch) is None:
            raise UnusableRepository(f"there is no branch {self._branch} any more; the pull request waits for it")
        return self._shadow.resolve(self.head), self._shadow.resolve(self._base) if self._base else None

    def _is_ours(self, pull: PullRequest, head: str) -> bool:
        return pull.state == "open" and (pull.head_ref == self._branch if self._branch else pull.head_sha == head)

    def _author(self, head: str) -> str:
        """A login made of the name of who wrote the head."""
        name = self._commit(head).author[0]
        words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in name)
        return "-".join(words.lower().split())[:39].strip("-") or "octocat"

    def _body(self, head: str) -> str | None:
        """The only commit's message for the description, as GitHub does it; None where there are several."""
        parent, base = self._shadow.first_parent(head), self._base or self._github.world.default_branch
        if parent is None or not self._shadow.contains(parent, self._shadow.resolve(base)):
            return None
        return self._commit(head).message.partition("\n")[2].strip() or None

    def _commit(self, head: str) -> Commit:
        return read_commits(self._github.world, head, limit=1, walk=False)[0]
