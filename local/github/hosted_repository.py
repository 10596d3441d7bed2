"""The hosted repository that all API operations share: its state, its git data, and its webhooks."""

import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from kodiai.core.github.names import RepositoryRef
from local.github.answers import not_found
from local.github.diff import FileDiff, diff
from local.github.repository import RepositoryCopy
from local.github.state import Event, Installation, PullRequest, Reaction, State, User

REPOSITORY_ID = 1_000_000_001
APP_PERMISSIONS = {
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "read",
}
EVENT_PERMISSIONS = {
    "check_run": "checks",
    "check_suite": "checks",
    "issue_comment": "issues",
    "issues": "issues",
    "merge_group": "merge_queues",
    "pull_request": "pull_requests",
    "pull_request_review": "pull_requests",
    "pull_request_review_comment": "pull_requests",
    "pull_request_review_thread": "pull_requests",
    "push": "contents",
    "status": "statuses",
}
"""The permission that an App needs, at least to read, to subscribe to an event.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads (of each event, "to subscribe to this event")
"""
_ACTIONS, _ACTIONS_ID = "github-actions", 15_368
APP_EVENTS = [
    "check_run",
    "check_suite",
    "issue_comment",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
]


@dataclass
class AppFacts:
    """The one GitHub App: who it is, what its installations are granted, and where its webhooks go.

    `events` are those that it subscribed to. `codes` are the codes by which whoever just registered the App from a
    manifest gets its secrets, each once, with the login of the App's owner.
    """

    id: int
    client_id: str
    slug: str
    hook: int
    permissions: dict[str, str]
    events: list[str] = field(default_factory=lambda: list(APP_EVENTS))
    hook_url: str | None = None
    hook_secret: str = ""
    hook_content_type: str = "json"
    codes: dict[str, str] = field(default_factory=dict)

    @property
    def login(self) -> str:
        """The bot that acts for the App."""
        return f"{self.slug}[bot]"


