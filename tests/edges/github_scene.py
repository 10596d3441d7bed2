"""A pull request on the GitHub stand-in, and the edge that looks at it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kodiai.core.settings import GitHubSettings
from kodiai.core.words.markers import finding_marker
from kodiai.edges.github import GitHubPullRequest
from kodiai.ports import Review, ReviewComment
from local.github import GitHubStandIn, state
from tests.git_repository import GitRepository

PULL = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
TOKEN = "POST /app/installations/{installation_id}/access_tokens"
CHECK = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
FINDING = "F-0123456789ab"
PAUSE_SECONDS = 0.01


@dataclass(frozen=True)
class Pushed:
    """A repository, and two commits of it."""

    path: Path
    base: str
    head: str


def push(path: Path) -> Pushed:
    """Make the repository: the head changes a file and adds one."""
    repository = GitRepository(path)
    base = repository.commit({"a.py": "a = 1\n", "docs/b.md": "b\n"}, branch="main")
    return Pushed(path, base, repository.commit({"a.py": "a = 2\nb = 3\n", "é/new file.py": "c = 4\n"}, base))


@dataclass(frozen=True)
class Scene:
    """A pull request on the stand-in, and the edge that looks at it."""

    stand_in: GitHubStandIn
    number: int
    head: str
    edge: GitHubPullRequest

    def reviews(self) -> list[state.Review]:
        return [review for review in self.stand_in.state.reviews.values() if review.number == self.number]


def settings(stand_in: GitHubStandIn, **more: Any) -> GitHubSettings:
    values = {
        "api_url": stand_in.url,
        "timeout_seconds": 20,
        "app_id": stand_in.app_id,
        "private_key": stand_in.private_key.strip(),
        "publish": "post",
    }
    return GitHubSettings.model_validate(values | more)


def connect(stand_in: GitHubStandIn, number: int, **more: Any) -> GitHubPullRequest:
    name, installation = stand_in.full_name, stand_in.installation_id
    return GitHubPullRequest(
        settings(stand_in, **more), stand_in.bot_login, name, number, installation, pause_seconds=PAUSE_SECONDS
    )


def token_settings(url: str, token: str, timeout_seconds: float = 20) -> GitHubSettings:
    values = {"api_url": url, "timeout_seconds": timeout_seconds, "token": token, "publish": "post"}
    return GitHubSettings.model_validate(values)


def connect_as(stand_in: GitHubStandIn, login: str, number: int) -> GitHubPullRequest:
    with_token = token_settings(stand_in.url, stand_in.token_for(login, "write"))
    return GitHubPullRequest(with_token, login, stand_in.full_name, number, None, pause_seconds=PAUSE_SECONDS)


def a_review(line: int = 2, body: str = "Body") -> Review:
    comment = ReviewComment("a.py", line, None, f"Comment\n\n{finding_marker(FINDING)}")
    return Review("COMMENT", body, (comment,))
