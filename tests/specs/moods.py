"""Helpers of the specs about failures: routes, changes, and the review that a person sees at the end."""

import time
from collections.abc import Callable

from local.github.failures import refusal
from local.model import Request, is_find
from tests.git_repository import Files
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding

SNAPSHOT = "POST /graphql Snapshot"
PULL = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
FILES = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files"
TREES = "GET /repos/{owner}/{repo}/git/trees/{tree_sha}"
TARBALL = "GET /repos/{owner}/{repo}/tarball/{ref}"
ARCHIVE = "GET /{owner}/{repo}/legacy.tar.gz/{ref}"
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
COMMENTS = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"
UPDATES = "POST /graphql updateCheckRun"
TOKENS = "POST /app/installations/{installation_id}/access_tokens"

DISCOUNT: Files = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}
SHELF: Files = {"src/stock.py": "def left(shelf):\n    return len(shelf) - 1\n"}
OFF_BY_ONE = a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing")
NO_SUCH_LINE = {"message": "Unprocessable Entity", "errors": ["Line could not be resolved"], "status": "422"}
NOTHING_THERE = refusal(200, {"data": {"repository": None}, "errors": [{"type": "NOT_FOUND", "message": "No such"}]})
NOT_FOUND = refusal(404, {"message": "Not Found", "status": "404"})
FORBIDDEN = refusal(403, {"message": "Resource not accessible by integration", "status": "403"})


def shows(path: str) -> Callable[[Request], bool]:
    """Picks the questions that show a file's changes to the model."""

    def picks(request: Request) -> bool:
        return is_find(request) and f"### FILE {path!r}".replace("'", '"') in str(request["messages"][0])

    return picks


def questions(stage: Stage, picks: Callable[[Request], bool], since: int = 0) -> int:
    """The number of questions of a kind since the test began, without the first `since`."""
    return sum(map(picks, stage.questions[since:]))


def tries(opened: Opened) -> list[tuple[str, int]]:
    """The outcome and the attempt of every try, oldest first."""
    return [(line["outcome"], line["attempt"]) for line in opened.outcomes]


def assert_reviewed_once(opened: Opened) -> None:
    """There is one review with its one comment, one check that says how it ended, one finding that knows its place."""
    [review] = opened.reviews
    assert "[MAJOR] src/orders.py (2): The discount is added" in unlinked(review["body"])
    [comment] = opened.comments
    assert comment["line"] == 2
    assert (opened.check["status"], opened.check["output"]["title"]) == (
        "completed",
        "Address before merging · 1 major",
    )
    assert [known.comment_id for known in opened.ledger.findings()] == [str(comment["id"])]
    assert opened.dead == []


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