@dataclass
class HostedRepository:
    """One repository on GitHub. Readers hold `lock`; writers use `acting`.

    `most_entries` is how many entries a listing of a tree has before it is cut, and `most_listed_bytes` how many bytes
    one of everything has. `owners` is the other repository that there may be, the owner's `.github`. `is_server` is
    whether this is a GitHub Enterprise Server.
    Source: https://docs.github.com/rest/git/trees#get-a-tree
    """

    full_name: str
    id: int
    default_branch: str
    copy: RepositoryCopy
    app: AppFacts
    send_webhook: Callable[[str, dict[str, Any]], None]
    started: float
    url: str = ""
    is_private: bool = True
    most_entries: int = 100_000
    most_listed_bytes: int = 7_000_000
    owners: "HostedRepository | None" = None
    is_server: bool = False
    archives: dict[str, str] = field(default_factory=dict)
    state: State = field(default_factory=State)
    lock: threading.RLock = field(default_factory=threading.RLock)
    watchers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Remember comparisons and folders: what is between two commits or in a tree never changes."""
        self.compare = lru_cache(maxsize=64)(self._compare)
        self.moves = lru_cache(maxsize=64)(self._moves)
        self.base_of = lru_cache(maxsize=256)(self.copy.merge_base)
        self.folder = lru_cache(maxsize=256)(self._folder)

    @property
    def owner(self) -> str:
        """The login that the repository belongs to."""
        return self.full_name.split("/")[0]

    @property
    def ref(self) -> RepositoryRef:
        """The repository by its name and its ids."""
        return RepositoryRef(name=self.full_name, id=self.id, owner_id=self.user(self.owner).id)

    @property
    def name(self) -> str:
        """The repository's name without its owner."""
        return self.full_name.split("/")[1]

    @property
    def api(self) -> str:
        """The repository's own address in the API."""
        return f"{self.url}/repos/{self.full_name}"

    @property
    def html(self) -> str:
        """The repository's address for people."""
        return f"{self.url}/{self.full_name}"

    @property
    def installation(self) -> Installation:
        """The App's newest installation."""
        return list(self.state.installations.values())[-1]

    @property
    def has_app(self) -> bool:
        """Whether the App is installed on the repository."""
        return self.installation.exists and self.installation.has_repository

    @property
    def granted(self) -> dict[str, str]:
        """The permissions of the App's newest installation."""
        accepted = self.installation.accepted
        return self.app.permissions if accepted is None else accepted

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def named(self, full_name: str) -> "HostedRepository | None":
        """This repository or the owner's, by its name; capitals do not matter."""
        here = [each for each in (self, self.owners) if each is not None]
        return next((each for each in here if each.full_name.lower() == full_name.lower()), None)

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Hold the lock during a change; watchers are called at its end, before the next change."""
        with self.lock:
            try:
                yield
            finally:
                for watcher in self.watchers:
                    watcher()

    def install(self, *, login: str) -> None:
        """Install the App, or put the repository back into its installation."""
        if self.installation.exists:
            self.installation.has_repository = True
            self.send_webhook("installation_repositories.added", {"sender": login})
        else:
            new = Installation(self.state.new_id(), created_at=self.now())
            self.state.installations[new.id] = new
            self.send_webhook("installation.created", {"sender": login})

    def pull(self, number: int) -> PullRequest:
        """A pull request; an ApiError with 404 where there is none."""
        if number not in self.state.pulls:
            raise not_found()
        return self.state.pulls[number]

    def user(self, login: str) -> User:
        """Somebody who acts here; a login ending in "[bot]" is a bot."""
        return self.state.user(login, kind="Bot" if login.endswith("[bot]") else "User")

    def is_app(self, login: str) -> bool:
        """Whether that login is the App's bot."""
        return login == self.app.login

    def app_named(self, slug: str | None) -> AppFacts:
        """The App of that slug, ours for None; of another one nothing is known but who it is."""
        if slug in (None, self.app.slug):
            return self.app
        number = _ACTIONS_ID if slug == _ACTIONS else zlib.crc32(slug.encode()) >> 8  # a suite has it in its id
        return AppFacts(number, f"Iv1.{number:016x}", slug, 0, {"checks": "write", "metadata": "read"}, [])

    def branch_of(self, head: str) -> str | None:
        """The branch to which a commit was pushed; a fork's is not known here.

        Source: https://docs.github.com/webhooks/webhook-events-and-payloads#check_suite
        """
        for group in self.state.groups.values():
            if group.head == head:
                return group.ref
        pushed = (self.state.pulls[event.number] for event in reversed(self.state.timeline) if event.subject == head)
        return next((pull.head_ref for pull in pushed if not pull.from_fork), None)

    def note(self, number: int, actor: str, what: str, subject: int | str | None = None) -> None:
        """Write a line of the timeline, and date the pull request's last change."""
        self.state.timeline.append(Event(self.now(), number, actor, what, subject))
        if number in self.state.pulls:
            self.state.pulls[number].updated_at = self.now()

    def files(self, pull: PullRequest) -> tuple[FileDiff, ...]:
        """A pull request's changes: three dots, from the merge base to the head."""
        return self.compare(self.base_of(pull.base_sha, pull.head_sha), pull.head_sha)

    def file_at(self, pull: PullRequest, commit: str, path: str) -> FileDiff | None:
        """One file of the pull request as of a commit of it, by the name that GitHub shows."""
        files = self.compare(self.base_of(pull.base_sha, commit), commit)
        return next((file for file in files if file.name == path), None)

    def reactions(self, kind: Any, subject: int) -> list[Reaction]:
        """Everybody's reactions to one thing."""
        return self.state.reactions_to(kind, subject)

    def _compare(self, old: str, new: str) -> tuple[FileDiff, ...]:
        return diff(self.copy, old, new)

    def _folder(self, tree: str) -> dict[bytes, tuple[str, str]]:
        """Mode and id of each entry by its name."""
        return {each.path: (each.mode, each.sha) for each in self.copy.read_tree(tree)}

    def _moves(self, old: str, new: str) -> dict[str, FileDiff]:
        """The fate of each path of `old` on the way to `new`, by the path's old name."""
        files = self.compare(old, new)
        return {(f.previous or f.path).decode("utf-8", "replace"): f for f in files if f.status != "added"}


def timestamp(at: float | None) -> str | None:
    """Epoch seconds as GitHub writes them, to the second, in UTC."""
    return None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
