"""A pull request on the GitHub stand-in, and the edge that looks at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kodiai.core.config.settings import GitHubSettings
from kodiai.core.findings.markers import finding_marker
from kodiai.core.github.comment import CommentPayload
from kodiai.core.github.names import Surface
from kodiai.core.review.check import Annotation, Check
from kodiai.core.review.review import Review, ReviewComment
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.github_connection import Access
from kodiai.edges.github_permissions import REVIEW, TokenPermissions
from local.github import LocalGitHub, state
from local.github.views import node_id, read_node_id
from tests.git_repository import EXECUTABLE, FILE, Content, GitRepository

PULL = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
FILES = f"{PULL}/files"
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
REVIEW_COMMENTS = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"
CONTENTS = "GET /repos/{owner}/{repo}/contents/{path}"
BLOB = "GET /repos/{owner}/{repo}/git/blobs/{file_sha}"
TREES = "GET /repos/{owner}/{repo}/git/trees/{tree_sha}"
TARBALL = "GET /repos/{owner}/{repo}/tarball/{ref}"
TEXTS = "POST /graphql query Texts"
TOKEN = "POST /app/installations/{installation_id}/access_tokens"
SNAPSHOT = "POST /graphql query Snapshot"
THREADS = "POST /graphql query Threads"
ANNOTATIONS = "POST /graphql query Annotations"
UPDATE_THREADS = "POST /graphql mutation UpdateThreads"
THREAD_COMMENTS = "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments"
THREAD_COMMENT = "GET /repos/{owner}/{repo}/pulls/comments/{comment_id}"
REPLIES = "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies"
TALK = "GET /repos/{owner}/{repo}/issues/{pull_number}/comments"
TALKING = "POST /repos/{owner}/{repo}/issues/{pull_number}/comments"
CONVERSATION = "POST /graphql query Conversation"
UPDATE_CHECK = "POST /graphql mutation UpdateCheck"

LINK = "120000"
BOT = "renovate[bot]"
CONFIG = ".kodiai.yml"
FINDING, OTHER = "F-0123456789ab", "F-ba9876543210"
READING = Check("Reading", "On its way.")
DONE = Check("Done", "All said.", "neutral")
PAUSE_SECONDS = 0.01

# The settings file on the branch of each name, with its mode.
SETTINGS: dict[str, tuple[str, Content, str]] = {
    "settings": (CONFIG, "floor: MINOR\n", FILE),
    "executable": (CONFIG, "floor: MINOR\n", EXECUTABLE),
    "empty": (CONFIG, "", FILE),
    "link": (CONFIG, "a.py", LINK),
    "dangling": (CONFIG, "nowhere.yml", LINK),
    "binary": (CONFIG, b"floor\0", FILE),
    "large": (CONFIG, "# long\n" * 90_000, FILE),
    "huge": (CONFIG, "# longer\n" * 120_000, FILE),
    "folder": (f"{CONFIG}/a.py", "a = 1\n", FILE),
}
# The permission that is meant by each role.
PERMISSIONS: dict[state.Role, str] = {
    "admin": "admin",
    "maintain": "write",
    "write": "write",
    "triage": "read",
    "read": "read",
    "none": "none",
}
_KINDS: dict[Surface, str] = {"thread": "PRRC", "conversation": "IC", "review": "PRR"}


@dataclass(frozen=True)
class Pushed:
    """A repository, and two commits of it; the other branches have settings files of every kind."""

    path: Path
    base: str
    head: str


def push(path: Path) -> Pushed:
    """Make the repository: the head changes a file and adds one."""
    repository = GitRepository(path)
    base = repository.commit({"a.py": "a = 1\n", "docs/b.md": "b\n"}, branch="main")
    for branch, (file, content, mode) in SETTINGS.items():
        repository.commit({file: content}, base, modes={file: mode}, branch=branch)
    return Pushed(path, base, repository.commit({"a.py": "a = 2\nb = 3\n", "é/new file.py": "c = 4\n"}, base))


@dataclass(frozen=True)
class Scene:
    """A pull request on the stand-in, and the edge that looks at it."""

    stand_in: LocalGitHub
    number: int
    head: str
    edge: GitHubPullRequest

    @property
    def us(self) -> str:
        return self.stand_in.bot_login

    def reviews(self) -> list[state.Review]:
        return [review for review in self.stand_in.state.reviews.values() if review.number == self.number]

    def tell(self, finding: str = FINDING, *, login: str | None = None) -> int:
        """Begin a thread about a finding; its first comment's id."""
        return self.stand_in.comment_on_line(
            self.number, "a.py", 2, f"Comment.\n\n{finding_marker(finding)}", login=login or self.us
        )

    def crowd(self, threads: int) -> None:
        """Let somebody else begin this number of threads at once."""
        comment = {"path": "a.py", "line": 1, "side": "RIGHT", "body": "Hm."}
        with self.unchecked():
            self.stand_in.review(self.number, "COMMENT", "All of these", [comment] * threads, login="ann")

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """Hold nothing against GitHub's description meanwhile: many of a kind take long."""
        self.stand_in.trusting = True
        yield
        self.stand_in.trusting = False

    def said(self, surface: Surface, number: int, reply_to: int | None = None) -> CommentPayload:
        """A comment, as its webhook has it."""
        more = {"text": "Hm.", "at": 1, "title": "Two"}
        node = node_id(_KINDS[surface], number)
        return CommentPayload.model_validate(
            {"surface": surface, "id": number, "node_id": node, "reply_to": reply_to, **more}
        )

    def said_below(self, comment: int) -> list[str]:
        """The answers in a thread, oldest first."""
        return [each.body for each in self.stand_in.state.comments.values() if each.in_reply_to == comment]

    def resolved(self, *comments: int) -> list[str | None]:
        """The resolvers of these threads."""
        found = (self.stand_in.state.resolutions.get(comment) for comment in comments)
        return [resolution.by if resolution else None for resolution in found]

    def begin(self) -> str:
        """Read the snapshot, and open a check run; its id."""
        self.edge.snapshot()
        opened = self.edge.start_check(self.head, f"{self.number}", READING)
        assert opened is not None
        return opened

    def check(self, opened: str) -> state.CheckRun:
        return self.stand_in.state.checks[number_of(opened)]


def thread_id(comment: int) -> str:
    """The global id of the thread that a comment began."""
    return node_id("PRRT", comment)


def review_id(review: int) -> str:
    return node_id("PRR", review)


def number_of(global_id: str) -> int:
    kind_and_number = read_node_id(global_id)
    assert kind_and_number is not None
    return kind_and_number[1]


def settings(stand_in: LocalGitHub, **more: Any) -> GitHubSettings:
    values = {
        "api_url": stand_in.url,
        "timeout_seconds": 20,
        "app_id": stand_in.app_id,
        "private_key": stand_in.private_key.strip(),
        "publish": "post",
    }
    return GitHubSettings.model_validate(values | more)


def connect(stand_in: LocalGitHub, number: int, **more: Any) -> GitHubPullRequest:
    return GitHubPullRequest(app_access(stand_in, **more), stand_in.bot_login, stand_in.full_name, number)


def app_access(stand_in: LocalGitHub, permissions: TokenPermissions = REVIEW, **more: Any) -> Access:
    return Access(settings(stand_in, **more), stand_in.installation_id, permissions, PAUSE_SECONDS)


def token_access(url: str, token: str, timeout_seconds: float = 20) -> Access:
    return Access(token_settings(url, token, timeout_seconds), None, REVIEW, PAUSE_SECONDS)


def token_settings(url: str, token: str, timeout_seconds: float = 20) -> GitHubSettings:
    values = {"api_url": url, "timeout_seconds": timeout_seconds, "token": token, "publish": "post"}
    return GitHubSettings.model_validate(values)


def connect_as(stand_in: LocalGitHub, login: str, number: int, us: str | None = None) -> GitHubPullRequest:
    """As a person; `us` is how the settings write that login."""
    access = token_access(stand_in.url, stand_in.token_for(login, "write"))
    return GitHubPullRequest(access, us or login, stand_in.full_name, number)


def a_review(line: int = 2, body: str = "Body") -> Review:
    comment = ReviewComment("a.py", line, None, f"Comment.\n\n{finding_marker(FINDING)}")
    return Review("COMMENT", body, (comment,))


def some_notes(count: int) -> tuple[Annotation, ...]:
    return tuple(Annotation("a.py", 1, 2, "warning", f"Note {number}", "Text") for number in range(count))
